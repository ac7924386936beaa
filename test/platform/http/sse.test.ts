import type { Readable } from 'node:stream'
import { fixedClock } from '../../helper.ts'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { alone } from '../../../src/platform/neighbours/alone.ts'
import { eventStreams, type ServerSentEvent, type Watched } from '../../../src/platform/http/sse.ts'
import { openNotifier } from '../../../src/platform/work/notifier.ts'

/** Streams without a server: what a route would answer with is returned. */
function open () {
  const closing = new AbortController()
  const outside = { writes: 0 }
  const notifier = openNotifier(() => outside.writes, alone(fixedClock()))
  const streams = eventStreams({ notifier, closing: closing.signal })
  const reply = { type: () => reply, headers: () => reply, send: (body: unknown) => body }

  /** A stream of one topic with these events; the id of each is its position, from 1. */
  function watch (
    topic: string, events: string[], { method = 'GET', ...watched }: Partial<Watched> & { method?: string } = {}
  ) {
    const state = { reads: 0, isAllowed: true }
    const stream = streams.send({ method, routeOptions: { config: { streams: { type: 'string' } } } } as never, reply as never, {
      topics: [topic],
      after: '0',
      async read (after) {
        state.reads++
        return events
          .slice(Number(after), Number(after) + 2)
          .map((data, i): ServerSentEvent => ({ id: String(Number(after) + i + 1), event: 'e', data }))
      },
      isStillAllowed: () => state.isAllowed,
      ...watched
    }) as unknown as Readable
    return { state, stream }
  }
  return { closing, outside, notifier, streams, watch }
}

/** Long enough for everything in progress, short of a timer. */
async function quiet () {
  for (let i = 0; i < 10; i++) await new Promise(setImmediate)
}

/** Continues reading a stream; the returned function gives what has come since its last call. */
function follow (stream: Readable): () => string {
  let said = ''
  stream.on('data', (chunk: Buffer) => { said += chunk.toString() })
  return () => {
    const now = said
    said = ''
    return now
  }
}

t.test('a stream is read when there is news of what it shows, and at no other time', async (t) => {
  // Was wrong: each stream queried the file once a second, and every change woke all of them.
  const { notifier, streams, watch, closing } = open()
  const events = ['one', 'two', 'three']
  const [mine, other] = [watch('a', events), watch('b', [])]
  const said = follow(mine.stream)
  follow(other.stream)
  await quiet()
  t.equal(
    said(),
    ': watching\nretry: 2000\n\nid: 1\nevent: e\ndata: one\n\nid: 2\nevent: e\ndata: two\n\nid: 3\nevent: e\ndata: three\n\n',
    'all there is, however often that must be read'
  )
  const before = [mine.state.reads, other.state.reads]
  for (let i = 0; i < 100; i++) streams.beat()
  await quiet()
  t.same([mine.state.reads, other.state.reads], before, 'nothing happens while nothing happens')
  t.notMatch(said(), 'data')
  events.push('four\nlines')
  for (let i = 0; i < 10; i++) notifier.notify('a')
  notifier.notify('nobody watches this')
  await quiet()
  t.equal(said(), 'id: 4\nevent: e\ndata: four\ndata: lines\n\n')
  t.equal(other.state.reads, before[1], 'whom it does not concern sleeps on')
  closing.abort()
})

t.test('news that comes while a stream is being read is read too', async (t) => {
  const { notifier, watch, closing } = open()
  const events: string[] = []
  const reading = Promise.withResolvers<void>()
  let reads = 0
  const { stream } = watch('a', events, {
    async read (after) {
      const found = events.slice(Number(after)).map((data) => ({ id: '1', data }))
      if (++reads === 1) await reading.promise
      return found
    }
  })
  const said = follow(stream)
  await quiet()
  events.push('late')
  notifier.notify('a')
  await quiet()
  reading.resolve()
  await quiet()
  t.equal(said(), ': watching\nretry: 2000\n\nid: 1\ndata: late\n\n')
  closing.abort()
})

