import { build } from '../helper.ts'
import { measured } from '../linear/measured.ts'
import { HEAD } from './helper.ts'

// A plan of 8,000 test questions: files.test.ts.
await measured(20, async (t) => {
  const me = await (await build(t)).user()
  const questions = Array.from({ length: 1000 }, (_none, i) =>
    `- { key: q${i}, text: How long ${i}?, enabled: true, blocking: true, language: en, expect: { says: [30 days, a month] } }\n`)
  const files = Array.from({ length: 8 }, (_none, i) => [
    { path: `agents/a${i}/agent.yaml`, text: `key: a${i}\nname: A${i}\n` },
    { path: `agents/a${i}/prompt.md`, text: 'You help.\n' },
    { path: `agents/a${i}/questions.yaml`, text: questions.join('') }
  ])
  const body = JSON.stringify({ files: [{ path: 'agenthall.yaml', text: HEAD }, ...files.flat()] })
  const plan = () => me.post('/v1/config/plan', body, { 'content-type': 'application/json' })
  const { data } = (await plan()).json()
  const { place, kind, action } = data.changes.at(-1)
  if (data.changes.length !== 8008 || Object.keys(data.digests).length !== 8008) t.fail('not planned whole')
  if (`${action} ${kind} ${place}` !== 'create question agents/a7/questions/q999') t.fail(`${action} ${kind} ${place}`)
  return async () => {
    const { statusCode } = await plan()
    if (statusCode !== 200) t.fail(`${statusCode} in place of 200`)
  }
})
