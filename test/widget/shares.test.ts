import type { AddressInfo } from 'node:net'
import t from 'tap'
import { alone } from '../../src/platform/neighbours/alone.ts'
import { accounting } from '../../src/data-file.ts'
import type { Refusal } from '../../src/platform/errors.ts'
import { visitorThrottle, type VisitorThrottle } from '../../src/widget/limits.ts'
import { openSeats } from '../../src/widget/seats.ts'
import { fixedClock } from '../helper.ts'
import { form } from '../sources/parts.ts'
import { inMemory } from '../scale/in-memory.ts'
import { site } from './helper.ts'

type Take = ReturnType<typeof openSeats>

const LIMITS = { messagesPerMinute: 12, messagesPerDay: 200, sessionsPerMinute: 10, answersPerMinute: 60 }
const HOUR_MS = 3_600_000
const MIB = 2 ** 20

t.test('a name has so many seats: the oldest is taken, and nobody else\'s', (t) => {
  const clock = fixedClock()
  const take = openSeats({ neighbours: alone(clock), clock, called: 'visitor', most: 6 })
  const [other, ...own] = [take('b'), ...Array.from({ length: 8 }, () => take('a'))]
  t.strictSame(own.map((seat) => seat.isMine()), [false, false, true, true, true, true, true, true])
  own[7]!.leave()
  t.strictSame(own.filter((seat) => seat.isMine()).length, 5)
  other!.leave()
  t.notOk(other!.isMine())
  t.end()
})

t.test('seats are counted over all servers, in the order in which they were taken; those of a dead one are free later', (t) => {
  const clock = fixedClock()
  const { join, beat } = inMemory()
  const [here, there] = [0, 1].map((of) =>
    openSeats({ neighbours: join(of), clock, called: 'visitor', most: 3 })) as [Take, Take]
  const taken = [here, there, here, there, there].map((take) => {
    clock.advance(1)
    return take('a')
  })
  // Was wrong: each server allowed as many as one alone.
  t.strictSame(taken.map((seat) => seat.isMine()), [false, false, true, true, true])
  taken[4]!.leave()
  const again = here('a')
  t.ok(again.isMine() && taken[2]!.isMine(), 'the one that was left')

  const late = openSeats({ neighbours: join(2), clock, called: 'visitor', most: 3 })
  clock.advance(5000)
  beat()
  const newest = late('a')
  t.strictSame(
    [...taken, again, newest].map((seat) => seat.isMine()), [false, false, false, true, false, true, true],
    'who comes later hears of those that were there'
  )
  clock.advance(20_001)
  t.strictSame([here('a'), here('a')].map((seat) => seat.isMine()), [true, true])
  t.ok(again.isMine(), 'nobody says any more that the others are there')
  t.end()
})

t.test('with the seventh stream of a visitor the first one ends, and nobody else\'s', { timeout: 30_000 }, async (t) => {
  const { app, visit, begin } = await site(t)
  await app.listen({ port: 0, host: '127.0.0.1' })
  const host = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  const closing = new AbortController()
  t.teardown(() => closing.abort())
  const stream = async (page: Awaited<ReturnType<typeof visit>>, at: string) => {
    const { status, body } = await fetch(`${host}${at}/events`, {
      headers: { authorization: `Bearer ${page.token}`, origin: 'https://shop.example' }, signal: closing.signal
    })
    t.equal(status, 200)
    let isOver = false
    const over = (async () => {
      const reader = body!.getReader()
      while (!(await reader.read()).done);
      isOver = true
    })().catch(() => {})
    return { over, isOver: () => isOver }
  }
  const [page, other] = [await visit(), await visit()]
  const [{ at }, theirs] = [await begin(page), await begin(other)]
  const kept = [await stream(other, theirs.at)]
  const first = await stream(page, at)
  for (let n = 2; n <= 7; n++) kept.push(await stream(page, at))
  await first.over
  t.ok(first.isOver(), 'the oldest has ended')
  t.strictSame(kept.map((one) => one.isOver()), [false, false, false, false, false, false, false])
})

