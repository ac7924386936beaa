import { AsyncLocalStorage } from 'node:async_hooks'

/*
 * Each statement over a network has a time limit, and so has the wait for a connection; one request may go through
 * several of them in turn. Their total for the request is counted here. Background work is part of no request: it waits
 * as long as it takes.
 */

/** A caller, and how long it still waits for the database. */
export interface Asking {
  /** Runs database work for the caller; rejects with the result of `tooLate` once it has waited too long. */
  waiting<T> (work: (asker: Asker) => Promise<T>, tooLate: () => Error): Promise<T>
  /** The caller was answered: what continues is background work. */
  answered (): void
}

/** A caller waiting for database work. */
export interface Asker {
  /** Whether it was refused for taking too long: nothing more is to be started for it. */
  hasGone (): boolean
  /** The database has responded. */
  heard (): void
}

const SOMEBODY: Asker = { hasGone: () => false, heard () {} }

const askings = new AsyncLocalStorage<Asking>()

/**
 * A caller that waits for the database for this many milliseconds in total; other time in between, such as a body
 * arriving, does not count. One that asks for much, or also waits for others, such as a model (`isLong`), waits as long
 * as the database responds to something within this many milliseconds.
 */
export function asking (mostMs: number, { isLong = false } = {}): Asking {
  let leftMs = mostMs
  let last = performance.now()
  let waits = 0
  let heard = 0
  let isAnswered = false

  /** Returns the milliseconds left; parallel waits count once. */
  function begin (): number {
    const now = performance.now()
    if (waits > 0) leftMs -= now - last
    last = now
    waits += 1
    return Math.max(0, leftMs)
  }

  function end () {
    const now = performance.now()
    leftMs -= now - last
    last = now
    waits -= 1
  }

  return {
    async waiting (work, tooLate) {
      if (isAnswered) return await work(SOMEBODY)
      let left = begin()
      let hasGone = false
      let timer: NodeJS.Timeout | undefined
      const began = performance.now()
      const gone = new Promise<never>((_resolve, reject) => {
        const look = () => {
          if (isAnswered) return
          left = isLong ? mostMs - (performance.now() - Math.max(began, heard)) : 0
          if (left > 0) {
            timer = setTimeout(look, Math.ceil(left))
            return
          }
          hasGone = true
          reject(tooLate())
        }
        timer = setTimeout(look, isLong ? mostMs : left)
      })
      try {
        return await Promise.race([work({ hasGone: () => hasGone, heard () { heard = performance.now() } }), gone])
      } finally {
        clearTimeout(timer)
        end()
      }
    },
    answered () { isAnswered = true }
  }
}

/** Runs work on behalf of a caller. */
export const askedBy = <T>(who: Asking, run: () => T): T => askings.run(who, run)

/** Runs work that no caller waits for, or that many do. */
export const askedByNobody = <T>(run: () => T): T => askings.exit(run)

/** Runs database work for the current caller, see `Asking.waiting`. */
export async function whileTheyWait<T> (work: (asker: Asker) => Promise<T>, tooLate: () => Error): Promise<T> {
  const who = askings.getStore()
  return await (who ? who.waiting(work, tooLate) : work(SOMEBODY))
}