t.test('a stream ends once its caller may not watch any more, and tells nothing that happened after', async (t) => {
  // Was wrong: a stream outlived the key it was opened with. Again without each of the two checks.
  const { notifier, streams, watch } = open()
  const events = ['one']
  const [idle, busy, other] = [watch('a', events), watch('b', events), watch('c', events)]
  const [idleSaid, busySaid] = [text(idle.stream), text(busy.stream)]
  other.stream.resume()
  await quiet()
  t.equal(streams.open(), 3)
  idle.state.isAllowed = busy.state.isAllowed = false
  events.push('secret')
  notifier.notify('b')
  t.notMatch(await busySaid, 'secret', 'without waiting for the beat')
  streams.beat()
  t.notMatch(await idleSaid, 'secret')
  t.equal(streams.open(), 1)
  other.stream.destroy()
  const lost = text(watch('d', events, { isStillAllowed: async () => { throw new Error('the tables are away') } }).stream)
  t.notMatch(await lost, 'secret', 'nor once it cannot be told')
  t.equal(streams.open(), 0)
})

t.test('the beat comes by itself while a stream is open', async (t) => {
  const { watch } = open()
  const { state, stream } = watch('a', [])
  const said = text(stream)
  state.isAllowed = false
  t.match(await said, ': watching')
})

// Was wrong: it used the clock, so that where time stands still the server closed a quiet stream after 20 s.
t.test('a quiet stream says every twenty beats that it is alive', async (t) => {
  const { streams, watch, closing } = open()
  const { stream } = watch('a', [])
  const said = follow(stream)
  await quiet()
  said()
  for (let i = 0; i < 19; i++) streams.beat()
  await quiet()
  t.equal(said(), '')
  streams.beat()
  await quiet()
  t.equal(said(), ': alive\n\n')
  streams.beat()
  await quiet()
  t.equal(said(), '')
  closing.abort()
})

t.test('what another process has written is noticed', async (t) => {
  const { outside, streams, watch, closing } = open()
  const events: string[] = []
  const { stream } = watch('a', events)
  const said = follow(stream)
  streams.beat()
  await quiet()
  said()
  events.push('one')
  outside.writes++
  streams.beat()
  await quiet()
  t.match(said(), 'data: one')
  closing.abort()
})

// Was wrong with reading on whatever `push` returns.
t.test('more than a reader takes is not read for him', async (t) => {
  const { streams, watch } = open()
  const { state, stream } = watch('a', Array.from({ length: 1000 }, () => 'x'.repeat(1000)))
  stream.read(0)
  await quiet()
  for (let i = 0; i < 50; i++) await quiet()
  t.ok(state.reads < 15, `${state.reads} reads`)
  for (let i = 0; i < 40; i++) streams.beat()
  t.equal(stream.readableLength < 20_000, true, 'nor is it told that the stream is alive')
  stream.destroy()
})

t.test('a stream ends with what it watches, with the server, and with a fault; HEAD begins none', async (t) => {
  const { closing, streams, watch } = open()
  const gone = watch('a', [], { read: async () => undefined })
  t.equal(await text(gone.stream), ': watching\nretry: 2000\n\n')
  const broken = watch('a', [], { read: async () => { throw new Error('unforeseen') } })
  await t.rejects(text(broken.stream), { message: 'unforeseen' })
  t.equal(watch('a', [], { method: 'HEAD' }).stream as unknown, '')
  const late = Promise.withResolvers<undefined>()
  const reading = watch('a', [], { read: () => late.promise })
  const open_ = watch('a', [])
  const said = [text(open_.stream), text(reading.stream)]
  await quiet()
  closing.abort()
  late.resolve(undefined)
  t.match(await Promise.all(said), [': watching', ': watching'])
  t.equal(await text(watch('a', ['x']).stream), ': watching\nretry: 2000\n\n', 'and none begins after that')
  t.equal(streams.open(), 0)
})
