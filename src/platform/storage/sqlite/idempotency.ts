import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Id } from '../../../../schema/common.ts'
import type { Clock } from '../../clock.ts'
import type { Database } from './database.ts'
import { Refusal, invalid } from '../../errors.ts'
import { sealWith } from '../secrets.ts'
import type { IdempotencyKey, IdempotentResult } from '../contract.ts'
import { settled, type Work } from '../work.ts'

/** Maximum characters of a stored answer to a reading request. */
const LONGEST_READING = 16_384
const KEPT_MICROS = 24 * 60 * 60 * 1_000_000

/** Stores answers for 24 hours, in the transaction of their effect. */
export interface Idempotency {
  /**
   * Inside `atomically`: does the work, or returns the first result. Refuses with `idempotency_mismatch` when the key
   * was used for another request. `about`: what the answer belongs to, and is deleted with, such as
   * `conversations/conv_…`.
   */
  run<T> (
    owner: Id, once: IdempotencyKey | undefined, work: () => Work<T>, about?: (answer: T) => string
  ): Work<IdempotentResult<T>>
  /** Inside a transaction: the first result, if there is one. Refuses as `run` does. */
  recall<T> (owner: Id, once: IdempotencyKey | undefined): Work<IdempotentResult<T> | undefined>
  /**
   * The same for read-only work, in a separate transaction: a repeat gets the first answer. An answer over 16 KiB is
   * computed again, not stored: a search for everything would fill the disk with copies.
   */
  reading<T> (owner: Id, once: IdempotencyKey | undefined, work: () => Promise<T>): Promise<IdempotentResult<T>>
  /** Inside `atomically`: removes some of what is older than that. True when there may be more. */
  forgetSome (): Work<boolean>
}

/**
 * The request's Idempotency-Key, or undefined without one. `secret`: what only the caller knows, if the answer contains
 * a secret too. Refuses a key that is not 1 to 255 printable characters.
 */
export function idempotencyKeyOf (
  request: FastifyRequest, { secret = '' }: { secret?: string | undefined } = {}
): IdempotencyKey | undefined {
  const key = request.headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key !== 'string' || !/^[!-~](?:[ -~]{0,253}[!-~])?$/.test(key)) {
    throw invalid({ field: 'Idempotency-Key', message: 'Idempotency-Key must be 1 to 255 printable ASCII characters.' })
  }
  const digest = (...parts: string[]) => hash('sha256', parts.join('\n'))
  return {
    slot: digest(request.routeOptions.url!, JSON.stringify(request.params), key),
    // The answer can be opened again only with what the caller knows, so that is part of the fingerprint.
    fingerprint: digest(request.bodyDigest ?? JSON.stringify(request.body), secret && digest('caller', secret)),
    seal: hash('sha256', ['seal', secret, key].join('\n'), 'buffer')
  }
}

/** Idempotency records in the same database. */
export function idempotencyIn (db: Database, clock: Clock): Idempotency {
  const find = db.objects<[Id, string, number], { fingerprint: string, answer: string }>(
    'select fingerprint, answer from idempotency_records where user_id = ? and slot = ? and created_at > ?')
  const keep = db.objects(
    `insert into idempotency_records (user_id, slot, fingerprint, answer, created_at, about) values (?, ?, ?, ?, ?, ?)
    on conflict (user_id, slot) do update set fingerprint = excluded.fingerprint, answer = excluded.answer, created_at = excluded.created_at, about = excluded.about`
  )
  const forget = db.objects(
    'delete from idempotency_records where id in (select id from idempotency_records where created_at <= ? limit 50 /* for update skip locked */)'
  )
  function * forgetSome () { return (yield * forget.run(clock.micros() - KEPT_MICROS)) > 0 }

  function * recall<T> (owner: Id, once: IdempotencyKey | undefined): Work<IdempotentResult<T> | undefined> {
    if (!once) return undefined
    const kept = yield * find.get(owner, once.slot, clock.micros() - KEPT_MICROS)
    if (!kept) return undefined
    if (kept.fingerprint !== once.fingerprint) throw mismatch()
    return {
      answer: JSON.parse(sealWith(once.seal).open('', Buffer.from(kept.answer, 'base64')).toString()), replayed: true
    }
  }

  function * run<T> (
    owner: Id, once: IdempotencyKey | undefined, work: () => Work<T>, about?: (answer: T) => string
  ): Work<IdempotentResult<T>> {
    if (!once) return { answer: yield * work(), replayed: false }
    const kept = yield * recall<T>(owner, once)
    if (kept) return kept
    const answer = yield * work()
    yield * forgetSome()
    yield * keep.run(
      owner,
      once.slot,
      once.fingerprint,
      sealWith(once.seal).close('', JSON.stringify(answer)).toString('base64'),
      clock.micros(),
      about?.(answer) ?? null
    )
    return { answer, replayed: false }
  }

  return {
    run,
    recall,
    forgetSome,
    async reading<T> (owner: Id, once: IdempotencyKey | undefined, work: () => Promise<T>) {
      if (!once) return { answer: await work(), replayed: false }
      const kept = await db.read(() => recall<{ answer?: T }>(owner, once))
      if (kept?.answer.answer !== undefined) return { answer: kept.answer.answer, replayed: true }
      const answer = await work()
      const short = JSON.stringify(answer).length <= LONGEST_READING
      const {
        answer: { answer: first }, replayed
      } = await db.atomically(() => run<{ answer?: T }>(owner, once, () => settled(short ? { answer } : {})))
      return first === undefined ? { answer, replayed: false } : { answer: first, replayed }
    }
  }
}

function mismatch () {
  return new Refusal(
    'idempotency_mismatch', 'This Idempotency-Key was used for a different request. Use a new key for a new request.'
  )
}
