import { openSync, readSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setImmediate } from 'node:timers/promises'
import { readConfig } from '../../../src/config.ts'
import { startServer } from '../../../src/server.ts'
import type { AgenthallOptions } from '../servers.ts'

const { directory, database, settings = {} } = JSON.parse(process.argv[2]!) as AgenthallOptions
const config = readConfig(
  { AGENTHALL_RATE_LIMITS: '{"enterprise":0,"pro":0,"free":0}' }, { PORT: '0', DATA: directory, ...settings }
)
const server = await startServer(config, { log: false, database })

/**
 * How late a timer is that is due every few milliseconds: any other work of the loop is as late. It runs from the first
 * question about it on, since it takes a hundredth of a core.
 */
const delay = monitorEventLoopDelay({ resolution: 5 })
const schedstat = openSync('/proc/self/schedstat', 'r')
const told = Buffer.alloc(100)
let queued = queuedFor()
/** The most CPU time that the main thread took between two ticks of a millisecond: the longest block of the loop. */
let held = 0
/** The longest time between two such ticks without that in which it had no core: what is the program's own. */
let own = 0
let watch: NodeJS.Timeout | undefined

/** Restarts the watch on what blocks the loop. */
function watchHeld () {
  clearInterval(watch)
  held = 0
  own = 0
  let before = { used: threadTime(), at: performance.now(), queued: queuedFor() }
  watch = setInterval(() => {
    const now = { used: threadTime(), at: performance.now(), queued: queuedFor() }
    held = Math.max(held, now.used - before.used)
    own = Math.max(own, now.at - before.at - (now.queued - before.queued))
    before = now
  }, 1)
}

/** Milliseconds of CPU time of the main thread. */
function threadTime (): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** Milliseconds in which the main thread was runnable but had no core, as reported by Linux. */
function queuedFor (): number {
  const length = readSync(schedstat, told, 0, told.length, 0)
  return Number(told.toString('latin1', 0, length).split(' ')[1]) / 1e6
}

process.on('message', async (asked) => {
  if (asked === 'loop') {
    delay.enable()
    const before = queued
    queued = queuedFor()
    process.send!({ p99: delay.percentile(99) / 1e6, most: delay.max / 1e6, queued: queued - before, held, own })
    delay.reset()
    watchHeld()
  } else if (asked === 'kept') {
    // Collected objects release their memory outside of V8's heap only after the turn of the loop.
    globalThis.gc!()
    await setImmediate()
    globalThis.gc!()
    const { heapUsed, external } = process.memoryUsage()
    process.send!(heapUsed + external)
  } else {
    const { user, system } = process.cpuUsage()
    process.send!(user + system)
  }
})
process.once('SIGTERM', async () => {
  await server.close()
  process.exit()
})
// An aborted benchmark leaves no server behind.
process.once('disconnect', () => process.exit(1))
process.send!(server.address)
