import { timestamp, type Clock } from '../platform/clock.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import { inSlices } from '../platform/work/slices.ts'
import type { Worker } from '../platform/work/worker.ts'

const DAY_MS = 86_400_000
/** Events deleted in one slice. */
const BATCH_SIZE = 50

/** Has the worker delete, once a day, the events of all accounts that are older than the given number of days. */
export function forgetEvents (worker: Worker, { db, clock, days }: { db: Database, clock: Clock, days: number }) {
  const forget = db.objects(`
    delete from audit_events where id in (
      select id from audit_events indexed by audit_events_by_age where at < ? order by at limit ${BATCH_SIZE})`)
  worker.every('audit.forget', DAY_MS, async (signal) => {
    const before = timestamp(clock.micros() - days * DAY_MS * 1000)
    const slice = inSlices(db, signal)
    while (!signal.aborted && await slice(function * () { return (yield * forget.run(before)) === BATCH_SIZE }));
  })
}
