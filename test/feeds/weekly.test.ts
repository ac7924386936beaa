import t from 'tap'
import fc from 'fast-check'
import { localTime } from '../../src/business/index.ts'
import { untilReport } from '../../src/feeds/fresh/weekly.ts'
import { build, draft } from '../helper.ts'

t.test('the report is told on Monday at eight by the clocks of the business, wherever it is and whenever it is asked for', (t) => {
  const zones = ['Europe/Berlin', 'UTC', 'America/St_Johns', 'Asia/Kathmandu', 'Pacific/Auckland', 'America/New_York']
  const times = fc.integer({ min: 1_700_000_000, max: 1_900_000_000 })
  fc.assert(fc.property(fc.constantFrom(...zones), times, (zone, seconds) => {
    const ms = untilReport(zone, seconds * 1_000_000)
    const { day, minutes } = localTime(zone, (seconds * 1000 + ms) * 1000)
    return ms > 0 && ms <= 7 * 86_400_000 + 3_600_000 && day === 'monday' && minutes === 480
  }), { numRuns: 300 })
  t.end()
})

// Was wrong: where clocks are changed by half an hour, as on Lord Howe, eight o'clock was never met after the change.
t.test('the report is told at eight on the Monday after clocks were changed, by however much', (t) => {
  for (const [zone, saturday] of [['Australia/Lord_Howe', '2026-10-03T12:00Z'], ['Europe/Berlin', '2026-10-24T12:00Z']] as const) {
    const from = Date.parse(saturday)
    const at = (from + untilReport(zone, from * 1000)) * 1000
    t.match(localTime(zone, at), { day: 'monday', minutes: 480 }, zone)
    t.ok(at / 1000 - from < 2 * 86_400_000, `${zone}: the first Monday`)
  }
  t.end()
})

t.test('a week in which an agent did not know something is told of once, to those who want it', async (t) => {
  const { user, stores, clock, settled } = await build(t)
  const me = await user()
  const { id } = (await me.post('/v1/agents', { ...draft, behavior: { continuousLearning: true } })).json().data
  await me.post('/v1/webhooks', { url: 'https://example.com/hook', events: ['knowledge.gaps'] })
  const told = () => stores.db.raw.prepare("select count(*) from outbox where payload like '%knowledge.gaps%'").pluck().get()
  await settled()
  clock.advance(8 * 86_400_000)
  await settled()
  t.equal(told(), 0, 'nothing was asked')
  clock.advance(86_400_000)
  await settled()
  const conversation = (await me.post(`/v1/agents/${id}/conversations`, {})).json().data.id
  await me.post(`/v1/conversations/${conversation}/messages`, { text: 'How heavy are gift cards?' })
  await settled()
  for (let day = 0; day < 8; day++) {
    clock.advance(86_400_000)
    await settled()
  }
  t.equal(told(), 1)
})

t.test('each agent is looked at and has its report, however many there are', async (t) => {
  const { user, stores, clock, settled } = await build(t)
  const me = await user()
  for (let n = 0; n < 101; n++) await me.post('/v1/agents', draft)
  const last = (await me.get('/v1/agents?limit=100')).json().data.map(({ id }: { id: number }) => id)
  t.equal(last.length, 100)
  const at = '/v1/agents/101'
  for (const days of [30, 14]) {
    await me.post(`${at}/knowledge_sources`, { plain_text: `Returns are accepted within ${days} days of delivery.` })
  }
  await settled()
  await me.post(`${at}/questions`, { text: 'Within how many days of delivery are returns accepted?', expect: { sources: [1] } })
  clock.advance(86_400_000)
  await settled()
  const asked = stores.db.raw.prepare("select count(*) from jobs where kind = 'knowledge.gaps'").pluck().get()
  t.equal(asked, 101, 'a report is asked for for each')
  t.match((await me.get(`${at}/knowledge/stale`)).json().data, [{ stale: 'contradicts' }, { stale: 'contradicts' }])
})
