import t from 'tap'
import { openPace } from '../../src/access/pace.ts'
import type { Refusal } from '../../src/platform/errors.ts'
import { alone } from '../../src/platform/neighbours/alone.ts'
import { fixedClock } from '../helper.ts'

/** Attempts against one clock; the wait for each, in seconds, or null where it is allowed. */
function guessing () {
  const clock = fixedClock()
  const pace = openPace(alone(clock))
  const attempt = async (guesser = 'ada from here') =>
    await pace.attempt(guesser).then(() => null, ({ headers }: Refusal) => Number(headers['retry-after']))
  async function attempts (count: number) {
    const waits = []
    for (let i = 0; i < count; i++) waits.push(await attempt())
    return waits
  }
  return { clock, pace, attempt, attempts }
}

t.test('five wrong tries cost nothing; each more doubles the wait, up to 30 s', async (t) => {
  const { attempts, attempt, clock } = guessing()
  t.strictSame(await attempts(5), [null, null, null, null, null])
  for (const seconds of [1, 2, 4, 8, 16, 30, 30]) {
    t.equal(await attempt(), seconds)
    t.equal(await attempt(), seconds, 'one that was refused does not count')
    clock.advance(999)
    t.equal(await attempt(), seconds, 'seconds are rounded up')
    clock.advance(seconds * 1000 - 1000)
    t.equal(await attempt(), 1)
    clock.advance(1)
    t.equal(await attempt(), null)
  }
  t.equal(await attempt('somebody else'), null)
})

t.test('wrong tries are forgotten a quarter of an hour after the last one, and by the right password', async (t) => {
  // Was wrong where they were never forgotten: anyone who had mistyped five times in their life had to wait ever after.
  const { attempts, attempt, clock, pace } = guessing()
  await attempts(5)
  clock.advance(15 * 60_000)
  t.equal(await attempt(), null)
  t.equal(await attempt(), 2, 'not a moment sooner')
  clock.advance(15 * 60_000 + 1)
  t.strictSame(await attempts(6), [null, null, null, null, null, 1])
  await pace.right('ada from here')
  t.strictSame(await attempts(6), [null, null, null, null, null, 1])
})

t.test('ten thousand guessers are remembered; those that have been quiet longest are forgotten first', async (t) => {
  // Was wrong where all were remembered: made-up addresses would fill the memory.
  const { attempts, attempt } = guessing()
  await attempts(5)
  for (let i = 1; i < 10_000; i++) await attempt(`guesser ${i}`)
  t.equal(await attempt(), 1, 'the last of ten thousand')
  await attempt('one too many')
  t.equal(await attempt(), null, 'quiet longest')
  for (let i = 0; i < 4; i++) await attempt('guesser 9999')
  t.equal(await attempt('guesser 9999'), 1, 'the others are not')
})
