import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import type { Dispatcher } from 'undici'
import { openPace, type Pace } from '../../../src/platform/net/pace.ts'
import { paced } from '../../../src/platform/net/paced.ts'

t.test('many readers go on a few at a time, in their order, with a look at everything else between', async (t) => {
  // Was wrong: 500 streams went on unlimited, and a list that was requested meanwhile waited for all of them.
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

t.test('a reader who was just handed something waits', async (t) => {
  const pace = openPace({ everyMs: 20 })
  const since = performance.now()
  await pace.rest()
  t.ok(performance.now() - since >= 10, 'as long as it is to')
})

t.test('where there are many readers each waits longer', async (t) => {
  const pace = openPace({ everyMs: 0, perSecond: 100 })
  const since = performance.now()
  const took = await Promise.all(Array.from({ length: 5 }, async () => {
    await pace.rest()
    return performance.now() - since
  }))
  t.ok(took[4]! >= 40, 'five at a hundred a second')
})

/** A response that is read at a manual pace: what is written to the connection, and what reaches the reader. */
function answer (pace: Pace) {
  const connection: string[] = []
  const read: string[] = []
  let control: Dispatcher.DispatchController | undefined
  let answering!: Required<Dispatcher.DispatchHandler>
  const say = (what: string) => () => { connection.push(what) }
  const own: Dispatcher.DispatchController = {
    aborted: false, paused: false, reason: null, abort: say('abort'), pause: say('pause'), resume: say('resume')
  }
  const dispatch = (_options: unknown, handler: Dispatcher.DispatchHandler) => {
    answering = handler as Required<Dispatcher.DispatchHandler>
    return true
  }
  paced(pace)(dispatch)({ path: '/', method: 'GET' }, {
    onRequestStart (given) { control = given },
    onResponseStart (_control, status) { read.push(`${status}`) },
    onResponseData (_control, piece) { read.push(`${piece}`) },
    onResponseEnd () { read.push('end') },
    onResponseError (_control, error) { read.push(error.message) }
  })
  answering.onRequestStart(own, null)
  answering.onResponseStart(own, 200, {})
  return {
    connection,
    read,
    control: control!,
    comes: (text: string) => answering.onResponseData(own, Buffer.from(text)),
    ends: () => answering.onResponseEnd(own, {}),
    fails: () => answering.onResponseError(own, new Error('reset'))
  }
}

/** Everybody's turn comes at once, and nobody's rest ends before the test says so. */
function resting () {
  const waiting: Array<() => void> = []
  const pace: Pace = { turn, rest: () => new Promise((resolve) => { waiting.push(resolve) }) }
  return { pace, goOn: async () => { waiting.pop()!(); await turn(); await turn() } }
}

t.test('what has come meanwhile is handed over as one piece', async (t) => {
  // Was wrong: each piece of a model's answer went all the way separately, however many had come.
  const { comes, read } = answer(resting().pace)
  for (const text of ['a', 'b', 'c']) comes(text)
  await turn()
  await turn()
  t.strictSame(read, ['200', 'abc'])
})

t.test('after the first pieces a connection rests after each, and what it brings until then waits', async (t) => {
  // Was wrong: each of 25,000 words per second was read from its connection separately.
  const { pace, goOn } = resting()
  const { comes, read, connection } = answer(pace)
  for (let i = 1; i <= 8; i++) {
    comes(`${i}`)
    await turn()
    await turn()
  }
  t.strictSame(connection, [])
  comes('9')
  await turn()
  await turn()
  t.strictSame(connection, ['pause'])
  comes('10')
  await turn()
  t.equal(read.at(-1), '9')
  await goOn()
  t.equal(read.at(-1), '10')
  t.strictSame(connection, ['pause', 'resume', 'pause'])
})

t.test('a reader who wants no more is heeded, also when the rest is over', async (t) => {
  const { pace, goOn } = resting()
  const { comes, control, connection } = answer(pace)
  for (let i = 1; i <= 9; i++) {
    comes(`${i}`)
    await turn()
    await turn()
  }
  control.pause()
  t.ok(control.paused)
  await goOn()
  t.strictSame(connection, ['pause', 'pause'])
  control.resume()
  t.strictSame([connection, control.paused], [['pause', 'pause', 'resume'], false])
  comes('10')
  await turn()
  await turn()
  control.pause()
  control.resume()
  t.equal(connection.at(-1), 'pause', 'and one who wants more waits for the rest to be over')
  control.abort(new Error('enough'))
  t.equal(connection.at(-1), 'abort')
})

t.test('what had come before an end or a failure is handed over before it', async (t) => {
  for (const [how, end] of [['ends', 'end'], ['fails', 'reset']] as const) {
    const one = answer(resting().pace)
    one.comes('a')
    one[how]()
    t.strictSame(one.read, ['200', 'a', end])
    await turn()
    await turn()
    t.strictSame(one.read, ['200', 'a', end], 'once')
  }
})
