import { DAYS, type BusinessRecord, type Day, type Opening } from '../../schema/business.ts'

/** Business hours, and their time zone. */
export type Openings = Pick<BusinessRecord, 'time_zone' | 'hours' | 'closed_on'>

/** Local time in a time zone. `minutes`: since midnight. */
interface LocalTime { date: string, day: Day, minutes: number }

/** Maximum cached time zones: creating a formatter is slow. */
const CLOCKS = 500
const MINUTE_MS = 60_000
const MINUTES_OF_DAY = 24 * 60
const clocks = new Map<string, Intl.DateTimeFormat>()

/** Whether a time zone is in the IANA database. An offset such as +01:00 is not: it has no daylight saving time. */
export function isTimeZone (name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    return clockOf(name) !== undefined
  } catch {
    return false
  }
}

/** A name of a time zone as the IANA database spells such names. */
const SPELT = /^[A-Z][\w+-]*(?:\/[A-Z][a-z][\w-]*)*$/

/**
 * The name of a time zone as the IANA database spells it: "asia/tokyo" is Asia/Tokyo. Of several names the given one
 * stays: Intl calls Europe/Kyiv what it was called before. Undefined: there is none.
 */
export function timeZoneNamed (name: string): string | undefined {
  if (!isTimeZone(name)) return undefined
  const first = clockOf(name).resolvedOptions().timeZone
  return first.toLowerCase() !== name.toLowerCase() && SPELT.test(name) ? name : first
}

/** Local time in a time zone for this number of microseconds since 1970, daylight saving time included. */
export function localTime (zone: string, micros: number): LocalTime {
  const parts = new Map(clockOf(zone).formatToParts(Math.floor(micros / 1000)).map(({ type, value }) => [type, value]))
  const day = DAYS.find((name) => name.startsWith(String(parts.get('weekday')).toLowerCase()))!
  return {
    date: `${parts.get('year')}-${parts.get('month')}-${parts.get('day')}`,
    day,
    minutes: Number(parts.get('hour')) * 60 + Number(parts.get('minute'))
  }
}

/** Whether people are available at this time, according to business hours. */
export function isOpen (
  { time_zone: zone, hours, closed_on: closedOn }: Pick<BusinessRecord, 'time_zone' | 'hours' | 'closed_on'>,
  micros: number
): boolean {
  if (hours === null && closedOn.length === 0) return true
  const { date, day, minutes } = localTime(zone, micros)
  if (closedOn.includes(date)) return false
  return hours === null || hours[day].some(({ from, to }) => minutesOf(from) <= minutes && minutes < minutesOf(to))
}

/** Milliseconds until the hours end, if that is within the given limit; undefined if they continue, or are over. */
export function closesWithin (
  business: Pick<BusinessRecord, 'time_zone' | 'hours' | 'closed_on'>, micros: number, ms: number
): number | undefined {
  if (!isOpen(business, micros)) return undefined
  // Hours end at a full minute, in every current time zone.
  const into = Math.floor(micros / 1000) % MINUTE_MS
  for (let until = MINUTE_MS - into; until <= ms; until += MINUTE_MS) {
    if (!isOpen(business, micros + until * 1000)) return until
    until += surelyOpenMs(business, micros + until * 1000)
  }
  return undefined
}

/** No clock is put forward by more. */
const SHIFT_MINUTES = 120

/** Milliseconds that an opening lasts from a time within it, even if clocks change: full minutes. */
function surelyOpenMs ({ time_zone: zone, hours }: Pick<BusinessRecord, 'time_zone' | 'hours'>, micros: number): number {
  const { day, minutes } = localTime(zone, micros)
  const now = hours?.[day].find(({ from, to }) => minutesOf(from) <= minutes && minutes < minutesOf(to))
  return Math.max(0, minutesOf(now?.to ?? '24:00') - minutes - SHIFT_MINUTES) * MINUTE_MS
}

/** Milliseconds of business hours that are searched for a time: more than a year. */
const LONGEST_MS = 400 * 24 * 60 * MINUTE_MS

/**
 * When the given milliseconds of business hours will have passed, in microseconds since 1970; undefined if not within a
 * year. An hour that the clocks skip or repeat counts as what it is: no time, or two hours.
 */
export function afterOpen (business: Openings, micros: number, ms: number): number | undefined {
  const { hours, closed_on: closedOn } = business
  if (hours === null && closedOn.length === 0) return micros + ms * 1000
  if (hours !== null && DAYS.every((day) => hours[day].length === 0)) return undefined
  const begins = Math.floor(micros / 1000)
  let left = ms
  for (let at = begins; at - begins < LONGEST_MS;) {
    const stretch = stretchAt(business, at)
    if (stretch.isOpen && left <= stretch.ms) return (at + left) * 1000
    if (stretch.isOpen) left -= stretch.ms
    at += stretch.ms
  }
  return undefined
}

/** How far ahead the next change of the hours is searched: later ones are not shown. */
const NEXT_MS = 14 * 24 * 60 * MINUTE_MS

/** When the hours end if open, or begin if closed, in microseconds since 1970; undefined if not within two weeks. */
export function changesAt (business: Openings, micros: number): number | undefined {
  if (business.hours === null && business.closed_on.length === 0) return undefined
  const begins = Math.floor(micros / 1000)
  const first = stretchAt(business, begins)
  for (let at = begins + first.ms; at - begins <= NEXT_MS;) {
    const next = stretchAt(business, at)
    if (next.isOpen !== first.isOpen) return at * 1000
    at += next.ms
  }
  return undefined
}

/** Whether it is open at a time in milliseconds, and for how long it certainly stays open or closed. */
function stretchAt (business: Openings, at: number): { isOpen: boolean, ms: number } {
  const { time_zone: zone, hours, closed_on: closedOn } = business
  const { date, day, minutes } = localTime(zone, at * 1000)
  const openings = closedOn.includes(date) ? [] : hours?.[day] ?? [{ from: '00:00', to: '24:00' }]
  const now = openings.find(({ from, to }) => minutesOf(from) <= minutes && minutes < minutesOf(to))
  const next = openings.map(({ from }) => minutesOf(from)).filter((from) => from > minutes)
  const until = now ? minutesOf(now.to) : Math.min(...next, MINUTES_OF_DAY)
  const ms = (until - minutes) * MINUTE_MS - at % MINUTE_MS
  return { isOpen: now !== undefined, ms: steadyFor(zone, at, ms) }
}

/** Milliseconds, up to the given limit, until a zone's clocks change; the limit if they do not. */
function steadyFor (zone: string, at: number, ms: number): number {
  const shift = shiftAt(zone, at)
  if (shiftAt(zone, at + ms) === shift) return ms
  // They change at full minutes.
  const first = MINUTE_MS - at % MINUTE_MS
  let [same, other] = [-1, Math.floor((ms - first) / MINUTE_MS)]
  while (other - same > 1) {
    const middle = Math.floor((same + other) / 2)
    if (shiftAt(zone, at + first + middle * MINUTE_MS) === shift) same = middle
    else other = middle
  }
  return first + other * MINUTE_MS
}

/** By how many minutes the clocks of a zone are ahead of UTC. */
function shiftAt (zone: string, at: number): number {
  const { date, minutes } = localTime(zone, at * 1000)
  return Date.parse(date) / MINUTE_MS + minutes - Math.floor(at / MINUTE_MS)
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
