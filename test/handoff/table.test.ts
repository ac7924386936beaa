import t from 'tap'
import type { ConversationRecord } from '../../schema/conversations.ts'
import type { HandoffEvent } from '../../src/conversations/contract.ts'
import { QUEUE_MS, SILENT_MS, UNANSWERED_MS, type HandoffContext } from '../../src/handoff/moves.ts'
import { decide } from '../../src/handoff/policy.ts'
import { AT, BEGUN, given, run, speaker, WITHOUT } from './steps.ts'

/** A conversation with events. */
function conversing (begun: Partial<ConversationRecord> = {}) {
  let kept: ConversationRecord = { ...BEGUN, ...begun }
  const after = (event: HandoffEvent, circumstances: Partial<HandoffContext> = {}) => {
    const change = decide(kept, event, given(circumstances))
    kept = {
      ...kept, ...change?.change, messages: kept.messages + (change?.notice ? 1 : 0) + (event.type === 'said' ? 1 : 0)
    }
    return change
  }
  return {
    after,
    now: () => kept,
    says: (more: object = {}, circumstances: Partial<HandoffContext> = {}) =>
      after({ type: 'said', seq: kept.messages + 1, wantsPerson: false, isThanks: false, ...more }, circumstances),
    answers: (more: object = {}, circumstances: Partial<HandoffContext> = {}) =>
      after(
        {
          type: 'ended',
          epoch: kept.epoch,
          ending: { status: 'complete', isUnknown: false, isCited: true, hindered: null, proposal: null, ...more }
        },
        circumstances
      )
  }
}

const PERSON = { wantsPerson: true }
const kinds = (change: ReturnType<typeof decide>) =>
  change?.jobs.map(({ kind, inMs, payload }) => [kind, (payload as { what?: string }).what, inMs])

t.test('whoever asks for a person waits for one where somebody is on duty, two minutes at most', async (t) => {
  const { says, after, now } = conversing()
  const called = says(PERSON)
  t.match(now(), { status: 'waiting', handled_by: 'queue', reason: 'visitor_asked', epoch: 1 })
  t.match(called, { notice: { key: 'waiting' }, events: ['handoff.requested'], answers: false })
  t.strictSame(kinds(called), [['handoff.due', 'overdue', QUEUE_MS]])
  t.match(says(), { notice: null, answers: false }, 'what is said meanwhile is kept')
  t.equal(after({ type: 'asked', reason: 'rule' }), undefined, 'asked again, nothing changes')
  t.equal(
    after({ type: 'due', epoch: 0, what: 'overdue', waits: 0 }),
    undefined,
    'a timer of an earlier epoch counts no more'
  )
  const late = after({ type: 'due', epoch: 1, what: 'overdue', waits: 0 })
  t.match(now(), {
    status: 'open',
    handled_by: 'agent',
    reason: 'no_one_available',
    epoch: 2,
    course: { is_ticketed: true, boundary: 2, waits: 0 }
  })
  t.match(late, {
    notice: { key: 'ticket' },
    jobs: [{ kind: 'ticket.open', payload: { conversation: 'conv_1', reason: 'visitor_asked', epoch: 2 } }, {}]
  })
})

t.test('where nobody is on duty, or the agent calls nobody, a ticket is opened at once, one an episode', async (t) => {
  const { says, now } = conversing()
  t.match(says(PERSON, { isOnDuty: false }), { notice: { key: 'ticket' }, events: ['handoff.ticketed'] })
  t.match(now(), { handled_by: 'agent', status: 'open', reason: 'no_one_available' })
  const again = says(PERSON, { isOnDuty: false })
  t.match(again, { notice: { key: 'ticketed' }, announces: [] })
  t.notOk(again!.jobs.some(({ kind }) => kind === 'ticket.open'))
  const other = conversing()
  t.match(other.says(PERSON, { speaker: speaker(1, { expertHandoff: false }) }), { notice: { key: 'ticket' } })
  t.equal(other.now().reason, 'visitor_asked')
  const silent = conversing()
  t.match(
    silent.says(PERSON, { speaker: speaker(1, { expertHandoff: false, hasTickets: false }) }),
    { notice: null, answers: true },
    'where there is no way to a person the agent says so'
  )
  t.throws(
    () =>
      silent.after(
        { type: 'asked', reason: 'rule' }, { speaker: speaker(1, { expertHandoff: false, hasTickets: false }) }
      ),
    { code: 'handoff_not_set_up', message: /expertHandoff/ }
  )
})

