import t from 'tap'
import {
  classOf, csvOf, figuresOf, msOf, ofEnd, ofFeedback, ofMessage, ofReturn, type Increment
} from '../../src/analytics/figures.ts'

const sum = (name: string, n = 1, key = 0) => ({ name, key, n })

t.test('times are told within 3 %, however long they are', async (t) => {
  t.equal(classOf(0), 0)
  t.equal(msOf(0), 0)
  for (const ms of [1, 2, 7, 100, 1234, 60_000, 86_400_000, 9e9]) {
    t.ok(Math.abs(msOf(classOf(ms)) - ms) <= Math.max(0.5, ms * 0.03), `${ms}: ${msOf(classOf(ms))}`)
  }
  const times = Array.from({ length: 100 }, (_, i) => sum('first_answer', 1, classOf((i + 1) * 10)))
  const { first_answer_ms: found } = figuresOf(times)
  t.ok(Math.abs(found!.p50 - 500) <= 15 && Math.abs(found!.p95 - 950) <= 29, JSON.stringify(found))
  t.equal(figuresOf([]).first_answer_ms, null)
})

t.test('deflection counts only what ended resolved, of everything that ended', async (t) => {
  t.equal(figuresOf([]).deflection, null)
  t.equal(
    figuresOf([sum('outcome.resolved_confirmed'), sum('outcome.resolved_assumed'), sum('outcome.abandoned', 2)])
      .deflection,
    0.5
  )
  t.equal(figuresOf([sum('outcome.handed_off', 3)]).deflection, 0)
})

t.test('each thing that happens counts once, for its own day', async (t) => {
  const at = '2026-11-20T23:59:59.999999Z'
  const day = Date.UTC(2026, 10, 20) / 86_400_000
  const message = {
    role: 'agent',
    created_at: at,
    unknown: false,
    citations: [{ source: 4 }, { source: 4 }, { source: 5 }],
    usage: { input_tokens: 10, output_tokens: 2, cached_tokens: 0, cost: 0.001, first_ms: 100, total_ms: 200 },
    guarded: [{ rule: 'Law/suits', did: 'mask' }],
    feedback: null
  } as never
  const named = (increments: Increment[]) => increments.map(({ name, key, n }) => `${name} ${key} ${n}`)
  t.strictSame(named(ofMessage(message, true)), [
    'messages.agent 0 1',
    'guarded 0 1',
    'rule/mask/Law/suits 0 1',
    'source 4 1',
    'source 5 1',
    `first_answer ${classOf(100)} 1`,
    'tokens.input 0 10',
    'tokens.output 0 2',
    'cost 0 1000'
  ])
  t.ok(ofMessage(message, true).every((one) => one.day === day))
  t.strictSame(named(ofMessage(message, false)).filter((one) => one.startsWith('first')), [])
  t.strictSame(ofMessage({ role: 'system', created_at: at } as never, false), [], 'notices are nobody\'s messages')
  t.strictSame(
    named(ofMessage({ role: 'agent', created_at: at, unknown: true, citations: [], usage: null, guarded: [] } as never, true)),
    ['messages.agent 0 1', 'unknown 0 1']
  )
  t.strictSame(named(ofFeedback({ created_at: at, feedback: { score: 1, comment: '' } } as never, null)), [
    'feedback.up 0 1'
  ])
  t.strictSame(
    named(ofFeedback({ created_at: at, feedback: { score: -1, comment: '' } } as never, 1)),
    ['feedback.up 0 -1', 'feedback.down 0 1'],
    'whoever thinks again counts once'
  )
  const ended = { outcome: 'resolved_assumed' as const, ended_at: at, asked_at: null, taken_at: null }
  t.strictSame(named(ofEnd(ended)), ['outcome.resolved_assumed 0 1'])
  t.strictSame(
    named(
      ofEnd({
        ...ended,
        outcome: 'handed_off',
        asked_at: '2026-11-20T10:00:00.000000Z',
        taken_at: '2026-11-20T10:00:30.000000Z'
      })
    ),
    ['outcome.handed_off 0 1', `first_person ${classOf(30_000)} 1`]
  )
  t.strictSame(
    ofReturn(ended, '2026-11-22T00:00:00.000000Z').map(({ day: of, name, n }) => [of - day, name, n]),
    [
      [2, 'reopened', 1], [0, 'outcome.resolved_assumed', -1]
    ],
    'a resolution is taken back on its own day'
  )
  t.strictSame(named(ofReturn({ ...ended, outcome: 'handed_off' }, at)), ['reopened 0 1'])
})

t.test('a table for a spreadsheet has a line a day, and numbers alone', async (t) => {
  const [names, first] = csvOf([
    { day: '2026-11-20', ...figuresOf([sum('conversations', 3), sum('cost', 1500)]) }
  ]).split('\r\n')
  t.match(
    names, /^day,conversations,messages_visitor,messages_agent,messages_person,outcome_resolved_confirmed,.*,cost,cost_per_resolved,overdue,satisfaction_asked,satisfaction_answers,satisfaction_average$/
  )
  t.match(first, /^2026-11-20,3,0,0,0,/)
  t.match(first, /,0\.0015,,0,0,0,$/)
})
