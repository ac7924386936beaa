import { fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { systemClock, timestamp } from '../../../src/platform/clock.ts'
import { openFileStores, type FileStores } from '../../../src/stores.ts'
import { as, seededAnew } from '../data.ts'
import { median } from '../drive.ts'
import { ms, type Line, type Thoroughness } from '../report.ts'
import { agenthall, type Server } from '../servers.ts'
import { idOf, talkALot, visitALot, type Talk } from '../talk.ts'
import { finish } from '../../../src/platform/storage/sqlite/database.ts'

/** Conversations of one account. */
const SIZES = [1600, 30_600, 300_600]
const QUICK_SIZES = [1600, 30_600]
const AGENTS = 20
/** Conversations of the one returning visitor, whom `erased` is about. */
const REGULAR = 200
/** Unanswered questions of each agent, as many as are kept. */
const UNKNOWN = 500
const DAY_MICROS = 86_400_000_000
/**
 * CPU time with the largest file that counts as no more than with the smallest, and how long a request may block the
 * loop.
 */
const FLAT = { times: 2, ms: 2 }
const MOST_LOOP_MS = 20
const MOST_WAIT_MS = 50
const RUSH = { visitors: 1000, overMs: 10_000, mostMs: 3000 }

/** One request to the server. `isSliced`: there is more to do the more there are, but little at a stretch. */
interface Asked {
  what: string
  ask: (server: Server, file: File) => Promise<unknown>
  times?: number
  isSliced?: boolean
}

/** What a file contains that requests name. */
interface File { directory: string, regular: string, waiting: string, key: string, kept: number }

interface Figures { work: number, loop: number }

/** What grows with the number of conversations of an account: each request at each size, side by side. */
export async function conversations ({ seconds }: Thoroughness): Promise<Line[]> {
  const measured = new Map<Asked, Figures[]>()
  const lines: Line[] = []
  const sizes = seconds < 3 ? QUICK_SIZES : SIZES
  for (const size of sizes) {
    console.error(`  ${size.toLocaleString('en')} conversations are made`)
    const file = await filled(size)
    const server = await agenthall({
      directory: file.directory, settings: { WIDGET_SESSIONS_PER_MINUTE: '0', WIDGET_MESSAGES_PER_MINUTE: '0' }
    })
    try {
      for (const asked of ASKED) {
        measured.set(asked, [...measured.get(asked) ?? [], await figuresOf(server, file, asked)])
      }
      if (size === sizes.at(-1)) lines.push(...await rush(server, file))
    } finally {
      await server.stop()
    }
  }
  return [...[...measured].map(([asked, figures]) => lineOf(asked, figures)), ...lines]
}

function lineOf ({ what, isSliced = false }: Asked, figures: readonly Figures[]): Line {
  const [least, most] = [figures[0]!.work, figures.at(-1)!.work]
  const loop = Math.max(...figures.map((one) => one.loop))
  return {
    what,
    measured: figures.map(({ work }) => ms(work)).join(' · '),
    against: `its loop is held ${ms(loop)} at most`,
    aim: `${isSliced ? 'in slices' : 'flat'}, ≤ ${MOST_LOOP_MS} ms`,
    reached: (isSliced || most <= least * FLAT.times + FLAT.ms) && loop <= MOST_LOOP_MS
  }
}

/** The CPU time of one request, and the longest that it blocked the loop. */
async function figuresOf (server: Server, file: File, { ask, times = 20 }: Asked): Promise<Figures> {
  const works: number[] = []
  if (times > 1) await ask(server, file)
  await server.loop()
  for (let n = 0; n < times; n++) {
    const before = await server.used()
    await ask(server, file)
    works.push((await server.used() - before) / 1000)
  }
  return { work: median(works), loop: (await server.loop()).held }
}

const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)
const YEAR = () => `from=${day(365)}&to=${day(0)}`

/** Reads what the first user may read. */
const read = (
  what: string, url: string | ((file: File) => string), { user = 1, isSliced = false } = {}
): Asked => ({
  what,
  isSliced,
  ask: async (server, file) => {
    const answer = await fetch(server.url + (typeof url === 'string' ? url : url(file)), { headers: as(user) })
    if (!answer.ok) throw new Error(`${what} was answered with ${answer.status}: ${await answer.text()}`)
    await answer.arrayBuffer()
  }
})