t.test('the queue ends with the hours, and with the last who is on duty', async (t) => {
  const { says, after, now } = conversing()
  t.strictSame(kinds(says(PERSON, { dutyEndsInMs: 30_000 })), [['handoff.due', 'overdue', 30_000]])
  t.match(after({ type: 'left' }), { notice: { key: 'ticket' } })
  t.equal(now().handled_by, 'agent')
  t.equal(after({ type: 'left' }), undefined)
})

t.test('a visitor who waits no more goes on with the agent, which answers what was said meanwhile', async (t) => {
  const { says, after, now } = conversing()
  says(PERSON)
  says()
  t.match(after({ type: 'cancelled' }), { notice: { key: 'returned' }, answers: true })
  t.match(now(), { handled_by: 'agent', course: { boundary: 2 } }, 'its context begins at what waits')
  t.throws(() => after({ type: 'cancelled' }), { code: 'not_waiting', message: /is not waiting/ })
})

t.test('a person who answers takes over; what the agent was writing is cut off and counts no more', async (t) => {
  const { says, answers, after, now } = conversing()
  says()
  t.match(after({ type: 'replied', person: 7 }, { writes: 2 }), {
    stops: true, notice: { key: 'taken' }, events: ['handoff.taken']
  })
  t.match(now(), {
    handled_by: 'person', person: 7, reason: 'person_took_over', epoch: 1, course: { taken_at: AT, waits: 0 }
  })
  t.equal(
    after({
      type: 'ended',
      epoch: 0,
      ending: { status: 'complete', isUnknown: false, isCited: true, hindered: null, proposal: null }
    }),
    undefined,
    'a late answer'
  )
  t.equal(answers(), undefined)
  t.match(after({ type: 'replied', person: 7 }), { notice: null, events: [] }, 'whose it is needs no notice')
})

t.test('a conversation has one owner: another one is refused, unless it is taken from them by name', async (t) => {
  const { after, now } = conversing()
  after({ type: 'taken', person: 7, from: null })
  t.equal(after({ type: 'taken', person: 7, from: null }), undefined)
  t.throws(() => after({ type: 'taken', person: 8, from: null }), { code: 'taken_over', fields: { person: 7 } })
  t.throws(() => after({ type: 'replied', person: 8 }), { code: 'taken_over' })
  t.throws(() => after({ type: 'released', person: 8 }), { code: 'taken_over', message: /only they/ })
  after({ type: 'taken', person: 8, from: 7 })
  t.match(now(), { person: 8, epoch: 2 })
  t.throws(
    () => after({ type: 'taken', person: 9, from: 7 }), { code: 'taken_over' }, 'of two who take it from the same, one'
  )
  after({ type: 'released', person: 8 })
  t.throws(() => after({ type: 'released', person: 8 }), { code: 'not_taken_over', message: /Nobody/ })
})

t.test(
  'a visitor who is not answered for a quarter of an hour waits for somebody else, then becomes a ticket',
  async (t) => {
    const { says, after, now } = conversing()
    after({ type: 'replied', person: 7 })
    const { messages } = now()
    t.strictSame(kinds(says()), [['handoff.due', 'unanswered', UNANSWERED_MS]])
    t.strictSame(kinds(says()), [], 'from the first one on')
    t.equal(after({ type: 'due', epoch: 1, what: 'silent', waits: 0 }), undefined)
    t.equal(
      after({ type: 'due', epoch: 1, what: 'unanswered', waits: 99 }), undefined, 'one that was answered meanwhile'
    )
    t.match(after({ type: 'due', epoch: 1, what: 'unanswered', waits: messages + 1 }), { notice: { key: 'waiting' } })
    t.match(now(), { handled_by: 'queue', person: null, reason: 'no_one_available' })
    after({ type: 'due', epoch: 2, what: 'overdue', waits: 0 })
    t.match(now(), { handled_by: 'agent', course: { is_ticketed: true, boundary: messages } })
    t.equal(after({ type: 'due', epoch: 3, what: 'unanswered', waits: 0 }), undefined)
    t.equal(after({ type: 'due', epoch: 3, what: 'overdue', waits: 0 }), undefined)
  }
)

