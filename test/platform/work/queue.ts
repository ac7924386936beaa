import type { Test } from 'tap'
import { alone } from '../../../src/platform/neighbours/alone.ts'
import { jobsIn } from '../../../src/platform/storage/sqlite/jobs.ts'
import type { Job, JobRequest, Result } from '../../../src/platform/work/jobs.ts'
import type { Deadline } from '../../../src/platform/work/deadline.ts'
import { openWorker, type Handler } from '../../../src/platform/work/worker.ts'
import { build, fixedClock } from '../../helper.ts'

type Does = (job: Job, signal: AbortSignal, here: Deadline['here']) => Promise<Result> | Result

/** A queue on a fresh file, and workers on it. */
export async function queue (t: Test, clock = fixedClock()) {
  const { stores: { db }, ...built } = await build(t, {}, { clock })
  const jobs = jobsIn(db, clock, alone(clock))
  const faults: string[] = []
  const run: Array<[subject: number, attempt: number]> = []

  /** Starts handling each job of kind `a` as `does` says. */
  function start (
    does: Does = () => ({ done: true }),
    {
      atOnce = 2, perOwner = 2, patienceMs = 900_000, ...handler
    }: { atOnce?: number, perOwner?: number, patienceMs?: number } & Partial<Handler> = {}
  ) {
    const worker = openWorker({
      queue: jobs.queue, clock, patienceMs, places: { here: { atOnce, perOwner }, outside: { atOnce, perOwner } }
    })
    worker.handle('a', {
      async run (job, signal, here) {
        run.push([job.subject, job.attempt])
        return await does(job, signal, here)
      },
      ...handler
    })
    worker.start((error) => faults.push((error as Error).message))
    t.teardown(() => worker.stop())
    return worker
  }
  /** The same until nothing is due. */
  async function work (...args: Parameters<typeof start>) {
    const worker = start(...args)
    await worker.idle()
    return worker
  }
  const ask = (subject: number, request: Partial<JobRequest> = {}) =>
    jobs.queue.ask([{ kind: 'a', subject, owner: 1, ...request }])
  const left = () => db.raw.prepare<[], number>('select subject from jobs order by id').pluck().all()
  return { ...built, db, jobs, faults, run, start, work, ask, left }
}
