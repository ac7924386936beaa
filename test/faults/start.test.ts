import BetterSqlite3 from 'better-sqlite3'
import t from 'tap'
import { dataFile } from '../../src/data-file.ts'
import { client, launch, listening, percentile, scratch, serve } from './tools/server.ts'

/**
 * A server that stands still for the 3 s or more of a foreign lock answers later than this, one that does not far
 * earlier, on any machine.
 */
const STANDSTILL_MS = 1500

/** Starts so many servers at once on one directory. */
async function startTogether (directory: string, count: number, planted?: string) {
  const started = performance.now()
  const processes = Array.from({ length: count }, () => launch(directory, { planted }))
  t.teardown(() => { for (const { child } of processes) child.kill('SIGKILL') })
  const outcomes = await Promise.all(processes.map((process) => Promise.race([
    listening(process).then(() => 'serves' as const),
    process.ended.then((code) => ({ code, said: process.said(), after: performance.now() - started }))
  ])))
  const refused = outcomes.filter((outcome) => outcome !== 'serves')
  return { serving: processes.filter((_, i) => outcomes[i] === 'serves'), refused, took: performance.now() - started }
}

t.test('of twenty simultaneous starts exactly one serves, and a kill frees its place at once', async (t) => {
  const directory = scratch(t)
  const { serving, refused, took } = await startTogether(directory, 20)
  t.equal(serving.length, 1)
  t.equal(refused.length, 19)
  t.ok(refused.every(({ code, said }) => code === 1 && said.includes('Another Agenthall is using the data directory')))
  const began = performance.now()
  const second = await launch(directory).ended
  const alone = performance.now() - began
  t.equal(second, 1)
  t.comment(
    `${serving.length} serves, ${refused.length} refused within ${took.toFixed()} ms together; one more alone refused in ${alone.toFixed()} ms`
  )
  for (let i = 0; i < 5; i++) {
    const [current] = i ? [] : serving
    current?.child.kill('SIGKILL')
    await current?.ended
    const next = await serve(directory)
    t.equal((await fetch(`${next.address}/healthz`)).status, 200, 'a start after a kill serves')
    await next.kill()
  }
})

t.test('planted: without the lock more than one serves', async (t) => {
  const { serving } = await startTogether(scratch(t), 3, 'lockless')
  t.comment(`${serving.length} of 3 serve`)
  t.ok(serving.length > 1)
  for (const { child, ended } of serving) {
    child.kill('SIGKILL')
    await ended
  }
})

/** Holds the write lock from another process' point of view, while a client asks for health and others write. */
async function holdLock (t: Tap, ms: number, planted?: string) {
  const directory = scratch(t)
  const server = await serve(directory, { planted })
  const key = server.key!
  const send = client(server.address, key)
  const foreign = new BetterSqlite3(dataFile(directory))
  foreign.exec('BEGIN IMMEDIATE')
  const held = new AbortController()
  const release = new Promise((resolve) => setTimeout(resolve, ms)).then(() => {
    foreign.exec('ROLLBACK')
    foreign.close()
    held.abort()
  })
  const writes = Array.from({ length: 40 }, (_, i) =>
    send('POST', '/v1/agents/', { name: `held-${i}`, systemPrompt: 'x' })
  )
  const health: number[] = []
  while (!held.signal.aborted) {
    const asked = performance.now()
    await (await fetch(`${server.address}/healthz`)).text()
    health.push(performance.now() - asked)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  await release
  const answers = await Promise.all(writes)
  const after = await send('POST', '/v1/agents/', { name: 'after', systemPrompt: 'x' })
  const raw = new BetterSqlite3(dataFile(directory), { readonly: true })
  const there = raw.prepare("select count(*) from agents where name like 'held-%'").pluck().get()
  raw.close()
  await server.kill()
  return { answers, health, there, after: after.status }
}

t.test(
  'a foreign write lock of 3 s delays writes, loses none, and leaves the rest of the server at work',
  async (t) => {
    const { answers, health, there, after } = await holdLock(t, 3000)
    t.comment(
      `health p50 ${percentile(health, 0.5).toFixed(1)} ms, p99 ${percentile(health, 0.99).toFixed(1)} ms of ${health.length}; ${answers.filter(({ status }) => status === 201).length} of 40 written`
    )
    t.ok(percentile(health, 0.99) < STANDSTILL_MS)
    t.ok(answers.every(({ status }) => status === 201))
    t.equal(there, 40)
    t.equal(after, 201)
  }
)

t.test('a foreign write lock of 7 s refuses writes after 5 s, with word of when to come back', async (t) => {
  const { answers, health, there, after } = await holdLock(t, 7000)
  t.ok(
    answers.every(
      ({ status, headers, body }) =>
        status === 503 && body.error!.code === 'unavailable' && Number(headers.get('retry-after')) > 0
    ),
    'refused'
  )
  t.equal(there, 0, 'what was refused did not happen')
  t.ok(percentile(health, 0.99) < STANDSTILL_MS)
  t.equal(after, 201)
})

t.test('planted: a server that lets SQLite wait stands still', async (t) => {
  const { health } = await holdLock(t, 3000, 'patient')
  t.comment(`health p99 ${percentile(health, 0.99).toFixed(1)} ms of ${health.length}`)
  t.ok(percentile(health, 0.99) > STANDSTILL_MS)
})

type Tap = Pick<typeof t, 'teardown'>
