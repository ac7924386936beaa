import type { Id } from '../../../schema/common.ts'
import type { OutboxRecord } from '../../../schema/sqlite/storage.ts'
import { Refusal } from '../errors.ts'
import type { IdempotencyKey, IdempotentResult } from '../storage/contract.ts'
import type { JobRequest } from './jobs.ts'
import type { Handler } from './worker.ts'
import { ifAny, type Work } from '../storage/work.ts'

/** An outgoing message: part of a decision, written in the commit that causes it. */
export interface Dispatch {
  owner: Id
  /** Its channel, as registered with `openOutbox`: mail, webhook … */
  channel: string
  /** A permanent key of this one thing, so that it is sent once however often it is requested. */
  key: string
  /** What it belongs to, and is deleted with: `conversations/conv_…`. */
  about: string
  /**
   * What its sender needs: names and numbers, and never message content, which the sender looks up when it sends.
   * `type` (what it is about) and `to` (where it goes) are shown to people.
   */
  payload: DispatchPayload
}

/** See Dispatch. */
export interface DispatchPayload { type?: string, to?: string, [more: string]: unknown }

/** Which entries a list contains. */
export interface OutboxFilter { state?: OutboxRecord['state'], channel?: string, about?: string }

/** An entry, and when it is tried next, in microseconds since 1970; null when it is not. */
export interface Listed { entry: OutboxRecord, next: number | null }

/** Sends the entries of one channel. */
export interface Sender {
  /**
   * Sends one; returns its id on the other side, if any. A Refusal or anything with a `code` and a `message` for people
   * is a fault of the other side and is retried; with `retryable: false` it is not. Anything else is our own fault.
   */
  send (entry: OutboxRecord, signal: AbortSignal): Promise<{ externalId: string | null }>
  /**
   * Checks whether the other side has it already, after an attempt with an unknown result. Without it such an attempt
   * is simply repeated.
   */
  find? (entry: OutboxRecord, signal: AbortSignal): Promise<{ externalId: string } | undefined>
  /** Milliseconds for which it must not be sent now; asked before each attempt, inside a transaction. */
  heldMs? (entry: OutboxRecord): Work<number>
  /** The other side can recognise a repeat by the key, so that a sent entry may be resent by hand. */
  isRepeatable?: boolean
}

/** The result of an attempt. */
type Attempt =
  | { kind: 'sent', externalId: string | null }
  | { kind: 'failed', error: { code: string, message: string }, isFinal: boolean }

/** Storage of outgoing messages. Every method is one transaction. */
export interface OutboxStore {
  /**
   * An entry that still waits, marked as being attempted; `isRepeat` when the result of the previous attempt is
   * unknown. If `heldMs` says to wait, only for how long.
   */
  begin (
    id: Id, heldMs: (entry: OutboxRecord) => Work<number>
  ): Promise<{ entry: OutboxRecord, isRepeat: boolean } | { heldMs: number } | undefined>
  /** Records the result of the attempt; returns milliseconds until the next one, undefined if there is none. */
  settle (id: Id, attempt: Attempt): Promise<number | undefined>
  /** A part of an owner's entries, newest first, those before an id if one is given. */
  list (
    owner: Id, filter: OutboxFilter, before: Id | undefined, limit: number
  ): Promise<{ items: Listed[], next: string | null }>
  get (owner: Id, id: Id): Promise<Listed | undefined>
  /**
   * Resends a dead one, and a sent one if `isRepeatable` says that its channel allows it. Refuses with `in_progress` or
   * `already_sent` any other; a repeat of `once` gets the first answer. Undefined: there is none.
   */
  replay (
    owner: Id, id: Id, isRepeatable: (channel: string) => boolean, once?: IdempotencyKey
  ): Promise<IdempotentResult<Listed> | undefined>
  /** Removes some entries settled before this time, in microseconds; true while there are more. */
  forget (before: number): Promise<boolean>
}

