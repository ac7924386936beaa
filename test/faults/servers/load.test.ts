import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Redis } from 'ioredis'
import pg from 'pg'
import t from 'tap'
import { redisServer, skip as withoutServices } from '../../scale/redis.ts'
import { ownPostgres, skip as withoutPostgres } from './postgres.ts'
import { proxyTo } from './proxy.ts'
import { client, scratch, seeded, serve, type Server } from '../tools/server.ts'

const WRITERS = 6
const ANSWERED_MS = 10_000

/** What clients were told, and how. */
interface Heard {
  made: Map<string, number>
  said: number
  /** Answers that were waited for longer than ten seconds, but for those of a server that did not run. */
  slow: string[]
  refused: Map<number, number>
  wrong: string[]
}

/**
 * Makes agents and says something to them, at any of the servers. What fails is asked again elsewhere under the same
 * Idempotency-Key, until it is acknowledged or the test is over.
 */
async function write (
  servers: () => Server[], key: string, who: number, heard: Heard, paused: Set<Server>, signal: AbortSignal
) {
  const random = seeded(who + 1)
  async function send (method: string, url: string, body: object, once: string) {
    while (!signal.aborted) {
      const all = servers()
      const one = all[Math.floor(random() * all.length)]!
      const began = performance.now()
      const answer = await client(one.address, key)(method, url, body, { 'idempotency-key': once }).catch(() => undefined)
      const took = Math.round(performance.now() - began)
      if (answer && took > ANSWERED_MS && !paused.has(one)) {
        heard.slow.push(`${method} ${url} at ${all.indexOf(one)}: ${answer.status} after ${took} ms`)
      }
      if (answer && answer.status < 300) return answer
      if (answer) heard.refused.set(answer.status, (heard.refused.get(answer.status) ?? 0) + 1)
      if (answer && answer.status !== 503 && answer.status !== 409) {
        heard.wrong.push(`${method} ${url}: ${answer.status} ${JSON.stringify(answer.body)}`)
        return undefined
      }
      await pause(100 + random() * 200)
    }
    return undefined
  }
  for (let n = 0; !signal.aborted; n++) {
    const name = `w${who}-${n}`
    const made = await send('POST', '/v1/agents', { name, systemPrompt: name }, name)
    if (!made) continue
    const before = heard.made.get(name)
    if (before !== undefined && before !== made.body.data.id) heard.wrong.push(`${name} was made twice`)
    heard.made.set(name, made.body.data.id)
    const begun = await send('POST', `/v1/agents/${made.body.data.id}/conversations`, {}, `${name} talks`)
    const said = begun && await send(
      'POST', `/v1/conversations/${begun.body.data.id}/messages`, { text: 'Do you ship abroad?' }, `${name} asks`
    )
    if (said) heard.said++
    await pause(50)
  }
}

/** What servers have logged of faults, each kind once. */
const faultsIn = (log: string) => [...new Map(readFileSync(log, 'utf8').split('\n').filter(Boolean)
  .map((line) => JSON.parse(line)).filter(({ err }) => err)
  .map(({ msg, err }) => [`${msg} ${err.code} ${err.message}`, err.stack]))].map((one) => one.join(': ')).join('\n')

t.test('three servers under load: nothing that was acknowledged is lost, nothing is made twice, nobody waits', {
  skip: withoutPostgres || withoutServices, timeout: 600_000
}, async (t) => {
  const [postgres, redis, home] = [await ownPostgres(t), await redisServer(t), scratch(t)]
  const [toPostgres, toRedis] = [await proxyTo(t, postgres.address), await proxyTo(t, redis.address)]
  const servers: Server[] = []
  async function start (at: number) {
    const directory = path.join(home, String(at))
    mkdirSync(directory, { recursive: true })
    const [file, first] = [path.join(directory, 'agenthall.key'), path.join(home, '0', 'agenthall.key')]
    if (!existsSync(file) && existsSync(first)) copyFileSync(first, file)
    // The second reaches both services by ways that can be cut.
    const [database, neighbours] = at === 1 ? [toPostgres, toRedis] : [postgres, redis]
    servers[at] = await serve(directory, {
      log: path.join(home, 'log'),
      env: { AGENTHALL_DATABASE: database.address, AGENTHALL_REDIS: neighbours.address }
    })
    return servers[at]
  }
  t.teardown(async () => { for (const one of servers) await one.kill() })
  const key = (await start(0)).key!
  await start(1)
  await start(2)

  const heard: Heard = { made: new Map(), said: 0, slow: [], refused: new Map(), wrong: [] }
  const over = new AbortController()
  const paused = new Set<Server>()
  const writers = Array.from(
    { length: WRITERS }, (_, who) => write(() => servers, key, who, heard, paused, over.signal)
  )
  const during = async (what: string, begin: () => unknown, end: () => unknown, ms: number) => {
    const before = heard.made.size
    await begin()
    await pause(ms)
    await end()
    await pause(2000)
    t.comment(`${what}: ${heard.made.size - before} agents made, ${heard.slow.length} slow answers`)
  }
  await during('nothing', () => {}, () => {}, 3000)
  await during('kill -9 of one', () => servers[2]!.kill(), () => start(2), 3000)
  await during('the network to PostgreSQL is cut', () => toPostgres.cut(), () => toPostgres.mend(), 3000)
  await during('the network to PostgreSQL says nothing', () => toPostgres.hang(), () => toPostgres.mend(), 3000)
  await during('the network to Redis is cut', () => toRedis.cut(), () => toRedis.mend(), 3000)
  await during('PostgreSQL crashes', () => postgres.crash(), () => postgres.start(), 2000)
  await during('Redis is killed', () => redis.kill(), () => redis.restart(), 3000)
  await during('Redis hangs', () => redis.hang(), () => redis.goOn(), 3000)
  await during('Redis is emptied', async () => {
    const client = new Redis(redis.address)
    await client.flushall()
    client.disconnect()
  }, () => {}, 1000)
  await during('one is paused', () => {
    paused.add(servers[0]!)
    servers[0]!.child.kill('SIGSTOP')
  }, () => servers[0]!.child.kill('SIGCONT'), 12_000)
  over.abort()
  await Promise.all(writers)
  t.comment(`${heard.made.size} agents, ${heard.said} answers, refused ${JSON.stringify([...heard.refused])}`)
  if (heard.wrong.length > 0) t.comment(faultsIn(path.join(home, 'log')))
  t.strictSame(heard.wrong, [], 'no other answer than it was done, or try again')
  t.strictSame(heard.slow, [], 'whoever asks hears something within ten seconds')
  t.ok(heard.made.size > 50, `${heard.made.size} agents`)

  const tables = new pg.Client({ connectionString: postgres.address })
  await tables.connect()
  const { rows: agents } = await tables.query('select name, id::integer as id from agents')
  const kept = new Map(agents.map(({ name, id }) => [name, id]))
  const lost = [...heard.made].filter(([name, id]) => kept.get(name) !== id)
  t.strictSame(lost, [], 'everything that was acknowledged is there')
  const twice = (await tables.query('select name from agents group by name having count(*) > 1')).rows
  t.strictSame(twice, [], 'nothing is there twice')
  const unfinished = "select count(*)::integer as n from messages where status = 'generating'"
  for (let i = 0; i < 60 && (await tables.query(unfinished)).rows[0].n > 0; i++) await pause(1000)
  t.equal((await tables.query(unfinished)).rows[0].n, 0, 'each answer has come to its end')
  await tables.end()
})