t.test('who takes over from the queue has a quarter of an hour too', async (t) => {
  const { says, after } = conversing()
  says(PERSON)
  t.strictSame(kinds(after({ type: 'taken', person: 7, from: null })), [['handoff.due', 'unanswered', UNANSWERED_MS]])
})

t.test('a model only proposes: code decides', async (t) => {
  const proposing = (action: string, reason = 'complaint', circumstances = {}) => {
    const { says, answers, now } = conversing()
    says()
    return { change: answers({ proposal: { action, reason } }, circumstances), now: now() }
  }
  t.match(proposing('handoff', 'asked_for_a_person').now, { handled_by: 'queue', reason: 'visitor_asked' })
  t.match(proposing('handoff', 'whatever').now, { handled_by: 'queue', reason: 'rule' })
  t.match(proposing('handoff', 'not_in_the_sources', { isOnDuty: false }).now, {
    handled_by: 'agent', reason: 'no_one_available', course: { asked_for: 'not_known' }
  })
  t.match(proposing('ticket', 'complaint').change, { notice: { key: 'passed' } }, 'nobody is said to be away who is there')
  t.match(proposing('ticket', 'complaint', { isOnDuty: false }).change, { notice: { key: 'ticket' } })
  t.match(proposing('ticket', 'strange').now, { reason: 'rule' })
  t.match(
    proposing('handoff', 'complaint', { speaker: speaker(1, { expertHandoff: false, hasTickets: false }) }).change,
    { notice: null }
  )
  t.match(proposing('resolve').now, { handled_by: 'agent', course: { is_confirmed: true } })
  t.match(proposing('delete_everything').change, { notice: null, events: [] })
})

t.test('another agent takes over, three times an episode at most, none twice', async (t) => {
  const { says, answers, now } = conversing()
  says()
  const passOn = (to: number, circumstances: Partial<HandoffContext> = {}) =>
    answers(
      { proposal: { action: `transfer_${to}`, reason: 'billing' } },
      { speaker: speaker(now().speaker ?? 1), ...circumstances }
    )
  t.match(passOn(2), { notice: { key: 'transferred', to: { id: 2 } }, answers: true, events: ['handoff.transferred'] })
  t.match(now(), { speaker: 2, reason: 'transferred', epoch: 1, course: { hops: [1], passed_for: 'billing' } })
  for (const to of [1, 2, 77]) t.match(passOn(to), { events: [] }, `not to ${to}`)
  t.match(passOn(3, { agent: () => speaker(3, { status: 'Inactive' }) }), { events: [] })
  t.match(passOn(3, { agent: () => speaker(3, { aiToAiHandoff: false }) }), { events: [] })
  t.match(passOn(3, { speaker: speaker(2, { aiToAiHandoff: false }) }), { events: [] })
  passOn(3)
  passOn(4)
  t.match(passOn(5), { events: [] }, 'a fourth one')
  t.strictSame(now().course.hops, [1, 2, 3])
})

t.test('two answers in a row that know nothing offer a person; two that fail, or no model where nothing is known, call one', async (t) => {
  const { says, answers } = conversing()
  says()
  t.match(answers({ isUnknown: true }), { notice: null })
  t.match(answers({ isUnknown: true }), { notice: { key: 'offer' }, events: [], change: { course: { unknowns: 2 } } })
  const failing = conversing()
  failing.says()
  failing.answers({ status: 'failed' })
  failing.answers({ status: 'failed' })
  t.match(failing.now(), { handled_by: 'queue', reason: 'repeated_failure' })
  for (const hindered of ['provider_down', 'limit'] as const) {
    const down = conversing()
    down.says()
    t.match(down.answers({ hindered }), { notice: null }, 'what the sources answer needs nobody')
    down.answers({ isUnknown: true, hindered })
    t.match(down.now(), { handled_by: 'queue', reason: hindered })
    down.after({ type: 'left' })
    t.match(
      down.answers({ isUnknown: true, hindered }, { isOnDuty: false }),
      { notice: null },
      'whose ticket is open is told so once'
    )
  }
  t.match(failing.answers({ status: 'stopped' }), undefined)
  const stopping = conversing()
  stopping.says()
  t.match(stopping.answers({ status: 'stopped' }), { notice: null })
})

