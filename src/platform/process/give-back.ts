import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Length of each measurement in milliseconds. After the first of them fast-start.cjs has written what was compiled. */
const LOOK_MS = 2000

/** Maximum share of time that an idle process is busy. */
const IDLE = 0.05

/**
 * Frees, once and when idle, the memory left over from the start of the process: 20 MB of a server's 140. V8 would keep
 * it as long as the server gets no requests, because it collects when new memory is needed. It takes 0.1 s of processor
 * time, in which a request would wait.
 */
export function giveBackOnceIdle ({ everyMs = LOOK_MS, busy = busyMeter(), collect = collectAll } = {}) {
  const timer = setInterval(() => {
    if (busy() > IDLE) return
    clearInterval(timer)
    collect()
  }, everyMs).unref()
}

/** The share of time that the event loop was busy since the last call. */
function busyMeter (): () => number {
  let last = performance.eventLoopUtilization()
  return () => {
    const before = last
    last = performance.eventLoopUtilization()
    return performance.eventLoopUtilization(last, before).utilization
  }
}

/** Collects all garbage, and returns the memory to the system: V8 otherwise keeps some for itself. */
export function collectAll () {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as NodeJS.GCFunction
  gc({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
