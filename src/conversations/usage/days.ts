import { microsOf } from '../../platform/clock.ts'
import { invalid } from '../../platform/errors.ts'
import { dayOf } from './ledger.ts'

const DAYS = 30
const MOST_DAYS = 366

/**
 * The days since 1970 that a query requests, both included: the last 30 without `from` and `to`. Refuses with
 * VALIDATION_ERROR invalid dates, an end before the start, and more than 366 days.
 */
export function daysAsked (asked: { from?: string, to?: string }, now: number): { from: number, to: number } {
  const to = dayIn('to', asked.to) ?? dayOf(now)
  const from = dayIn('from', asked.from) ?? to - DAYS + 1
  if (from > to || to - from >= MOST_DAYS) {
    throw invalid({
      field: 'from', message: `from must not be after to, and not more than ${MOST_DAYS - 1} days before it.`
    })
  }
  return { from, to }
}

/** A valid calendar date. */
function dayIn (field: string, date: string | undefined): number | undefined {
  if (date === undefined) return undefined
  const begins = microsOf(date)
  if (begins === undefined) {
    throw invalid({ field, message: `${field} must be a valid date, such as 2026-11-20.` })
  }
  return dayOf(begins)
}
