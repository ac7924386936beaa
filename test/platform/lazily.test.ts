import t from 'tap'
import { lazily, lazilyInSteps, ofLatest } from '../../src/platform/lazily.ts'

t.test('a promise that failed is not kept for ever', async (t) => {
  let tries = 0
  const module = lazily(async () => {
    if (++tries === 1) throw new Error('too many open files')
    return tries
  })
  const [first, beside] = [module(), module()]
  t.equal(first, beside, 'who asks meanwhile waits for the same')
  await t.rejects(first, { message: 'too many open files' })
  t.equal(await module(), 2, 'the next one tries again')
  t.equal(await module(), 2, 'and what was made is kept')
})

t.test('a value that could not be made is made at the next call', async (t) => {
  let tries = 0
  const value = lazily(() => {
    if (++tries === 1) throw new Error('not yet')
    return tries
  })
  t.throws(value, { message: 'not yet' })
  t.equal(value(), 2)
  t.equal(value(), 2)
})

t.test('Was wrong: a value made in steps was nothing for ever if one of its steps had failed', async (t) => {
  let tries = 0
  const value = lazilyInSteps(function * () {
    yield
    if (++tries === 1) throw new Error('too many open files')
    return tries
  })
  t.throws(() => [...value.ahead()], { message: 'too many open files' })
  t.equal(value.get(), 2)
  t.strictSame([...value.ahead()], [], 'and it is made once')
  t.equal(value.get(), 2)
})

t.test('of keys without end the latest are remembered, and those that are used again and again', async (t) => {
  const made: number[] = []
  const value = ofLatest(3, (key: number) => {
    made.push(key)
    return key * 2
  })
  for (let key = 1; key <= 20; key++) {
    t.equal(value(key), key * 2)
    t.equal(value(0), 0, 'asked for all the time')
  }
  t.strictSame(made.filter((key) => key === 0), [0], 'made once')
  for (const key of [20, 19]) value(key)
  t.strictSame(made.slice(-2), [19, 20], 'the latest are known')
  value(1)
  t.equal(made.at(-1), 1, 'the first is made again')
})
