import fc from 'fast-check'
import t from 'tap'
import type { MessageRecord } from '../../schema/conversations.ts'
import { type Generation, Written } from '../../src/conversations/generation.ts'
import type { ConversationEvent } from '../../src/conversations/store.ts'
import { partsOf, type Streaming } from '../../src/conversations/answer-stream.ts'
import { partsAfter, placeOf } from '../../src/conversations/stream.ts'

const TEXT = 'Returns 🙂 are accepted within 30 days [1] – wörtlich.'
const ANSWER = {
  id: 'msg_2',
  conversation: 'conv_1',
  seq: 2,
  role: 'agent',
  text: TEXT,
  status: 'complete',
  error: null,
  attempts: 1,
  citations: [
    { n: 1, source: 1, title: 'Returns', url: null, page: null, quote: 'x', start: 0, end: 1 },
    { n: 2, source: 1, title: 'Form', url: 'https://shop.example/', page: null, quote: 'x', start: 0, end: 1 }
  ]
} as unknown as MessageRecord
const VISITOR = { ...ANSWER, id: 'msg_1', seq: 1, role: 'visitor', text: 'Hello?', citations: [] } as MessageRecord

/** A text as it is streamed, in pieces of a few units. */
function writtenOf (text: string): Written {
  const written = new Written()
  for (const piece of text.match(/[^]{1,3}/g) ?? []) written.add(piece)
  return written
}

/**
 * The events up to the time when this much of the answer is written; all of it and its end when `units` is undefined.
 */
function world (units: number | undefined): { events: ConversationEvent[], run: Generation | undefined } {
  const begun: ConversationEvent[] = [
    { seq: 1, type: 'message.created', message: VISITOR }, { seq: 2, type: 'message.created', message: ANSWER }
  ]
  if (units === undefined) {
    return { events: [...begun, { seq: 3, type: 'message.completed', message: ANSWER }], run: undefined }
  }
  return {
    events: begun,
    run: {
      begun: `after ${units}`,
      owner: 1,
      conversation: 'conv_1',
      answer: ANSWER,
      epoch: 0,
      text: writtenOf(TEXT.slice(0, units)),
      since: 0,
      doing: () => null,
      soFar: () => {
        throw new Error('not asked')
      }
    }
  }
}

const typesOf = (parts: Array<{ data: string }>) => parts.map(({ data }) => JSON.parse(data).type)
const textOf = (parts: Array<{ data: string }>) =>
  parts
    .map(({ data }) => JSON.parse(data))
    .filter(({ type }) => type === 'text-delta')
    .map(({ delta }) => delta)
    .join('')

t.test('an id names an event, or a place in the answer after it', async (t) => {
  t.strictSame(placeOf('17'), { event: 17, units: 0 })
  t.strictSame(placeOf('17.120'), { event: 17, units: 120 })
  for (const id of ['', 'x', '1.', '-1', '1.2.3', '9'.repeat(20)]) t.equal(placeOf(id), undefined, id)
})

t.test('an id behind the newest event stands for now', async (t) => {
  // Was wrong: such a reader was shown nothing until as many things had happened.
  t.strictSame(placeOf('17.120', 17), { event: 17, units: 120 })
  t.strictSame(placeOf('18.120', 17), { event: 17, units: 0 })
})

t.test('who names more of an answer than there is of it is shown it from its beginning, once', async (t) => {
  // Was wrong: nothing of it was shown, however long it grew.
  for (const end of [undefined, TEXT.length]) {
    let place = { event: 2, units: 999_999_999 }
    let all: Array<{ id?: string, data: string }> = []
    for (const units of [0, 7, 20, end]) {
      const { events, run } = world(units)
      const parts = partsAfter(place, events.filter(({ seq }) => seq > place.event), run, true)
      place = placeOf(parts.findLast(({ id }) => id !== undefined)?.id ?? `${place.event}.${place.units}`)!
      all = [...all, ...parts]
    }
    t.equal(textOf(all), TEXT)
    t.equal(typesOf(all).filter((type) => type === 'start').length, 1)
  }
  const ended = partsAfter({ event: 2, units: 999_999_999 }, world(undefined).events.slice(2), undefined, true)
  t.equal(textOf(ended), TEXT)
})

t.test('an answer begins, comes in pieces, and ends with its sources and the whole message', async (t) => {
  const { events, run } = world(9)
  const first = partsAfter({ event: 0, units: 0 }, events, run, true)
  t.strictSame(typesOf(first), ['data-event', 'data-event', 'start', 'text-start', 'text-delta'])
  t.equal(first.at(-1)!.id, '2.9')
  const rest = partsAfter({ event: 2, units: 9 }, world(undefined).events.slice(2), undefined, true)
  t.strictSame(typesOf(rest), [
    'text-delta', 'text-end', 'source-document', 'source-url', 'data-message', 'finish', 'data-event'
  ])
  t.equal(textOf(first) + textOf(rest), TEXT)
  t.notOk('attempts' in JSON.parse(rest[4]!.data).data)
})

