import t from 'tap'
import { closesWithin, isOpen, localTime } from '../../src/business/index.ts'
import { unset } from '../../src/business/store.sqlite.ts'
import { build, fixedClock } from '../helper.ts'

const NINE_TO_FIVE = [{ from: '09:00', to: '17:00' }]
const NEVER = { monday: [], tuesday: [], wednesday: [], thursday: [], friday: [], saturday: [], sunday: [] }
const at = (text: string) => Date.parse(text) * 1000

t.test('an account that has set nothing is always open; what is set stays, field by field', async (t) => {
  const { user } = await build(t, {}, { clock: fixedClock(Date.UTC(2026, 0, 5, 8, 30)) })
  const me = await user()
  t.match((await me.get('/v1/business')).json().data, {
    time_zone: 'UTC', hours: null, closed_on: [], is_open: true, updated_at: null, notices: { waiting: '' }
  })
  const first = (
    await me.put('/v1/business', {
      time_zone: 'Europe/Berlin', hours: { monday: NINE_TO_FIVE }, notices: { closed: 'Bye.' }
    })
  ).json()
  t.match(first, {
    status: 'success',
    data: {
      time_zone: 'Europe/Berlin',
      hours: { monday: NINE_TO_FIVE, tuesday: [] },
      is_open: true,
      notices: { closed: 'Bye.', waiting: '' }
    }
  })
  const second = (
    await me.put('/v1/business', {
      hours: { tuesday: NINE_TO_FIVE }, closed_on: ['2026-01-05'], notices: { taken: 'Hi.' }
    })
  ).json().data
  t.match(second, {
    hours: { monday: NINE_TO_FIVE, tuesday: NINE_TO_FIVE }, is_open: false, notices: { closed: 'Bye.', taken: 'Hi.' }
  })
  t.match((await me.put('/v1/business', { hours: null, closed_on: [] })).json().data, { hours: null, is_open: true })
  t.strictSame((await me.get('/v1/business')).json().data.hours, null)
  t.match((await (await user()).get('/v1/business')).json().data, { time_zone: 'UTC' }, 'another account has its own')
})

t.test('a business has a name, in one line, which stays when other things are set', async (t) => {
  const { user } = await build(t)
  const me = await user()
  t.equal((await me.get('/v1/business')).json().data.name, '')
  t.equal((await me.put('/v1/business', { name: '  Lamps\n& Co.  ' })).json().data.name, 'Lamps & Co.')
  t.equal((await me.put('/v1/business', { time_zone: 'Europe/Oslo' })).json().data.name, 'Lamps & Co.')
  t.match((await me.put('/v1/business', { name: 'x'.repeat(121) })).json().error.details, [{ field: 'name' }])
  t.equal((await (await user()).get('/v1/business')).json().data.name, '', 'another account has its own')
  t.equal((await me.put('/v1/business', { name: '' })).json().data.name, '', 'and it can be taken away')
  t.equal((await me.put('/v1/business', { name: '\u200b' })).json().data.name, '', 'what nobody sees is none')
})

t.test('a business has an address of up to six lines, which stays when other things are set', async (t) => {
  const { user } = await build(t)
  const me = await user()
  const kept = async (address: string) => (await me.put('/v1/business', { address })).json().data?.address
  t.equal((await me.get('/v1/business')).json().data.address, '')
  t.equal(await kept('  12  Mill Lane \r\n\n\tBath BA1 2QH\n'), '12 Mill Lane\nBath BA1 2QH', 'lines that say something')
  t.equal((await me.put('/v1/business', { name: 'Mill' })).json().data.address, '12 Mill Lane\nBath BA1 2QH')
  t.match((await me.put('/v1/business', { address: 'x'.repeat(301) })).json().error.details, [{ field: 'address' }])
  t.match((await me.put('/v1/business', { address: 'a\nb\nc\nd\ne\nf\ng' })).json().error.details, [
    { field: 'address', message: 'address has 7 lines, and may have 6.' }
  ])
  t.equal((await (await user()).get('/v1/business')).json().data.address, '', 'another account has its own')
  t.equal(await kept(''), '', 'and it can be taken away')
})

