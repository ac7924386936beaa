import type { Clock } from '../clock.ts'
import { Refusal } from '../errors.ts'
import { backOffMs } from './back-off.ts'
import type { Job, JobQueue, JobRequest, Lane, Result } from './jobs.ts'
import { startDeadline, type Deadline } from './deadline.ts'

/** Interval of heartbeats for running jobs; well within the 8 seconds after which others take them over. */
const ALIVE_MS = 2000
/** How soon jobs that another process added, or that have become due, are noticed. */
const LOOK_MS = 500
/** How often a job is started before it is given up, and its delay after a fault of ours. */
const TRIES = 10
const AFTER_A_FAULT_MS = 60_000
/** How long one job may wait for others. */
const PATIENCE_MS = 15 * 60_000

/** Maximum jobs running at the same time, in total and per owner. */
type JobPlaces = Record<Lane, { atOnce: number, perOwner: number }>

/**
 * More than the sandbox has places, so that it is never idle. Waiting for others costs next to nothing: enough may wait
 * that a few owners of slow sites leave places for the rest.
 */
const PLACES: JobPlaces = { here: { atOnce: 8, perOwner: 3 }, outside: { atOnce: 32, perOwner: 3 } }

/** Handler of the jobs of one kind. */
export interface Handler {
  /**
   * Does the work. It may end its job itself, in the transaction of its effect, or leave that to the worker. What it
   * throws is reported as a fault of ours, and the job is delayed, longer each time; faults of others are results.
   * `signal` is aborted when the worker stops, and with a DeadlineExceeded when a job of the lane `outside` has waited
   * too long; its own computing meanwhile it does in `here`, where time is not counted.
   */
  run (job: Job, signal: AbortSignal, here: Deadline['here']): Promise<Result>
  /** How often a job is started before it is given up, 10 by default. */
  tries?: number
  /** Called with a job that is given up, since it was started that often and never finished. */
  givenUp? (job: Job): Promise<void>
}

/** Called with unexpected errors. */
export type OnFault = (error: unknown, job?: Job) => void

/** Runs a process's background work. There is one in each process, and one process that works on a file. */
export interface Worker {
  /** Registers the handler for a job kind. Before `start`; no other kinds are claimed. */
  handle (kind: string, handler: Handler): void
  /** Repeats a task at an interval (ms) counted from its last run, across restarts. Call it before `start`. */
  every (kind: string, everyMs: number, run: (signal: AbortSignal) => Promise<void>): void
  /** Starts. `onFault` is called with unexpected errors; the job is retried. */
  start (onFault: OnFault): void
  /** Stops running jobs: their signal is aborted, and unfinished work is done at the next start. */
  stop (): Promise<void>
  /** Resolves when nothing is due and nothing is running. */
  idle (): Promise<void>
}

/** A worker on a queue. `places` and `patienceMs` differ from their defaults in tests only. */
export function openWorker ({ queue, clock, places = PLACES, patienceMs = PATIENCE_MS }: {
  queue: JobQueue, clock: Clock, places?: JobPlaces, patienceMs?: number
}): Worker {
  const handlers = new Map<string, Handler>()
  const repeated: JobRequest[] = []
  const running = new Map<Job, { lane: Lane, done: Promise<void> }>()
  const stopping = new AbortController()
  const timers: NodeJS.Timeout[] = []
  let onFault: OnFault = () => undefined
  let stopAsking = () => {}
  let looking: Promise<void> | undefined
  let mustLookAgain = false

  const kinds = () => [...handlers.keys()]
  const runningIn = (lane: Lane) => [...running.values()].filter((one) => one.lane === lane).length

  async function run (job: Job, lane: Lane) {
    const waiting = lane === 'outside' ? startDeadline(patienceMs, clock) : undefined
    try {
      const { run, givenUp, tries = TRIES } = handlers.get(job.kind)!
      if (job.attempt > tries) {
        await givenUp?.(job)
        return await queue.bury(job)
      }
      const signal = waiting ? AbortSignal.any([stopping.signal, waiting.signal]) : stopping.signal
      const result = await run(job, signal, waiting?.here ?? ((work) => work()))
      if ('againInMs' in result) await queue.retry(job, { inMs: result.againInMs, fresh: result.fresh ?? false })
      else await queue.finish(job)
    } catch (error) {
      if (stopping.signal.aborted) return
      onFault(error, job)
      const inMs = backOffMs(job.attempt, { firstMs: AFTER_A_FAULT_MS })
      // A job that cannot be put back now is free again a minute after its last heartbeat.
      await queue
        .retry(job, { inMs, error: error instanceof Error ? error.message : String(error) })
        .catch(() => undefined)
    } finally {
      waiting?.end()
    }
  }

  /** Claims jobs while there are free places. */
  async function fill (lane: Lane) {
    const { atOnce, perOwner } = places[lane]
    while (!stopping.signal.aborted && runningIn(lane) < atOnce) {
      const job = await queue.claim({ kinds: kinds(), lane, perOwner })
      if (!job) return
      const done = run(job, lane).finally(() => {
        running.delete(job)
        look()
      })
      running.set(job, { lane, done })
    }
  }

  async function fillAll () {
    while (mustLookAgain) {
      mustLookAgain = false
      await fill('here')
      await fill('outside')
    }
  }

  function look () {
    if (stopping.signal.aborted) return
    mustLookAgain = true
    looking ??= fillAll().catch((error) => {
      // A full disk or a busy file is reported elsewhere; the next attempt may succeed.
      mustLookAgain = false
      if (!(error instanceof Refusal)) onFault(error)
    }).finally(() => {
      looking = undefined
      // Requested after the last look and before this: it must not wait for another request.
      if (mustLookAgain) look()
    })
  }

  const isAnyDue = () => queue.isAnyDue(kinds()).catch(() => true)

  return {
    handle (kind, handler) {
      handlers.set(kind, handler)
    },
    every (kind, everyMs, run) {
      repeated.push({ kind, subject: 0, owner: 0, inMs: everyMs, unlessAsked: true })
      handlers.set(kind, {
        async run (_job, signal) {
          await run(signal)
          return { againInMs: everyMs, fresh: true }
        },
        tries: Infinity
      })
    },
    start (tell) {
      onFault = tell
      stopAsking = queue.onAsked(look)
      looking = (async () => {
        await queue.recover()
        if (repeated.length) await queue.ask(repeated)
      })().catch(onFault).finally(() => {
        looking = undefined
        look()
      })
      timers.push(
        setInterval(async () => {
          if (!looking && (await isAnyDue())) look()
        }, LOOK_MS).unref(),
        setInterval(() => {
          queue.keepAlive([...running.keys()]).catch(() => undefined)
        }, ALIVE_MS).unref()
      )
    },
    async stop () {
      for (const timer of timers) clearInterval(timer)
      stopAsking()
      stopping.abort()
      await looking
      await Promise.allSettled([...running.values()].map(({ done }) => done))
    },
    async idle () {
      while (!stopping.signal.aborted) {
        await looking
        if (running.size) await Promise.race([...running.values()].map(({ done }) => done))
        else if (!looking && !await isAnyDue() && !looking && !running.size) return
        else look()
        await new Promise(setImmediate)
      }
    }
  }
}
