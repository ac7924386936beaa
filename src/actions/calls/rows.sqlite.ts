import type {
  ActionRecord, CallCard, CallRecord, ConnectionRecord, ShownArgument
} from '../../../schema/actions.ts'
import type { Id } from '../../../schema/common.ts'
import { actions, calls, connections } from '../../../schema/sqlite/actions.ts'
import { OF_KEPT_AGENT } from '../../agents/index.ts'
import type { Kernel } from '../../kernel/index.ts'
import { timestamp } from '../../platform/clock.ts'
import { sealKept } from '../../platform/storage/secrets.ts'
import { rowsOf } from '../../platform/storage/sqlite/rows.ts'
import type { Work } from '../../platform/storage/work.ts'
import { openedWith } from '../connections/store.sqlite.ts'
import type { Asked } from '../contract.ts'
import type { Begun } from '../store.ts'
import type { HandlerState } from './decide.ts'
import { after, type CallEvent } from './table.ts'

declare module '../../platform/work/event-bus.ts' {
  interface DomainEvents {
    /** The state of a call has changed. */
    'call.updated': { call: CallRecord }
  }
}

/** A call as stored. */
export type Row = typeof calls.$inferSelect
/** What is sealed of a call. */
export interface Words { values: Asked['values'], shown: ShownArgument[], result: string | null }
/** The parts of a conversation that matter to its calls. */
export interface CallConversation extends HandlerState { number: number, secret: Id, agent_id: Id }
/** An action with its connection. */
export interface Known { action: ActionRecord, connection: ConnectionRecord }

/** The call store's reads and writes; all inside the caller's transaction. */
export type RowsNeeds = Pick<Kernel, 'db' | 'clock' | 'secrets' | 'vault' | 'eventBus'>

/** Rows of calls: reads, seals, decrypts, writes and publishes them. */
export function callRows ({ db, clock, secrets, vault, eventBus }: RowsNeeds) {
  const rows = rowsOf(calls)
  const [actionRows, connectionRows] = [rowsOf(actions, ['key']), rowsOf(connections, ['key'])]
  const placeOf = db.objects<[string, Id], CallConversation>(`
    select number, secret, agent_id, epoch, handled_by, status from conversations where id = ? and owner_id = ? and ${OF_KEPT_AGENT}`)
  const actionOf = db.rows<[Id, Id], unknown[]>(`select ${actionRows.columns} from actions where id = ? and owner_id = ?`)
  const connectionOf = db.rows<[Id, Id], unknown[]>(`select ${connectionRows.columns} from connections where id = ? and owner_id = ?`)
  const one = db.rows<[string, Id], unknown[]>(`select ${rows.columns} from calls where id = ? and owner_id = ?`)
  const insert = db.column<any[], number>(
    `insert into calls (${rows.columns}) values (${rows.placeholders}) returning number`
  )
  const update = db.objects(`update calls set ${rows.settings} where number = ?`)
  const ofNumber = db.rows<[number], unknown[]>(`select ${rows.columns} from calls where conversation_number = ? order by number`)

  function * read (owner: Id, id: string): Work<Row | undefined> {
    const row = yield * one.get(id, owner)
    return row && rows.record(row)
  }

  function * kept (owner: Id, action: Id): Work<Known | undefined> {
    const row = yield * actionOf.get(action, owner)
    const record = row && actionRows.record(row) as ActionRecord
    const connection = record && (yield * connectionOf.get(record.connection, owner))
    return connection && { action: record, connection: connectionRows.record(connection) as ConnectionRecord }
  }

  const sealOf = ({ secret }: Pick<CallConversation, 'secret'>) => sealKept(secrets, secret)
  function * wordsOf (place: CallConversation, { id, sealed }: Row): Work<Words> {
    return sealed === null
      ? { values: {}, shown: [], result: null }
      : JSON.parse((yield * sealOf(place)).open(`call/${id}`, sealed).toString())
  }
  function * withWords (
    place: CallConversation, id: string, words: Words
  ) { return (yield * sealOf(place)).close(`call/${id}`, JSON.stringify(words)) }

  /** Writes a call, and publishes the change. */
  function * write (row: Row, agent: Id | null): Work<CallRecord> {
    yield * update.run(...rows.values(row), row.number)
    return yield * told(row, agent)
  }

  function * told (row: Row, agent: Id | null): Work<CallRecord> {
    const call = recordOf(row)
    if (call.conversation !== null) {
      yield * eventBus.publish({
        owner: call.owner, type: 'call.updated', agent, data: { call }
      })
    }
    return call
  }

  /** A call after an event; undefined if not allowed in its state. */
  function moved (row: Row, event: CallEvent, change: Partial<Row> = {}): Row | undefined {
    const state = after(row.state, event)
    return state && { ...row, ...change, state, updated_at: timestamp(clock.micros()) }
  }

  const handedOut = (row: Row, values: Asked['values'], known: Known): Begun => ({
    call: recordOf(row),
    asked: { connection: openedWith(vault, known.connection), action: known.action, values, key: row.id }
  })

  function * cardOf (place: CallConversation, row: Row): Work<CallCard> {
    const { shown, result } = yield * wordsOf(place, row)
    const { owner: _owner, ...call } = recordOf(row)
    return { ...call, arguments: shown, result }
  }

  function newRow (owner: Id, action: ActionRecord, of: Partial<Row> & Pick<Row, 'id' | 'state' | 'digest'>): Row {
    const at = timestamp(clock.micros())
    return {
      number: null as unknown as number,
      owner,
      conversation_number: null,
      conversation: null,
      message: null,
      action: action.id,
      action_name: action.name,
      action_version: action.version,
      title: action.title,
      effect: action.effect,
      confirm: action.confirm,
      expires_at: null,
      confirmed_by: null,
      status: null,
      ms: null,
      result_digest: null,
      error: null,
      error_code: null,
      epoch: 0,
      sealed: null,
      created_at: at,
      updated_at: at,
      ...of
    }
  }

  return {
    rows,
    /** The conversation of this id. */
    placeOf: (owner: Id, id: string | null) => placeOf.get(id ?? '', owner),
    read,
    kept,
    wordsOf,
    withWords,
    write,
    told,
    moved,
    handedOut,
    cardOf,
    newRow,
    /** Stores a new one. */
    * insert (row: Row): Work<Row> { return { ...row, number: (yield * insert.get(...rows.values(row)))! } },
    * ofConversation (number: number): Work<Row[]> {
      return (yield * ofNumber.all(number)).map((row) => rows.record(row))
    }
  }
}

/** A call without the store's internal fields. */
export function recordOf (
  { number: _number, conversation_number: _place, epoch: _epoch, sealed: _sealed, ...call }: Row
): CallRecord {
  return call
}