const ASKED: Asked[] = [
  read('conversations, the newest', '/v1/conversations'),
  read('  that a person answers', '/v1/conversations?handled_by=person'),
  read('  that wait', '/v1/conversations?handled_by=queue'),
  read('  that were handed off', '/v1/conversations?outcome=handed_off'),
  read('  that are open', '/v1/conversations?status=open'),
  read('  of the last hour', () => `/v1/conversations?since=${new Date(Date.now() - 3_600_000).toISOString()}`),
  read('  of one visitor', ({ regular }) => `/v1/conversations?visitor=${regular}`),
  read('  with a rare word', '/v1/conversations?search=quonkelmann', { isSliced: true }),
  read('  with a word that none holds', '/v1/conversations?search=zygomorphic', { isSliced: true }),
  read('  of an account with none, beside the large one', '/v1/conversations', { user: 2 }),
  read('tickets of a conversation', ({ waiting }) => `/v1/tickets?conversation=${waiting}`),
  read('visitors', '/v1/visitors'),
  read('deliveries by channel', '/v1/deliveries?channel=mail'),
  read('usage of 365 days', () => `/v1/usage?${YEAR()}`),
  read('figures of 365 days', () => `/v1/analytics?${YEAR()}`),
  read('suggestions of an agent, 10,000 questions kept', '/v1/agents/1/suggestions'),
  read('what retention would remove', ({ kept }) => `/v1/agents/${kept}/retention`, { isSliced: true }),
  read('a visitor of 200 conversations, exported', ({ regular }) => `/v1/visitors/${regular}/export`),
  { what: 'a new session of the widget', ask: session },
  {
    what: "a visitor's question, answered",
    ask: async (server, file) => {
      const token = await session(server, file)
      await question(server, token)
    }
  },
  {
    what: 'a visitor of 200 conversations, erased',
    times: 1,
    ask: async (server, { regular }) => {
      const answer = await fetch(`${server.url}/v1/visitors/${regular}`, { method: 'DELETE', headers: as(1) })
      if (!answer.ok) throw new Error(`Erasing was answered with ${answer.status}.`)
    }
  }
]