t.test('agents write 60 answers a minute for one address block, some of them always for who asks now and then', async (t) => {
  // Was wrong: five visitors who write twelve times a minute used up what an office behind one address has.
  const clock = fixedClock()
  const throttle = visitorThrottle(alone(clock), LIMITS)
  const at = (n: number) => `2001:db8::${n.toString(16)}`
  let answers = 0
  for (let round = 0; round < 12; round++) {
    for (let n = 0; n < 5; n++) {
      await throttle.message(`flood ${n}`, at(n))
      try {
        await throttle.answer(`flood ${n}`, at(n))
        answers++
      } catch (error) {
        t.match(error, { code: 'rate_limited', headers: { 'retry-after': '60' } })
      }
    }
  }
  t.equal(answers, 40)
  for (let n = 0; n < 20; n++) await throttle.answer(`colleague ${n % 7}`, at(n))
  await t.rejects(() => throttle.answer('one more', at(99)), { code: 'rate_limited' }, '60 in all, whoever asks')
  await throttle.answer('one more', '2001:db8:0:1::1')
  clock.advance(60_000)
  await throttle.answer('one more', at(99))
  const none = visitorThrottle(alone(clock), { ...LIMITS, answersPerMinute: 0 })
  for (let n = 0; n < 200; n++) await none.answer('a', at(1))
})

t.test('a visitor asks three times a minute before they leave the last third to others', async (t) => {
  const throttle = visitorThrottle(alone(fixedClock()), LIMITS)
  for (let n = 0; n < 3; n++) await throttle.answer('a', '192.0.2.1')
  for (let n = 0; n < 2; n++) await throttle.answer('b', '192.0.2.1')
  for (let n = 0; n < 35; n++) await throttle.answer(`colleague ${n}`, '192.0.2.1')
  await t.rejects(() => throttle.answer('a', '192.0.2.1'), { code: 'rate_limited', fields: { limit: 40 } })
  await throttle.answer('b', '192.0.2.1')
  await t.rejects(() => throttle.answer('b', '192.0.2.1'), { code: 'rate_limited' })
})

t.test('one address block writes 240 messages a minute and sends 200 MiB an hour; others are not held up', async (t) => {
  const clock = fixedClock()
  const throttle = visitorThrottle(alone(clock), LIMITS)
  for (let n = 0; n < 240; n++) await throttle.message(`visitor ${n}`, `2001:db8::${n.toString(16)}`)
  await t.rejects(() => throttle.message('one more', '2001:db8::ffff'), { code: 'rate_limited' })
  await throttle.message('one more', '2001:db8:0:1::1')
  for (let n = 0; n < 4; n++) await throttle.files('203.0.113.1', 50 * MIB)
  await t.rejects(() => throttle.files('203.0.113.1', 1), { code: 'rate_limited' })
  await throttle.files('203.0.113.2', 1)
  clock.advance(HOUR_MS)
  await throttle.files('203.0.113.1', 1)
})

t.test('conversations that nobody writes in have the share of messages: by visitor, day and address block', async (t) => {
  // Was wrong: those who had 600 sessions per hour began 7,200 conversations per minute, each of them stored.
  const { clock, tried } = limited()
  const begin = async (visitor: string, ip = '192.0.2.1') => await tried((of) => of.conversation(visitor, ip))
  for (const most of [3, 2]) {
    for (let n = 0; n < most; n++) t.equal(await begin('a'), undefined)
    clock.advance(60_000)
  }
  t.match(await begin('a'), ['rate_limited', 5], 'five a day')
  for (let n = 0; n < 240; n++) t.equal(await begin(`v${n}`, `2001:db8::${n.toString(16)}`), undefined)
  t.strictSame(await begin('one more', '2001:db8::ffff'), ['rate_limited', 240, '60'])
  t.equal(await begin('one more', '2001:db8:0:1::1'), undefined)
})

