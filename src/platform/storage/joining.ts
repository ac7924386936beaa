import type { Work } from './work.ts'

/** Work that joins a transaction, and its caller's promise. */
interface Joined {
  work: () => Work<unknown>
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

/** Makes the writes of a store's method, normally a separate transaction, part of an open one. */
export interface Joining {
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
      return told(joined) as Work<T>
    }
  }
}

/** Does work that joined, and settles its caller's promise. */
function * told ({ work, resolve, reject }: Joined): Work<unknown> {
  try {
    const value = yield * work()
    resolve(value)
    return value
  } catch (error) {
    reject(error)
    throw error
  }
}