const SITE = 'https://shop.example.com'
const asVisitor = (token?: string) => ({
  origin: SITE, 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` })
})

async function post<T> (url: string, body: object, token?: string): Promise<T> {
  const answer = await fetch(url, { method: 'POST', headers: asVisitor(token), body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`${url} was answered with ${answer.status}: ${await answer.text()}`)
  return (await answer.json() as { data: T }).data
}

async function session (server: Server, { key }: File): Promise<string> {
  return (await post<{ token: string }>(`${server.url}/v1/widget/session`, { key })).token
}

/** Begins a conversation and sends a question; resolves with the milliseconds to the first words. */
async function question (server: Server, token: string): Promise<number> {
  const { id } = await post<{ id: string }>(`${server.url}/v1/widget/conversations`, {}, token)
  const since = performance.now()
  const answer = await fetch(`${server.url}/v1/widget/conversations/${id}/messages`, {
    method: 'POST',
    headers: { ...asVisitor(token), accept: 'text/event-stream' },
    body: JSON.stringify({ text: 'How many days do I have to return something?' })
  })
  if (!answer.ok) throw new Error(`A question was answered with ${answer.status}: ${await answer.text()}`)
  let text = ''
  let first = NaN
  for await (const piece of answer.body!.pipeThrough(new TextDecoderStream() as never) as AsyncIterable<string>) {
    text += piece
    if (Number.isNaN(first) && /"text-delta"|"role":"agent"/.test(text)) first = performance.now() - since
  }
  return Number.isNaN(first) ? performance.now() - since : first
}

/** A thousand visitors within ten seconds, each with their own question, on the largest file. */
async function rush (server: Server, file: File): Promise<Line[]> {
  const watcher = fork(path.join(import.meta.dirname, '../processes/bystanders.ts'), [server.url, '[{}]', '10', '/healthz'])
  await once(watcher, 'message')
  const all: Array<Promise<number>> = []
  const began = performance.now()
  for (let n = 0; n < RUSH.visitors; n++) {
    const due = began + n * RUSH.overMs / RUSH.visitors
    await new Promise((resolve) => setTimeout(resolve, due - performance.now()))
    all.push(session(server, file).then(async (token) => await question(server, token)))
  }
  const ended = await Promise.allSettled(all)
  const first = ended.flatMap((one) => one.status === 'fulfilled' ? [one.value] : []).sort((a, b) => a - b)
  const refused = ended.length - first.length
  const why = ended.find((one) => one.status === 'rejected')
  if (why) console.error(`  ${(why.reason as Error).message}`)
  watcher.send('figures')
  const [waited] = await once(watcher, 'message') as [{ p99: number, most: number }]
  watcher.kill()
  const at = (part: number) => first[Math.floor((first.length - 1) * part)]!
  return [
    {
      what: `${RUSH.visitors.toLocaleString('en')} visitors in 10 s, a question each, without a model`,
      measured: `first words p99 ${ms(at(0.99))}`,
      against: `p50 ${ms(at(0.5))}; ${refused} refused`,
      aim: `all, ≤ ${RUSH.mostMs} ms`,
      reached: refused === 0 && at(0.99) <= RUSH.mostMs
    },
    {
      what: '  /healthz meanwhile, asked every 10 ms',
      measured: `p99 ${ms(waited.p99)}`,
      against: `longest ${ms(waited.most)}`,
      aim: `≤ ${MOST_WAIT_MS} ms`,
      reached: waited.p99 <= MOST_WAIT_MS
    }
  ]
}

/** A file with this many conversations of one account, and an agent on a site that knows about returns. */
async function filled (size: number): Promise<File> {
  const directory = await seededAnew('conversations', { users: 21, agents: AGENTS })
  const stores = await openFileStores({ directory, clock: systemClock(), synchronous: 'NORMAL' })
  const now = systemClock().micros()
  // In turn, in the order in which agents are seeded.
  const owned = stores.db.raw.prepare<[], number>('select id from agents where owner_id = 1 order by id').pluck().all()
  const first = owned[0]!
  const at = (i: number) => now - Math.floor((1 - i / size) * 365 * DAY_MICROS) - DAY_MICROS / 24
  const ids = await visitALot(
    stores, Array.from({ length: size - REGULAR }, (_none, i) => owned[i % AGENTS]!), timestamp(now)
  )
  const waiting: string[] = []
  await talkALot(stores, size, (i): Talk => {
    const visitor = i % Math.floor(size / REGULAR) === 0 ? ids[0]! : ids[i % ids.length]!
    return {
      agent: visitor === ids[0] ? first : owned[i % ids.length % AGENTS]!,
      at: at(i),
      ...(i % 100_000 === 17 && { question: 'Is Mr Quonkelmann in the shop today?' }),
      of: { visitor, channel: 'widget', ...stateOf(i, size) }
    }
  }, (i, { number, secret, conversation }) => {
    if (i > size - 30) waiting.push(conversation)
    if (i < size - AGENTS * UNKNOWN) return
    unknown(stores, { number, secret, i, agent: owned[i % AGENTS]!, at: at(i) })
  })
  spend(stores, owned)
  stores.db.raw
    .prepare("update agents set gdpr_settings = json_set(gdpr_settings, '$.data_retention_days', 30) where id = ?")
    .run(owned[1])
  await stores.close()
  const key = await published(directory, first)
  return { directory, regular: ids[0]!, waiting: waiting[0]!, key, kept: owned[1]! }
}

/** Most are closed; some are open, few are waiting, few are with a person. */
function stateOf (i: number, size: number): Talk['of'] {
  if (i > size - 30) return { status: 'waiting', handled_by: 'queue' }
  if (i > size - 50) return { handled_by: 'person', person: 1 }
  if (i > size - 100) return {}
  const over = { status: 'closed', closed_at: '2026-01-01T00:00:00.000000Z' } as const
  return i % 1000 === 3 ? { ...over, outcome: 'handed_off' } : { ...over, outcome: 'resolved_assumed' }
}

/** Stores an unanswered question, as the job that reads it leaves it. */
function unknown (
  { db, secrets }: FileStores, { number, secret, agent, i, at }: Record<'number' | 'secret' | 'agent' | 'i' | 'at', number>
) {
  const id = Number(db.raw.prepare(`insert into candidates (owner_id, agent_id, conversation, seq, kind, state, created_at, language)
    values (1, ?, ?, 2, 'unknown', 'open', ?, 'en')`).run(agent, number, at).lastInsertRowid)
  const words = [`word${i}`, `term${i % 977}`, 'parcel']
  const noted = { question: `Do you have ${words.join(' ')} in stock for me today?`, answer: null, words }
  db.raw.prepare('update candidates set group_id = id, sealed = ? where id = ?')
    .run(finish(secrets.seal(secret))!.close(`candidate/${id}`, JSON.stringify(noted)), id)
}

/** What models used and what agents did on each day of a year. */
function spend ({ db: { raw } }: FileStores, agents: readonly number[]) {
  const today = Math.floor(systemClock().micros() / DAY_MICROS)
  const days = raw.prepare('insert into model_days (owner_id, day, model, agent_id, runs, input_tokens, output_tokens, cached_tokens, cost) values (1, ?, ?, ?, 10, 10000, 1000, 0, 5)')
  const figures = raw.prepare('insert into figures (agent_id, owner_id, day, name, key, n) values (?, 1, ?, ?, 0, 5)')
  raw.transaction(() => {
    for (let ago = 0; ago < 366; ago++) {
      for (const agent of agents) {
        for (const model of ['a', 'b']) days.run(today - ago, model, agent)
        for (const name of ['conversations', 'messages', 'answers']) figures.run(agent, today - ago, name)
      }
    }
  })()
}

/** Puts an agent on a site, and trains it. */
async function published (directory: string, agent: number): Promise<string> {
  const server = await agenthall({ directory })
  const send = async (url: string, body: object) => {
    const answer = await fetch(server.url + url, {
      method: 'POST', headers: { ...as(1), 'content-type': 'application/json' }, body: JSON.stringify(body)
    })
    if (!answer.ok) throw new Error(`${url} was answered with ${answer.status}: ${await answer.text()}`)
    return await answer.json() as { data: { id: string } }
  }
  const at = `/v1/agents/${agent}`
  await send(`${at}/knowledge_sources`, {
    title: 'Returns', plain_text: 'Returns are accepted within 30 days of delivery.'
  })
  const { data: { id } } = await send(`${at}/widget_keys`, { name: idOf('site'), origins: [SITE] })
  await new Promise((resolve) => setTimeout(resolve, 3000))
  await server.stop()
  return id
}
