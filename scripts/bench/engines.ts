import { copyFileSync } from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import pg from 'pg'
import { dataFile } from '../../src/data-file.ts'
import { moveToPostgres } from '../../src/platform/storage/moving/between.ts'
import { redisServer, withoutRedis } from '../../test/scale/redis.ts'
import { as, draft, seededAnew } from './data.ts'
import { inTurns, median, type Load } from './drive.ts'
import { ms, rate, times, type Line, type Thoroughness } from './report.ts'
import { agenthall, type Server } from './servers.ts'
import { Writer } from './texts.ts'

/** Rates are the product's own, not those of its limits. */
const SETTINGS = { MAX_CONNECTIONS: '2000', MAX_CONNECTIONS_PER_ADDRESS: '0' }
/** In order of comparison; the first is the baseline for the others. */
const NAMES = ['a file', 'PostgreSQL', 'PostgreSQL, three servers'] as const
type Name = typeof NAMES[number]

const posted = (user: number, to: string, body: object): Load['requests'][number] => ({
  method: 'POST', path: to, headers: { ...as(user), 'content-type': 'application/json' }, body: JSON.stringify(body)
})
const read = (to: string): Load['requests'][number] => ({ method: 'GET', path: to, headers: as(1) })
const writer = new Writer(81)
const questions = Array.from({ length: 50 }, () => writer.query())

/** The requests to each, by name, and the concurrency. */
const ASKED: Record<string, Pick<Load, 'requests' | 'connections'> & { status: number }> = {
  'read an agent': { requests: [read('/v1/agents/1')], connections: 18, status: 200 },
  'list 20 agents': { requests: [read('/v1/agents?limit=20')], connections: 18, status: 200 },
  'search 1 MiB': { requests: questions.map((query) => posted(1, '/v1/agents/1/search', { query })), connections: 6, status: 200 },
  'a turn without a model': {
    requests: questions.map((content) => posted(1, '/v1/chat/completions', { model: 'agent-1', messages: [{ role: 'user', content }] })),
    connections: 6,
    status: 200
  },
  'create an agent': { requests: [posted(2, '/v1/agents/', draft)], connections: 66, status: 201 }
}
const STREAMS = 500
/** What happens while they are watching. */
const EVENTS = 20

/**
 * The same tables in a file, in PostgreSQL with one server, and with three that notify each other over Redis: requests
 * per second, and how soon all watchers are notified. TEST_POSTGRES gives the address of PostgreSQL: without it nothing
 * runs, and without Redis not the third.
 */
export async function engines (how: Thoroughness): Promise<Line[]> {
  const postgres = process.env.TEST_POSTGRES
  if (!postgres) return []
  const ends: Array<() => unknown> = []
  try {
    const all: Partial<Record<Name, Server>> = {
      'a file': together([await agenthall({ directory: await filled('engines-file'), settings: SETTINGS })]),
      PostgreSQL: together(await overPostgres(postgres, 'engines_one', ['engines-postgres'], {}))
    }
    if (!withoutRedis) {
      const redis = await redisServer({ teardown: (end) => { ends.push(end) } })
      const three = ['engines-three', 'engines-second', 'engines-third']
      all['PostgreSQL, three servers'] = together(await overPostgres(postgres, 'engines_three', three, { REDIS: redis.address }))
    }
    ends.unshift(() => Promise.all(Object.values(all).map((one) => one.stop())))
    const lines: Line[] = []
    for (const [what, asked] of Object.entries(ASKED)) lines.push(...await compared(what, asked, all, how))
    for (const [name, server] of Object.entries(all)) lines.push(await watched(name, server))
    return lines
  } finally {
    for (const end of ends) await end()
  }
}

async function compared (
  what: string, asked: typeof ASKED[string], all: Partial<Record<Name, Server>>, how: Thoroughness
): Promise<Line[]> {
  const names = NAMES.filter((name) => all[name])
  const measured = await inTurns(
    Object.fromEntries(names.map((name) => [name, { ...asked, server: all[name]! }])) as Record<Name, Load>, how
  )
  const file = measured['a file']
  return names.slice(1).map((name) => {
    const { rate: perSecond, work } = measured[name]
    return {
      what: `${what}, ${name}, ${asked.connections} connections`,
      measured: `${rate(perSecond)}, ${ms(work / 1000)} work`,
      against: `a file ${rate(file.rate)}, ${ms(file.work / 1000)} work: ${times(perSecond / file.rate)}`,
      aim: '≥ 0.1 ×',
      reached: perSecond >= 0.1 * file.rate
    }
  })
}

