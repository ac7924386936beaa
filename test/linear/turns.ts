import { createHash } from 'node:crypto'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
/** Collects what earlier rounds and tests left: a collection of it is no turn of the work. */
const collect: () => void = runInNewContext('gc')

/** How often work is repeated: other load on the machine makes a turn longer, also in CPU time, never shorter. */
const ROUNDS = 10

/** What the two yardsticks take on the machine for which the bounds of tests are given, in milliseconds. */
const [YARDSTICK_MS, FRESH_MS] = [50, 40]
/** Bytes of memory that the process did not have before: on some virtual machines they take five times as long. */
const FRESH = 64 * 2 ** 20

const LINES = JSON.stringify(Array.from({ length: 2000 }, (_none, i) => ({ id: i, title: `Line ${i}`, text: 'x'.repeat(80) })))

/** Milliseconds of this thread's CPU time since `began`. Kernels may count in steps of 4 ms. */
function since (began: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(began)
  return (user + system) / 1000
}

/**
 * How many times slower this machine is at the moment than the one for which bounds are given; 1 at least. What servers
 * do most of (parse, allocate, compare, write, hash) is timed, and fresh memory, which collections and large texts wait
 * for; so that a bound means the same under load and elsewhere.
 */
export function slowness (): number {
  return Math.max(1, slownessOfWork(), slownessOfMemory())
}

function slownessOfMemory (): number {
  const began = process.threadCpuUsage()
  Buffer.allocUnsafeSlow(FRESH).fill(1)
  return since(began) / FRESH_MS
}

function slownessOfWork (): number {
  collect()
  const began = process.threadCpuUsage()
  for (let round = 0; round < 20; round++) {
    const lines: { id: number, title: string }[] = JSON.parse(LINES)
    const sorted = lines.map((line) => ({ ...line, key: `${line.title}/${line.id}` })).sort((a, b) => a.key < b.key ? -1 : 1)
    createHash('sha256').update(JSON.stringify(sorted)).digest('hex')
  }
  return since(began) / YARDSTICK_MS
}

/**
 * The longest that some work blocks the event loop at a stretch, in milliseconds of this thread's CPU time on the
 * machine of the bounds. The work is repeated while that is above `enough`, ten times at most; the best counts.
 */
export async function longestTurn (enough: number, work: () => Promise<unknown>): Promise<number> {
  let best = Infinity
  for (let round = 0; round < ROUNDS && best > enough; round++) best = Math.min(best, await longestOnce(enough, work))
  return best
}

/** The same of work that is done once: what a process does at its first time. */
export async function longestOnce (enough: number, work: () => Promise<unknown>): Promise<number> {
  collect()
  let longest = 0
  let began = process.threadCpuUsage()
  const look = () => {
    longest = Math.max(longest, since(began))
    began = process.threadCpuUsage()
  }
  let isOver = false
  const watch = () => {
    look()
    if (!isOver) setImmediate(watch)
  }
  await new Promise((resolve) => setImmediate(resolve))
  began = process.threadCpuUsage()
  setImmediate(watch)
  try {
    await work()
  } finally {
    isOver = true
    look()
  }
  return longest > enough ? longest / slowness() : longest
}

/** Bytes of the heap that are in use after some work and were not before. */
export async function keptBy (work: () => unknown): Promise<number> {
  collect()
  const before = process.memoryUsage().heapUsed
  await work()
  collect()
  return process.memoryUsage().heapUsed - before
}
