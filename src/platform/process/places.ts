import { Refusal } from '../errors.ts'

/** Limits on places. */
export interface PlaceLimits {
  /** Total number of places. */
  atOnce: number
  /** Places that one holder may have at the same time. */
  perHolder?: number
  /** How many may wait for a place, in total and per holder. */
  waiting?: number
  waitingPerHolder?: number
}

/** A semaphore: a few places shared fairly between holders. */
export interface Places {
  /**
   * Waits for a place and returns the function that releases it. A free place goes to the holder with the fewest, and
   * among equals to the one served longest ago, so that one holder's many requests do not keep another waiting. Throws
   * the signal's reason when that is aborted first. Refuses with `rate_limited` when too many of this holder wait
   * already, with `unavailable` when too many wait in total.
   */
  take (holder: unknown, signal?: AbortSignal): Promise<() => void>
}

interface Waiter { holder: unknown, go: () => void }

/** See Places. */
export function openPlaces ({
  atOnce, perHolder = atOnce, waiting = Infinity, waitingPerHolder = Infinity
}: PlaceLimits): Places {
  const queue: Waiter[] = []
  /** Places each holder has. */
  const held = new Map<unknown, number>()
  /** When each holder was last served, as a counter; only for those who wait or hold. */
  const served = new Map<unknown, number>()
  let free = atOnce
  let turns = 0

  const heldBy = (holder: unknown) => held.get(holder) ?? 0
  const waitingOf = (holder: unknown) => queue.filter((one) => one.holder === holder).length

  function next (): Waiter | undefined {
    const ready = queue.filter(({ holder }) => heldBy(holder) < perHolder)
    const rank = ({ holder }: Waiter) => heldBy(holder) * Number.MAX_SAFE_INTEGER + (served.get(holder) ?? 0)
    // The first among equals: those of one holder keep their order.
    return ready.reduce<Waiter | undefined>(
      (best, one) => (best === undefined || rank(one) < rank(best) ? one : best), undefined
    )
  }

  function serve () {
    for (let waiter = free > 0 ? next() : undefined; waiter; waiter = free > 0 ? next() : undefined) {
      queue.splice(queue.indexOf(waiter), 1)
      const { holder } = waiter
      free--
      held.set(holder, heldBy(holder) + 1)
      served.set(holder, ++turns)
      waiter.go()
    }
  }

  function giveBack (holder: unknown) {
    free++
    const left = heldBy(holder) - 1
    if (left > 0) held.set(holder, left)
    else held.delete(holder)
    serve()
    if (left === 0 && !queue.some((one) => one.holder === holder)) served.delete(holder)
  }

  return {
    async take (holder, signal) {
      signal?.throwIfAborted()
      const isFree = free > 0 && heldBy(holder) < perHolder
      if (!isFree && waitingOf(holder) >= waitingPerHolder) {
        throw tooMany('rate_limited', 'You have as many files waiting to be read as allowed.')
      }
      if (!isFree && queue.length >= waiting) {
        throw tooMany('unavailable', 'The server has as much to read as it can take.')
      }
      await new Promise<void>((resolve, reject) => {
        const waiter = {
          holder,
          go: () => {
            signal?.removeEventListener('abort', leave)
            resolve()
          }
        }
        const leave = () => {
          queue.splice(queue.indexOf(waiter), 1)
          reject(signal!.reason)
        }
        signal?.addEventListener('abort', leave, { once: true })
        queue.push(waiter)
        serve()
      })
      let isHeld = true
      return () => {
        if (isHeld) giveBack(holder)
        isHeld = false
      }
    }
  }
}

function tooMany (code: 'rate_limited' | 'unavailable', what: string): Refusal {
  return new Refusal(code, `${what} Wait until some of it is done and try again.`, { headers: { 'retry-after': '10' } })
}
