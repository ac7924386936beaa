import { setTimeout as pause } from 'node:timers/promises'
import path from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import type { ConversationRecord } from '../../../schema/conversations.ts'
import { ofConversation, ofEnd, ofMessage, type Increment } from '../../../src/analytics/figures.ts'
import { systemClock, timestamp } from '../../../src/platform/clock.ts'
import { dataFile } from '../../../src/data-file.ts'
import { openFileStores, type FileStores } from '../../../src/stores.ts'
import { as, seededAnew } from '../data.ts'
import { ms, type Line, type Thoroughness } from '../report.ts'
import { agenthall } from '../servers.ts'
import { message, talkALot } from '../talk.ts'
import { bystanders, figuresOf } from './knowledge.ts'

const PURGED = 100_000
const COUNTED = 1_000_000
const QUIET_MS = 5000
const MOST_S = 600
const MOST_WAIT_MS = 50
const MOST_FIGURES_MS = 200
const DAY_MICROS = 86_400_000_000

/** Many conversations are removed at once, and many are counted. */
export async function people (_how: Thoroughness): Promise<Line[]> {
  console.error(`  ${PURGED.toLocaleString('en')} conversations are made`)
  const directory = await seededAnew('people', { users: 21, agents: 2 })
  const stores = await openFileStores({ directory, clock: systemClock(), synchronous: 'NORMAL' })
  const at = Date.UTC(2025, 0, 1) * 1000
  await talkALot(stores, PURGED, () => ({ agent: 1, at }))
  count(stores)
  stores.db.raw
    .prepare("update agents set gdpr_settings = json_set(gdpr_settings, '$.data_retention_days', 30) where id = 1")
    .run()
  await stores.jobs.ask([{ kind: 'privacy.retain', subject: 0, owner: 0, inMs: QUIET_MS + 4000 }])
  await stores.close()
  const server = await agenthall({ directory })
  const took = await analyticsOf(server.url)
  const others = await bystanders(server)
  await pause(1000)
  await figuresOf(others)
  await pause(QUIET_MS - 2000)
  const before = await figuresOf(others)
  const { left, seconds } = await purged(directory)
  const during = await figuresOf(others)
  others.kill()
  await server.stop()
  return [
    {
      what: `figures of ${COUNTED.toLocaleString('en')} conversations, 366 days`,
      measured: ms(took),
      against: '',
      aim: `< ${MOST_FIGURES_MS} ms`,
      reached: took < MOST_FIGURES_MS
    },
    {
      what: `${(PURGED - left).toLocaleString('en')} conversations are removed: other users' lists meanwhile`,
      measured: `p99 ${ms(during.p99)}`,
      against: `before ${ms(before.p99)}; longest ${ms(during.most)}; ${seconds.toFixed(0)} s`,
      aim: `< ${MOST_WAIT_MS} ms`,
      reached: during.p99 < MOST_WAIT_MS
    }
  ]
}

/**
 * Waits until all are removed and their secrets wiped, with a time limit: returns how many are left, and how long it
 * took.
 */
async function purged (directory: string): Promise<{ left: number, seconds: number }> {
  const raw = new BetterSqlite3(dataFile(path.resolve(directory)), { readonly: true })
  const conversationsLeft = raw.prepare<[], number>('select count(*) from conversations').pluck()
  const secretsLeft = raw.prepare<[], number>('select count(*) from doomed_secrets').pluck()
  const started = performance.now()
  const seconds = () => (performance.now() - started) / 1000
  for (;;) {
    const [left, secrets] = [conversationsLeft.get()!, secretsLeft.get()!]
    console.error(`  ${seconds().toFixed(0)} s: ${left} conversations and ${secrets} secrets are left`)
    if (left + secrets === 0 || seconds() > MOST_S) {
      raw.close()
      return { left, seconds: seconds() }
    }
    await pause(5000)
  }
}

/** The totals of this many conversations, over 366 days and the agents of the first user. */
function count ({ db: { raw } }: FileStores) {
  const sums = new Map<string, Increment>()
  const now = systemClock().micros()
  for (let i = 0; i < COUNTED; i++) {
    const at = timestamp(now - i % 366 * DAY_MICROS)
    const agent = 1 + i % 2
    const all = [
      ...ofConversation({ created_at: at } as ConversationRecord),
      ...ofMessage(message(1, at), false),
      ...ofMessage(message(2, at), true),
      ...ofEnd({ outcome: 'resolved_assumed', ended_at: at, asked_at: null, taken_at: null })
    ]
    for (const one of all) {
      const name = `${agent} ${one.day} ${one.name} ${one.key}`
      const known = sums.get(name)
      if (known) known.n += one.n
      else sums.set(name, { ...one })
    }
  }
  const add = raw.prepare('insert into figures (agent_id, owner_id, day, name, key, n) values (?, 1, ?, ?, ?, ?)')
  raw.transaction(() => {
    for (const [name, { day, name: what, key, n }] of sums) add.run(Number(name.split(' ')[0]), day, what, key, n)
  })()
}

/** Milliseconds for the figures of a year: the median of nine. */
async function analyticsOf (url: string): Promise<number> {
  const to = new Date().toISOString().slice(0, 10)
  const from = new Date(Date.now() - 365 * 86_400_000).toISOString().slice(0, 10)
  const all: number[] = []
  for (let i = 0; i < 9; i++) {
    const began = performance.now()
    const answer = await fetch(`${url}/v1/analytics?from=${from}&to=${to}`, { headers: as(1) })
    if (!answer.ok) throw new Error(`The figures were answered with ${answer.status}.`)
    await answer.json()
    all.push(performance.now() - began)
  }
  return all.sort((a, b) => a - b)[4]!
}
