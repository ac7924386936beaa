import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Milliseconds looked at, each time. After the first of them fast-start.cjs has written what was compiled. */
const LOOK_MS = 2000

/** Share of the time that a process which has nothing to do is busy, at most. */
const IDLE = 0.05

/**
 * Gives back, once and when nothing goes on, what the start of the process has left behind: 20 MB of a server's 140.
 * V8 would keep it as long as nothing is asked of the server, because it collects when something new needs room. It
 * takes 0.1 s of processor time, in which a request would wait.
 */
export function giveBackOnceIdle ({ everyMs = LOOK_MS, busy = busyMeter(), collect = collectAll } = {}) {
  const timer = setInterval(() => {
    if (busy() > IDLE) return
    clearInterval(timer)
    collect()
  }, everyMs).unref()
}

/** The share of the time since the last call that the event loop did something. */
function busyMeter (): () => number {
  let last = performance.eventLoopUtilization()
  return () => {
    const before = last
    last = performance.eventLoopUtilization()
    return performance.eventLoopUtilization(last, before).utilization
  }
}

/** Collects everything that is not in use, and gives the room to the system: V8 else keeps a part for itself. */
export function collectAll () {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as NodeJS.GCFunction
  gc({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
