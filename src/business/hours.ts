import { DAYS, type BusinessRecord, type Day, type Opening } from '../../schema/business.ts'

/** What a clock on the wall shows in a time zone. `minutes`: since midnight. */
export interface LocalTime { date: string, day: Day, minutes: number }

/** Time zones whose clocks are remembered: making one takes long. */
const CLOCKS = 500
const MINUTE_MS = 60_000
const clocks = new Map<string, Intl.DateTimeFormat>()

/** Whether a time zone is in the IANA database. A difference such as +01:00 is none: it knows no summer time. */
export function isTimeZone (name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    return clockOf(name) !== undefined
  } catch {
    return false
  }
}

/** What the clocks in a time zone show at this number of microseconds since 1970, summer time heeded. */
export function localTime (zone: string, micros: number): LocalTime {
  const parts = new Map(clockOf(zone).formatToParts(Math.floor(micros / 1000)).map(({ type, value }) => [type, value]))
  const day = DAYS.find((name) => name.startsWith(String(parts.get('weekday')).toLowerCase()))!
  return {
    date: `${parts.get('year')}-${parts.get('month')}-${parts.get('day')}`,
    day,
    minutes: Number(parts.get('hour')) * 60 + Number(parts.get('minute'))
  }
}

/** Whether people are there at this time, by the hours of the business. */
export function isOpen (
  { time_zone: zone, hours, closed_on: closedOn }: Pick<BusinessRecord, 'time_zone' | 'hours' | 'closed_on'>,
  micros: number
): boolean {
  if (hours === null && closedOn.length === 0) return true
  const { date, day, minutes } = localTime(zone, micros)
  if (closedOn.includes(date)) return false
  return hours === null || hours[day].some(({ from, to }) => minutesOf(from) <= minutes && minutes < minutesOf(to))
}

/** Milliseconds until the hours end, where they do so within so many; undefined where they go on, or are over. */
export function closesWithin (
  business: Pick<BusinessRecord, 'time_zone' | 'hours' | 'closed_on'>, micros: number, ms: number
): number | undefined {
  if (!isOpen(business, micros)) return undefined
  // Hours end at a full minute, in every time zone of today.
  const into = Math.floor(micros / 1000) % MINUTE_MS
  for (let until = MINUTE_MS - into; until <= ms; until += MINUTE_MS) {
    if (!isOpen(business, micros + until * 1000)) return until
    until += surelyOpenMs(business, micros + until * 1000)
  }
  return undefined
}

/** No clock is put forward by more. */
const SHIFT_MINUTES = 120

/** Milliseconds for which an opening goes on from a time within it, whatever is done to the clocks: full minutes. */
function surelyOpenMs ({ time_zone: zone, hours }: Pick<BusinessRecord, 'time_zone' | 'hours'>, micros: number): number {
  const { day, minutes } = localTime(zone, micros)
  const now = hours?.[day].find(({ from, to }) => minutesOf(from) <= minutes && minutes < minutesOf(to))
  return Math.max(0, minutesOf(now?.to ?? '24:00') - minutes - SHIFT_MINUTES) * MINUTE_MS
}

/** What is wrong with the openings of a day, in words; undefined when nothing is. */
export function faultIn (openings: readonly Opening[]): string | undefined {
  const inOrder = openings.toSorted((a, b) => minutesOf(a.from) - minutesOf(b.from))
  for (const [at, { from, to }] of inOrder.entries()) {
    if (minutesOf(from) >= minutesOf(to)) {
      return `must end after they begin: ${from} to ${to} does not. Hours that go over midnight are two, until 24:00 and from 00:00 of the next day`
    }
    const before = inOrder[at - 1]
    if (before && minutesOf(before.to) > minutesOf(from)) {
      return `must not overlap: ${before.from} to ${before.to} and ${from} to ${to} do`
    }
  }
  return undefined
}

/** Minutes since midnight: 09:30 is 570. */
function minutesOf (time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3))
}

function clockOf (zone: string): Intl.DateTimeFormat {
  const known = clocks.get(zone)
  if (known) return known
  const clock = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hourCycle: 'h23',
    weekday: 'short',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit'
  })
  if (clocks.size >= CLOCKS) clocks.clear()
  clocks.set(zone, clock)
  return clock
}
