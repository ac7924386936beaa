import { AsyncLocalStorage } from 'node:async_hooks'
import t from 'tap'
import { turnsOf } from '../../../src/platform/work/turns.ts'

/** A loop whose time passes only by the work done in it. */
function loopOf () {
  let [ms, due] = [0, [] as Array<() => void>]
  const turns = turnsOf({ now: () => ms, soon: (call) => { due.push(call) } })
  const done: string[][] = [[]]
  const work = (name: string, takes: number) => () => {
    ms += takes
    done.at(-1)!.push(name)
  }
  return {
    ...turns,
    work,
    /** One turn: everything that is due, each with what goes on after it. */
    async turn () {
      done.push([])
      for (const call of due.splice(0)) {
        call()
        await Promise.resolve()
      }
    },
    /** What was done, turn by turn, without turns in which nothing was. */
    done: () => done.filter((one) => one.length > 0),
    isIdle: () => due.length === 0
  }
}

// Was wrong: twenty requests that arrived together ran in one turn of the loop, 24 to 50 ms of it.
t.test('requests that arrive together are shared out over turns', async (t) => {
  const { begin, work, turn, done, isIdle } = loopOf()
  for (const name of ['1', '2', '3', '4', '5', '6']) begin(() => '10.0.0.1', work(name, 2))
  t.same(done(), [['1', '2', '3']], 'at once while there is room')
  while (!isIdle()) await turn()
  t.same(done(), [['1', '2', '3'], ['4', '5', '6']])
  begin(() => '10.0.0.1', work('7', 2))
  t.same(done().at(-1), ['7'], 'at once again')
})

// Was wrong: whoever sent one request waited for all that somebody else had sent before.
t.test('whoever comes meanwhile waits for no more than one request of each other address', async (t) => {
  const { begin, work, turn, done, isIdle } = loopOf()
  for (const name of ['1', '2', '3', '4']) begin(() => '10.0.0.1', work(name, 8))
  begin(() => '10.0.0.2', work('other', 1))
  while (!isIdle()) await turn()
  t.same(done(), [['1'], ['2'], ['other', '3'], ['4']])
})

// Was wrong: of each work that goes on in slices, one ran in every turn: ten of them held the loop for 80 ms.
t.test('slices of several works are shared out over turns, each in its order', async (t) => {
  const { next, work, turn, done, isIdle } = loopOf()
  const sliced = async (name: string) => {
    for (let i = 1; i <= 2; i++) {
      await next()
      work(name + i, 8)()
    }
  }
  const all = Promise.all(['a', 'b', 'c'].map(sliced))
  while (!isIdle()) await turn()
  await all
  t.same(done(), [['a1'], ['b1'], ['c1'], ['a2'], ['b2'], ['c2']])
})

t.test('neither requests nor slices keep the other waiting', async (t) => {
  const { begin, next, work, turn, done, isIdle } = loopOf()
  begin(() => '10.0.0.1', work('1', 8))
  for (const name of ['2', '3']) begin(() => '10.0.0.1', work(name, 8))
  const slices = ['a', 'b'].map(async (name) => {
    await next()
    work(name, 8)()
  })
  while (!isIdle()) await turn()
  await Promise.all(slices)
  t.same(done(), [['1'], ['2', 'a'], ['3', 'b']])
})

// Was wrong: while slices were under way one request was begun in each turn, so that they waited for a second.
t.test('as many short requests as there is room for are begun beside slices', async (t) => {
  const { begin, next, work, turn, done, isIdle } = loopOf()
  begin(() => '10.0.0.1', work('1', 8))
  for (const name of ['2', '3', '4', '5']) begin(() => '10.0.0.1', work(name, 1))
  const sliced = (async () => {
    for (const name of ['a', 'b']) {
      await next()
      work(name, 8)()
    }
  })()
  while (!isIdle()) await turn()
  await sliced
  t.same(done(), [['1'], ['2', '3', '4', '5', 'a'], ['b']])
})

t.test('what waits goes on in its own context', async (t) => {
  const { begin, work, turn, isIdle } = loopOf()
  const context = new AsyncLocalStorage<string>()
  const seen: Array<string | undefined> = []
  context.run('first', () => begin(() => '10.0.0.1', work('1', 8)))
  for (const name of ['second', 'third']) context.run(name, () => begin(() => '10.0.0.1', () => seen.push(context.getStore())))
  while (!isIdle()) await turn()
  t.same(seen, ['second', 'third'])
})
