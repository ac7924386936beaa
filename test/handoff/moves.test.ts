import t from 'tap'
import type { ConversationRecord } from '../../schema/conversations.ts'
import type { Course } from '../../schema/handoff.ts'
import { HANDS_FREE, OFFER_DUE, type Hand } from '../../src/handoff/desk/offers.ts'
import {
  callPerson, closed, outcomeOf, QUEUE_MS, reopened, returned, SILENT_MS, ticketed, UNANSWERED_MS
} from '../../src/handoff/moves.ts'
import { AT, BEGUN, given, speaker } from './steps.ts'

const conversing = (course: Partial<Course> = {}, more: Partial<ConversationRecord> = {}): ConversationRecord =>
  ({ ...BEGUN, messages: 7, epoch: 3, ...more, course: { ...BEGUN.course, ...course } })
const LATER = '2026-01-02T00:00:00.000000Z'

t.test('a visitor waits two minutes, an answer is expected within fifteen, an episode ends after a day', (t) => {
  t.strictSame([QUEUE_MS, UNANSWERED_MS, SILENT_MS], [120_000, 900_000, 86_400_000])
  t.end()
})

t.test('who is called for is noted as asked for once, and the answer that is being written stops', (t) => {
  const called = callPerson(conversing(), 'visitor_asked', given())
  t.match(called, {
    change: {
      status: 'waiting',
      handled_by: 'queue',
      epoch: 4,
      course: { asked_at: AT, asked_for: 'visitor_asked', is_unanswered: true }
    },
    stops: false
  })
  t.match(
    callPerson(conversing({ asked_at: AT, asked_for: 'rule' }), 'visitor_asked', given({ at: LATER })),
    { change: { reason: 'visitor_asked', course: { asked_at: AT, asked_for: 'rule' } } },
    'why and when it was first asked for stay'
  )
  for (const [writes, stops] of [[0, false], [1, true], [2, true]] as const) {
    t.equal(callPerson(conversing(), 'rule', given({ writes })).stops, stops)
    t.equal(ticketed(conversing(), 'rule', given({ writes })).stops, stops)
    t.equal(closed(conversing(), 'abandoned', given({ writes })).stops, stops)
  }
  t.end()
})

t.test('who held a conversation and did not answer is not asked again, and without a holder everybody is', (t) => {
  const hands = () => [1, 2].map((user): Hand => ({ user, capacity: 5, holds: 0, offered: 0, called_at: null }))
  const passed = (person: number | null) =>
    callPerson(conversing({}, { handled_by: person ? 'person' : 'agent', person }), 'repeated_failure', given({ hands })).change
  t.match(passed(1), { course: { passed: [1] }, offered_to: 2 })
  t.match(passed(2), { course: { passed: [2] }, offered_to: 1 })
  t.strictSame(passed(null).course?.passed, [])
  const { change, jobs } = callPerson(conversing(), 'rule', given({ hands }))
  t.equal(change.epoch, 4)
  t.match(jobs, [{ payload: { epoch: 4 } }, { kind: OFFER_DUE, payload: { epoch: 4, to: 1 } }], 'both end with this wait')
  t.end()
})

t.test('nobody waits longer than people are on duty', (t) => {
  const waits = (dutyEndsInMs?: number) => callPerson(conversing(), 'rule', given({ dutyEndsInMs })).jobs[0]!.inMs
  t.strictSame([waits(), waits(120_001), waits(119_999), waits(0)], [120_000, 120_000, 119_999, 0])
  t.end()
})

t.test('without a person there is a ticket, one an episode, and the visitor is told which it is', (t) => {
  const off = callPerson(conversing(), 'rule', given({ isOnDuty: false }))
  t.match(off, { change: { reason: 'no_one_available', course: { asked_for: 'rule', is_ticketed: true } } })
  t.match(callPerson(conversing(), 'rule', given({ speaker: speaker(1, { expertHandoff: false }) })), {
    change: { reason: 'rule', course: { asked_for: 'rule' } }
  })
  const first = ticketed(conversing({ waits: 2 }), 'rule', given())
  t.match(first, { notice: { key: 'passed' }, announces: [{ type: 'handoff.ticketed', data: { reason: 'rule' } }] })
  t.match(first.change, { status: 'open', handled_by: 'agent', epoch: 4, course: { waits: 0 } })
  t.match(first.jobs, [
    { kind: 'ticket.open', payload: { conversation: 'conv_1', reason: 'rule', epoch: 4 } },
    { kind: 'handoff.due', payload: { what: 'silent', waits: 0 }, inMs: SILENT_MS }
  ])
  const second = ticketed(conversing({ is_ticketed: true, asked_at: AT, asked_for: 'visitor_asked' }), 'rule', given({ at: LATER }))
  t.match(second, { notice: { key: 'ticketed' }, change: { course: { asked_at: AT, asked_for: 'visitor_asked' } } })
  t.strictSame([second.announces, second.jobs.map(({ kind }) => kind)], [[], ['handoff.due']])
  t.end()
})

