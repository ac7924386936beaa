import { build } from '../helper.ts'
import { measured } from '../linear/measured.ts'
import { agentFiles, applying, HEAD, type Files } from './helper.ts'

// Agents with a source and a question each, all of which change, applied: files.test.ts.
const MANY = 60
await measured(20, async (t) => {
  const { apply } = applying(await (await build(t)).user())
  let round = 0
  return async () => {
    round++
    const files: Files = { 'agenthall.yaml': HEAD }
    for (let i = 0; i < MANY; i++) {
      Object.assign(files, agentFiles(`a${i}`, {
        name: `Agent ${i}, ${round}`, prompt: `You help ${round}.`, text: `Returns within ${round} days.`
      }))
      files[`agents/a${i}/questions.yaml`] = `- { key: q, text: How long ${round}?, expect: { says: [30 days] } }\n`
    }
    const { changes } = await apply(files)
    if (changes.length !== 3 * MANY) t.fail(`${changes.length} objects in place of ${3 * MANY}`)
  }
})