t.test('who asks for a person again and again is let through no more often than who writes', async (t) => {
  // Was wrong: each time a message was stored saying that somebody is asked, 180 per minute.
  const { visit, begin, me } = await site(t, {}, { behavior: { expertHandoff: true, email: 'desk@business.example' } })
  const page = await visit()
  const { at, say } = await begin(page)
  t.equal((await say('How many days do I have for returns?')).statusCode, 201)
  const statuses = []
  for (let n = 0; n < 14; n++) statuses.push((await page.post(`${at}/handoff`)).statusCode)
  t.strictSame(statuses, [...Array(11).fill(200), 429, 429, 429])
  const { messages } = (await me.get(at.replace('/widget', ''))).json().data
  t.ok(messages <= 13, `${messages} messages are kept`)
})

t.test('no answer is counted where a person is to answer', async (t) => {
  const { visit, begin, me } = await site(
    t, { AGENTHALL_WIDGET_ANSWERS_PER_MINUTE: '1' }, { behavior: { expertHandoff: true } }
  )
  await me.put('/v1/me/duty', { on: true })
  const page = await visit()
  const { at, say } = await begin(page)
  t.equal((await say('How many days do I have for returns?')).statusCode, 201)
  const refused = await say('And for shoes?')
  t.match([refused.statusCode, refused.json().error], [429, { code: 'rate_limited', message: /Too many questions/ }])
  t.equal((await page.post(`${at}/handoff`)).statusCode, 200)
  for (const text of ['Are you there?', 'Hello?']) t.equal((await say(text)).statusCode, 201)
})

const file = (name: string, bytes: number) => ({ name: 'file', file: name, body: new Uint8Array(bytes) })

t.test('a visitor sends 50 MiB of files; what no message has named goes after an hour, and the rest stays', async (t) => {
  // Was wrong: 13 requests without a message filled the storage of the account.
  const { visit, begin, me, clock, settled, stores } = await site(t)
  const used = async () => (await me.get('/v1/me')).json().data.usage.stored_bytes as number
  const before = await used()
  const [page, other] = [await visit(), await visit()]
  const [{ at, say }, theirs] = [await begin(page), await begin(other)]
  const send = async (...files: Array<ReturnType<typeof file>>) => await page.post(`${at}/attachments`, ...form(...files))
  const [named] = (await send(file('named.bin', 10 * MIB))).json().data
  t.equal((await send(...[1, 2, 3].map((n) => file(`loose ${n}`, 10 * MIB)))).statusCode, 201)
  const over = await send(file('more', 10 * MIB), file('a byte', 1))
  t.match(over.json().error, {
    code: 'storage_limit_exceeded', fields: { used: 40 * MIB, asked: 10 * MIB + 1, allowed: 50 * MIB }
  })
  t.equal((await send(file('fits', 10 * MIB))).statusCode, 201)
  t.match((await send(file('none', 0))).json().error, { code: 'storage_limit_exceeded' }, 'refused before it is received')
  t.equal((await other.post(`${theirs.at}/attachments`, ...form(file('theirs', 9)))).statusCode, 201, 'each has a share')
  t.equal((await say('Here it is', { attachments: [named.id] })).statusCode, 201)
  await me.post(`/v1/conversations/${theirs.conversation}/attachments`, ...form(file('of the business', 7)))
  clock.advance(50 * 60_000)
  await settled()
  t.equal(await used(), before + 50 * MIB + 16, 'for an hour it stays')
  clock.advance(HOUR_MS)
  await settled()
  t.equal(await used(), before + 10 * MIB + 7, 'what a message names stays, and what the business has added')
  t.equal((await send(file('again', 10 * MIB))).statusCode, 201, 'and there is room again')
  t.match((await me.get(`${at.replace('/widget', '')}/messages`)).json().data[0].attachments, [{ id: named.id }])
  t.strictSame(stores.db.raw.prepare("select count(*) from blobs where state = 'dropped'").pluck().get(), 0)
  t.strictSame(accounting(stores.db.raw), [], 'what the account is charged is what is kept')
})

