import t from 'tap'
import { openPlaces } from '../../../src/platform/process/places.ts'

/** Who got a place, in order; each releases it when told to. */
function asking (places: ReturnType<typeof openPlaces>) {
  const order: string[] = []
  const back: Array<() => void> = []
  const ask = (name: string, signal?: AbortSignal) => places.take(name[0], signal).then((giveBack) => {
    order.push(name)
    back.push(giveBack)
  })
  const next = async () => {
    back.shift()!()
    await new Promise(setImmediate)
  }
  return { order, ask, next }
}

t.test('a free place goes to who has fewest and went longest without, not to who asked most', async (t) => {
  // Was wrong: one queue for all, first come first served, so that b waited for all of a's.
  const { order, ask, next } = asking(openPlaces({ atOnce: 1 }))
  const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map((name) => ask(name))
  await new Promise(setImmediate)
  for (let i = 0; i < all.length; i++) await next()
  await Promise.all(all)
  t.same(order, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4'])
})

t.test('nobody has more places than one holder may, even if some are free', async (t) => {
  const { order, ask, next } = asking(openPlaces({ atOnce: 3, perHolder: 1 }))
  ask('a1')
  ask('a2')
  ask('b1')
  await new Promise(setImmediate)
  t.same(order, ['a1', 'b1'])
  await next()
  t.same(order, ['a1', 'b1', 'a2'])
})

t.test('as many wait as may, and the others are told to come again', async (t) => {
  // Was wrong: the queue was unbounded.
  const places = openPlaces({ atOnce: 1, waiting: 3, waitingPerHolder: 2 })
  const { ask, next, order } = asking(places)
  ask('a1')
  ask('a2')
  ask('a3')
  await t.rejects(ask('a4'), { code: 'rate_limited', headers: { 'retry-after': '10' }, message: /Wait until/ })
  ask('b1')
  await t.rejects(ask('c1'), { code: 'unavailable', headers: { 'retry-after': '10' } })
  for (let i = 0; i < 4; i++) await next()
  t.same(order, ['a1', 'b1', 'a2', 'a3'])
})

t.test('who goes leaves the queue, and a place that is given back twice is free once', async (t) => {
  // Was wrong: sixty previews whose callers had gone each waited for a place, and read a file for nobody.
  const places = openPlaces({ atOnce: 1 })
  const { order, ask } = asking(places)
  const giveBack = await places.take('x')
  const gone = new AbortController()
  const abandoned = Array.from({ length: 60 }, (_, i) => ask(`a${i}`, gone.signal))
  ask('b1')
  gone.abort(new Error('gone'))
  for (const one of abandoned) await t.rejects(one, { message: 'gone' })
  await t.rejects(ask('a', gone.signal), { message: 'gone' })
  giveBack()
  giveBack()
  ask('c1')
  await new Promise(setImmediate)
  t.same(order, ['b1'])
})
