import t from 'tap'
import { openNotifier } from '../../../src/platform/work/notifier.ts'

const ALONE = { tell () {}, hear: () => () => {} }
const turn = () => new Promise(setImmediate)

// Was wrong: all who watch an account were written to at one stretch, 45 ms for 900 of them.
t.test('of many who watch the same a hundred are woken at a time, and in between others get a turn', async (t) => {
  const { notify, subscribe } = openNotifier(() => 0, ALONE)
  const woken: number[] = []
  const stops = Array.from({ length: 250 }, (_none, i) => subscribe('a', () => woken.push(i)))
  subscribe('b', () => woken.push(1000))
  notify('a')
  await turn()
  t.equal(woken.length, 100)
  stops[120]!()
  notify('b')
  notify('a')
  while (woken.length < 100 + 149 + 1 + 249) await turn()
  t.notOk(woken.includes(120), 'nobody who has left')
  t.equal(woken.filter((one) => one === 1000).length, 1)
  t.equal(woken.filter((one) => one === 249).length, 2)
  for (let i = 0; i < 5; i++) await turn()
  t.equal(woken.length, 499)
})
