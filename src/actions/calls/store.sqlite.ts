import { hash, randomBytes } from 'node:crypto'
import type { CallState } from '../../../schema/actions.ts'
import type { Id } from '../../../schema/common.ts'
import { hidingDeleted } from '../../agents/index.ts'
import { timestamp } from '../../platform/clock.ts'
import { decided, Refusal } from '../../platform/errors.ts'
import { partOf } from '../../platform/storage/parts.ts'
import type { Jobs } from '../../platform/storage/sqlite/jobs.ts'
import { mapped, settled, type Work } from '../../platform/storage/work.ts'
import type { Failure, Sent } from '../contract.ts'
import type { CallFilter, CallStore, Proposed } from '../store.ts'
import { shownArguments, tryToBind, type Bound } from './bind.ts'
import { decideCall, decidedCall, type Proposal } from './decide.ts'
import {
  callRows, recordOf, type Known, type CallConversation, type Row, type RowsNeeds, type Words
} from './rows.sqlite.ts'
import { CONFIRM_MS, type CallEvent } from './table.ts'

/** Job kinds: carry out confirmed calls; look up lost ones; expire those nobody confirmed. */
export const DO_CALL = 'call'
export const LOOK_UP_CALL = 'call-look-up'
export const EXPIRE_CALL = 'call-expiry'
/** How long after its response was lost a call is first looked up: the other side may still be processing it. */
const FIRST_LOOK_MS = 5000

