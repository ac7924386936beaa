import t from 'tap'
import { decided, type Refusal } from '../../src/platform/errors.ts'
import { visitorThrottle, type VisitorThrottle } from '../../src/widget/limits.ts'
import { openSeats } from '../../src/widget/seats.ts'
import { fixedClock } from '../helper.ts'

t.test('a visitor has six streams: the oldest ends, and nobody else\'s', (t) => {
  const take = openSeats()
  const [other, ...own] = [take('b'), ...Array.from({ length: 8 }, () => take('a'))]
  t.strictSame(own.map((seat) => seat.isMine()), [false, false, true, true, true, true, true, true])
  own[7]!.leave()
  t.strictSame(own.filter((seat) => seat.isMine()).length, 5)
  other!.leave()
  t.notOk(other!.isMine())
  t.end()
})

t.test('many visitors of one address block write 60 messages a minute together; others are not held up', (t) => {
  const throttle = visitorThrottle(fixedClock(), { messagesPerMinute: 12, messagesPerDay: 200, sessionsPerMinute: 10 })
  for (let i = 0; i < 60; i++) throttle.message(`visitor ${i}`, `2001:db8::${i.toString(16)}`)
  t.throws(() => throttle.message('one more', '2001:db8::ffff'), { code: 'rate_limited' })
  throttle.message('one more', '2001:db8:0:1::1')
  t.end()
})

/** Who may write what one clock lets them; what is refused, with how long to wait. */
function limited (limits: Partial<Parameters<typeof visitorThrottle>[1]> = {}) {
  const clock = fixedClock()
  const throttle = visitorThrottle(clock, { messagesPerMinute: 3, messagesPerDay: 5, sessionsPerMinute: 2, ...limits })
  const tried = (work: (throttle: VisitorThrottle) => void, times = 1) => {
    let refused: Refusal | undefined
    for (let i = 0; i < times; i++) refused = decided(() => work(throttle)) as Refusal | undefined
    return refused && [refused.code, refused.fields['limit'], refused.headers['retry-after']]
  }
  return { clock, tried }
}

t.test('each share is as large as it says, and says when there is room again', (t) => {
  const { clock, tried } = limited()
  const [write, begin] = [(of: VisitorThrottle) => of.message('a', '192.0.2.1'), (of: VisitorThrottle) => of.conversation('a')]
  t.equal(tried(write, 3), undefined)
  clock.advance(1001)
  t.strictSame(tried(write), ['rate_limited', 3, '59'])
  t.equal(tried((of) => of.message('b', '192.0.2.1')), undefined, 'somebody else')
  clock.advance(60_000)
  t.equal(tried(write, 2), undefined, 'what was refused does not count')
  t.strictSame(tried(write), ['rate_limited', 5, '86339'], 'five a day')
  clock.advance(24 * 60 * 60_000)
  t.equal(tried(write), undefined)
  t.equal(tried(begin, 3), undefined)
  t.strictSame(tried(begin), ['rate_limited', 3, '60'])
  t.equal(tried((of) => of.request('a'), 180), undefined)
  t.strictSame(tried((of) => of.request('a')), ['rate_limited', 180, '60'])
  t.equal(tried((of) => of.session('2001:db8::1'), 2), undefined)
  t.strictSame(tried((of) => of.session('2001:db8::2')), ['rate_limited', 2, '60'], 'by address block')
  t.end()
})

t.test('0 is no limit; a network writes at least as much as one visitor may', (t) => {
  const { tried } = limited({ messagesPerMinute: 0, messagesPerDay: 0, sessionsPerMinute: 0 })
  t.equal(tried((of) => of.message('a', '192.0.2.1'), 1000), undefined)
  t.equal(tried((of) => of.conversation('a'), 1000), undefined)
  t.equal(tried((of) => of.session('192.0.2.1'), 1000), undefined)
  const many = limited({ messagesPerMinute: 100, messagesPerDay: 0 })
  t.equal(many.tried((of) => of.message('a', '192.0.2.1'), 100), undefined)
  t.strictSame(many.tried((of) => of.message('b', '192.0.2.1')), ['rate_limited', 100, '60'])
  const few = limited({ messagesPerMinute: 1, messagesPerDay: 0 })
  for (let i = 0; i < 60; i++) t.equal(few.tried((of) => of.message(`v${i}`, '192.0.2.1')), undefined)
  t.strictSame(few.tried((of) => of.message('v', '192.0.2.1')), ['rate_limited', 60, '60'])
  t.end()
})

t.test('20,000 visitors are remembered; beyond, those that have been quiet longest are forgotten', (t) => {
  const { tried } = limited({ messagesPerMinute: 1 })
  const begin = (visitor: string) => tried((of) => of.conversation(visitor))
  begin('first')
  for (let i = 1; i < 20_000; i++) begin(`v${i}`)
  t.match(begin('first'), ['rate_limited'])
  begin('one too many')
  t.equal(begin('v1'), undefined, 'quiet longest')
  t.match(begin('first'), ['rate_limited'])
  t.end()
})
