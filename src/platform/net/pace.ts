import { setTimeout as pause } from 'node:timers/promises'

/** How soon a reader goes on who has just been handed something. */
const EVERY_MS = 50
/** Pieces handed over in a second, to all readers together: where there are many of them, each waits longer. */
const PER_SECOND = 3500
/** How many go on together; whatever else there is to do comes between them and the next. */
const AT_ONCE = 16

/**
 * Lets hundreds of streams be read at once: each so seldom that what has come meanwhile is handled as one piece, and
 * never more than a few between two looks at what else there is to do.
 */
export interface Pace {
  /** Resolves when who was just handed something may have more. */
  rest (): Promise<void>
  /** Resolves when this reader's turn has come; other input that has arrived is handled first. */
  turn (): Promise<void>
}

/** See Pace. */
export function openPace ({ everyMs = EVERY_MS, perSecond = PER_SECOND, atOnce = AT_ONCE } = {}): Pace {
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
