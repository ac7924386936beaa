import type pg from 'pg'
import type { Id } from '../../../../schema/common.ts'
import { errorCode } from '../../errors.ts'
import { askedByNobody, whileTheyWait, type Asker } from '../asking.ts'
import type { Commit, Database } from '../sqlite/database.ts'
import { afterwardsIn, joiningIn, type Afterwards } from '../transactions.ts'
import { inContextNow, type Work } from '../work.ts'
import { driven } from './driving.ts'
import { isAway, refusalOf, tookTooLong, unavailable } from './refusals.ts'
import { turnsFor } from './turns.ts'

/** Maximum writing pieces committed together, and waiting. */
const GROUP_LIMIT = 64
const QUEUE_LIMIT = 20_000
/** Maximum transactions in which this process writes at the same time: reading needs connections, too. */
const WRITERS = 4
/**
 * Work that has waited so long in vain that it cannot finish within ten seconds is refused together with what was
 * before it.
 */
export const IN_VAIN_MS = 3000
/** Advisory lock of writers until their commit: shared by those of one account each, and held alone by any other. */
const WRITING = 4_147_485
/** Advisory locks of accounts, whose writers take turns: each has the number of the account as its second key. */
const ACCOUNTS = 4_147_487
/** Notification that a process that does not serve sends to those that do, after writing. */
export const CHANGED = 'agenthall_changed'

/** Error codes of pieces that met those of another account: a deadlock, and a row that the other has just added. */
const MET = new Set(['40P01', '23505'])

/** Where a piece is written: in a transaction of an account, or of everybody. */
type Scope = Id | undefined

interface Piece {
  work: () => Work<unknown>
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
  since: number
  asker: Asker
}

/** What writing needs of a database. */
interface WritingNeeds {
  /** Lends a connection. */
  lent<T> (use: (client: pg.PoolClient) => Promise<T>): Promise<T>
  /** This process serves, and listens for commits of others. */
  serving: boolean
  /** Nobody knows whether something was committed. */
  onLost (): void
  /** Called after every commit. */
  onCommit?: ((commit: Commit) => void) | undefined
}

/** The part of a database that writes. */
interface Writing extends Pick<Database, 'atomically' | 'within' | 'afterwards' | 'waiting'> {
  /** Resolves once everything that waits is written. */
  ended (): Promise<unknown>
}

/**
 * Everything requested meanwhile is committed together, each piece in a savepoint of its own. Pieces of one account are
 * written one after the other, those of several accounts side by side, and any others alone, whichever process writes.
 */
export function writingIn ({ lent, serving, onLost, onCommit }: WritingNeeds): Writing {
  const turns = turnsFor(WRITERS)
  /** What waits, by scope; a scope is written as long as it is here. */
  const queues = new Map<Scope, Piece[]>()
  const flushes = new Set<Promise<unknown>>()
  /** The tasks of the transaction whose piece takes a step just now. */
  let current: Afterwards | undefined
  const outside = afterwardsIn(() => false)
  const joining = joiningIn(() => current !== undefined)

  function write (scope: Scope, piece: Piece) {
    const queue = queues.get(scope)
    if (queue) {
      queue.push(piece)
      return
    }
    queues.set(scope, [piece])
    const flushed = askedByNobody(() => flush(scope)).catch(piece.reject).finally(() => flushes.delete(flushed))
    flushes.add(flushed)
  }

  async function flush (scope: Scope) {
    const queue = queues.get(scope)!
    await new Promise(setImmediate)
    while (queue.length > 0) {
      await turns.take()
      const group = queue.splice(0, GROUP_LIMIT)
      try {
        const settled = await lent((client) => together(client, scope, group))
        for (const settle of settled) settle()
      } catch (error) {
        // Nobody can know whether it was committed: all caches are invalid.
        onLost()
        for (const { reject } of group) reject(refusalOf(error))
        if (isAway(error)) refuseOld(error)
      } finally {
        turns.leave()
      }
    }
    queues.delete(scope)
  }

  /** Pieces are in order of arrival. */
  function refuseOld (error: unknown) {
    const old = performance.now() - IN_VAIN_MS
    for (const queue of queues.values()) {
      while (queue.length > 0 && queue[0]!.since < old) queue.shift()!.reject(refusalOf(error))
    }
  }

  async function together (client: pg.PoolClient, scope: Scope, group: Piece[]): Promise<Array<() => void>> {
    const settled: Array<() => void> = []
    const started = performance.now()
    const after = afterwardsIn(() => true)
    const inTransaction = <R>(run: () => R): R => {
      current = after
      try {
        return run()
      } finally {
        current = undefined
      }
    }
    // Each query takes a way to the database and back, for which others wait.
    await client.query(`${beginningOf(scope)}; savepoint piece`)
    let isClean = true
    for (const piece of group) {
      const { work, resolve, reject, asker } = piece
      if (asker.hasGone()) continue
      if (!isClean) await client.query('release savepoint piece; savepoint piece')
      isClean = false
      const takeBack = after.begin(() => !asker.hasGone())
      try {
        const value = await driven(client, work, asker, inTransaction)
        settled.push(() => resolve(value))
      } catch (error) {
        await client.query('rollback to savepoint piece')
        isClean = true
        takeBack()
        // Alone it finds what it must refuse, or that it may go on.
        const isAgain = scope !== undefined && MET.has(errorCode(error))
        settled.push(() => isAgain ? write(undefined, piece) : reject(refusalOf(error)))
      }
    }
    // A server relies on its caches until another process has written.
    await client.query(serving ? 'commit' : `notify ${CHANGED}; commit`)
    onCommit?.({ pieces: group.length, waitedMs: started - group[0]!.since, tookMs: performance.now() - started })
    after.committed()
    return settled
  }

  const waiting = () => [...queues.values()].reduce((sum, { length }) => sum + length, 0)

  return {
    async atomically<T> (work: () => Work<T>, { of }: { of?: Id } = {}) {
      const inContext = inContextNow(work)
      return await whileTheyWait((asker) => new Promise<T>((resolve, reject) => {
        const piece: Piece = {
          work: inContext, resolve: resolve as Piece['resolve'], reject, since: performance.now(), asker
        }
        if (joining.takes(piece)) return
        if (waiting() >= QUEUE_LIMIT) return reject(unavailable('Too many writes are waiting'))
        write(of, piece)
      }), tookTooLong)
    },
    within: joining.within,
    * afterwards (task) { yield * (current ?? outside).afterwards(task) },
    waiting,
    ended: () => Promise.all(flushes)
  }
}

/** Begins a transaction, and takes its locks. */
function beginningOf (scope: Scope): string {
  if (scope === undefined) return `begin; select pg_advisory_xact_lock(${WRITING})`
  return `begin; select pg_advisory_xact_lock_shared(${WRITING}); select pg_advisory_xact_lock(${ACCOUNTS}, ${scope % 2 ** 31})`
}
