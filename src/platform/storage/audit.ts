import { AsyncLocalStorage } from 'node:async_hooks'
import type { Id } from '../../../schema/common.ts'
import type { Database } from './sqlite/database.ts'
import type { Work } from './work.ts'

/** Somebody who does something in an account, until it is in the account's audit log. */
export interface AuditContext {
  owner: Id
  /** Null on the command line. */
  user: Id | null
  by: 'key' | 'session' | 'command_line'
  key: Id | null
  action: string
  target: string
  /** The id of what is made, by what the transaction gives; it becomes part of the target. */
  madeId: ((made: any) => string | number | undefined) | undefined
  fields: string[]
  /** `void`: it is a repeat, of which nothing comes. */
  state: 'pending' | 'recorded' | 'void'
}

/** Where it is recorded. */
export interface AuditLog {
  /** Inside a transaction: adds the event. `made`: what the transaction gives; undefined where it says nothing. */
  add (context: AuditContext, made?: unknown): Work<void>
  /** Inside a transaction: adds events of one account, in this order. */
  addAll (contexts: readonly AuditContext[]): Work<void>
  /** Adds the event in a transaction of its own. */
  record (context: AuditContext): Promise<void>
  /** The same for something that was read; once an hour for one who reads it again. */
  recordReading (context: AuditContext): Promise<void>
}

const contexts = new AsyncLocalStorage<AuditContext | undefined>()

/** The user who does what is being done now; null where that is nobody, as on the command line. */
export const actingUser = (): Id | null => contexts.getStore()?.user ?? null

/** Does work of which the audit log tells: the first transaction that changes something records it. */
export const inAuditContext = <T>(context: AuditContext, work: () => T): T => contexts.run(context, work)

/** Does work whose transactions change nothing that the audit log tells of, such as taking in a file. */
export const outsideAudit = <T>(work: () => T): T => contexts.exit(work)

/**
 * The database, of which each change that is made in a context is recorded in the transaction that makes it. Work that
 * waited for others is done in the context of who asked for it.
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
        // A group that found no room is undone and its work done again: then the event is too.
        if (isOurs || context.state === 'pending') {
          context.state = yield * add(context, result)
          isOurs = context.state === 'recorded'
        }
        return result
      }, options)
    }
  }

  /** Adds the event of what was done; how the context stands then. */
  function * add (context: AuditContext, result: unknown): Work<AuditContext['state']> {
    const { answer, replayed } = isOutcome(result) ? result : { answer: result, replayed: false }
    if (replayed) return 'void'
    if (isNothing(answer)) return 'pending'
    yield * log.add(context, answer)
    return 'recorded'
  }
}

/** Whether nothing was found, or nothing came of it; a number is one of rows. */
export const isNothing = (result: unknown) =>
  result === undefined || result === false || result === null || result === 0

function isOutcome (result: unknown): result is { answer: unknown, replayed: boolean } {
  return typeof result === 'object' && result !== null && 'replayed' in result && 'answer' in result
}
