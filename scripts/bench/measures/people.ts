import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import path from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import type { ConversationRecord, MessageRecord } from '../../../schema/conversations.ts'
import { conversations, messages } from '../../../schema/sqlite/conversations.ts'
import { ofConversation, ofEnd, ofMessage, type Increment } from '../../../src/analytics/figures.ts'
import { AT_FIRST } from '../../../src/conversations/hands/hands.ts'
import { conversationRow, messageRow } from '../../../src/conversations/storage/rows.ts'
import { systemClock, timestamp } from '../../../src/platform/clock.ts'
import { rowsOf } from '../../../src/platform/storage/sqlite/rows.ts'
import { dataFile } from '../../../src/data-file.ts'
import { openStores, type Stores } from '../../../src/stores.ts'
import { as, seededAnew } from '../data.ts'
import { ms, type Line, type Thoroughness } from '../report.ts'
import { agenthall } from '../servers.ts'
import { bystanders, figuresOf } from './knowledge.ts'

const PURGED = 100_000
const COUNTED = 1_000_000
const SAID = [
  'How long do I have to return something that I bought last week?',
  'Returns are accepted within 30 days of delivery. [1]'
]
const QUIET_MS = 5000
const MOST_S = 600
const MOST_WAIT_MS = 50
const MOST_FIGURES_MS = 200
const DAY_MICROS = 86_400_000_000

/** Many conversations are removed at once, and many are counted. */
export async function people (_how: Thoroughness): Promise<Line[]> {
  console.error(`  ${PURGED.toLocaleString('en')} conversations are made`)
  const directory = await seededAnew('people', { users: 21, agents: 2 })
  const stores = await openStores({ directory, clock: systemClock(), synchronous: 'NORMAL' })
  await talkALot(stores)
  count(stores)
  stores.db.raw
    .prepare("update agents set gdpr_settings = json_set(gdpr_settings, '$.data_retention_days', 30) where id = 1")
    .run()
  await stores.jobs.ask([{ kind: 'privacy.retain', subject: 0, owner: 0, inMs: QUIET_MS + 4000 }])
  await stores.knowledge.close()
  stores.close()
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
 * Waits until all are removed and their secrets wiped, but not for ever: how many are left then, and how long it took.
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

/** Conversations of the first agent that were over long ago, with four messages each. */
async function talkALot ({ db, secrets }: Stores) {
  const own = rowsOf(conversations)
  const said = rowsOf(messages)
  const addConversation = db.raw.prepare(`insert into conversations (${own.columns}) values (${own.placeholders})`)
  const addMessage = db.raw.prepare(`insert into messages (${said.columns}) values (${said.placeholders})`)
  const at = timestamp(Date.UTC(2025, 0, 1) * 1000)
  const id = (prefix: string) => `${prefix}_${randomBytes(16).toString('base64url')}`
  for (let made = 0; made < PURGED;) {
    await db.atomically(() => {
      for (const end = Math.min(PURGED, made + 500); made < end; made++) {
        const conversation: ConversationRecord = {
          ...AT_FIRST,
          id: id('conv'),
          agent: 1,
          owner: 1,
          visitor: null,
          channel: 'api',
          language: 'en',
          subject: SAID[0]!,
          tickets: [],
          messages: 4,
          created_at: at,
          updated_at: at,
          last_message_at: at,
          revision: 1
        }
        const secret = secrets.create()
        const seal = secrets.seal(secret)!
        const number = Number(
          addConversation.run(...own.values({ ...conversationRow(conversation, seal), alias: null, secret } as never))
            .lastInsertRowid
        )
        for (let seq = 1; seq <= 4; seq++) {
          addMessage.run(
            ...said.values(
              messageRow({ ...message(seq, at), id: id('msg'), conversation: conversation.id }, number, seal)
            )
          )
        }
      }
    })
  }
}

function message (seq: number, at: string): MessageRecord {
  const isVisitor = seq % 2 === 1
  return {
    id: '',
    conversation: '',
    seq,
    role: isVisitor ? 'visitor' : 'agent',
    author: null,
    text: SAID[Number(!isVisitor)]!,
    status: 'complete',
    citations: isVisitor
      ? []
      : [{ n: 1, source: 1 + seq, title: '', url: null, page: null, quote: '', start: 0, end: 1 }],
    suggestions: [],
    replaces: null,
    feedback: null,
    attachments: [],
    client_id: null,
    answered_by: isVisitor ? null : 'model',
    unknown: false,
    model: null,
    agent_version: null,
    usage: isVisitor
      ? null
      : {
          input_tokens: 1000,
          output_tokens: 100,
          cached_tokens: 0,
          cost: 0.001,
          first_ms: Math.ceil(Math.random() * 5000),
          total_ms: 1
        },
    error: null,
    created_at: at,
    attempts: 1
  }
}

/** The sums that so many conversations leave, over 366 days and the agents of the first user. */
function count ({ db: { raw } }: Stores) {
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

/** Milliseconds that the figures of a year take: the median of nine. */
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