/** Calls in SQLite. Their arguments are sealed with the secret of their conversation, and deleted with it. */
export function sqliteCallStore (
  { jobs, ...needs }: RowsNeeds & { jobs: Pick<Jobs, 'ask' | 'drop'> }
): CallStore {
  const { db, clock } = needs
  const {
    rows, placeOf, read, kept, wordsOf, withWords, write, told, moved, handedOut, cardOf, newRow, insert, ofConversation
  } = callRows(needs)
  const today = db.column<[Id, string], number>(
    "select count(*) from calls where action_id = ? and created_at >= ? and state <> 'refused'"
  )
  const asking = db.column<[number, string], string>(`
      select id from calls where conversation_number = ? and state = 'asked' and confirm = 'visitor' and expires_at > ?
      order by number limit 1`)
  const agentOf = db.column<[number], Id>('select agent_id from conversations where number = ?')
  const hiding = hidingDeleted(db)
  const left = db.objects<[string | null], { owner: Id, call: string, effect: 'read' | 'write' }>(
    `select owner_id as owner, id as call, effect from calls where state = 'running' and updated_at < coalesce(?, '9999')
      order by number`
  )

  function * proposed (
    owner: Id, place: CallConversation, asked: Proposed, bound: Bound, known: Known
  ): Work<Proposal> {
    const { action } = known
    const all = yield * ofConversation(place.number)
    const ofMessage = asked.message === null ? [] : all.filter(({ message }) => message === asked.message)
    const same = ofMessage.find((one) =>
      one.action === action.id && one.digest === bound.digest && one.state !== 'refused')
    if (same) return { type: 'repeated', call: recordOf(same), result: (yield * wordsOf(place, same)).result }
    const day = timestamp(clock.micros()).slice(0, 10)
    const ofToday = (yield * today.get(action.id, day))!
    const state = decided(() =>
      decideCall(action, {
        standing: place,
        epoch: asked.begunIn ?? place.epoch,
        isVerified: asked.isVerified,
        before: {
          ofMessage,
          inConversation: all.filter((one) => one.action === action.id && one.state !== 'refused').length,
          today: ofToday
        }
      }))
    if (state instanceof Refusal) return { type: 'refused', refusal: state }
    const id = `call_${randomBytes(16).toString('base64url')}`
    const words: Words = { values: bound.values, shown: shownArguments(action, bound.values), result: null }
    const made = newRow(owner, action, {
      id,
      state,
      digest: bound.digest,
      conversation_number: place.number,
      conversation: asked.conversation,
      message: asked.message,
      epoch: place.epoch,
      expires_at: state === 'asked' ? timestamp(clock.micros() + CONFIRM_MS * 1000) : null,
      sealed: yield * withWords(place, id, words)
    })
    const row = yield * insert(made)
    const call = yield * told(row, place.agent_id)
    if (state === 'running') return { type: 'begun', ...handedOut(row, bound.values, known) }
    yield * jobs.ask({ kind: EXPIRE_CALL, subject: row.number, owner, payload: { call: id }, inMs: CONFIRM_MS })
    return { type: 'asked', call }
  }

  return {
    list: async (owner, filter, place, limit) => await partOf(db, {
      * read (before, asked) {
        const { index, where } = scopeOf(filter)
        return (yield * db.rows<[object], unknown[]>(`
          select ${rows.columns} from calls indexed by ${index} where owner_id = :owner and number < :before ${where}
          order by number desc limit :asked`)
          .all({ ...filter, owner, before, asked }))
          .map((row) => rows.record(row))
      },
      placeOf: ({ number }) => number,
      * hiding () {
        const isDeleted = yield * hiding()
        return function * (row) {
          if (!isMeant(row, filter)) return true
          if (row.conversation_number === null) return false
          const agent = yield * agentOf.get(row.conversation_number)
          return agent === undefined || (yield * isDeleted({ agent }))
        }
      },
      show: (row) => settled(recordOf(row))
    }, place === undefined ? undefined : Number(place), limit),
    get: async (owner, conversation, id) => db.read(function * () {
      const place = yield * placeOf(owner, conversation)
      const row = place && (yield * read(owner, id))
      return row?.conversation_number === place?.number && row && place ? (yield * cardOf(place, row)) : undefined
    }),
    ofConversation: async (owner, conversation) => db.read(function * () {
      const place = yield * placeOf(owner, conversation)
      return place ? (yield * mapped(yield * ofConversation(place.number), (row) => cardOf(place, row))) : []
    }),
    waiting: async (owner, conversation) => db.read(function * () {
      const place = yield * placeOf(owner, conversation)
      const id = place && (yield * asking.get(place.number, timestamp(clock.micros())))
      return id === undefined ? undefined : (yield * cardOf(place!, (yield * read(owner, id))!))
    }),
    propose: (owner, asked) => db.atomically(function * (): Work<Proposal | undefined> {
      const place = yield * placeOf(owner, asked.conversation)
      const known = place && (yield * kept(owner, asked.action))
      if (!known) return undefined
      const bound = tryToBind(known.action, asked.arguments, asked.identity)
      return bound instanceof Refusal
        ? { type: 'refused', refusal: bound }
        : (yield * proposed(owner, place, asked, bound, known))
    }),
    decide: (owner, conversation, id, { event, digest, person }) => db.atomically(function * () {
      const place = yield * placeOf(owner, conversation)
      const row = place && (yield * read(owner, id))
      if (!row || row.conversation_number !== place.number) return undefined
      const at = timestamp(clock.micros())
      const state = decidedCall(row, { event, digest, isPerson: person !== null, standing: place, at })
      yield * jobs.drop(EXPIRE_CALL, row.number)
      if (state === 'confirmed') {
        yield * jobs.ask({ kind: DO_CALL, subject: row.number, owner, payload: { call: id }, lane: 'outside' })
      }
      const by = person === null ? 'visitor' : `members/${person}`
      return yield * write({ ...row, state, confirmed_by: by, updated_at: at }, place.agent_id)
    }),
    begin: (owner, id) => db.atomically(function * () {
      const row = yield * read(owner, id)
      const place = row && (yield * placeOf(owner, row.conversation))
      if (!place || row.state !== 'confirmed') return undefined
      const known = yield * kept(owner, row.action)
      const isSame = known?.action.enabled === true && known.action.version === row.action_version
      // After a hand-off nothing runs, and a call changed since it was shown is not the one confirmed.
      if (!isSame || place.epoch !== row.epoch) {
        const dropped = moved(row, 'drop', isSame ? TAKEN : CHANGED)!
        return { call: yield * write(dropped, place.agent_id), asked: null }
      }
      const running = moved(row, 'begin')!
      yield * write(running, place.agent_id)
      return handedOut(running, (yield * wordsOf(place, row)).values, known)
    }),
    settle: (owner, id, sent) => db.atomically(function * () {
      const row = yield * read(owner, id)
      const place = row && (yield * placeOf(owner, row.conversation))
      const next = place && moved(row, eventOf(row.state, sent), {
        status: sent.status,
        ms: sent.ms,
        error: sent.error,
        error_code: sent.error_code,
        result_digest: sent.result === null ? null : hash('sha256', sent.result, 'base64url').slice(0, 32)
      })
      if (!next) return row && recordOf(row)
      const sealed = yield * withWords(place, id, { ...yield * wordsOf(place, row), result: sent.result })
      if (next.state === 'unknown') {
        yield * jobs.ask({
          kind: LOOK_UP_CALL, subject: row.number, owner, payload: { call: id }, inMs: FIRST_LOOK_MS, lane: 'outside'
        })
      }
      return yield * write({ ...next, sealed }, place.agent_id)
    }),
    lost: async (owner, id) => db.read(function * () {
      const row = yield * read(owner, id)
      const place = row && (yield * placeOf(owner, row.conversation))
      const known = place && row.state === 'unknown' ? (yield * kept(owner, row.action)) : undefined
      return known && handedOut(row!, (yield * wordsOf(place!, row!)).values, known)
    }),
    expire: (owner, id) => db.atomically(function * () {
      const row = yield * read(owner, id)
      const next = row && moved(row, 'expire', LATE)
      return next && (yield * write(next, (yield * placeOf(owner, row.conversation))?.agent_id ?? null))
    }),
    interrupted: async (quietSince) => db.read(() => left.all(quietSince)),
    tried: (owner, action, digest, sent) => db.atomically(function * () {
      const id = `call_${randomBytes(16).toString('base64url')}`
      const { state, status, ms, error, error_code: code } = sent
      yield * insert(newRow(owner, action, { id, state, digest, status, ms, error, error_code: code }))
    })
  }
}

