import type { Work } from './work.ts'

/** Tasks for after the commit of a transaction, collected while its pieces write. */
export interface Afterwards {
  /** See `Database.afterwards`. */
  afterwards (task: (isAwaited: boolean) => void): Work<void>
  /**
   * Called before a piece writes; the returned function drops the tasks that the piece has added. `isAwaited`: whether
   * its caller still waits for the result.
   */
  begin (isAwaited?: () => boolean): () => void
  /** Nothing was committed. */
  drop (): void
  /** Everything is committed: runs the tasks, in order. */
  committed (): void
}

/** See Afterwards. `isWriting`: whether a transaction is open. */
export function afterwardsIn (isWriting: () => boolean): Afterwards {
  let tasks: Array<() => void> = []
  let isAwaited = () => true
  return {
    * afterwards (task) {
      if (!isWriting()) throw new Error('Only what is committed has something that comes afterwards')
      const isStill = isAwaited
      tasks.push(() => task(isStill()))
    },
    begin (isStill = () => true) {
      isAwaited = isStill
      const before = tasks.length
      return () => { tasks.length = before }
    },
    drop () { tasks = [] },
    committed () { for (const task of tasks.splice(0)) task() }
  }
}

/** Work that joins a transaction, and its caller's promise. */
interface Joined {
  work: () => Work<unknown>
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

/** Makes the writes of a store's method, normally a separate transaction, part of an open one. */
interface Joining {
  /** Accepts work where a transaction waits for it; returns whether one does. */
  takes (joined: Joined): boolean
  /** See `Database.within`. */
  within<T> (method: () => Promise<T>): Work<T>
}

/** See Joining. `isWriting`: whether a transaction is open. */
export function joiningIn (isWriting: () => boolean): Joining {
  let waiting: ((joined: Joined) => void) | undefined
  return {
    takes (joined) {
      waiting?.(joined)
      return waiting !== undefined
    },
    within<T> (method: () => Promise<T>): Work<T> {
      let joined: Joined | undefined
      waiting = (one) => { joined = one }
      try {
        // A refusal is thrown below.
        method().catch(() => undefined)
      } finally {
        waiting = undefined
      }
      if (!isWriting() || !joined) throw new Error('Only what one transaction writes can be part of another')
      return joinedWork(joined) as Work<T>
    }
  }
}

/** Does work that joined, and settles its caller's promise. */
function * joinedWork ({ work, resolve, reject }: Joined): Work<unknown> {
  try {
    const value = yield * work()
    resolve(value)
    return value
  } catch (error) {
    reject(error)
    throw error
  }
}
