import type { Kernel } from '../kernel/index.ts'
import { timestamp } from '../platform/clock.ts'
import { inSlices } from '../platform/work/slices.ts'

const DAY_MS = 86_400_000
/** Events deleted in one slice. */
const BATCH_SIZE = 50

/** Has the worker delete, once a day, events that are older than the operator keeps them. */
export function forgetEvents ({ db, clock, worker, config }: Pick<Kernel, 'db' | 'clock' | 'worker' | 'config'>) {
  const forget = db.objects(`
    delete from audit_events where id in (
      select id from audit_events indexed by audit_events_by_age where at < ? order by at limit ${BATCH_SIZE})`)
  worker.every('audit.forget', DAY_MS, async (signal) => {
    const before = timestamp(clock.micros() - config.AUDIT_DAYS * DAY_MS * 1000)
    const slice = inSlices(db, signal)
    while (!signal.aborted && await slice(function * () { return (yield * forget.run(before)) === BATCH_SIZE }));
  })
}