/** Called, in the transaction that settles it, with how an entry ended: sent or dead. */
export type OnSettled = (entry: OutboxRecord) => Work<void>

/** The kind of the jobs that send. */
export const DELIVER = 'deliver'
const MINUTE_MS = 60_000
/** How long each attempt after the first waits. After the last one the entry is dead. */
const WAITS_MS = [1, 5, 30, 120, 480].map((minutes) => minutes * MINUTE_MS)

/** The job that sends an entry. */
export function delivery ({ id, owner }: Pick<OutboxRecord, 'id' | 'owner'>): JobRequest {
  return { kind: DELIVER, subject: id, owner, lane: 'outside' }
}

/**
 * The next state of an entry after an attempt, and the delay before the next one. A failed one may have arrived all the
 * same (a truncated answer, a 500): it stays open, so that it is looked up before it is repeated.
 */
export function settled (
  entry: OutboxRecord, attempt: Attempt, now: number
): { next: Partial<OutboxRecord>, againInMs?: number } {
  if (attempt.kind === 'sent') {
    return { next: { state: 'sent', is_open: false, external_id: attempt.externalId, error: null, settled_at: now } }
  }
  const againInMs = attempt.isFinal ? undefined : WAITS_MS[entry.attempts - 1]
  if (againInMs === undefined) return { next: { state: 'dead', error: attempt.error, settled_at: now } }
  return { next: { error: attempt.error }, againInMs }
}

/**
 * The entry after a resend was requested. Refuses with `in_progress` one that still waits, with
 * `already_sent` one that was sent unless it `isRepeatable`.
 */
export function replayed ({ state }: OutboxRecord, isRepeatable: boolean): Partial<OutboxRecord> {
  if (state === 'waiting' || (state === 'sent' && !isRepeatable)) {
    throw state === 'sent'
      ? new Refusal('already_sent', 'This has been sent already.')
      : new Refusal('in_progress', 'This is still being tried.')
  }
  return { state: 'waiting', attempts: 0, error: null, settled_at: null }
}

/**
 * Delivers waiting entries, through the sender of their channel: register it with the worker under DELIVER. An attempt
 * with an unknown result, because the process was killed or it failed half-way, is looked up before it is repeated, so
 * that the other side gets it once.
 */
export function deliverer (store: OutboxStore, senderOf: (channel: string) => Sender | undefined): Handler {
  async function attempted (entry: OutboxRecord, isRepeat: boolean, signal: AbortSignal): Promise<Attempt> {
    const sender = senderOf(entry.channel)
    if (!sender) {
      return {
        kind: 'failed',
        error: { code: 'not_configured', message: `Nothing is set up here to send this by ${entry.channel}.` },
        isFinal: false
      }
    }
    try {
      const found = isRepeat ? await sender.find?.(entry, signal) : undefined
      return { kind: 'sent', ...(found ?? await sender.send(entry, signal)) }
    } catch (error) {
      signal.throwIfAborted()
      const { code, message, retryable } = error as { code?: unknown, message: string, retryable?: boolean }
      if (typeof code !== 'string') throw error
      return { kind: 'failed', error: { code, message }, isFinal: retryable === false }
    }
  }

  return {
    async run (job, signal) {
      const begun = await store.begin(job.subject, function * (entry) {
        return (yield * ifAny(senderOf(entry.channel)?.heldMs?.(entry))) ?? 0
      })
      if (!begun) return { done: true }
      if ('heldMs' in begun) return { againInMs: begun.heldMs, fresh: true }
      const againInMs = await store.settle(job.subject, await attempted(begun.entry, begun.isRepeat, signal))
      return againInMs === undefined ? { done: true } : { againInMs }
    },
    tries: 20,
    async givenUp (job) {
      await store.settle(job.subject, {
        kind: 'failed',
        error: { code: 'internal_error', message: 'Sending this was started several times and never finished.' },
        isFinal: true
      })
    }
  }
}
