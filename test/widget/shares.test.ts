import t from 'tap'
import { visitorThrottle } from '../../src/widget/limits.ts'
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
