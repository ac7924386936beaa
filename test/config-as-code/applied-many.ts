import { build } from '../helper.ts'
import { measured } from '../linear/measured.ts'
import { applying, HEAD, type Files } from './helper.ts'

// New agents, each with a source, applied: files.test.ts.
const MANY = 60
await measured(20, async (t) => {
  const { apply } = applying(await (await build(t)).user())
  let round = 0
  return async () => {
    round++
    const files: Files = { 'agenthall.yaml': HEAD }
    for (let i = 0; i < MANY; i++) {
      const key = `a${round}-${i}`
      files[`agents/${key}/agent.yaml`] = `key: ${key}\nname: ${key}\n`
      files[`agents/${key}/prompt.md`] = 'You help.\n'
      files[`agents/${key}/knowledge/r.md`] = `Returns within ${i} days.\n`
      files[`agents/${key}/sources.yaml`] = '- { key: r, title: Returns, text: knowledge/r.md }\n'
    }
    const { changes } = await apply(files)
    const made = changes.filter(({ action }) => action === 'create').length
    if (made !== 2 * MANY) t.fail(`${made} objects in place of ${2 * MANY}`)
  }
})