/** The conditions of a filter, and the index that scans the fewest other rows. */
/** The index by which calls are read, and the filters it covers; the rest is checked row by row, see isMeant. */
function scopeOf ({ conversation, action, state }: CallFilter): { index: string, where: string } {
  if (conversation !== undefined) {
    return { index: 'calls_by_conversation', where: 'and conversation_number = (select number from conversations where id = :conversation)' }
  }
  if (action !== undefined) return { index: 'calls_by_owner_and_action', where: 'and action_id = :action' }
  return state === undefined
    ? { index: 'calls_by_owner', where: '' }
    : { index: 'calls_by_owner_and_state', where: 'and state = :state' }
}

/** Whether a call matches a filter. */
const isMeant = (row: Row, { action = row.action, state = row.state, confirm = row.confirm }: CallFilter) =>
  row.action === action && row.state === state && row.confirm === confirm

const TAKEN: Failure = {
  error: 'Somebody else took over the conversation before it was done.', error_code: 'taken_over'
}
const CHANGED: Failure = { error: 'The action was changed or switched off before it was done.', error_code: 'changed' }
const LATE: Failure = { error: 'Nobody confirmed it in time.', error_code: 'not_confirmed' }

/** The event of an outcome: for a running call, and for one that is looked up. */
function eventOf (state: CallState, { state: came }: Sent): CallEvent {
  if (came === 'done') return state === 'unknown' ? 'find' : 'succeed'
  if (came === 'failed') return state === 'unknown' ? 'miss' : 'fail'
  return 'lose'
}
