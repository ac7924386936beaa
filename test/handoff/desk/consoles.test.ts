import t from 'tap'
import { type DutyStore, sqliteDutyStore, teamHandsIn } from '../../../src/handoff/duty.sqlite.ts'
import { alone } from '../../../src/platform/neighbours/alone.ts'
import { build } from '../../helper.ts'
import { inMemory } from '../../scale/in-memory.ts'

t.test('a console that is open by way of one process is open for all, and for 20 seconds after it was closed', async (t) => {
  const { stores: { db, business, kernel: { jobs }, eventBus }, clock, user } = await build(t)
  const { id } = await user()
  const { join } = inMemory()
  const open = (of: number): DutyStore => sqliteDutyStore({
    db,
    clock,
    jobs: { ...jobs, * ask () {} },
    business,
    teamHands: teamHandsIn({ db, clock, eventBus }),
    neighbours: { ...alone(clock), ...join(of) },
    onFault: (error) => t.fail('fault', { error })
  })
  const [here, there] = [open(1), open(2)]
  const isOpen = async (one: DutyStore) => (await one.of(id, id)).is_console_open
  t.strictSame([there.hasConsole(id, id), await isOpen(there)], [false, false])
  const close = here.enter(id, id)
  t.strictSame([there.hasConsole(id, id), await isOpen(there), await there.isAnybodyOn(id)], [true, true, true])
  close()
  t.strictSame([there.hasConsole(id, id), await isOpen(there)], [false, true], 'it was only loaded anew, perhaps')
  clock.advance(20_001)
  t.strictSame([await isOpen(here), await isOpen(there), await there.isAnybodyOn(id)], [false, false, false])
})
