import t from 'tap'
import { deciding, fact } from '../../../src/platform/storage/facts.ts'
import { finish, type Database } from '../../../src/platform/storage/sqlite/database.ts'
import { inContextNow, settled, step, type Asked, type Sliced, type Work } from '../../../src/platform/storage/work.ts'
import { inSteps } from '../../../src/platform/work/slices.ts'

/** A query to a database that is remote. */
function * asking (text: string): Work<string> {
  return (yield { text, values: [] } satisfies Asked) as string
}

/** Runs work like a remote database: `answer` returns its answers, or throws what it refuses. */
function elsewhere<T> (work: Work<T>, answer: (text: string) => unknown): T {
  const steps = work[Symbol.iterator]()
  let taken = steps.next()
  while (!taken.done) {
    let said: unknown
    try {
      said = answer(taken.value.text)
    } catch (error) {
      taken = steps.throw!(error)
      continue
    }
    taken = steps.next(said)
  }
  return taken.value
}

const loud = (text: string) => text.toUpperCase()
const refusing = () => { throw new Error('No.') }

/** Work that reports when its query is refused. */
function * careful (): Work<string> {
  try {
    return yield * asking('one')
  } catch (error) {
    return (error as Error).message
  }
}

t.test('work goes on with what a database elsewhere answers, and hears what it refuses', async (t) => {
  t.equal(elsewhere(careful(), loud), 'ONE')
  t.equal(elsewhere(careful(), refusing), 'No.')
  t.equal(elsewhere(inContextNow(careful)(), loud), 'ONE')
  t.equal(elsewhere(inContextNow(careful)(), refusing), 'No.')
})

t.test('sliced work takes a step at a time, whatever it asks for in between', async (t) => {
  function * sliced (): Sliced<string> {
    const first = yield * careful()
    yield
    return `${first} ${yield * asking('two')}`
  }
  for (const [answer, first] of [[loud, 'ONE'], [refusing, 'No.']] as const) {
    const steps = sliced()
    t.strictSame(elsewhere(step(steps), answer), { done: false, value: undefined })
    t.strictSame(elsewhere(step(steps), loud), { done: true, value: `${first} TWO` })
  }
  let transactions = 0
  const db = { read: async (work: () => Work<unknown>) => { transactions++; return elsewhere(work(), loud) } }
  t.equal(await inSteps(db as unknown as Database, sliced()), 'ONE TWO')
  t.equal(transactions, 2, 'each in a transaction of its own')
})

t.test('a rule that has to wait for a fact is run again once it is known, and asks no fact twice', async (t) => {
  const asked: string[] = []
  const answer = (text: string) => { asked.push(text); return loud(text) }
  let runs = 0
  function * rule () {
    runs++
    const known = fact(() => settled('at once'))
    const seen = yield * asking('three')
    return [known, fact(() => asking('one')), fact(() => asking('two')), seen]
  }
  t.strictSame(elsewhere(deciding(rule), answer), ['at once', 'ONE', 'TWO', 'THREE'])
  t.equal(runs, 3)
  t.strictSame(asked.filter((one) => one !== 'three'), ['one', 'two'])
  t.strictSame(finish(deciding(function * () { return fact(() => settled(1)) })), 1, 'as SQLite answers')
  t.throws(() => elsewhere(deciding(function * () { throw new Error('No.') }), loud), { message: 'No.' })
  t.throws(() => fact(() => asking('one')), /only where it is carried out/)
})