/** Who may write as one clock allows; for refusals, how long to wait. */
function limited (limits: Partial<Parameters<typeof visitorThrottle>[1]> = {}) {
  const clock = fixedClock()
  const throttle = visitorThrottle(alone(clock), {
    messagesPerMinute: 3, messagesPerDay: 5, sessionsPerMinute: 2, answersPerMinute: 60, ...limits
  })
  const tried = async (work: (throttle: VisitorThrottle) => Promise<void>, times = 1) => {
    let refused: Refusal | undefined
    for (let i = 0; i < times; i++) refused = await work(throttle).catch((error: Refusal) => error) ?? undefined
    return refused && [refused.code, refused.fields['limit'], refused.headers['retry-after']]
  }
  return { clock, tried }
}

t.test('each share is as large as it says, and says when there is room again', async (t) => {
  const { clock, tried } = limited()
  const [write, begin] = [
    (of: VisitorThrottle) => of.message('a', '192.0.2.1'), (of: VisitorThrottle) => of.conversation('a', '192.0.2.1')
  ]
  t.equal(await tried(write, 3), undefined)
  clock.advance(1001)
  t.strictSame(await tried(write), ['rate_limited', 3, '59'])
  t.equal(await tried((of) => of.message('b', '192.0.2.1')), undefined, 'somebody else')
  clock.advance(60_000)
  t.equal(await tried(write, 2), undefined, 'what was refused does not count')
  t.strictSame(await tried(write), ['rate_limited', 5, '86339'], 'five a day')
  clock.advance(24 * 60 * 60_000)
  t.equal(await tried(write), undefined)
  t.equal(await tried(begin, 3), undefined)
  t.strictSame(await tried(begin), ['rate_limited', 3, '60'])
  t.equal(await tried((of) => of.request('a'), 180), undefined)
  t.strictSame(await tried((of) => of.request('a')), ['rate_limited', 180, '60'])
  t.equal(await tried((of) => of.session('2001:db8::1'), 2), undefined)
  t.strictSame(await tried((of) => of.session('2001:db8::2')), ['rate_limited', 2, '60'], 'by address block')
})

t.test('0 is no limit; a network writes at least as much as one visitor may', async (t) => {
  const { tried } = limited({ messagesPerMinute: 0, messagesPerDay: 0, sessionsPerMinute: 0 })
  t.equal(await tried((of) => of.message('a', '192.0.2.1'), 1000), undefined)
  t.equal(await tried((of) => of.conversation('a', '192.0.2.1'), 1000), undefined)
  t.equal(await tried((of) => of.session('192.0.2.1'), 1000), undefined)
  t.equal(await tried((of) => of.answer('a', '192.0.2.1'), 1000), undefined)
  const many = limited({ messagesPerMinute: 300, messagesPerDay: 0 })
  t.equal(await many.tried((of) => of.message('a', '192.0.2.1'), 300), undefined)
  t.strictSame(await many.tried((of) => of.message('b', '192.0.2.1')), ['rate_limited', 300, '60'])
  const few = limited({ messagesPerMinute: 1, messagesPerDay: 0 })
  for (let i = 0; i < 240; i++) t.equal(await few.tried((of) => of.message(`v${i}`, '192.0.2.1')), undefined)
  t.strictSame(await few.tried((of) => of.message('v', '192.0.2.1')), ['rate_limited', 240, '60'])
  for (let i = 0; i < 240; i++) t.equal(await few.tried((of) => of.conversation(`v${i}`, '192.0.2.1')), undefined)
  t.strictSame(await few.tried((of) => of.conversation('v', '192.0.2.1')), ['rate_limited', 240, '60'])
})

t.test('20,000 visitors are remembered; beyond, those that have been quiet longest are forgotten', async (t) => {
  const { tried } = limited({ messagesPerMinute: 1 })
  let blocks = 0
  const begin = async (visitor: string) =>
    await tried((of) => of.conversation(visitor, `10.${++blocks >> 16}.${blocks >> 8 & 255}.${blocks & 255}`))
  await begin('first')
  for (let i = 1; i < 20_000; i++) await begin(`v${i}`)
  t.match(await begin('first'), ['rate_limited'])
  await begin('one too many')
  t.equal(await begin('v1'), undefined, 'quiet longest')
  t.match(await begin('first'), ['rate_limited'])
})