t.test('what a person held makes room for another one once it is theirs no more, and nothing else does', (t) => {
  const frees = (handledBy: ConversationRecord['handled_by']) => {
    const held = conversing({}, { handled_by: handledBy, person: handledBy === 'person' ? 1 : null })
    return [closed(held, 'abandoned', given()), returned(held, true), ticketed(held, 'rule', given())]
      .map(({ jobs }) => jobs.some(({ kind }) => kind === HANDS_FREE))
  }
  t.strictSame(frees('person'), [true, true, true])
  t.strictSame([frees('agent'), frees('queue')], [[false, false, false], [false, false, false]])
  t.end()
})

t.test('one that reopens stays with its assignee, and is nobody\'s once they have left', (t) => {
  const assignee = (mayAnswer: boolean) =>
    reopened(conversing({}, { status: 'closed', assignee: 7 }), given({ mayAnswer: () => mayAnswer })).change.assignee
  t.strictSame([assignee(true), assignee(false)], [undefined, null])
  t.end()
})

t.test('an address is asked for with a ticket where none is known, and one that was given stays', (t) => {
  const asked = (address: number | null, isKnown: boolean) => {
    const { notice, change } = ticketed(conversing({ address }), 'rule', given({ hasAddress: () => isKnown }))
    return [change.course?.address, notice && 'asksAddress' in notice && notice.asksAddress]
  }
  t.strictSame(asked(null, false), [0, true])
  t.strictSame(asked(null, true), [null, false])
  t.strictSame([asked(5, false), asked(5, true)], [[5, false], [5, false]])
  t.strictSame([asked(0, false), asked(0, true)], [[0, true], [null, false]], 'asked for before, and given in a form since')
  t.end()
})

t.test('an agent that speaks again answers what waits, where it is to, and forgets what a person said', (t) => {
  const answers = (asked: boolean, waits: number) => returned(conversing({ waits }, { handled_by: 'person' }), asked).answers
  t.strictSame([answers(true, 0), answers(true, 1), answers(true, 2), answers(false, 1)], [false, true, true, false])
  const course = (waits: number, by: ConversationRecord['handled_by']) =>
    returned(conversing({ waits, boundary: 2, transfer: 5 }, { handled_by: by }), true).change.course
  t.match(course(0, 'person'), { boundary: 7, transfer: 0, waits: 0 })
  t.match(course(1, 'person'), { boundary: 0, waits: 0 }, 'from before what waits on')
  t.match(course(4, 'queue'), { boundary: 3, waits: 0 })
  t.match(course(4, 'agent'), { boundary: 2, transfer: 5, waits: 0 }, 'what the agent itself has heard stays')
  t.end()
})

t.test('an end keeps how the episode went, and nothing waits any more', (t) => {
  const course = { began_at: AT, asked_at: AT, asked_for: 'rule' as const, taken_at: AT, waits: 3 }
  t.match(closed(conversing(course, { episode: 2 }), 'handed_off', given({ at: LATER })), {
    change: { status: 'closed', outcome: 'handed_off', closed_at: LATER, epoch: 4, course: { ...course, waits: 0 } },
    ended: { episode: 2, began_at: AT, asked_at: AT, reason: 'rule', taken_at: AT, ended_at: LATER, outcome: 'handed_off' },
    notice: { key: 'closed' }
  })
  t.end()
})

t.test('an episode is counted as what it surely was', (t) => {
  const outcome = (
    course: Partial<Course>, closer: 'visitor' | 'person' | 'time' = 'visitor', isResolved = false,
    hands: ConversationRecord['handled_by'] = 'agent'
  ) => outcomeOf(conversing({ began_at: AT, ...course }, { handled_by: hands }), { by: closer, isResolved })
  t.equal(outcome({ taken_at: AT, is_ticketed: true, is_confirmed: true }), 'handed_off')
  t.equal(outcome({ is_ticketed: true, is_confirmed: true }, 'visitor', true, 'queue'), 'ticketed')
  t.equal(outcome({ is_confirmed: true }, 'visitor', true, 'queue'), 'abandoned')
  t.equal(outcome({ is_confirmed: true }, 'time', true, 'queue'), 'unanswered')
  t.equal(outcome({ began_at: null, is_confirmed: true }, 'person', true), 'abandoned', 'nothing was asked')
  t.equal(outcome({ is_unanswered: true }, 'person', true), 'resolved_confirmed')
  t.equal(outcome({ is_unanswered: true, is_confirmed: true }), 'resolved_confirmed')
  t.equal(outcome({ is_unanswered: true, is_cited: true }, 'time'), 'unanswered')
  t.equal(outcome({ is_cited: true }, 'time'), 'resolved_assumed')
  t.equal(outcome({ is_cited: true }, 'visitor'), 'abandoned')
  t.equal(outcome({}, 'time'), 'abandoned')
  t.end()
})
