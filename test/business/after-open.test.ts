import fc from 'fast-check'
import t from 'tap'
import { DAYS, type Hours } from '../../schema/business.ts'
import { afterOpen, isOpen, type Openings } from '../../src/business/index.ts'
import { faultIn } from '../../src/business/hours.ts'

const MINUTE_MS = 60_000
const at = (text: string) => Date.parse(text) * 1000
const shown = (micros: number | undefined) => micros === undefined ? undefined : new Date(micros / 1000).toISOString()
const week = (from: string, to: string): Hours =>
  Object.fromEntries(DAYS.map((day) => [day, day.startsWith('s') ? [] : [{ from, to }]])) as unknown as Hours
const NEVER = Object.fromEntries(DAYS.map((day) => [day, []])) as unknown as Hours
const BERLIN: Openings = { time_zone: 'Europe/Berlin', hours: week('09:00', '17:00'), closed_on: [] }

t.test('minutes pass only in the hours: over a night, a weekend, and a day that is closed', async (t) => {
  const after = (from: string, minutes: number, more: Partial<Openings> = {}) =>
    shown(afterOpen({ ...BERLIN, ...more }, at(from), minutes * MINUTE_MS))
  t.equal(after('2026-01-05T09:00:00Z', 30), '2026-01-05T09:30:00.000Z')
  t.equal(after('2026-01-05T15:50:00Z', 30), '2026-01-06T08:20:00.000Z', 'ten minutes on Monday, twenty on Tuesday')
  t.equal(after('2026-01-09T15:50:00Z', 30), '2026-01-12T08:20:00.000Z', 'and from a Friday to a Monday')
  t.equal(after('2026-01-09T15:50:00Z', 30, { closed_on: ['2026-01-12'] }), '2026-01-13T08:20:00.000Z')
  t.equal(after('2026-01-10T12:00:30Z', 1), '2026-01-12T08:01:00.000Z', 'from when they open, to the second')
  t.equal(after('2026-01-05T15:59:30.250Z', 1), '2026-01-06T08:00:30.250Z')
  t.equal(after('2026-01-10T12:00:30Z', 1, { hours: null }), '2026-01-10T12:01:30.000Z', 'always open')
  t.equal(after('2026-01-10T12:00:30Z', 1, { hours: { ...week('09:00', '17:00'), ...NEVER } }), undefined, 'never open')
})

t.test('an hour that the clocks skip is none, and one that they repeat is two', async (t) => {
  const night: Openings = { ...BERLIN, hours: { ...NEVER, sunday: [{ from: '01:00', to: '04:00' }] } }
  // Clocks go from 02:00 to 03:00 on 29 March 2026: the opening lasts two hours, from midnight to two o'clock UTC.
  t.equal(shown(afterOpen(night, at('2026-03-28T12:00:00Z'), 120 * MINUTE_MS)), '2026-03-29T02:00:00.000Z')
  t.equal(shown(afterOpen(night, at('2026-03-28T12:00:00Z'), 121 * MINUTE_MS)), '2026-04-04T23:01:00.000Z')
  // And from 03:00 back to 02:00 on 25 October: it lasts four.
  t.equal(shown(afterOpen(night, at('2026-10-24T12:00:00Z'), 240 * MINUTE_MS)), '2026-10-25T03:00:00.000Z')
})

const ZONES = [
  'UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'Africa/Casablanca',
  'America/Santiago', 'Pacific/Apia'
]
const time = (minutes: number) =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`
const openings = fc.uniqueArray(fc.integer({ min: 0, max: 1440 }), { maxLength: 4 }).map((all) => {
  const inOrder = all.toSorted((a, b) => a - b)
  const pairs = inOrder.slice(0, inOrder.length - inOrder.length % 2)
  return pairs.flatMap((from, i) => i % 2 ? [] : [{ from: time(from), to: time(pairs[i + 1]!) }])
}).filter((all) => faultIn(all) === undefined)
const hours = fc.tuple(...DAYS.map(() => openings)).map((all) =>
  Object.fromEntries(DAYS.map((day, i) => [day, all[i]])) as unknown as Hours)

t.test('it is the time at which so many open minutes have passed, in every zone and over every change of clocks', async () => {
  // Days on which clocks change somewhere, and other days.
  const days = fc.oneof(
    fc.constantFrom('2026-03-08', '2026-03-29', '2026-10-25', '2026-11-01',
      '2026-04-05', '2026-10-04', '2026-02-15', '2026-03-22', '2026-09-06'),
    fc.integer({ min: 0, max: 1000 }).map((n) => new Date(Date.UTC(2025, 0, 1 + n)).toISOString().slice(0, 10))
  )
  fc.assert(fc.property(
    fc.constantFrom(...ZONES), hours, days, fc.integer({ min: -1440 * 60_000, max: 1440 * 60_000 }),
    fc.integer({ min: 1, max: 2000 }), fc.boolean(),
    (zone, hours, day, shift, minutes, isClosed) => {
      const business: Openings = { time_zone: zone, hours, closed_on: isClosed ? [day] : [] }
      const from = Date.parse(`${day}T00:00:00Z`) + shift
      const due = afterOpen(business, from * 1000, minutes * MINUTE_MS)
      // Minute by minute, up to the latest end.
      let [now, left] = [from, minutes * MINUTE_MS]
      const end = from + 4 * 24 * 60 * MINUTE_MS
      while (left > 0 && now < end) {
        const step = MINUTE_MS - now % MINUTE_MS
        const isOpenNow = isOpen(business, now * 1000)
        if (isOpenNow && left <= step) { now += left; left = 0; break }
        if (isOpenNow) left -= step
        now += step
      }
      return left > 0 ? due === undefined || due / 1000 >= end : due === now * 1000
    }
  ), { numRuns: 60 })
})

t.test('a year in which nearly every day is closed holds nobody up', async (t) => {
  const closed = Array.from({ length: 366 }, (_, n) => new Date(Date.UTC(2026, 0, 1 + n)).toISOString().slice(0, 10))
  const begins = performance.now()
  t.equal(shown(afterOpen({ ...BERLIN, closed_on: closed }, at('2026-01-01T00:00:00Z'), 1000)), '2027-01-04T08:00:01.000Z')
  t.ok(performance.now() - begins < 100)
})

t.test('what takes more hours than a year has is never over', async (t) => {
  const hour: Openings = { ...BERLIN, hours: { ...NEVER, monday: [{ from: '09:00', to: '10:00' }] } }
  t.equal(shown(afterOpen(hour, at('2026-01-01T12:00:00Z'), 50 * 60 * MINUTE_MS)), '2026-12-14T09:00:00.000Z')
  t.equal(afterOpen(hour, at('2026-01-01T12:00:00Z'), 60 * 60 * MINUTE_MS), undefined)
})
