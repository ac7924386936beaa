import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import BetterSqlite3 from 'better-sqlite3'
import t from 'tap'
import { dataFile } from '../../src/data-file.ts'
import { client, launch, listening, percentile, scratch, serve } from './tools/server.ts'

/**
 * A server that blocks for the 3 s or more of a foreign lock answers later than this, one that does not far earlier, on
 * any machine.
 */
const STANDSTILL_MS = 1500

/** Starts this many servers at once on one directory. */
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

/** Holds the write lock as another process would, while a client calls the health check and others write. */
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

const NO_LIMITS = process.platform !== 'linux' && 'not Linux'

t.test('files that could not be opened for a while do not end training until a restart', { skip: NO_LIMITS }, async (t) => {
  const { child, address, key, stop } = await serve(scratch(t))
  t.teardown(stop)
  // One connection for everything: none can be opened meanwhile.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.teardown(() => agent.destroy())
  const ask = async (method: string, path: string, body?: object): Promise<any> => {
    const text = await new Promise<string>((resolve, reject) => {
      const headers = { authorization: `Api-Key ${key}`, ...(body && { 'content-type': 'application/json' }) }
      const sent = request(address + path, { method, agent, headers }, (answer) => {
        let all = ''
        answer.setEncoding('utf8').on('data', (piece: string) => { all += piece }).on('end', () => resolve(all))
      })
      sent.on('error', reject).end(body && JSON.stringify(body))
    })
    const { data, error } = JSON.parse(text)
    if (error) throw new Error(error.message)
    return data
  }
  const limit = (files: number) => execFileSync('prlimit', [`--pid=${child.pid}`, `--nofile=${files}:`])
  const { id } = await ask('POST', '/v1/agents/', { name: 'Ada', systemPrompt: 'You help.' })
  const sources = `/v1/agents/${id}/knowledge_sources`

  const open = new Set(readdirSync(`/proc/${child.pid}/fd`).map(Number))
  let free = 0
  while (open.has(free)) free++
  limit(free)
  // Tried now, and again later.
  await ask('POST', sources, { type: 'text', title: 'Returns', plain_text: 'Within 30 days.' })
  await pause(2000)
  limit(1024)
  const after = await ask('POST', sources, { type: 'text', title: 'Shipping', plain_text: 'Within 3 days.' })
  let [source] = after
  while (['Pending', 'Processing'].includes(source.training_status)) {
    await pause(100)
    source = await ask('GET', `${sources}/${after[0].id}`)
  }
  t.equal(source.training_status, 'Success')
})
