import t from 'tap'
import type { ConversationRecord } from '../../../schema/conversations.ts'
import type { Course } from '../../../schema/handoff.ts'
import { abandoned, assigned, offered, passedOver } from '../../../src/handoff/desk/assign.ts'
import { OFFER_DUE, type Hand } from '../../../src/handoff/desk/offers.ts'
import { SNOOZE_OVER, snoozed, woken } from '../../../src/handoff/desk/snooze.ts'
import { AT, BEGUN, given } from '../steps.ts'

const [ADA, BOB, CEM] = [11, 12, 13]
const DAY = 24 * 3_600_000
const conversing = (more: Partial<ConversationRecord> = {}, course: Partial<Course> = {}): ConversationRecord =>
  ({ ...BEGUN, messages: 7, epoch: 3, ...more, course: { ...BEGUN.course, ...course } })
const heldBy = (person: number, more: Partial<ConversationRecord> = {}) =>
  conversing({ handled_by: 'person', person, ...more })
const waiting = (more: Partial<ConversationRecord> = {}, course: Partial<Course> = {}) =>
  conversing({ handled_by: 'queue', status: 'waiting', ...more }, course)
/** With these on duty, and with room. */
const beside = (...users: number[]) =>
  given({ hands: () => users.map((user): Hand => ({ user, capacity: null, holds: 0, offered: 0, called_at: null })) })
const assign = (
  conversation: ConversationRecord, to: number | null,
  { by = BOB, from = null }: { by?: number, from?: number | null } = {}
) => assigned(conversation, { type: 'assigned', by, to, from }, given())

t.test('while the agent speaks, an assignee is only noted; a colleague is told of it, who assigns themselves is not', (t) => {
  const named = assign(conversing(), ADA)
  t.match(named, { change: { assignee: ADA }, announces: [{ type: 'handoff.assigned', data: { to: ADA } }] })
  t.strictSame(named?.events, ['conversation.updated', 'handoff.assigned'])
  t.notOk('handled_by' in named!.change, 'nobody takes over')
  const own = assign(conversing(), BOB)
  t.strictSame([own?.change, own?.events, own?.announces], [{ assignee: BOB }, ['conversation.updated'], []])
  const nobody = assign(conversing({ assignee: ADA }), null)
  t.strictSame([nobody?.change, nobody?.events, nobody?.announces], [{ assignee: null }, ['conversation.updated'], []])
  t.equal(assign(conversing({ assignee: ADA }), ADA), undefined, 'whose it is already')
  t.equal(assign(conversing(), null), undefined)
  t.end()
})

t.test('where people answer, the assignee does from now on: passed on by its holder, or taken from who is named', (t) => {
  t.match(assign(waiting(), ADA), {
    change: { person: ADA, assignee: ADA, handled_by: 'person' }, announces: [{}, { data: { to: ADA } }]
  })
  t.match(assign(heldBy(BOB), ADA), { change: { person: ADA }, events: ['handoff.taken', 'handoff.assigned'] })
  t.match(assign(heldBy(CEM), ADA, { from: CEM }), { change: { person: ADA } })
  for (const from of [null, ADA, BOB]) t.throws(() => assign(heldBy(CEM), ADA, { from }), { code: 'taken_over' })
  t.match(assign(heldBy(CEM), BOB, { from: CEM }), { change: { person: BOB }, announces: [{ type: 'handoff.taken' }] })
  t.strictSame(assign(heldBy(CEM), BOB, { from: CEM })?.events, ['handoff.taken'], 'who takes it themselves is not told')
  const kept = assign(heldBy(ADA), ADA)
  t.strictSame([kept?.change, kept?.events], [{ assignee: ADA }, ['conversation.updated']], 'its holder stays, and is not told')
  t.strictSame(assign(heldBy(ADA, { assignee: ADA }), null)?.change, { assignee: null }, 'held on, and nobody\'s')
  t.throws(() => assign(conversing({ status: 'closed' }), ADA), { code: 'conversation_closed' })
  const asked = { type: 'assigned', by: BOB, to: ADA, from: null } as const
  t.throws(() => assigned(conversing(), asked, given({ mayAnswer: () => false })), { code: 'VALIDATION_ERROR' })
  t.end()
})

t.test('what its holder left waits for another; what was offered or only assigned to them is free again', (t) => {
  const leave = (conversation: ConversationRecord, hands = beside(BOB)) =>
    abandoned(conversation, { type: 'abandoned', person: ADA }, hands)
  t.match(leave(heldBy(ADA, { assignee: ADA })), {
    change: { handled_by: 'queue', assignee: null, offered_to: BOB, course: { passed: [ADA] } }, notice: { key: 'waiting' }
  })
  t.match(leave(heldBy(ADA, { assignee: CEM })), { change: { handled_by: 'queue', assignee: CEM } }, 'still another\'s')
  t.match(leave(waiting({ offered_to: ADA, assignee: ADA })), {
    change: { offered_to: BOB, assignee: null, course: { passed: [ADA] } }, events: ['handoff.offered']
  })
  const freed = leave(heldBy(BOB, { assignee: ADA }))
  t.strictSame([freed?.change, freed?.events, freed?.notice], [{ assignee: null }, ['conversation.updated'], null])
  t.equal(leave(heldBy(BOB, { assignee: CEM })), undefined)
  t.equal(leave(waiting({ offered_to: BOB })), undefined)
  t.equal(leave(waiting()), undefined)
  t.equal(leave(heldBy(ADA, { status: 'closed', assignee: ADA })), undefined, 'what is closed stays so')
  t.end()
})

