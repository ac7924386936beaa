import t from 'tap'
import { stepsThroughStore } from '../handoff/store.ts'
import { run, WITHOUT } from '../handoff/steps.ts'

t.test(
  '1,000,000 random steps on the table: no two who speak, no silent hand-off, no loop, no late answer',
  async (t) => {
    const { faults, spoke } = run(1_000_000, 7)
    t.strictSame(faults, [])
    t.comment(JSON.stringify(spoke))
    for (const [guard, table] of Object.entries(WITHOUT)) {
      t.not(run(1_000_000, 7, table).faults.length, 0, `without the ${guard} a known fault comes back`)
    }
  }
)

t.test('20,000 random steps through the store', async (t) => {
  t.equal(await stepsThroughStore(t, 20_000, 5), undefined)
})
