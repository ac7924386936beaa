import { build } from '../helper.ts'
import { measured } from '../linear/measured.ts'
import { agentFiles, applying, HEAD, type Files } from './helper.ts'

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
      Object.assign(files, agentFiles(key, { name: key, prompt: 'You help.', text: `Returns within ${i} days.` }))
    }
    const { changes } = await apply(files)
    const made = changes.filter(({ action }) => action === 'create').length
    if (made !== 2 * MANY) t.fail(`${made} objects in place of ${2 * MANY}`)
  }
})
