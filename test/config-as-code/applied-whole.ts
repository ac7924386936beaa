import { build } from '../helper.ts'
import { measured } from '../linear/measured.ts'
import { applying, HEAD } from './helper.ts'

// 1,000 new test questions of a new agent, applied: apply.test.ts.
await measured(20, async (t) => {
  const { apply } = applying(await (await build(t)).user())
  const questions = Array.from({ length: 1000 }, (_none, i) => `- { key: q${i}, text: How long ${i}?, expect: { says: [30 days] } }\n`)
  let agents = 0
  return async () => {
    const key = `a${agents++}`
    const { changes } = await apply({
      'agenthall.yaml': HEAD,
      [`agents/${key}/agent.yaml`]: `key: ${key}\nname: ${key}\n`,
      [`agents/${key}/prompt.md`]: 'You help.\n',
      [`agents/${key}/questions.yaml`]: questions.join('')
    })
    const made = changes.filter(({ kind, action }) => kind === 'question' && action === 'create').length
    if (made !== 1000) t.fail(`${made} questions in place of 1000`)
  }
})
