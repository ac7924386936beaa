/** Milliseconds of one turn of the event loop for slices: what else is there waits for the next. */
const ROOM_MS = 5

/** What turns are measured by; tests pass their own. */
interface Loop {
  now (): number
  /** Calls this once in the next turn, by itself. */
  soon (call: () => void): void
}

/**
 * Shares out the turns of the event loop among long works. Without it a slice of each runs in every turn, and whoever
 * comes meanwhile waits for all of them. `next`: waits for a turn with room; called between slices.
 */
export function turnsOf ({ now, soon }: Loop): { next (): Promise<void> } {
  /** When the first slice of the present turn began; undefined while there was none. */
  let began: number | undefined
  const slices: Array<() => void> = []

  function isFull (): boolean {
    if (began !== undefined) return now() - began >= ROOM_MS
    began = now()
    soon(() => { began = undefined })
    return false
  }

  /** There is one call for each that waits, as a slice begins only once the call is over. */
  function go () {
    if (isFull()) soon(go)
    else slices.shift()!()
  }

  return {
    next: () => new Promise((resolve) => {
      slices.push(resolve)
      soon(go)
    })
  }
}

/** Others get a turn of this process's loop, see `turnsOf`. */
export const nextTurn = turnsOf({ now: () => performance.now(), soon: (call) => { setImmediate(call) } }).next
