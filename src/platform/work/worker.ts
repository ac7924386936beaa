import type { Clock } from '../clock.ts'
import { Refusal } from '../errors.ts'
import { backOffMs } from './back-off.ts'
import type { Job, JobQueue, JobRequest, Lane, Result } from './jobs.ts'
import { patience, type Patience } from './patience.ts'

/** How often the queue hears that what runs is alive; well within the 8 seconds after which others take it up. */
const ALIVE_MS = 2000
/** How soon work that another process asked for, or that has become due, is noticed. */
const LOOK_MS = 500
/** How often a job is begun before it is given up, and how long it waits after a fault of ours. */
const TRIES = 10
const AFTER_A_FAULT_MS = 60_000
/** How long one job may wait for others. */
const PATIENCE_MS = 15 * 60_000

/** Jobs that run at the same time, and those of one owner. */
type JobPlaces = Record<Lane, { atOnce: number, perOwner: number }>

/**
 * More than the sandbox has places, so that it is never idle. Waiting for others costs next to nothing: so many may
 * wait that a few owners of slow sites leave places for the rest.
 */
const PLACES: JobPlaces = { here: { atOnce: 8, perOwner: 3 }, outside: { atOnce: 32, perOwner: 3 } }

/** What is done with the jobs of one kind. */
export interface Handler {
  /**
   * Does the work. It may end its job itself, in the transaction of its effect, or leave that to the worker. What it
   * throws is told as a fault of ours, and the job waits, longer each time; faults of others are results. `signal` is
   * aborted when the worker stops, and with an OutOfPatience when a job of the lane `outside` has waited too long; what
   * it does of its own meanwhile it does in `here`, where time is not counted.
   */
  run (job: Job, signal: AbortSignal, here: Patience['here']): Promise<Result>
  /** How often a job is begun before it is given up, 10 unless said. */
  tries?: number
  /** Told of a job that is given up, since it was begun so often and never came to an end. */
  givenUp? (job: Job): Promise<void>
}

/** Told of what nobody foresaw. */
export type OnFault = (error: unknown, job?: Job) => void

/**
 * What does the work of a process in the background. There is one in each process, and one process that works on a
 * file.
 */
export interface Worker {
  /** Registers the handler for a job kind. Before `start`; of other kinds none is taken up. */
  handle (kind: string, handler: Handler): void
  /** Repeats a task at an interval (ms) counted from its last run, across restarts. Call it before `start`. */
  every (kind: string, everyMs: number, run: (signal: AbortSignal) => Promise<void>): void
  /** Begins. `onFault` hears of what nobody foresaw; the job is tried again. */
  start (onFault: OnFault): void
  /** Lets what runs come to a stop: its signal is aborted, and what it had not finished is done at the next start. */
  stop (): Promise<void>
  /** Resolves when nothing is due and nothing runs. */
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
    const waiting = lane === 'outside' ? patience(patienceMs, clock) : undefined
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
      // What cannot be put back now is free again a minute after it was last said to be alive.
      await queue
        .retry(job, { inMs, error: error instanceof Error ? error.message : String(error) })
        .catch(() => undefined)
    } finally {
      waiting?.end()
    }
  }

  /** Takes up what there are places for. */
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
      // A full disk or a busy file is known elsewhere; the next look may find it better.
      mustLookAgain = false
      if (!(error instanceof Refusal)) onFault(error)
    }).finally(() => {
      looking = undefined
      // Asked for after the last look and before this: it must not wait for somebody to ask again.
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
