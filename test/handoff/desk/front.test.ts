import fc from 'fast-check'
import t from 'tap'
import { DAYS, type Hours } from '../../../schema/business.ts'
import { changesAt, isOpen, type Openings } from '../../../src/business/index.ts'
import { frontOf, openFront } from '../../../src/handoff/desk/front.ts'
import { fixedClock } from '../../helper.ts'
import { QUESTION } from '../../conversations/helper.ts'
import { site } from '../../widget/helper.ts'

const at = (text: string) => Date.parse(text) * 1000
const MINUTE = 60e6
const week = (from: string, to: string): Hours =>
  Object.fromEntries(DAYS.map((day) => [day, day.startsWith('s') ? [] : [{ from, to }]])) as unknown as Hours
const none = Object.fromEntries(DAYS.map((day) => [day, []])) as unknown as Hours
const BERLIN: Openings = { time_zone: 'Europe/Berlin', hours: week('09:00', '18:30'), closed_on: [] }

t.test('until when people are there, and when they are there again', (t) => {
  const told = (when: string, people: Array<string | null>, hours = BERLIN) => frontOf(hours, people, at(when))
  t.strictSame(told('2026-01-05T12:00:00Z', ['Anna', null, 'Bruno']), {
    open: true, until: '2026-01-05T17:30:00.000000Z', people: ['Anna', 'Bruno']
  })
  t.equal(told('2026-01-05T12:00:00Z', []), null, 'where nobody is there within the hours, nothing is promised')
  t.strictSame(told('2026-01-09T20:00:00Z', []), {
    open: false, until: '2026-01-12T08:00:00.000000Z', people: []
  }, 'over the weekend')
  t.strictSame(told('2026-01-09T20:00:00Z', ['Anna'], { ...BERLIN, hours: null }), { open: true, until: null, people: ['Anna'] })
  t.equal(told('2026-01-09T20:00:00Z', [], { ...BERLIN, hours: { ...week('09:00', '17:00'), ...none } }), null, 'never open')
  t.equal(told('2026-01-05T12:00:00Z', ['A', 'B', 'C', 'D'])?.people.length, 3)
  t.end()
})

t.test('hours are as they are until they change, in every zone', (t) => {
  fc.assert(fc.property(
    fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu'),
    fc.integer({ min: 0, max: 500 * 24 * 60 }), fc.constantFrom('00:00', '01:30', '09:00'), fc.constantFrom('12:00', '24:00'),
    fc.nat(99),
    (zone, minutes, from, to, share) => {
      const hours: Openings = { time_zone: zone, hours: week(from, to), closed_on: [] }
      const begins = at('2026-01-01T00:00:00Z') + minutes * MINUTE + 1234
      const changes = changesAt(hours, begins)!
      const between = begins + Math.floor((changes - 1 - begins) * share / 100)
      return isOpen(hours, begins) !== isOpen(hours, changes) && isOpen(hours, between) === isOpen(hours, begins)
    }
  ), { seed: 7, numRuns: 300 })
  t.end()
})

t.test('a widget is told who is there, where people may be asked for and named', async (t) => {
  const clock = fixedClock(Date.UTC(2026, 0, 5, 12))
  const { page, key, me, id } = await site(t, {}, { behavior: { expertHandoff: true } }, { clock })
  const desk = async () => {
    clock.advance(15_000)
    return (await page().get(`/v1/widget/${key}/config`)).json().data.desk
  }
  t.equal(await desk(), null, 'nobody is there')
  await me.put('/v1/me/duty', { on: true })
  t.strictSame(await desk(), { open: true, until: null, people: ['Somebody'] })
  await me.put('/v1/business', { notices: { taken: 'Our team is with you.' } })
  t.strictSame(await desk(), { open: true, until: null, people: [] }, 'in words that name nobody')
  await me.put('/v1/business', { time_zone: 'Europe/Berlin', hours: { ...none, tuesday: [{ from: '09:00', to: '17:00' }] } })
  t.strictSame(await desk(), { open: false, until: '2026-01-06T08:00:00.000000Z', people: [] })
  await me.put(`/v1/agents/${id}`, { behavior: { expertHandoff: false } })
  t.equal(await desk(), null)
})

t.test('who is there is looked up again after a quarter of a minute, for each account on its own', async (t) => {
  let micros = 0
  const asked: number[] = []
  const front = openFront({
    business: { get: async () => ({ ...BERLIN, hours: null }) as never },
    duty: {
      there: async (owner) => {
        asked.push(owner)
        return [1]
      }
    },
    nameForVisitors: async (owner) => `Ada of ${owner}`,
    clock: { ...fixedClock(), micros: () => micros }
  })
  t.strictSame(await front(1), { open: true, until: null, people: ['Ada of 1'] })
  micros = 14_999_999
  t.strictSame(await front(1), { open: true, until: null, people: ['Ada of 1'] })
  t.match(await front(2), { people: ['Ada of 2'] })
  t.strictSame(asked.splice(0), [1, 2])
  micros += 1
  await Promise.all([front(1), front(2)])
  t.strictSame(asked.splice(0), [1])
  for (let owner = 3; owner <= 500; owner++) await front(owner)
  asked.length = 0
  await front(2)
  t.strictSame(asked, [], 'five hundred accounts are remembered')
  await front(501)
  await front(2)
  t.strictSame(asked, [501, 2], 'beyond, all are looked up again')
})

t.test('a visitor is told that the person who answers has seen it, and of nobody else', async (t) => {
  const { begin, visit, me } = await site(t, {}, { behavior: { expertHandoff: true } })
  const visitor = await visit()
  const { at: path, conversation, say } = await begin(visitor)
  await say(QUESTION)
  await me.put(`/v1/conversations/${conversation}/seen`, { up_to: 2 })
  const seen = async () => (await visitor.get(path)).json().data.seen_up_to as number | undefined
  t.equal(await seen(), undefined, 'who reads along while an agent answers is no matter of the visitor')
  await me.post(`/v1/conversations/${conversation}/messages`, { text: 'Hello', role: 'person' })
  t.equal(await seen(), 2)
  await say('And then?')
  t.equal(await seen(), 2)
  await me.put(`/v1/conversations/${conversation}/seen`, { up_to: 100 })
  t.ok((await seen())! > 2)
})
