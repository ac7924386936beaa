import BetterSqlite3 from 'better-sqlite3'
import t from 'tap'
import { dataFile } from '../../src/data-file.ts'
import { applying, HEAD, type Files } from '../config-as-code/helper.ts'
import { client, cycles, scratch, seeded, serve } from './tools/server.ts'

const AGENTS = 30

/** A configuration that names its round everywhere. */
function round (n: number): Files {
  const agents = Array.from({ length: AGENTS }, (_, i) => Object.entries({
    [`agents/a${i}/agent.yaml`]: `key: a${i}\nname: Agent ${i}\ndescription: Round ${n}\n`,
    [`agents/a${i}/prompt.md`]: `You are of round ${n}.\n`,
    [`agents/a${i}/knowledge/text.md`]: `# Round ${n}\n\nThis is what agent ${i} knows in round ${n}.\n`,
    [`agents/a${i}/questions.yaml`]: `- { key: q, text: "Which round is it?", expect: { says: ["round ${n}"] } }\n`
  })).flat()
  return { 'agenthall.yaml': HEAD, 'business.yaml': `name: Round ${n}\n`, ...Object.fromEntries(agents) }
}

t.test('kill -9 in an apply: all of it is there or none of it, and what was to be trained is trained', async (t) => {
  const directory = scratch(t)
  const random = seeded(245)
  let key = ''
  let acknowledged = -1
  let began = -1
  const as = (send: ReturnType<typeof client>) => {
    const answer = (method: string) => async (url: string, body?: object) => {
      const { status, body: told } = await send(method, url, body)
      return { statusCode: status, body: JSON.stringify(told), json: () => told }
    }
    return applying({ get: answer('GET'), post: answer('POST') } as never)
  }
  /** The rounds that the existing data comes from. */
  async function rounds (send: ReturnType<typeof client>) {
    const files = await as(send).exported()
    const texts = Object.entries(files).filter(([path]) => path !== 'agenthall.yaml').map(([, text]) => text)
    return [...new Set(texts.flatMap((text) => [...text.matchAll(/[Rr]ound (\d+)/g)].map(([, n]) => Number(n))))]
  }
  for (let kills = 0; kills < cycles(4); kills++) {
    const server = await serve(directory)
    key = server.key ?? key
    const send = client(server.address, key)
    if (kills > 0) {
      const there = await rounds(send)
      t.ok(there.length <= 1, `of one round: ${there}`)
      if (acknowledged >= 0) t.ok(there[0]! >= acknowledged, `round ${there[0]}, ${acknowledged} was acknowledged`)
      t.ok((there[0] ?? 0) <= began)
    }
    const { apply } = as(send)
    const first = Promise.withResolvers<void>()
    const ended = (async () => {
      for (;;) {
        began++
        await apply(round(began), {})
        acknowledged = began
        first.resolve()
      }
    })().catch(() => undefined)
    // The next one is killed while it is planned or applied, at any point.
    await Promise.race([first.promise, ended])
    await new Promise((resolve) => setTimeout(resolve, 200 + random() * 1500))
    await server.kill()
    await ended
  }
  const server = await serve(directory)
  const send = client(server.address, key)
  const there = await rounds(send)
  t.equal(there.length, 1)
  t.ok(there[0]! >= acknowledged && acknowledged >= 0, `round ${there[0]}, ${acknowledged} was acknowledged`)
  const left = async () => ((await send('GET', '/v1/config/state')).body.data as unknown as { training: number }).training
  while (await left() > 0) await new Promise((resolve) => setTimeout(resolve, 200))
  const found = (await send('POST', '/v1/agents/1/search', { query: 'Which round is it?' })).body
  t.match(JSON.stringify(found), new RegExp(`round ${there[0]}`))
  t.match((await as(send).planned(round(there[0]!), {})).changes, [])
  // What was made before a transaction that never came is removed.
  const raw = new BetterSqlite3(dataFile(directory), { readonly: true })
  t.teardown(() => raw.close())
  const hidden = raw.prepare('select count(*) from agents where owner_id is null').pluck()
  while (hidden.get() !== 0) await new Promise((resolve) => setTimeout(resolve, 200))
  await server.stop()
})
