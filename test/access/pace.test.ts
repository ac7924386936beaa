import t from 'tap'
import { openPace } from '../../src/access/pace.ts'
import { decided, type Refusal } from '../../src/platform/errors.ts'
import { fixedClock } from '../helper.ts'

/** Tries against one clock; what each waits for, in seconds, or null where it may be made. */
function guessing () {
  const clock = fixedClock()
  const pace = openPace(clock)
  const attempt = (guesser = 'ada from here') => {
    const refused = decided(() => pace.attempt(guesser)) as Refusal | undefined
    return refused ? Number(refused.headers['retry-after']) : null
  }
  return { clock, pace, attempt, attempts: (count: number) => Array.from({ length: count }, () => attempt()) }
}

t.test('five wrong tries cost nothing; each more doubles the wait, up to 30 s', (t) => {
  const { attempts, attempt, clock } = guessing()
  t.strictSame(attempts(5), [null, null, null, null, null])
  for (const seconds of [1, 2, 4, 8, 16, 30, 30]) {
    t.equal(attempt(), seconds)
    t.equal(attempt(), seconds, 'one that was refused does not count')
    clock.advance(999)
    t.equal(attempt(), seconds, 'seconds are rounded up')
    clock.advance(seconds * 1000 - 1000)
    t.equal(attempt(), 1)
    clock.advance(1)
    t.equal(attempt(), null)
  }
  t.equal(attempt('somebody else'), null)
  t.end()
})

t.test('wrong tries are forgotten a quarter of an hour after the last one, and by the right password', (t) => {
  // Was wrong where they were never forgotten: whoever had mistyped five times in their life waited ever after.
  const { attempts, attempt, clock, pace } = guessing()
  attempts(5)
  clock.advance(15 * 60_000)
  t.equal(attempt(), null)
  t.equal(attempt(), 2, 'not a moment sooner')
  clock.advance(15 * 60_000 + 1)
  t.strictSame(attempts(6), [null, null, null, null, null, 1])
  pace.right('ada from here')
  t.strictSame(attempts(6), [null, null, null, null, null, 1])
  t.end()
})

t.test('ten thousand guessers are remembered; those that have been quiet longest are forgotten first', (t) => {
  // Was wrong where all were remembered: made-up addresses would fill the memory.
  const { attempts, attempt } = guessing()
  attempts(5)
  for (let i = 1; i < 10_000; i++) attempt(`guesser ${i}`)
  t.equal(attempt(), 1, 'the last of ten thousand')
  attempt('one too many')
  t.equal(attempt(), null, 'quiet longest')
  for (let i = 0; i < 4; i++) attempt('guesser 9999')
  t.equal(attempt('guesser 9999'), 1, 'the others are not')
  t.end()
})
