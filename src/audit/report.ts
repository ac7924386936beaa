import type { AuditReport } from '../../schema/audit.ts'
import type { Id } from '../../schema/common.ts'
import { timestamp, type Clock } from '../platform/clock.ts'
import type { AuditStore } from './store.ts'

/** Whether an account's log is as it was written. */
export type Report = (owner: Id) => Promise<AuditReport>

/**
 * For how long a report is returned again: a log is read as a whole for it. One with a fault for less, since that may
 * have been mended.
 */
const [KEPT_MS, FAULTY_MS] = [3_600_000, 60_000]
/** Maximum accounts remembered. */
const MAX_REPORTS = 500

/** See Report: at most one verification of a log per hour, however often somebody looks at it. */
export function reportsOf (audit: Pick<AuditStore, 'verify'>, clock: Clock): Report {
  const known = new Map<Id, { until: number, report: Promise<AuditReport> }>()

  async function verified (owner: Id): Promise<AuditReport> {
    try {
      const report = await audit.verify(owner)
      const until = clock.monotonic() + (report.fault ? FAULTY_MS : KEPT_MS)
      const shown = { ...report, verified_at: timestamp(clock.micros()) }
      known.set(owner, { until, report: Promise.resolve(shown) })
      return shown
    } catch (error) {
      known.delete(owner)
      throw error
    }
  }

  return async (owner) => {
    const before = known.get(owner)
    if (before && clock.monotonic() < before.until) return await before.report
    if (known.size >= MAX_REPORTS) known.clear()
    const report = verified(owner)
    known.set(owner, { until: Infinity, report })
    return await report
  }
}
