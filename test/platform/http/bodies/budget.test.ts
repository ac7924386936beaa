import t from 'tap'
import { budgetOf } from '../../../../src/platform/http/bodies/budget.ts'

const never = new AbortController().signal

t.test('no account gets more than its share, all together no more than there is, and what is larger than both comes alone', async (t) => {
  const budget = budgetOf({ most: 100, perAccount: 50 })
  t.ok(budget.take(1, 50))
  t.notOk(budget.take(1, 1), 'its share is used')
  t.ok(budget.take(2, 40))
  t.notOk(budget.take(3, 20), 'there are only ten left')
  t.equal(budget.used(), 90)
  budget.give(1, 50)
  budget.give(2, 40)
  t.ok(budget.take(1, 500), 'a limit delays and never shuts out')
  t.notOk(budget.take(2, 1))
  budget.give(1, 500)
  t.equal(budget.used(), 0)
})

t.test('who waits is let in in order: past one whose account is full, never past one for whom there is too little', async (t) => {
  const budget = budgetOf({ most: 100, perAccount: 60 })
  const admitted: string[] = []
  const wait = async (name: string, account: number, bytes: number) => {
    if (await budget.wait(account, bytes, 60_000, never)) admitted.push(name)
  }
  budget.take(1, 60)
  const all = [
    wait('own account full', 1, 10),
    wait('fits', 2, 30),
    wait('too little for all', 3, 50),
    wait('small, but behind it', 4, 5)
  ]
  await new Promise(setImmediate)
  t.strictSame(admitted, ['fits'])
  budget.give(1, 60)
  await Promise.all(all)
  t.strictSame(admitted, ['fits', 'own account full', 'too little for all', 'small, but behind it'])
})

t.test('who waits too long or leaves is told that there was no room, and holds up nobody behind it', async (t) => {
  const budget = budgetOf({ most: 100, perAccount: 100 })
  budget.take(1, 90)
  t.equal(await budget.wait(2, 50, 1, never), false)
  const leaving = new AbortController()
  const first = budget.wait(2, 50, 60_000, leaving.signal)
  const behind = budget.wait(3, 10, 60_000, never)
  leaving.abort()
  t.equal(await first, false)
  t.equal(await behind, true)
  t.equal(await budget.wait(4, 1, 60_000, leaving.signal), false, 'had left before')
})
