import type { Id } from '../../../schema/common.ts'
import type { ConversationRecord } from '../../../schema/conversations.ts'
import { conversations, QUIET_SINCE } from '../../../schema/sqlite/conversations.ts'
import { hidingDeleted } from '../../agents/index.ts'
import { tagAs } from '../../platform/tags.ts'
import { partOf } from '../../platform/storage/parts.ts'
import type { Database, Statement } from '../../platform/storage/sqlite/database.ts'
import { rowsOf } from '../../platform/storage/sqlite/rows.ts'
import type { Seal } from '../../platform/storage/secrets.ts'
import { filtered, mapped, type Work } from '../../platform/storage/work.ts'
import type { ConversationFilter, Slice } from '../store.ts'
import { conversationOf, type ConversationRow } from './rows.ts'
import type { ConversationWords } from './words.sqlite.ts'

/** Conversations that a search checks before others get their turn: about 2 ms. */
const LOOKED_AT = 250
/** Milliseconds a search spends indexing older data before others get their turn. */
const INDEXING_MS = 5

/** Cached statements: one for each way of filtering conversations. */
const PREPARED = 50

/** A page of the owner's conversations, newest first. */
type List = (
  owner: Id, filter: ConversationFilter, cursor: string | undefined, limit: number
) => Promise<Slice<ConversationRecord>>

/** Lists conversations; searches use the word index, which decrypts none. */
export function listing (db: Database, words: ConversationWords, sealOf: (secret: Id) => Work<Seal>): List {
  const rows = rowsOf(conversations)
  const stepDown = db.column<[Id, number], number>(
      `select number from conversations indexed by conversations_by_owner
      where owner_id = ? and number < ? order by number desc limit 1 offset ${LOOKED_AT - 1}`
  )
  function * shown (row: ConversationRow) { return conversationOf(row, yield * sealOf(row.secret)) }
  const inTurn = takingTurns()
  const hiding = hidingDeleted(db)
  const scope = scoping(db)

  const prepared = new Map<string, Statement<unknown[], unknown[]>>()

  function reading ({ from, where }: Scope) {
    const text = `select ${rows.columns} from ${from} where ${where} order by ${from.startsWith(TAGGED) ? 'conversation' : 'number'} desc limit ?`
    const known = prepared.get(text) ?? db.rows<unknown[], unknown[]>(text)
    if (prepared.size >= PREPARED) prepared.clear()
    prepared.set(text, known)
    return known
  }

  function * found (scope: Scope, limit: number): Work<ConversationRow[]> {
    return (yield * reading(scope).all(...scope.values, limit)).map((row) => rows.record(row))
  }

  function * part (kept: ConversationRow[], limit: number): Work<Slice<ConversationRecord>> {
    const items = kept.slice(0, limit)
    return { items: yield * mapped(items, shown), next: kept.length > limit ? String(items.at(-1)!.number) : null }
  }

  /** Those with all of these words, in slices: a search blocks nobody. */
  const search: List = async (owner, filter, cursor, limit) => {
    const kept: ConversationRow[] = []
    let before = cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursor)
    while (before > 0 && kept.length <= limit) {
      await inTurn()
      const from = (await db.read(() => stepDown.get(owner, before))) ?? 0
      const range = { owner, from, before }
      while ((await db.read(() => words.hasUnindexed(range)))) {
        await db.inSmallPortions(() => db.atomically(() => words.indexSome(INDEXING_MS, range)))
        await inTurn()
      }
      kept.push(...(await db.read(function * () {
        const sought = yield * words.sought(owner, filter.search!)
        if (!sought?.length) return []
        const isHidden = yield * hiding()
        const rows = yield * found(holding(yield * scope(owner, filter, before), from, sought), LOOKED_AT)
        return yield * filtered(rows, function * (row) { return !(yield * isHidden(row)) })
      })))
      before = from
    }
    return db.read(() => part(kept, limit))
  }

  return async (owner, filter, cursor, limit) =>
    filter.search === undefined
      ? await partOf(db, {
        * read (before, asked) { return yield * found(yield * scope(owner, filter, before), asked) },
        placeOf: ({ number }) => number,
        hiding,
        show: shown
      }, cursor === undefined ? undefined : Number(cursor), limit)
      : await search(owner, filter, cursor, limit)
}

/** Gives each caller a turn of the event loop of their own. */
function takingTurns (): () => Promise<unknown> {
  let last: Promise<unknown> = Promise.resolve()
  return () => (last = last.then(() => new Promise(setImmediate)))
}

/** Conversations with a tag are read via their tags, which are sorted newest first. */
const TAGGED = 'conversation_tags cross join conversations on number = conversation'
const HAS_TAG = 'account_id = ? and tag = ?'
const IS_TAGGED = `exists (select 1 from conversation_tags where ${HAS_TAG} and conversation = conversations.number)`