t.test('wherever a reader is cut off, the next stream goes on to the character, emoji included', async (t) => {
  t.doesNotThrow(() => fc.assert(fc.property(fc.array(fc.nat(TEXT.length), { maxLength: 6 }), (cuts) => {
    let id = '0.0'
    let read = ''
    for (const units of [...cuts.sort((a, b) => a - b), undefined]) {
      const place = placeOf(id)!
      const { events, run } = world(units)
      const parts = partsAfter(place, events.filter(({ seq }) => seq > place.event), run, true)
      read += textOf(parts)
      id = parts.findLast((part) => part.id !== undefined)?.id ?? id
    }
    return read === TEXT
  })))
})

t.test('an answer whose end was read while it was still being written is told once', async (t) => {
  // Was wrong: over a network its end may be read before its writer knows; all of its text followed once more.
  const { run } = world(TEXT.length)
  const events = world(undefined).events.slice(2)
  const parts = partsAfter({ event: 2, units: 9 }, events, run, true)
  t.equal(textOf(parts), TEXT.slice(9))
  t.equal(typesOf(parts).filter((type) => type === 'finish').length, 1)
  const anew = partsAfter(
    { event: 2, units: 9 }, [...events, { seq: 4, type: 'message.restarted', message: ANSWER }], world(4).run, true
  )
  t.equal(textOf(anew), TEXT.slice(9) + TEXT.slice(0, 4), 'one that is written once more is shown')
})

t.test('an answer that was begun anew while its events were read is not shown as it was', async (t) => {
  const [before, after] = [world(9).run, world(3).run]
  let current = before
  const talk = { writing: async () => current } as unknown as Streaming['talk']
  const store = {
    isNewest: () => false,
    events: async () => {
      current = after
      return { last: 2, events: [] }
    }
  } as unknown as Streaming['store']
  const read = async () => await partsOf({ talk, store, linked: (one: MessageRecord) => one } as Streaming, 1, 'conv_1', '2.0')
  t.strictSame(await read(), [], 'its watchers are woken for what it becomes')
  t.equal(textOf((await read())!), TEXT.slice(0, 3))
})

t.test('an answer that is written anew says so, and begins again', async (t) => {
  const { run } = world(4)
  const parts = partsAfter({ event: 2, units: 9 }, [{ seq: 3, type: 'message.restarted', message: ANSWER }], run, true)
  t.strictSame(typesOf(parts), ['text-end', 'data-event', 'start', 'text-start', 'text-delta'])
  t.equal(textOf(parts), TEXT.slice(0, 4))
})

t.test('a failed answer says so; while events are still to be read, nothing of the next answer is shown', async (t) => {
  const failed = { ...ANSWER, status: 'failed' as const, error: { code: 'model_failed', message: 'It broke off.' } }
  const parts = partsAfter(
    { event: 2, units: TEXT.length },
    [
      { seq: 3, type: 'message.completed', message: failed }, { seq: 4, type: 'conversation.updated', message: null }
    ],
    world(3).run,
    false
  )
  t.strictSame(typesOf(parts), [
    'text-end', 'source-document', 'source-url', 'data-message', 'error', 'finish', 'data-event', 'data-event'
  ])
  t.match(JSON.parse(parts[4]!.data), { errorText: 'It broke off.' })
  const silent = partsAfter(
    { event: 2, units: 0 },
    [{ seq: 3, type: 'message.completed', message: { ...failed, error: null, text: '' } }],
    undefined,
    true
  )
  t.match(
    silent.map(({ data }) => JSON.parse(data)).find(({ type }) => type === 'error'),
    { errorText: 'The answer failed.' }
  )
})

t.test('a judgement of an answer does not show the answer again, nor move the place in another', async (t) => {
  // Was wrong: it was sent as the end of the answer, whose text came once more.
  const judged: ConversationEvent = { seq: 3, type: 'message.updated', message: { ...ANSWER, id: 'msg_0' } }
  t.strictSame(typesOf(partsAfter({ event: 2, units: 0 }, [judged], undefined, true)), ['data-event'])
  const parts = partsAfter({ event: 2, units: 9 }, [judged], world(9).run, true)
  t.strictSame(parts.map(({ id }) => id), ['3.9'])
  t.equal(textOf(partsAfter(placeOf('3.9')!, [], world(undefined).run ?? world(20).run, true)), TEXT.slice(9, 20))
})