t.test('each episode ends with one outcome, counted conservatively', async (t) => {
  const ending = (
    play: (one: ReturnType<typeof conversing>) => void, by: 'visitor' | 'person' | 'time' = 'time', isResolved = false
  ) => {
    const one = conversing({ last_message_at: '2025-12-30T00:00:00.000000Z' })
    play(one)
    const change =
      by === 'time'
        ? one.after({ type: 'due', epoch: one.now().epoch, what: 'silent', waits: 0 })
        : one.after({ type: 'closed', by, isResolved })
    t.match(change, {
      notice: { key: 'closed' }, events: ['conversation.closed'], ended: { outcome: one.now().outcome, ended_at: AT }
    })
    return one.now().outcome
  }
  const answered = (one: ReturnType<typeof conversing>) => { one.says(); one.answers() }
  t.equal(ending(answered), 'resolved_assumed')
  t.equal(ending(answered, 'visitor'), 'abandoned', 'no day of silence')
  t.equal(ending(answered, 'visitor', true), 'resolved_confirmed')
  t.equal(
    ending((one) => {
      answered(one)
      one.says({ isThanks: true })
      one.answers({ isCited: false })
    }),
    'resolved_confirmed'
  )
  t.equal(ending((one) => { answered(one); one.after({ type: 'judged', score: 1 }) }), 'resolved_confirmed')
  t.equal(ending((one) => { answered(one); one.after({ type: 'judged', score: -1 }) }), 'unanswered')
  t.equal(ending((one) => { one.says(); one.answers({ isUnknown: true, isCited: false }) }), 'unanswered')
  t.equal(ending((one) => { one.says(); one.answers({ isCited: false }) }), 'abandoned', 'small talk')
  t.equal(ending((one) => { one.says() }, 'visitor'), 'unanswered')
  t.equal(ending(() => {}, 'visitor'), 'abandoned')
  t.equal(ending((one) => { one.says(PERSON) }, 'visitor'), 'abandoned')
  t.equal(ending((one) => { one.says(PERSON) }, 'person'), 'unanswered')
  t.equal(ending((one) => { one.says(PERSON, { isOnDuty: false }) }), 'ticketed')
  t.equal(ending((one) => { one.says(); one.after({ type: 'replied', person: 7 }) }), 'handed_off')
})

t.test('a closed conversation goes on in a new episode, and its outcome is taken back', async (t) => {
  const { says, answers, after, now } = conversing()
  says()
  answers()
  after({ type: 'closed', by: 'visitor', isResolved: true })
  t.equal(after({ type: 'closed', by: 'visitor', isResolved: false }), undefined, 'it ends once')
  t.throws(() => after({ type: 'asked', reason: 'visitor_asked' }), { code: 'conversation_closed', message: /closed/ })
  t.equal(after({ type: 'due', epoch: now().epoch, what: 'silent', waits: 0 }), undefined)
  t.match(says(), { notice: { key: 'returned' }, takesBack: true, answers: true, events: ['conversation.reopened'] })
  t.match(now(), {
    status: 'open', episode: 2, epoch: 2, reopened_at: AT, outcome: null, course: { began_at: AT, boundary: 2 }
  })
  t.equal(after({ type: 'reopened' }), undefined)
  after({ type: 'closed', by: 'person', isResolved: false })
  t.match(says(PERSON), {
    notice: { key: 'waiting' }, takesBack: true, events: ['conversation.reopened', 'handoff.requested']
  })
  t.match(now(), { handled_by: 'queue', episode: 3, epoch: 4 }, 'both at once')
  after({ type: 'closed', by: 'person', isResolved: false })
  t.match(after({ type: 'taken', person: 7, from: null }), {
    takesBack: false, events: ['conversation.reopened', 'handoff.taken']
  })
  t.match(now(), { handled_by: 'person', episode: 4 })
})

