import { Readable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { openPace } from '../../../src/platform/net/pace.ts'
import { gathered } from '../../../src/platform/net/streamed.ts'

t.test('many readers go on a few at a time, in their order, with a look at everything else between', async (t) => {
  // Was wrong: 500 streams went on as they liked, and a list that was asked for meanwhile waited for all of them.
  const pace = openPace({ atOnce: 2 })
  const gone: number[] = []
  const all = [1, 2, 3, 4, 5].map(async (n) => {
    await pace.turn()
    gone.push(n)
  })
  const seen: number[] = []
  while (gone.length < 5) {
    await turn()
    seen.push(gone.length)
  }
  await Promise.all(all)
  t.strictSame(gone, [1, 2, 3, 4, 5])
  t.ok(seen.every((count, index) => count - (seen[index - 1] ?? 0) <= 2), `${seen}`)
})

t.test('a reader who was just handed something waits; one who was not goes on', async (t) => {
  const pace = openPace({ everyMs: 20 })
  const since = performance.now()
  await pace.rest(since)
  t.ok(performance.now() - since >= 10, 'as long as it is to')
  let isGone = false
  openPace({ everyMs: 3_600_000 }).rest(performance.now() - 3_600_000).then(() => { isGone = true })
  for (let i = 0; i < 3; i++) await turn()
  t.ok(isGone, 'without waiting for the clock')
})

t.test('where there are many readers each waits longer', async (t) => {
  const pace = openPace({ everyMs: 0, perSecond: 100 })
  const since = performance.now()
  const took = await Promise.all(Array.from({ length: 5 }, async () => {
    await pace.rest(since)
    return performance.now() - since
  }))
  t.ok(took[4]! >= 40, 'five at a hundred a second')
})

t.test('what comes while all wait is not handled at once either', async (t) => {
  // Was wrong: words that came to readers who waited for them went their whole way one after another, and whatever else
  // was asked for waited a second behind 500 of them.
  const pace = openPace({ atOnce: 2 })
  const handled: number[] = []
  const all = [1, 2, 3, 4, 5, 6].map(async (n) => {
    await gathered(saying(['a']), new Readable({ read () {} }), pace)()
    handled.push(n)
  })
  const seen: number[] = []
  while (handled.length < 6) {
    await turn()
    seen.push(handled.length)
  }
  await Promise.all(all)
  t.ok(seen.every((count, index) => count - (seen[index - 1] ?? 0) <= 2), `${seen}`)
})

/** A body that has more waiting, whatever was read of it. */
function waiting (): Readable {
  const body = new Readable({ read () {} })
  body.push('more')
  return body
}

async function * saying (texts: string[], end?: Error) {
  for (const text of texts) yield Buffer.from(text)
  if (end) throw end
}

t.test('what has come meanwhile is handed over as one piece', async (t) => {
  // Was wrong: each piece of a model's answer went its whole way alone, however many had come.
  const next = gathered(saying(['a', 'b', 'c']), waiting())
  t.equal(`${await next()}`, 'abc')
  t.equal(await next(), undefined)
  const alone = gathered(saying(['a', 'b']), new Readable({ read () {} }))
  t.equal(`${await alone()}`, 'a')
  t.equal(`${await alone()}`, 'b')
})

t.test('what had come before a failure is handed over, and the failure is told with the next', async (t) => {
  const next = gathered(saying(['a', 'b'], new Error('reset')), waiting())
  t.equal(`${await next()}`, 'ab')
  await t.rejects(next(), { message: 'reset' })
})
