import t from 'tap'
import { fixedClock } from '../../helper.ts'
import { inMemory } from '../../scale/in-memory.ts'
import { alone } from '../../../src/platform/neighbours/alone.ts'
import { openPresence } from '../../../src/conversations/visitors/presence.ts'

t.test('who is on the site is told once as they come and once as they go, to the account alone', async (t) => {
  const woken: number[] = []
  const presence = openPresence(fixedClock(), alone(fixedClock()), (owner) => { woken.push(owner) })
  const [heard, elsewhere] = [presence.watch(1), presence.watch(2)]
  const leave = presence.enter(1, 'c')
  const leaveToo = presence.enter(1, 'c')
  t.ok(presence.isThere(1, 'c'))
  leave()
  t.ok(presence.isThere(1, 'c'), 'another tab is open')
  leaveToo()
  t.notOk(presence.isThere(1, 'c'))
  t.strictSame(heard(), [{ id: 'c', is_here: true }, { id: 'c', is_here: false }])
  t.strictSame([heard(), elsewhere(), woken], [[], [], [1, 1]])
  for (let i = 0; i < 300; i++) presence.enter(1, `c${i}`)
  t.equal(heard().length, 200, 'memory is bounded')
})

t.test('who is on the site by way of one process is known in the others, and told there once', async (t) => {
  const { join } = inMemory()
  const clock = fixedClock()
  const open = (of: number) => openPresence(clock, { ...alone(clock), ...join(of) })
  const [here, there] = [open(1), open(2)]
  const heard = there.watch(1)
  const leave = here.enter(1, 'c')
  t.ok(there.isThere(1, 'c'))
  t.notOk(there.isThere(2, 'c'), 'of that account alone')
  const leaveToo = there.enter(1, 'c')
  leave()
  t.ok(here.isThere(1, 'c'), 'another tab is open elsewhere')
  leaveToo()
  t.strictSame([here, there].map((one) => one.isThere(1, 'c')), [false, false])
  const again = here.enter(1, 'd')
  again()
  t.strictSame(heard().filter(({ id }) => id === 'd'), [{ id: 'd', is_here: true }, { id: 'd', is_here: false }])
})
