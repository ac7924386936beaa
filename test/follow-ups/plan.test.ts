import t from 'tap'
import { anchorOf, decide, dueAt, isFarewell, textOf, type Asked } from '../../src/follow-ups/plan.ts'

const MINUTE = 60_000_000
const DAY = 24 * 60 * MINUTE
const settings = { followupCount: 2, followupInterval: 30, followupMessages: ['Still there?', 'Bye then.'] }
const asked: Asked = { episode: 1, epoch: 3, anchor: 2, anchored: 0, k: 1 }
const conversation = {
  status: 'open', handled_by: 'agent', channel: 'widget', episode: 1, epoch: 3, messages: 2
} as Parameters<typeof anchorOf>[0]
const message = { role: 'agent', status: 'complete', answered_by: 'extract', unknown: false, seq: 2 } as Parameters<
  typeof anchorOf
>[1]

t.test('the k-th is due k intervals after the answer, ten at most, and none where nothing is set', async (t) => {
  t.equal(dueAt(settings, { anchored: 7, k: 1 }), 7 + 30 * MINUTE)
  t.equal(dueAt(settings, { anchored: 7, k: 2 }), 7 + 60 * MINUTE)
  t.equal(dueAt(settings, { anchored: 7, k: 3 }), undefined)
  t.equal(dueAt({ ...settings, followupCount: 100 }, { anchored: 0, k: 10 }), 300 * MINUTE)
  t.equal(dueAt({ ...settings, followupCount: 100 }, { anchored: 0, k: 11 }), undefined)
  t.equal(dueAt({ ...settings, followupInterval: 0 }, asked), undefined)
  t.equal(dueAt({ ...settings, followupMessages: [] }, asked), undefined)
  t.equal(dueAt({ ...settings, followupMessages: [' '] }, asked), undefined)
  t.strictSame(
    [1, 2, 3, 9].map((k) => textOf(settings, k)),
    ['Still there?', 'Bye then.', 'Bye then.', 'Bye then.'],
    'the last one is repeated'
  )
})

t.test('only an answer is followed, and only where the agent speaks and nothing came after it', async (t) => {
  t.strictSame(anchorOf(conversation, message, 5), { episode: 1, epoch: 3, anchor: 2, anchored: 5, k: 1 })
  for (const odd of [
    { role: 'visitor' },
    { role: 'person' },
    { role: 'system' },
    { status: 'failed' },
    { status: 'stopped' },
    { answered_by: 'canned' },
    { unknown: true }
  ]) {
    t.equal(anchorOf(conversation, { ...message, ...odd } as typeof message, 5), undefined, JSON.stringify(odd))
  }
  for (const odd of [
    { status: 'closed' },
    { status: 'waiting' },
    { handled_by: 'person' },
    { handled_by: 'queue' },
    { messages: 3 },
    { channel: 'compatible' }
  ]) {
    t.equal(anchorOf({ ...conversation, ...odd } as typeof conversation, message, 5), undefined, JSON.stringify(odd))
  }
})

t.test('a follow-up that is due is said unless anything has happened, and one too late is dropped', async (t) => {
  const agent = { status: 'Active', behavior: settings } as never
  const standing = {
    conversation, isGenerating: false, agent, said: 'Where is my parcel?', followed: 0, now: 30 * MINUTE
  }
  const next = { asked: { ...asked, k: 2 }, due: 60 * MINUTE }
  const nothing = { text: null, next: null }
  t.strictSame(decide(standing, asked), { text: 'Still there?', next })
  t.strictSame(
    decide({ ...standing, conversation: { ...conversation, messages: 3 }, followed: 1 }, { ...asked, k: 2 }),
    { text: 'Bye then.', next: null }
  )
  for (const odd of [
    { messages: 3 },
    { status: 'closed' },
    { handled_by: 'person' },
    { handled_by: 'queue' },
    { episode: 2 },
    { epoch: 4 }
  ]) {
    t.strictSame(
      decide({ ...standing, conversation: { ...conversation, ...odd } as typeof conversation }, asked),
      nothing,
      JSON.stringify(odd)
    )
  }
  t.strictSame(decide({ ...standing, isGenerating: true }, asked), nothing)
  t.strictSame(decide({ ...standing, agent: undefined }, asked), nothing)
  t.strictSame(decide({ ...standing, agent: { status: 'Inactive', behavior: settings } as never }, asked), nothing)
  t.strictSame(decide({ ...standing, said: 'Thanks!' }, asked), nothing)
  t.strictSame(
    decide({ ...standing, agent: { status: 'Active', behavior: { ...settings, followupCount: 0 } } as never }, asked),
    nothing,
    'switched off meanwhile'
  )
  t.strictSame(
    decide({ ...standing, now: 30 * MINUTE + DAY }, asked),
    { text: 'Still there?', next },
    'a day late is not too late'
  )
  t.strictSame(
    decide({ ...standing, now: 30 * MINUTE + DAY + 1 }, asked),
    { text: null, next },
    'the next one may be in time'
  )
  t.strictSame(decide({ ...standing, now: 0 }, asked).text, 'Still there?', 'a clock that was set back does not matter')
})

t.test('thanks and goodbye end it, in many languages', async (t) => {
  for (const text of [
    'Thanks!', 'Bye', 'Auf Wiedersehen.', 'Tschüss', 'Au revoir !', 'À bientôt', '¡Adiós!', 'Arrivederci',
    'Merci beaucoup', '再见', 'до свидания', 'No, thanks'
  ]) { t.ok(isFarewell(text), text) }
  for (const text of ['Where is my parcel?', 'Thanks, but where is my parcel?', '', 'Hello']) {
    t.notOk(isFarewell(text), text)
  }
})