/** Of these, those from a number on that hold all the words, or whose visitor's name and addresses do. */
function holding ({ from: table, where, values }: Scope, from: number, words: readonly Buffer[]): Scope {
  const holds =
    '(exists (select 1 from conversation_words where conversation = conversations.number and instr(words, ?) > 0) or exists (select 1 from visitors where visitors.id = conversations.visitor and instr(words, ?) > 0))'
  return {
    from: table,
    where: [where, 'number >= ?', ...words.map(() => holds)].join(' and '),
    values: [...values, from, ...words.flatMap((word) => [word, word])]
  }
}

/** Which conversations to search, and on what conditions. */
interface Scope { from: string, where: string, values: unknown[] }

/** Conversations in an index are all scanned for a list if there are this many at most. */
const FEW = 1000

const MARKS = ['person', 'assignee', 'priority'] as const
const STATES = ['handled_by', 'outcome', 'status'] as const
const SINCE = `${QUIET_SINCE} >= ?`

/** Whether an index, by its name, holds few conversations with these values. */
function counting (db: Database): (index: string, ...values: unknown[]) => Work<boolean> {
  const counted = (index: string, where: string) => [index, db.column<unknown[], number>(`
    select count(*) from (select 1 from conversations indexed by conversations_by_${index}
    where ${where} limit ${FEW + 1}) as few`)] as const
  const owned = [...MARKS, ...STATES].map((field) => counted(`owner_${field}`, `owner_id = ? and ${field} = ?`))
  const ofAgent = STATES.map((field) => counted(`agent_${field}`, `agent_id = ? and ${field} = ?`))
  const counts = new Map([
    ...owned, ...ofAgent, counted('owner_silence', `owner_id = ? and ${SINCE}`), counted('agent_silence', `agent_id = ? and ${SINCE}`),
    counted('agent', 'agent_id = ?')
  ])
  return function * (index, ...values) {
    return (yield * counts.get(index)!.get(...values))! <= FEW
  }
}

/**
 * Which conversations pass a filter: only fixed texts, and the values for the question marks. It names the index that
 * holds the fewest of them, sorted newest first: otherwise SQLite scans all.
 */
function scoping (db: Database) {
  const hasFew = counting(db)

  /** The first index that holds few of those a filter asks for; undefined if none does. */
  function * fewIn (owner: Id, filter: ConversationFilter): Work<string | undefined> {
    const { agent, since } = filter
    if (filter.visitor !== undefined) return 'visitor'
    if (filter.overdue === true) return 'owner_overdue'
    if (filter.snoozed === true) return 'owner_snoozed'
    const [by, whose] = agent === undefined ? ['owner', owner] : ['agent', agent]
    const marks = MARKS.filter((field) => filter[field] !== undefined).map((field) => [`owner_${field}`, owner, filter[field]] as const)
    const states = STATES.filter((field) => filter[field] !== undefined).map((field) => [`${by}_${field}`, whose, filter[field]] as const)
    const choice = [
      ...marks, ...(since === undefined ? [] : [[`${by}_silence`, whose, since] as const]), ...states,
      ...(agent !== undefined && (marks.length > 0 || filter.tag !== undefined) ? [['agent', agent] as const] : [])
    ]
    // The only one is read anyway, unless it is not in the order of the list.
    if (choice.length === 1 && since === undefined && filter.tag === undefined) return choice[0]![0]
    for (const [index, ...values] of choice) if (yield * hasFew(index, ...values)) return index
    return undefined
  }

  return function * (owner: Id, filter: ConversationFilter, before: number): Work<Scope> {
    const few = yield * fewIn(owner, filter)
    const isTagged = filter.tag !== undefined && few === undefined
    const conditions: Array<[string, ...unknown[]]> = [['owner_id = ?', owner]]
    if (filter.agent !== undefined) conditions.push(['agent_id = ?', filter.agent])
    for (const field of ['status', 'handled_by', 'visitor', 'outcome', 'person', 'assignee', 'priority'] as const) {
      if (filter[field] !== undefined) conditions.push([`${field} = ?`, filter[field]])
    }
    if (filter.since !== undefined) conditions.push([SINCE, filter.since])
    if (filter.tag !== undefined) conditions.push([isTagged ? HAS_TAG : IS_TAGGED, owner, tagAs(filter.tag)])
    conditions.push([isTagged ? 'conversation < ?' : 'number < ?', before])
    const marks = ([['snoozed_until', filter.snoozed], ['overdue_at', filter.overdue]] as const)
      .flatMap(([column, is]) => is === undefined ? [] : [`${column} is ${is ? 'not ' : ''}null`])
    return {
      from: isTagged ? TAGGED : `conversations indexed by conversations_by_${few ?? widest(filter)}`,
      where: [...conditions.map(([condition]) => condition), ...marks].join(' and '),
      values: conditions.flatMap(([, ...values]) => values)
    }
  }
}

/** The index to read where none holds few. */
function widest (filter: ConversationFilter): string {
  const mark = MARKS.find((field) => filter[field] !== undefined)
  if (mark !== undefined) return `owner_${mark}`
  const by = filter.agent === undefined ? 'owner' : 'agent'
  const state = STATES.find((field) => filter[field] !== undefined)
  return state === undefined ? by : `${by}_${state}`
}
