import t from 'tap'
import {
  backupsUntil, NOTHING, plus, previewSentence, receiptAfter, silentSince
} from '../../src/privacy/retention.ts'

const REMOVED = { conversations: 412, messages: 3120, attachments: 2, visitors: 1, tickets: 0 }
const OCCASION = { kind: 'retention' as const, agent: 1, visitor: null, data_retention_days: 30, silent_since: null }
const COPY = { kind: 'model' as const, system: 'openai', reference: null, at: '2026-01-02T00:00:00.000000Z' }
const AT = { owner: 1, now: 0, plan: null, isDone: false }

t.test('what was silent for so many days goes, and no day lies before 1970', (t) => {
  t.equal(silentSince(1, Date.UTC(2026, 0, 2) * 1000), '2026-01-01T00:00:00.000000Z')
  t.equal(silentSince(1, 86_400_000_001), '1970-01-01T00:00:00.000001Z')
  t.equal(silentSince(36_500, 0), '1970-01-01T00:00:00.000000Z')
  t.end()
})

t.test('the backups that hold it are gone when so many newer ones are there', (t) => {
  t.equal(backupsUntil(null, 0), null)
  t.equal(backupsUntil({ everyMs: 86_400_000, keep: 7 }, 0), '1970-01-08T00:00:00.000000Z')
  t.equal(backupsUntil({ everyMs: 1, keep: 2 }, 5), '1970-01-01T00:00:00.002005Z')
  t.end()
})

t.test('what is removed adds up, each kind for itself', (t) => {
  const five = { conversations: 1, messages: 2, attachments: 3, visitors: 4, tickets: 5 }
  t.strictSame(plus(five, five), { conversations: 2, messages: 4, attachments: 6, visitors: 8, tickets: 10 })
  t.strictSame(plus(five, {}), five)
  t.strictSame(plus(NOTHING, NOTHING), { conversations: 0, messages: 0, attachments: 0, visitors: 0, tickets: 0 })
  t.end()
})

t.test('a receipt begins with the first thing that goes, and ends when nothing is left', (t) => {
  t.equal(receiptAfter(undefined, OCCASION, { removed: {} }, { ...AT, isDone: true }), undefined)
  for (const kind of Object.keys(NOTHING)) {
    const { removed } = receiptAfter(undefined, OCCASION, { removed: { [kind]: 1 } }, AT)!
    t.strictSame(removed, { ...NOTHING, [kind]: 1 })
  }
  const first = receiptAfter(
    undefined, OCCASION, { removed: { messages: 1 }, copies: [COPY] }, { ...AT, plan: { everyMs: 1000, keep: 2 } }
  )!
  t.strictSame(first, {
    ...OCCASION,
    owner: 1,
    removed: { ...NOTHING, messages: 1 },
    copies: [COPY],
    backups_until: '1970-01-01T00:00:02.000000Z',
    created_at: '1970-01-01T00:00:00.000000Z',
    finished_at: null
  })
  const done = { ...AT, now: 1_000_000, isDone: true }
  t.match(receiptAfter({ ...first, id: 7 }, OCCASION, { removed: { messages: 2 } }, done), {
    id: 7,
    removed: { messages: 3 },
    copies: [COPY],
    backups_until: null,
    created_at: '1970-01-01T00:00:00.000000Z',
    finished_at: '1970-01-01T00:00:01.000000Z'
  })
  t.match(receiptAfter({ ...first, id: 7 }, OCCASION, { removed: {} }, done), { id: 7 }, 'one that is open ends')
  t.end()
})

t.test('each copy is named once, with the time of the last one', (t) => {
  const [earlier, later] = ['2026-01-01', '2026-01-03'].map((day) => ({ ...COPY, at: `${day}T00:00:00.000000Z` }))
  const others = [
    { ...COPY, kind: 'delivery' as const }, { ...COPY, system: 'mistral' }, { ...COPY, reference: 'x' }
  ]
  const more = { removed: { messages: 1 }, copies: [COPY, later!, earlier!, ...others] }
  t.strictSame(receiptAfter(undefined, OCCASION, more, AT)!.copies, [later, ...others])
  t.end()
})

t.test('the preview says what goes, in a sentence', (t) => {
  t.match(previewSentence(null, REMOVED), /^Nothing is removed/)
  t.equal(previewSentence(30, NOTHING), 'This removes nothing today.')
  t.equal(previewSentence(30, { ...NOTHING, messages: 1, attachments: 1 }), 'This removes nothing today.')
  t.equal(
    previewSentence(30, REMOVED), 'This will remove 412 conversations with 3,120 messages and 2 files, and 1 visitor.'
  )
  t.equal(
    previewSentence(30, { conversations: 1, messages: 1, attachments: 1, visitors: 0, tickets: 1 }),
    'This will remove 1 conversation with 1 message and 1 file, 1 ticket without a conversation, and 0 visitors.'
  )
  for (const only of [{ conversations: 1 }, { visitors: 1 }, { tickets: 1 }]) {
    t.match(previewSentence(30, { ...NOTHING, ...only }), /^This will remove/)
  }
  t.match(previewSentence(30, { ...REMOVED, tickets: 2 }), ' and 2 files, 2 tickets without a conversation, and 1 visitor.')
  t.notMatch(previewSentence(30, { ...REMOVED, attachments: 0 }), /file/)
  t.end()
})
