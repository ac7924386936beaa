import { hash, randomBytes } from 'node:crypto'
import type { CallState } from '../../../schema/actions.ts'
import type { Id } from '../../../schema/common.ts'
import { OF_KEPT_AGENT } from '../../agents/index.ts'
import { timestamp } from '../../platform/clock.ts'
import { decided, Refusal } from '../../platform/errors.ts'
import type { Jobs } from '../../platform/storage/sqlite/jobs.ts'
import type { Sent } from '../contract.ts'
import type { CallFilter, CallStore, Proposed } from '../store.ts'
import { shownArguments, tryToBind, type Bound } from './bind.ts'
import { decideCall, decidedCall, type Proposal } from './decide.ts'
import { callRows, recordOf, type Known, type Place, type RowsNeeds, type Words } from './rows.sqlite.ts'
import { CONFIRM_MS, type CallEvent } from './table.ts'

/** Does what was confirmed; asks whether what was lost was done; ends what nobody confirmed. */
export const DO_CALL = 'call'
export const LOOK_UP_CALL = 'call-look-up'
export const EXPIRE_CALL = 'call-expiry'
/** How long after its answer was lost a call is first looked up: the other side may still be at it. */
export const FIRST_LOOK_MS = 5000

/** Calls in SQLite. What they are done with is sealed with the secret of their conversation, and goes with it. */
export function sqliteCallStore (
  { jobs, ...needs }: RowsNeeds & { jobs: Pick<Jobs, 'ask' | 'drop'> }
): CallStore {
  const { db, clock } = needs
  const { raw } = db
  const {
    rows, placeOf, read, kept, wordsOf, withWords, write, told, moved, handedOut, cardOf, newRow, insert, ofConversation
  } = callRows(needs)
  const today = raw
    .prepare<[Id, string], number>(
      "select count(*) from calls where action_id = ? and created_at >= ? and state <> 'refused'"
    )
    .pluck()
  const asking = raw
    .prepare<[number, string], string>(`
      select id from calls where conversation_number = ? and state = 'asked' and confirm = 'visitor' and expires_at > ?
      order by number limit 1`)
    .pluck()
  const left = raw.prepare<[], { owner: Id, call: string, effect: 'read' | 'write' }>(
    "select owner_id as owner, id as call, effect from calls where state = 'running' order by number"
  )

  function proposed (
    owner: Id, place: Place, asked: Proposed, bound: Bound, known: Known
  ): Proposal {
    const { action } = known
    const all = ofConversation(place.number)
    const ofMessage = asked.message === null ? [] : all.filter(({ message }) => message === asked.message)
    const same = ofMessage.find((one) =>
      one.action === action.id && one.digest === bound.digest && one.state !== 'refused')
    if (same) return { type: 'repeated', call: recordOf(same), result: wordsOf(place, same).result }
    const day = timestamp(clock.micros()).slice(0, 10)
    const state = decided(() => decideCall(action, {
      standing: place,
      epoch: asked.begunIn ?? place.epoch,
      isVerified: asked.isVerified,
      before: {
        ofMessage,
        inConversation: all.filter((one) => one.action === action.id && one.state !== 'refused').length,
        today: today.get(action.id, day)!
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
      sealed: withWords(place, id, words)
    })
    const row = insert(made)
    const call = told(row, place.agent_id)
    if (state === 'running') return { type: 'begun', ...handedOut(row, bound.values, known) }
    jobs.ask({ kind: EXPIRE_CALL, subject: row.number, owner, payload: { call: id }, inMs: CONFIRM_MS })
    return { type: 'asked', call }
  }

  return {
    list: async (owner, filter, place, limit) => db.read(() => {
      const before = place === undefined ? Number.MAX_SAFE_INTEGER : Number(place)
      const { index, where } = scopeOf(filter)
      const found = raw
        .prepare<[object], unknown[]>(`
          select ${rows.columns} from calls indexed by ${index} where owner_id = :owner and number < :before ${where}
            and (conversation_number is null or exists (
              select 1 from conversations where number = conversation_number and ${OF_KEPT_AGENT}))
          order by number desc limit :limit`)
        .raw()
        .all({ ...filter, owner, before, limit: limit + 1 })
        .map((row) => rows.record(row))
      const items = found.slice(0, limit)
      return { items: items.map(recordOf), next: found.length > limit ? String(items.at(-1)!.number) : null }
    }),
    get: async (owner, conversation, id) => db.read(() => {
      const place = placeOf(owner, conversation)
      const row = place && read(owner, id)
      return row?.conversation_number === place?.number && row && place ? cardOf(place, row) : undefined
    }),
    ofConversation: async (owner, conversation) => db.read(() => {
      const place = placeOf(owner, conversation)
      return place ? ofConversation(place.number).map((row) => cardOf(place, row)) : []
    }),
    waiting: async (owner, conversation) => db.read(() => {
      const place = placeOf(owner, conversation)
      const id = place && asking.get(place.number, timestamp(clock.micros()))
      return id === undefined ? undefined : cardOf(place!, read(owner, id)!)
    }),
    propose: (owner, asked) => db.atomically((): Proposal | undefined => {
      const place = placeOf(owner, asked.conversation)
      const known = place && kept(owner, asked.action)
      if (!known) return undefined
      const bound = tryToBind(known.action, asked.arguments, asked.identity)
      return bound instanceof Refusal
        ? { type: 'refused', refusal: bound }
        : proposed(owner, place, asked, bound, known)
    }),
    decide: (owner, conversation, id, { event, digest, person }) => db.atomically(() => {
      const place = placeOf(owner, conversation)
      const row = place && read(owner, id)
      if (!row || row.conversation_number !== place.number) return undefined
      const at = timestamp(clock.micros())
      const state = decidedCall(row, { event, digest, isPerson: person !== null, standing: place, at })
      jobs.drop(EXPIRE_CALL, row.number)
      if (state === 'confirmed') {
        jobs.ask({ kind: DO_CALL, subject: row.number, owner, payload: { call: id }, lane: 'outside' })
      }
      const by = person === null ? 'visitor' : `members/${person}`
      return write({ ...row, state, confirmed_by: by, updated_at: at }, place.agent_id)
    }),
    begin: (owner, id) => db.atomically(() => {
      const row = read(owner, id)
      const place = row && placeOf(owner, row.conversation)
      if (!place || row.state !== 'confirmed') return undefined
      const known = kept(owner, row.action)
      const isSame = known?.action.enabled === true && known.action.version === row.action_version
      // After a hand-off nothing runs, and what was changed since it was shown is not what was confirmed.
      if (!isSame || place.epoch !== row.epoch) {
        const dropped = moved(row, 'drop', { error: isSame ? TAKEN : CHANGED })!
        return { call: write(dropped, place.agent_id), asked: null }
      }
      const running = moved(row, 'begin')!
      write(running, place.agent_id)
      return handedOut(running, wordsOf(place, row).values, known)
    }),
    settle: (owner, id, sent) => db.atomically(() => {
      const row = read(owner, id)
      const place = row && placeOf(owner, row.conversation)
      const next = place && moved(row, eventOf(row.state, sent), {
        status: sent.status,
        ms: sent.ms,
        error: sent.error,
        result_digest: sent.result === null ? null : hash('sha256', sent.result, 'base64url').slice(0, 32)
      })
      if (!next) return row && recordOf(row)
      const sealed = withWords(place, id, { ...wordsOf(place, row), result: sent.result })
      if (next.state === 'unknown') {
        jobs.ask({
          kind: LOOK_UP_CALL, subject: row.number, owner, payload: { call: id }, inMs: FIRST_LOOK_MS, lane: 'outside'
        })
      }
      return write({ ...next, sealed }, place.agent_id)
    }),
    lost: async (owner, id) => db.read(() => {
      const row = read(owner, id)
      const place = row && placeOf(owner, row.conversation)
      const known = place && row.state === 'unknown' ? kept(owner, row.action) : undefined
      return known && handedOut(row!, wordsOf(place!, row!).values, known)
    }),
    expire: (owner, id) => db.atomically(() => {
      const row = read(owner, id)
      const next = row && moved(row, 'expire', { error: LATE })
      return next && write(next, placeOf(owner, row.conversation)?.agent_id ?? null)
    }),
    interrupted: async () => db.read(() => left.all()),
    tried: (owner, action, digest, sent) => db.atomically(() => {
      const id = `call_${randomBytes(16).toString('base64url')}`
      const { state, status, ms, error } = sent
      insert(newRow(owner, action, { id, state, digest, status, ms, error }))
    })
  }
}

/** What a filter asks for, and the index in which the fewest of the others are walked through. */
function scopeOf ({ conversation, action, state, confirm }: CallFilter): { index: string, where: string } {
  const where = [
    conversation === undefined ? '' : 'and conversation_number = (select number from conversations where id = :conversation)',
    action === undefined ? '' : 'and action_id = :action',
    state === undefined ? '' : 'and state = :state',
    confirm === undefined ? '' : 'and confirm = :confirm'
  ].join(' ')
  const index = conversation !== undefined
    ? 'calls_by_conversation'
    : action !== undefined ? 'calls_by_owner_and_action' : state !== undefined ? 'calls_by_owner_and_state' : 'calls_by_owner'
  return { index, where }
}

const TAKEN = 'Somebody else spoke in the conversation before it was done.'
const CHANGED = 'The action was changed or switched off before it was done.'
const LATE = 'Nobody confirmed it in time.'

/** What an answer means: of a running call, and of one that is looked up. */
function eventOf (state: CallState, { state: came }: Sent): CallEvent {
  if (state === 'unknown') return came === 'done' ? 'find' : came === 'failed' ? 'miss' : 'lose'
  return came === 'done' ? 'succeed' : came === 'failed' ? 'fail' : 'lose'
}
