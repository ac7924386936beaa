import type BetterSqlite3 from 'better-sqlite3'
import type { Id } from '../../../schema/common.ts'
import type { ConversationRecord } from '../../../schema/conversations.ts'
import { conversations, QUIET_SINCE } from '../../../schema/sqlite/conversations.ts'
import { hidingDeleted } from '../../agents/index.ts'
import { partOf } from '../../platform/storage/parts.ts'
import type { Database } from '../../platform/storage/sqlite/database.ts'
import { rowsOf } from '../../platform/storage/sqlite/rows.ts'
import type { Seal } from '../../platform/storage/secrets.ts'
import type { ConversationFilter, Slice } from '../store.ts'
import { conversationOf, type ConversationRow } from './rows.ts'
import type { ConversationWords } from './words.sqlite.ts'

/** Conversations that a search looks at before others have their turn: about 2 ms. */
const LOOKED_AT = 250
/** Milliseconds for which a search indexes what an older program wrote before others have their turn. */
const INDEXING_MS = 5

/** Statements that are kept: one for each way in which conversations are filtered. */
const PREPARED = 50

/** A part of the owner's conversations, newest first. */
type List = (
  owner: Id, filter: ConversationFilter, cursor: string | undefined, limit: number
) => Promise<Slice<ConversationRecord>>

/** Lists conversations; those with the words that are searched for by the index of words, which opens none. */
export function listing (db: Database, words: ConversationWords, sealOf: (secret: Id) => Seal): List {
  const { raw } = db
  const rows = rowsOf(conversations)
  const stepDown = raw
    .prepare<[Id, number], number>(
      `select number from conversations indexed by conversations_by_owner
      where owner_id = ? and number < ? order by number desc limit 1 offset ${LOOKED_AT - 1}`
    )
    .pluck()
  const shown = (row: ConversationRow) => conversationOf(row, sealOf(row.secret))
  const inTurn = takingTurns()
  const hiding = hidingDeleted(raw)
  const scope = scoping(raw)

  const prepared = new Map<string, BetterSqlite3.Statement<unknown[], unknown[]>>()

  function reading ({ from, where }: Scope) {
    const text = `select ${rows.columns} from ${from} where ${where} order by ${from.startsWith(TAGGED) ? 'conversation' : 'number'} desc limit ?`
    const known = prepared.get(text) ?? raw.prepare<unknown[], unknown[]>(text).raw()
    if (prepared.size >= PREPARED) prepared.clear()
    prepared.set(text, known)
    return known
  }

  const found = (scope: Scope, limit: number): ConversationRow[] =>
    reading(scope).all(...scope.values, limit).map((row) => rows.record(row))

  function part (kept: ConversationRow[], limit: number): Slice<ConversationRecord> {
    const items = kept.slice(0, limit)
    return { items: items.map(shown), next: kept.length > limit ? String(items.at(-1)!.number) : null }
  }

  /** Those with all of these words, in slices: whoever searches holds nobody up. */
  const search: List = async (owner, filter, cursor, limit) => {
    const kept: ConversationRow[] = []
    let before = cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursor)
    while (before > 0 && kept.length <= limit) {
      await inTurn()
      const from = db.read(() => stepDown.get(owner, before)) ?? 0
      const range = { owner, from, before }
      while (db.read(() => words.hasUnindexed(range))) {
        await db.inSmallPortions(() => db.atomically(() => words.indexSome(INDEXING_MS, range)))
        await inTurn()
      }
      kept.push(...db.read(() => {
        const sought = words.sought(owner, filter.search!)
        if (!sought?.length) return []
        const isHidden = hiding()
        return found(holding(scope(owner, filter, before), from, sought), LOOKED_AT).filter((row) => !isHidden(row))
      }))
      before = from
    }
    return db.read(() => part(kept, limit))
  }

  return async (owner, filter, cursor, limit) =>
    filter.search === undefined
      ? await partOf(db, {
        read: (before, asked) => found(scope(owner, filter, before), asked),
        placeOf: ({ number }) => number,
        hiding,
        show: shown
      }, cursor === undefined ? undefined : Number(cursor), limit)
      : await search(owner, filter, cursor, limit)
}

