import type { BusinessRecord } from '../../../schema/business.ts'
import { closesWithin, isOpen, localTime } from '../../business/index.ts'

const DAY_MS = 86_400_000
/** For a day given in UTC, whatever its time zone. */
const DATE = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'UTC', weekday: 'long', day: 'numeric', month: 'long', year: 'numeric'
})

/** The state of a business when a question is asked. */
export interface Moment {
  business: Pick<BusinessRecord, 'name' | 'address' | 'time_zone' | 'hours' | 'closed_on'> & {
    notices: Pick<BusinessRecord['notices'], 'ticket'>
  }
  /** Microseconds since 1970. */
  micros: number
  /** Whether somebody is there. */
  isOnDuty: boolean
}

/**
 * One line for a prompt: the business's local date and time, whether it is open, and, if a person can be called,
 * whether one is there. Pure.
 * "Monday 23 November 2026, 09:12 Europe/Berlin; open until 17:30; a person is on duty".
 */
export function circumstancesOf ({ business, micros, isOnDuty }: Moment, hasPerson: boolean): string {
  const { time_zone: zone } = business
  const date = DATE.format(Date.parse(localTime(zone, micros).date))
  const hasHours = business.hours !== null || business.closed_on.length > 0
  return [
    `${date.replace(',', '')}, ${clockAt(zone, micros)} ${zone}`,
    hasHours && openness(business, micros),
    hasPerson && (isOnDuty ? 'a person is on duty' : 'no person is on duty')
  ]
    .filter(Boolean)
    .join('; ')
}

function openness (business: Moment['business'], micros: number): string {
  if (!isOpen(business, micros)) return 'closed now'
  const ms = closesWithin(business, micros, DAY_MS)
  return ms === undefined ? 'open now' : `open until ${clockAt(business.time_zone, micros + ms * 1000)}`
}

/** The local time there: 09:12. */
function clockAt (zone: string, micros: number): string {
  const { minutes } = localTime(zone, micros)
  return [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':')
}
