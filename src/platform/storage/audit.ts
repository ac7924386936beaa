import { AsyncLocalStorage } from 'node:async_hooks'
import type { Id } from '../../../schema/common.ts'
import type { Database } from './sqlite/database.ts'
import type { Work } from './work.ts'

/** An actor in an account, until the action is in the account's audit log. */
export interface AuditContext {
  owner: Id
  /** Null on the command line. */
  user: Id | null
  by: 'key' | 'session' | 'command_line'
  key: Id | null
  action: string
  target: string
  /** The id of what is created, from the result of the transaction; it becomes part of the target. */
  madeId: ((made: any) => string | number | undefined) | undefined
  fields: string[]
  /** `void`: it is a repeat, which has no effect. */
  state: 'pending' | 'recorded' | 'void'
}

/** Where it is recorded. */
export interface AuditLog {
  /** Inside a transaction: adds the event. `made`: the transaction's result; undefined where it says nothing. */
  add (context: AuditContext, made?: unknown): Work<void>
  /** Inside a transaction: adds events of one account, in this order. */
  addAll (contexts: readonly AuditContext[]): Work<void>
  /** Adds the event in a separate transaction. */
  record (context: AuditContext): Promise<void>
  /** The same for a read; at most once an hour for the same reader. */
  recordReading (context: AuditContext): Promise<void>
}

const contexts = new AsyncLocalStorage<AuditContext | undefined>()

/** The user who is acting; null if nobody is, as on the command line. */
export const actingUser = (): Id | null => contexts.getStore()?.user ?? null

/** Runs work that the audit log records: the first transaction that changes something adds the event. */
export const inAuditContext = <T>(context: AuditContext, work: () => T): T => contexts.run(context, work)

/** Runs work whose transactions change nothing that is audited, such as receiving a file. */
export const outsideAudit = <T>(work: () => T): T => contexts.exit(work)

/**
 * Wraps the database: each change made in a context is recorded in the same transaction. Work that waited for others
 * runs in the context of its caller.
 */
export function audited<D extends Database> (db: D, log: Pick<AuditLog, 'add'>): D {
  return {
    ...db,
    atomically (work, options) {
      const context = contexts.getStore()
      if (context?.state !== 'pending') return db.atomically(work, options)
      let isOurs = false
      return db.atomically(function * () {
        const result = yield * work()
        // A group that found no room is rolled back and run again: then the event is too.
        if (isOurs || context.state === 'pending') {
          context.state = yield * add(context, result)
          isOurs = context.state !== 'pending'
        }
        return result
      }, options).catch((error) => {
        // Nothing of it was committed, neither the change nor its event.
        if (isOurs) context.state = 'pending'
        throw error
      })
    }
  }

  /** Adds the event of what was done; returns the new state of the context. */
  function * add (context: AuditContext, result: unknown): Work<AuditContext['state']> {
    const { answer, replayed } = isOutcome(result) ? result : { answer: result, replayed: false }
    if (replayed) return 'void'
    if (isNothing(answer)) return 'pending'
    yield * log.add(context, answer)
    return 'recorded'
  }
}

/** Whether nothing was found or changed; a number counts rows. */
export const isNothing = (result: unknown) =>
  result === undefined || result === false || result === null || result === 0

function isOutcome (result: unknown): result is { answer: unknown, replayed: boolean } {
  return typeof result === 'object' && result !== null && 'replayed' in result && 'answer' in result
}
