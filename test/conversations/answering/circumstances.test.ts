import t from 'tap'
import { DAYS } from '../../../schema/business.ts'
import { circumstancesOf, type Moment } from '../../../src/conversations/answering/prompt.ts'

const NINE_TO_FIVE = Object.fromEntries(DAYS.map((day) => [
  day, day === 'sunday' ? [] : [{ from: '09:00', to: '17:30' }]
])) as Moment['business']['hours']

t.test('a prompt says the date, the time where the business is, whether it is open and who is there', async (t) => {
  const said = (at: string, business: Partial<Moment['business']> = {}, isOnDuty = true, hasPerson = true) =>
    circumstancesOf({
      business: { name: '', address: '', time_zone: 'Europe/Berlin', hours: NINE_TO_FIVE, closed_on: [], notices: { ticket: '' }, ...business },
      micros: Date.parse(at) * 1000,
      isOnDuty
    }, hasPerson)
  t.equal(
    said('2026-11-23T08:12:00Z'),
    'Monday 23 November 2026, 09:12 Europe/Berlin; open until 17:30; a person is on duty'
  )
  t.equal(
    said('2026-11-22T23:30:00Z', {}, false),
    'Monday 23 November 2026, 00:30 Europe/Berlin; closed now; no person is on duty',
    'the day is that of the business'
  )
  t.equal(
    said('2026-11-23T08:12:00Z', { hours: null }, true, false), 'Monday 23 November 2026, 09:12 Europe/Berlin',
    'without hours, and without anybody who could come, nothing is said of them'
  )
  t.match(said('2026-11-23T08:12:00Z', { closed_on: ['2026-11-23'] }), '; closed now;')
  t.match(said('2026-11-23T08:12:00Z', { hours: null, closed_on: ['2026-12-24'] }), '; open now;')
})
