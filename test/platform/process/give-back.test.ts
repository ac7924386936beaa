import { setImmediate, setTimeout } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { collectAll, giveBackOnceIdle } from '../../../src/platform/process/give-back.ts'

/** Timers that wait for an idle process do not keep it alive; a server's connections do. */
function keptAlive (t: Test) {
  const alive = setInterval(() => {}, 1000)
  t.teardown(() => clearInterval(alive))
}

t.test('what a start leaves behind is given back once, when nothing goes on', async (t) => {
  keptAlive(t)
  const shares = [1, 0.4, 0.06, 0.05, 0, 0, 0]
  let collected = 0
  await new Promise<void>((resolve) => {
    giveBackOnceIdle({
      everyMs: 1,
      busy: () => shares.shift()!,
      collect () {
        collected++
        resolve()
      }
    })
  })
  t.strictSame(shares, [0, 0, 0], 'at the first look at which less than a twentieth of the time was used')
  await setTimeout(20)
  t.strictSame([collected, shares], [1, [0, 0, 0]], 'and never again')
})

t.test('what nobody holds any more is collected without anything new needing its room', async (t) => {
  keptAlive(t)
  const leave = () => new WeakRef({ left: 'by the start' })
  const ref = leave()
  // It stays in memory until the turn in which it was created is over.
  await setImmediate()
  await new Promise<void>((resolve) => {
    giveBackOnceIdle({
      everyMs: 20,
      collect () {
        collectAll()
        resolve()
      }
    })
  })
  t.equal(ref.deref(), undefined)
})