/** How long it takes until all who watch an account have heard of a new conversation. */
async function watched (name: string, { urls }: Server): Promise<Line> {
  const heard = new Map<string, { left: number, done: () => void }>()
  const agent = new http.Agent({ keepAlive: true, maxSockets: Infinity })
  await Promise.all(Array.from({ length: STREAMS }, async (_, i) => await new Promise<void>((resolve) => {
    http.get(`${urls[i % urls.length]!}/v1/events`, { agent, headers: as(1) }, (answer) => {
      answer.setEncoding('utf8').on('data', (piece: string) => {
        if (piece.includes(': watching')) resolve()
        for (const [, id] of piece.matchAll(/"type":"conversation\.created","id":"(\w[\w-]+)"/g)) {
          const one = heardOf(id!)
          if (--one.left === 0) one.done()
        }
      })
    })
  })))
  function heardOf (id: string) {
    const one = heard.get(id) ?? { left: STREAMS, done () {} }
    heard.set(id, one)
    return one
  }
  const took: number[] = []
  for (let i = 0; i < EVENTS; i++) {
    const began = performance.now()
    const answer = await fetch(`${urls[i % urls.length]!}/v1/agents/1/conversations`, {
      method: 'POST', headers: { ...as(1), 'content-type': 'application/json' }, body: '{}'
    })
    const { data: { id } } = await answer.json() as { data: { id: string } }
    const one = heardOf(id)
    if (one.left > 0) await new Promise<void>((resolve) => { one.done = resolve })
    took.push(performance.now() - began)
  }
  agent.destroy()
  const middle = median(took)
  return {
    what: `all of ${STREAMS} streams hear of a new conversation, ${name}`,
    measured: `${ms(middle)}, the longest of ${EVENTS} ${ms(Math.max(...took))}`,
    against: '',
    aim: '≤ 1 s',
    reached: middle <= 1000
  }
}

/** Several servers as one, called in turn. */
function together (servers: Server[]): Server {
  return {
    ...servers[0]!,
    urls: servers.map(({ url }) => url),
    used: async () => (await Promise.all(servers.map((one) => one.used()))).reduce((sum, one) => sum + one, 0),
    stop: async () => { await Promise.all(servers.map((one) => one.stop())) }
  }
}

/** A directory whose first agent knows 1 MiB. */
async function filled (name: string): Promise<string> {
  const directory = await seededAnew(name, { users: 20, agents: 50 })
  const server = await agenthall({ directory })
  const text = new Writer(82)
  const { method, path: to, headers, body } = posted(1, '/v1/agents/1/knowledge_sources', {
    title: 'Everything', plain_text: Array.from({ length: 9000 }, () => text.sentence()).join(' ')
  })
  await fetch(server.url + to, { method: method!, headers: headers as Record<string, string>, body: body as string })
  for (;;) {
    const answer = await fetch(`${server.url}/v1/agents/1/knowledge_sources`, { headers: as(1) })
    const { data: [{ training_status: state }] } = await answer.json() as { data: [{ training_status: string }] }
    if (state === 'Success') break
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  await server.stop()
  return directory
}

/** Servers of one database, each with a directory of these names; its tables are moved there from the first. */
async function overPostgres (
  postgres: string, database: string, directories: string[], settings: Record<string, string>
): Promise<Server[]> {
  const address = new URL(postgres)
  address.pathname = `/agenthall_${database}`
  await anew(postgres, `agenthall_${database}`)
  const first = await filled(directories[0]!)
  await moveToPostgres(dataFile(first), address.href, () => {})
  const servers: Server[] = []
  for (const [at, name] of directories.entries()) {
    const directory = at === 0 ? first : await seededAnew(name, { users: 1, agents: 1 })
    if (at > 0) copyFileSync(path.join(first, 'agenthall.key'), path.join(directory, 'agenthall.key'))
    servers.push(await agenthall({ directory, settings: { ...SETTINGS, ...settings, DATABASE: address.href } }))
  }
  return servers
}

async function anew (server: string, name: string) {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  await client.query(`drop database if exists ${name} with (force)`)
  await client.query(`create database ${name}`)
  await client.end()
}
