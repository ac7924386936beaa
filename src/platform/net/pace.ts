/** How soon a reader goes on who has just been handed something. */
const EVERY_MS = 50
/** How many go on together; whatever else there is to do comes between them and the next. */
const AT_ONCE = 16

/**
 * Lets many readers go on in turns. Resolves when the one who was last handed something at `last` may have more:
 * milliseconds of `performance.now()`.
 */
export type Pace = (last: number) => Promise<void>

/**
 * A pace at which hundreds of streams can be read at once: each is read so seldom that what has come meanwhile is
 * handled as one piece, and never more than a few between two looks at what else there is to do.
 */
export function openPace ({ everyMs = EVERY_MS, atOnce = AT_ONCE } = {}): Pace {
  const due: Array<() => void> = []

  function release () {
    for (const go of due.splice(0, atOnce)) go()
    if (due.length > 0) setImmediate(release)
  }

  return (last) => new Promise((resolve) => {
    const queue = () => {
      if (due.push(resolve) === 1) setImmediate(release)
    }
    const waitMs = everyMs - (performance.now() - last)
    if (waitMs > 1) setTimeout(queue, waitMs)
    else queue()
  })
}
