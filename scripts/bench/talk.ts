import { randomBytes } from 'node:crypto'
import type { ConversationRecord, MessageRecord, VisitorRecord } from '../../schema/conversations.ts'
import { conversations, messages, visitors } from '../../schema/sqlite/conversations.ts'
import { AT_FIRST } from '../../src/conversations/handoff/policy.ts'
import { conversationRow, messageRow, visitorRow } from '../../src/conversations/storage/rows.ts'
import { conversationWords } from '../../src/conversations/storage/words.sqlite.ts'
import { timestamp } from '../../src/platform/clock.ts'
import { rowsOf } from '../../src/platform/storage/sqlite/rows.ts'
import type { FileStores } from '../../src/stores.ts'
import { finish } from '../../src/platform/storage/sqlite/database.ts'

/** Conversations written in one transaction. */
const BATCH = 500
/** The messages of each, by the visitor and the agent in turn. */
export const SAID = [
  'How long do I have to return something that I bought last week?',
  'Returns are accepted within 30 days of delivery. [1]'
]

/** How one of many conversations differs from the others. `at`: microseconds. */
export interface Talk {
  agent: number
  at: number
  of?: Partial<ConversationRecord>
  /** The text in place of SAID's first. */
  question?: string
}

/** A random id, generated as the program does. */
export const idOf = (prefix: string) => `${prefix}_${randomBytes(16).toString('base64url')}`

/**
 * This many conversations of the first user with four messages each, as the program writes them, searchable. Resolves
 * with their numbers in the file, and calls `each` in the transaction that wrote one.
 */
export async function talkALot (
  { db, secrets }: FileStores, count: number, talk: (i: number) => Talk,
  each: (i: number, kept: { number: number, secret: number, conversation: string }) => void = () => undefined
) {
  const own = rowsOf(conversations)
  const said = rowsOf(messages)
  const words = conversationWords(db, secrets)
  const addConversation = db.raw.prepare(`insert into conversations (${own.columns}) values (${own.placeholders})`)
  const addMessage = db.raw.prepare(`insert into messages (${said.columns}) values (${said.placeholders})`)

  function add (i: number) {
    const { agent, at: micros, of, question = SAID[0]! } = talk(i)
    const at = timestamp(micros)
    const conversation: ConversationRecord = {
      ...AT_FIRST,
      id: idOf('conv'),
      agent,
      owner: 1,
      visitor: null,
      channel: 'api',
      language: 'en',
      page: null,
      subject: question,
      tickets: [],
      messages: 4,
      created_at: at,
      updated_at: at,
      last_message_at: at,
      revision: 1,
      ...of
    }
    const secret = finish(secrets.create())
    const seal = finish(secrets.seal(secret))!
    const row = { ...conversationRow(conversation, seal), alias: null, secret, indexed: true }
    const number = Number(addConversation.run(...own.values(row as never)).lastInsertRowid)
    const all = [1, 2, 3, 4].map((seq) => ({
      ...message(seq, at), ...(seq === 1 && { text: question }), id: idOf('msg'), conversation: conversation.id
    }))
    for (const one of all) addMessage.run(...said.values(messageRow(one, number, seal)))
    finish(words.ofNew(number, conversation))
    finish(words.ofMessages({ number, owner: 1 }, all))
    each(i, { number, secret, conversation: conversation.id })
  }

  for (let made = 0; made < count;) {
    await db.atomically(function * () {
      for (const end = Math.min(count, made + BATCH); made < end; made++) add(made)
    })
  }
}

/** This many visitors of an agent of the first user; resolves with their ids. */
export async function visitALot (
  { db, secrets }: FileStores, agents: readonly number[], at: string
): Promise<string[]> {
  const rows = rowsOf(visitors)
  const add = db.raw.prepare(`insert into visitors (${rows.columns}) values (${rows.placeholders})`)
  const words = conversationWords(db, secrets)
  const ids: string[] = []
  while (ids.length < agents.length) {
    await db.atomically(function * () {
      for (const end = Math.min(agents.length, ids.length + BATCH); ids.length < end;) {
        const visitor: VisitorRecord = {
          id: idOf('vis'),
          agent: agents[ids.length]!,
          owner: 1,
          verified: false,
          external_id: null,
          name: `Visitor ${ids.length}`,
          email: `visitor-${ids.length}@example.com`,
          phone: null,
          attributes: {},
          consent: null,
          time_zone: null,
          place: null,
          created_at: at,
          last_seen_at: at
        }
        const secret = finish(secrets.create())
        const row = visitorRow(visitor, finish(secrets.seal(secret))!)
        add.run(...rows.values({ ...row, subject: null, secret, words: finish(words.ofVisitor(1, visitor)) } as never))
        ids.push(visitor.id)
      }
    })
  }
  return ids
}

/** A message of a conversation, by its index: the odd ones are the visitor's. */
export function message (seq: number, at: string): MessageRecord {
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
      : [{ n: 1, source: 1 + seq, title: '', url: null, page: null, quote: '', start: 0, end: 1, checked_at: null }],
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
    guarded: [],
    created_at: at,
    attempts: 1
  }
}
