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