t.test('what cannot be is refused by its name', async (t) => {
  const { user } = await build(t)
  const me = await user()
  const refused = async (body: object) => (await me.put('/v1/business', body)).json().error?.details?.[0]
  for (const zone of ['Mars/Olympus', '+01:00', '../etc']) {
    t.match(await refused({ time_zone: zone }), { field: 'time_zone', message: /Europe\/Berlin/ }, zone)
  }
  // Was wrong: it was accepted, and never closed a day.
  t.match(await refused({ closed_on: ['2026-12-25', '2026-02-31'] }), {
    field: 'closed_on', message: 'closed_on holds 2026-02-31, which is not a valid date.'
  })
  t.match(await refused({ hours: { monday: [{ from: '22:00', to: '02:00' }] } }), {
    field: 'hours.monday', message: /over midnight are two/
  })
  t.match(
    await refused({
      hours: {
        friday: [
          { from: '12:00', to: '14:00' }, { from: '09:00', to: '13:00' }
        ]
      }
    }),
    { field: 'hours.friday', message: /must not overlap: 09:00 to 13:00 and 12:00 to 14:00/ }
  )
  t.ok(await refused({ hours: { monday: [{ from: '25:00', to: '26:00' }] } }))
  t.ok(await refused({ hours: { someday: [] } }))
  t.ok(await refused({}))
  t.match((await me.get('/v1/business')).json().data, { updated_at: null }, 'nothing was changed')
})

t.test('hours are those on the wall of the business, whatever summer time does', async (t) => {
  const berlin = {
    ...unset(1),
    time_zone: 'Europe/Berlin',
    hours: { ...NEVER, sunday: [{ from: '02:00', to: '03:30' }], monday: NINE_TO_FIVE }
  }
  // The clocks go from 02:00 to 03:00 on 29 March 2026, and from 03:00 to 02:00 on 25 October.
  const shown = (text: string) => isOpen(berlin, at(text))
  t.strictSame(
    ['2026-03-29T00:59:00Z', '2026-03-29T01:00:00Z', '2026-03-29T01:30:00Z'].map(shown),
    [false, true, false],
    'an hour that is left out'
  )
  t.strictSame(
    [
      '2026-10-24T23:59:00Z', '2026-10-25T00:00:00Z', '2026-10-25T01:10:00Z', '2026-10-25T02:29:00Z',
      '2026-10-25T02:30:00Z'
    ].map(shown),
    [false, true, true, true, false],
    'an hour that comes twice'
  )
  t.strictSame(
    ['2026-03-30T07:00:00Z', '2026-03-30T06:59:00Z', '2026-10-26T08:00:00Z', '2026-10-26T07:59:00Z'].map(shown),
    [true, false, true, false],
    'nine o’clock in summer and in winter'
  )
  t.strictSame(localTime('Asia/Kathmandu', at('2026-01-04T18:20:00Z')), {
    date: '2026-01-05', day: 'monday', minutes: 5
  })
  t.equal(
    isOpen({ ...berlin, hours: { ...NEVER, monday: [{ from: '22:00', to: '24:00' }] } }, at('2026-01-05T22:59:59Z')),
    true
  )
})

t.test('how long they are still there', async (t) => {
  const business = { ...unset(1), hours: { ...NEVER, monday: NINE_TO_FIVE } }
  t.equal(closesWithin(business, at('2026-01-05T16:59:10.500Z'), 120_000), 49_500)
  t.equal(closesWithin(business, at('2026-01-05T16:57:00Z'), 120_000), undefined)
  t.equal(closesWithin(business, at('2026-01-05T17:00:00Z'), 120_000), undefined, 'it is over')
  t.equal(closesWithin(unset(1), at('2026-01-05T16:59:00Z'), 120_000), undefined)
  // Until half past two, in nights in which the clocks go from two to three, and from three to two.
  const night = {
    ...unset(1), time_zone: 'Europe/Berlin', hours: { ...NEVER, sunday: [{ from: '01:00', to: '02:30' }] }
  }
  t.equal(closesWithin(night, at('2026-03-29T00:59:00Z'), 120_000), 60_000, 'a time that there is not')
  t.equal(closesWithin(night, at('2026-03-29T00:57:00Z'), 120_000), undefined)
  t.equal(closesWithin(night, at('2026-10-25T00:29:00Z'), 120_000), 60_000, 'the first time that it comes')
  t.equal(closesWithin(night, at('2026-10-25T01:29:30Z'), 120_000), 30_000, 'and the second')
  t.equal(isOpen({ ...unset(1), closed_on: ['2026-12-25'] }, at('2026-12-25T10:00:00Z')), false)
})

t.test('more time zones than are remembered do no harm', async (t) => {
  const zones = Intl.supportedValuesOf('timeZone')
  for (const zone of [...zones, ...zones.map((zone) => zone.toUpperCase())]) {
    t.ok(localTime(zone, at('2026-01-05T12:00:00Z')).minutes >= 0)
  }
  t.ok(zones.length * 2 > 500)
})
