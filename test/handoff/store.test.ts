import t from 'tap'
import { WITHOUT } from './steps.ts'
import { stepsThroughStore } from './store.ts'

t.test('random steps through the store: each change told, no two who speak, no gap, each episode ended once, nobody left waiting', async (t) => {
  t.equal(await stepsThroughStore(t, 500, 3), undefined)
})

t.test('without one of the three guards a known fault comes back through the store too', async (t) => {
  t.match(await stepsThroughStore(t, 5000, 3, WITHOUT['epoch']), /what was begun long ago still counts/)
  t.match(await stepsThroughStore(t, 5000, 3, WITHOUT['owner']), /two who speak/)
  t.match(await stepsThroughStore(t, 5000, 3, WITHOUT['notice']), /in silence/)
})
