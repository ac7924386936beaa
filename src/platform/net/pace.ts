import { setTimeout as pause } from 'node:timers/promises'

/** How soon a reader continues after it has received something. */
const EVERY_MS = 50
/** Pieces delivered per second, to all readers together: with many of them, each waits longer. */
const PER_SECOND = 3500
/** How many continue together; other work runs between them and the next. */
const READERS_AT_ONCE = 16

/**
 * Lets hundreds of streams be read at once: each so rarely that what has arrived meanwhile is handled as one piece, and
 * never more than a few before other work gets its turn.
 */
export interface Pace {
  /** Resolves when a reader that has just received something may have more. */
  rest (): Promise<void>
  /** Resolves when this reader's turn has come; other input that has arrived is handled first. */
  turn (): Promise<void>
}

/** See Pace. */
export function openPace ({ everyMs = EVERY_MS, perSecond = PER_SECOND, atOnce = READERS_AT_ONCE } = {}): Pace {
  const due: Array<() => void> = []
  let resting = 0

  function release () {
    for (const go of due.splice(0, atOnce)) go()
    if (due.length > 0) setImmediate(release)
  }

  return {
    async rest () {
      resting++
      const readers = resting + due.length
      await pause(Math.max(everyMs, readers / perSecond * 1000))
      resting--
    },
    turn: () => new Promise((resolve) => {
      if (due.push(resolve) === 1) setImmediate(release)
    })
  }
}
