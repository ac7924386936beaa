import { build, draft } from '../helper.ts'
import { measured } from '../linear/measured.ts'

// An agent that is created with 2,000 texts: inline.test.ts.
await measured(20, async (t) => {
  const as = await (await build(t)).user()
  const texts = Array.from({ length: 2000 }, (_none, i) => ({ title: `T${i}`, plain_text: `Text ${i}` }))
  const body = JSON.stringify({ ...draft, name: 'Much', knowledge_sources: texts })
  return async () => {
    const { statusCode } = await as.post('/v1/agents', body, { 'content-type': 'application/json' })
    if (statusCode !== 201) t.fail(`${statusCode} in place of 201`)
  }
})