t.test(
  'silence is counted from the last message, and never longer than a day, whatever becomes of the clock',
  async (t) => {
    const { says, after } = conversing({ last_message_at: '2025-12-31T23:00:00.000000Z' })
    t.strictSame(kinds(says()), [['handoff.due', 'silent', SILENT_MS]])
    t.strictSame(kinds(after({ type: 'due', epoch: 0, what: 'silent', waits: 0 })), [
      ['handoff.due', 'silent', SILENT_MS - 3_600_000]
    ])
    const ahead = conversing({ last_message_at: '2026-02-01T00:00:00.000000Z' })
    ahead.says()
    t.strictSame(kinds(ahead.after({ type: 'due', epoch: 0, what: 'silent', waits: 0 })), [
      ['handoff.due', 'silent', SILENT_MS]
    ])
    const never = conversing({ created_at: '2025-12-01T00:00:00.000000Z' })
    t.match(never.after({ type: 'due', epoch: 0, what: 'silent', waits: 0 }), { ended: { outcome: 'abandoned' } })
  }
)

t.test(
  'whatever happens in whatever order: no two who speak, no silent hand-off, no loop, no late answer',
  async (t) => {
    const { faults, spoke } = run(50_000, 1)
    t.strictSame(faults, [])
    for (const who of ['agent', 'queue', 'person', 'closed']) t.ok((spoke[who] ?? 0) > 1000, `${who}: ${spoke[who]}`)
  }
)

t.test('without one of the three guards a known fault comes back', async (t) => {
  t.match(run(50_000, 1, WITHOUT.epoch).faults[0], /late answer/)
  t.match(run(50_000, 1, WITHOUT.owner).faults[0], /two who speak/)
  t.match(run(50_000, 1, WITHOUT.notice).faults[0], /in silence/)
})

t.test('what a visitor thinks of an answer is noted: liked it is confirmed, disliked it counts as none', async (t) => {
  // Was wrong where a disliked answer still counted as cited, and as confirmed.
  const { after, answers, now } = conversing()
  answers()
  t.match(now().course, { is_cited: true, is_confirmed: false, is_unanswered: false })
  t.match(after({ type: 'judged', score: 1 }), { notice: null, events: [], jobs: [], answers: false })
  t.match(now().course, { is_cited: true, is_confirmed: true, is_unanswered: false })
  after({ type: 'judged', score: -1 })
  t.match(now().course, { is_cited: false, is_confirmed: false, is_unanswered: true })
})

t.test('a person opens a closed conversation again, with no word of the visitor, and only a closed one', async (t) => {
  const { after, says, now } = conversing()
  says()
  t.equal(after({ type: 'reopened' }), undefined)
  after({ type: 'closed', by: 'person', isResolved: true })
  const { speaker: _none, ...before } = now()
  t.strictSame(after({ type: 'reopened' }), {
    change: {
      status: 'open',
      handled_by: 'agent',
      person: null,
      offered_to: null,
      offered_until: null,
      snoozed_until: null,
      epoch: before.epoch + 1,
      speaker: null,
      reason: null,
      episode: 2,
      outcome: null,
      closed_at: null,
      reopened_at: AT,
      course: { ...BEGUN.course, boundary: before.messages }
    },
    notice: { key: 'returned' },
    events: ['conversation.reopened'],
    announces: [],
    jobs: [],
    stops: false,
    answers: false,
    ended: null,
    takesBack: true
  })
})

// Was wrong with the promise left standing: no test of hand-off saw it.
t.test('what people say in a ticket keeps its promise; the first of it is when the visitor was answered', async (t) => {
  const { says, after, now } = conversing()
  says(PERSON, { isOnDuty: false })
  t.match(now().course, { is_promised: true, replied_at: null })
  after({ type: 'relayed' } as HandoffEvent, { at: '2026-01-01T00:05:00.000000Z' })
  t.match(now().course, { is_promised: false, replied_at: '2026-01-01T00:05:00.000000Z' })
  after({ type: 'relayed' } as HandoffEvent, { at: '2026-01-01T00:09:00.000000Z' })
  t.equal(now().course.replied_at, '2026-01-01T00:05:00.000000Z')
})