t.test('who holds what is still offered to them leaves it once', (t) => {
  const left = abandoned(heldBy(ADA, { offered_to: ADA }), { type: 'abandoned', person: ADA }, beside(BOB))
  t.match(left, { notice: { key: 'waiting' }, change: { epoch: 4, offered_to: BOB } })
  t.end()
})

t.test('free hands are offered what waits and is offered to nobody', (t) => {
  t.match(offered(waiting(), beside(ADA)), {
    change: { offered_to: ADA, offered_until: '2026-01-01T00:00:30.000000Z' },
    events: ['handoff.offered'],
    announces: [{ type: 'handoff.offered', data: { to: ADA } }],
    jobs: [{ kind: OFFER_DUE, payload: { epoch: 3, to: ADA }, inMs: 30_000 }]
  })
  t.equal(offered(waiting({ offered_to: BOB }), beside(ADA)), undefined)
  t.equal(offered(conversing(), beside(ADA)), undefined)
  t.equal(offered(heldBy(BOB), beside(ADA)), undefined)
  t.equal(offered(waiting(), beside()), undefined)
  t.equal(offered(waiting({}, { passed: [ADA] }), beside(ADA)), undefined, 'nobody twice')
  t.end()
})

t.test('an offer that nobody took goes to the next, and to nobody after the last; one that is over changes nothing', (t) => {
  const pass = (conversation: ConversationRecord, epoch = 3) =>
    passedOver(conversation, { type: 'passed', epoch, to: ADA }, beside(ADA, BOB))
  t.match(pass(waiting({ offered_to: ADA }, { passed: [CEM] })), {
    change: { offered_to: BOB, course: { passed: [CEM, ADA] } }, events: ['handoff.offered']
  })
  const last = pass(waiting({ offered_to: ADA }, { passed: [BOB] }))
  t.match(last, { change: { offered_to: null, offered_until: null, course: { passed: [BOB, ADA] } }, jobs: [] })
  t.strictSame(last?.events, ['conversation.updated'])
  t.strictSame(pass(waiting({ offered_to: ADA }))?.events, ['handoff.offered'])
  t.equal(pass(waiting({ offered_to: ADA }), 2), undefined)
  t.equal(pass(waiting({ offered_to: BOB })), undefined)
  t.equal(pass(waiting()), undefined)
  t.end()
})

t.test('a conversation is snoozed for a moment up to 366 days, not what a visitor waits for nor what is closed', (t) => {
  const after = (ms: number) => new Date(Date.parse(AT) + ms).toISOString()
  const snooze = (until: string | null, conversation = conversing()) =>
    snoozed(conversation, { type: 'snoozed', until }, given())
  for (const inMs of [1, DAY, 366 * DAY]) {
    const until = after(inMs)
    t.match(snooze(until), {
      change: { snoozed_until: until }, jobs: [{ kind: SNOOZE_OVER, payload: { until }, inMs }], events: []
    })
  }
  for (const ms of [-1, 0, 366 * DAY + 1]) {
    t.throws(() => snooze(after(ms)), { code: 'VALIDATION_ERROR' }, String(ms))
  }
  t.throws(() => snooze(after(DAY), conversing({ status: 'closed' })), { code: 'conversation_closed' })
  t.throws(() => snooze(after(DAY), waiting()), { code: 'not_taken_over' })
  t.match(snooze(after(DAY), heldBy(ADA)), { change: { snoozed_until: after(DAY) } })
  t.match(snooze(null, conversing({ status: 'closed', snoozed_until: AT })), { change: { snoozed_until: null } }, 'ended in any state')
  t.end()
})

t.test('once it is back, who waits for the person that holds it is waited for from now on', (t) => {
  const UNTIL = '2026-01-01T08:00:00.000000Z'
  const wake = (conversation: ConversationRecord, until = UNTIL) =>
    woken({ ...conversation, snoozed_until: UNTIL }, { type: 'woken', until })
  const back = wake(heldBy(ADA))
  t.strictSame([back?.change, back?.events, back?.jobs], [{ snoozed_until: null }, ['conversation.updated'], []])
  for (const waits of [1, 5]) {
    t.match(wake({ ...heldBy(ADA), course: { ...BEGUN.course, waits } })?.jobs, [
      { kind: 'handoff.due', payload: { epoch: 3, what: 'unanswered', waits }, inMs: 15 * 60_000 }
    ])
  }
  t.strictSame(wake(conversing({}, { waits: 1 }))?.jobs, [], 'the agent answers without a timer')
  t.equal(wake(heldBy(ADA), AT), undefined, 'snoozed again since')
  t.equal(woken(heldBy(ADA), { type: 'woken', until: UNTIL }), undefined, 'and no longer')
  t.end()
})
