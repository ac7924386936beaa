import t from 'tap'
import { stepsThroughStore } from './store.ts'

t.test('random steps through the store: each change told, no two who speak, no gap, each episode ended once, nobody left waiting', async (t) => {
  t.strictSame(await stepsThroughStore(t, 600, 3), [])
})