/** Lets everybody who asks go on in a turn of the event loop of their own. */
function takingTurns (): () => Promise<unknown> {
  let last: Promise<unknown> = Promise.resolve()
  return () => (last = last.then(() => new Promise(setImmediate)))
}

/** Conversations with a tag are walked through by their tags, in which they stand newest first. */
const TAGGED = 'conversation_tags cross join conversations on number = conversation'

/** Of these, those from a number on that hold all the words, or whose visitor's name and addresses do. */
function holding ({ from: table, where, values }: Scope, from: number, words: readonly Buffer[]): Scope {
  const holds =
    '(exists (select 1 from conversation_words where conversation = conversations.number and instr(words, ?)) or exists (select 1 from visitors where visitors.id = conversations.visitor and instr(words, ?)))'
  return {
    from: table,
    where: [where, 'number >= ?', ...words.map(() => holds)].join(' and '),
    values: [...values, from, ...words.flatMap((word) => [word, word])]
  }
}

/** Where conversations are looked for, and on what conditions. */
interface Scope { from: string, where: string, values: unknown[] }

/** Conversations that were spoken in since a time are looked through for a list, where there are so few at most. */
const FEW = 1000

/**
 * Which conversations a filter lets through: fixed texts alone, and the values for the question marks. It names the
 * index that holds the fewest of them, in which they stand newest first: left to itself, SQLite walks through all.
 */
function scoping (raw: Database['raw']) {
  const lately = (by: 'owner' | 'agent') => raw.prepare<[Id, string], number>(`
    select count(*) from (select 1 from conversations indexed by conversations_by_${by}_silence
    where ${by}_id = ? and ${QUIET_SINCE} >= ? limit ${FEW + 1})`).pluck()
  const latelyOf = { owner: lately('owner'), agent: lately('agent') }

  function indexFor (owner: Id, { agent, visitor, since, ...filter }: ConversationFilter): string {
    if (visitor !== undefined) return 'visitor'
    const mark = (['person', 'assignee', 'priority'] as const).find((one) => filter[one] !== undefined)
    if (mark !== undefined) return `owner_${mark}`
    if (filter.snoozed === true) return 'owner_snoozed'
    const by = agent === undefined ? 'owner' : 'agent'
    if (since !== undefined && latelyOf[by].get(agent ?? owner, since)! <= FEW) return `${by}_silence`
    const field = (['handled_by', 'outcome', 'status'] as const).find((one) => filter[one] !== undefined)
    return field === undefined ? by : `${by}_${field}`
  }

  return (owner: Id, filter: ConversationFilter, before: number): Scope => {
    const conditions: Array<[string, unknown]> = [['owner_id = ?', owner]]
    if (filter.agent !== undefined) conditions.push(['agent_id = ?', filter.agent])
    for (const field of ['status', 'handled_by', 'visitor', 'outcome', 'person', 'assignee', 'priority'] as const) {
      if (filter[field] !== undefined) conditions.push([`${field} = ?`, filter[field]])
    }
    if (filter.since !== undefined) conditions.push([`${QUIET_SINCE} >= ?`, filter.since])
    if (filter.tag !== undefined) {
      conditions.push(['account_id = ?', owner], ['tag = ?', filter.tag.toLowerCase()], ['conversation < ?', before])
    } else conditions.push(['number < ?', before])
    const snoozed = filter.snoozed === undefined ? [] : [`snoozed_until is ${filter.snoozed ? 'not ' : ''}null`]
    return {
      from: filter.tag === undefined
        ? `conversations indexed by conversations_by_${indexFor(owner, filter)}`
        : TAGGED,
      where: [...conditions.map(([condition]) => condition), ...snoozed].join(' and '),
      values: conditions.map(([, value]) => value)
    }
  }
}
