import t from 'tap'
import { MOST_TAGS } from '../../../schema/common.ts'
import type { ConversationRecord, MessageRecord } from '../../../schema/conversations.ts'
import { AT_FIRST } from '../../../src/conversations/handoff/policy.ts'
import type { HandoffEvent, DecisionInput, Transition } from '../../../src/conversations/contract.ts'
import type { Answer, DecisionContext } from '../../../src/conversations/life/decision.ts'
import { followed, messageOf, NO_MOVE } from '../../../src/conversations/life/follow.ts'
import {
  change, finish, handOver, isToStop, isWaitedFor, judge, receive, regenerate, relay, proactiveMessage, reply, resume
} from '../../../src/conversations/life/life.ts'

// What an answer and its conversation become, whatever the hand-off policy makes of it.

const AT = '2026-01-01T00:00:00.000000Z'
const BEFORE = '2025-12-31T00:00:00.000000Z'
const BEGUN: ConversationRecord = {
  id: 'conv_1',
  agent: 1,
  owner: 9,
  visitor: null,
  channel: 'api',
  ...AT_FIRST,
  language: null,
  subject: '',
  tickets: [],
  messages: 2,
  created_at: BEFORE,
  updated_at: BEFORE,
  last_message_at: null,
  page: null,
  revision: 1
}
const SPEAKER = {
  id: 1,
  status: 'Active' as const,
  version: 3,
  name: 'Ada',
  expertHandoff: true,
  aiToAiHandoff: false,
  agentHandoffPrompt: '',
  contact: null,
  hasTickets: true,
  guardRules: []
}
const ANSWER: Answer = {
  text: 'Yes.',
  status: 'complete',
  citations: [],
  suggestions: [],
  answered_by: 'extract',
  model: null,
  usage: null,
  error: null
}
const RUN = { input: 7 } as unknown as NonNullable<Answer['run']>
const SO_FAR: Answer = { ...ANSWER, text: 'So fa', status: 'stopped', run: RUN }
const CARD = { text: 'A person comes.', suggestions: ['Thanks'] }
const message = (seq: number, role: MessageRecord['role'], more: Partial<MessageRecord> = {}): MessageRecord => ({
  ...messageOf(BEGUN, { id: `msg_${seq}`, seq, role, text: `Message ${seq}`, client_id: null, attachments: [], at: BEFORE }), ...more
})
const WRITING = message(2, 'agent', { status: 'generating', attempts: 1 })
const loaded = (more: Partial<DecisionInput> = {}, conversation: Partial<ConversationRecord> = {}): DecisionInput => ({
  conversation: { ...BEGUN, ...conversation },
  generating: undefined,
  speaker: SPEAKER,
  agent: (id) => id === 2 ? { ...SPEAKER, id: 2, version: 8 } : undefined,
  hasAddress: () => false,
  repeated: undefined,
  message: undefined,
  attachments: [],
  ...more
})

/** The context where the policy makes this transition for every event; undefined: the policy ignores it. */
function moving (move: Partial<Transition> | undefined, soFar: Answer | undefined = undefined) {
  const events: HandoffEvent[] = []
  const given: DecisionContext = {
    at: AT,
    messageId: 'msg_v',
    answerId: 'msg_a',
    noticeId: 'msg_n',
    handoff: {
      transition (_loaded, event) {
        events.push(event)
        return move && { ...NO_MOVE, ...move }
      },
      isOver: () => false
    },
    soFar: () => soFar
  }
  return { given, events }
}
const SAID = { text: 'Hello?', client_id: 'c', attachments: [], language: null, wantsPerson: false, isThanks: true }
const shown = (messages: MessageRecord[]) => messages.map(({ seq, role, status }) => `${seq} ${role} ${status}`)

t.test('nothing follows from what does not matter', (t) => {
  t.strictSame(NO_MOVE, {
    change: {},
    notice: null,
    events: [],
    announces: [],
    jobs: [],
    stops: false,
    answers: false,
    ended: null,
    takesBack: false
  })
  const { given } = moving(undefined)
  const follows = followed(loaded({ generating: WRITING }), BEGUN, NO_MOVE, given, 2)
  t.strictSame(follows, {
    conversation: { ...BEGUN, updated_at: AT, revision: 2 }, messages: [], events: [], jobs: [], domainEvents: []
  })
  t.equal(handOver(loaded(), { type: 'free' }, given), undefined)
  t.end()
})

t.test('what follows from a move stands behind each other: what was being written ends, a notice, an answer', (t) => {
  const job = { kind: 'x' } as never
  const ended = { episode: 1 } as never
  const move = {
    change: { speaker: 2 },
    notice: CARD,
    events: ['conversation.updated'],
    announces: [{ type: 'handoff.taken', data: {} }],
    jobs: [job],
    stops: true,
    answers: true,
    ended,
    takesBack: true
  } as unknown as Partial<Transition>
  const { given } = moving(move, SO_FAR)
  const follows = handOver(loaded({ generating: WRITING }), { type: 'free' }, given)!
  t.strictSame(shown(follows.messages), ['2 agent stopped', '3 system complete', '4 agent generating'])
  t.match(follows.messages, [
    { id: 'msg_2', text: 'So fa' },
    { id: 'msg_n', text: CARD.text, suggestions: CARD.suggestions, attempts: 0, unknown: false, created_at: AT },
    { id: 'msg_a', text: '', agent_version: 8, attempts: 1 }
  ])
  t.match(follows.conversation, { messages: 4, speaker: 2, last_message_at: AT, revision: 2 })
  t.strictSame(follows.events, [
    { type: 'message.completed', seq: 2 }, { type: 'conversation.updated', seq: 0 },
    { type: 'message.created', seq: 3 }, { type: 'message.created', seq: 4 }
  ])
  t.match([follows.jobs, follows.run, follows.ended, follows.takenBack], [[job], RUN, ended, { episode: 1, at: AT }])
  t.match(follows.domainEvents, [
    { owner: 9, agent: 1, type: 'handoff.taken', data: { conversation: { id: 'conv_1', messages: 4 } } }
  ])
  t.notOk('ended' in followed(loaded(), BEGUN, NO_MOVE, given, 2))
  t.end()
})

t.test('an answer begins only where the agent speaks in an open conversation, as the version of who speaks', (t) => {
  const { given } = moving(undefined)
  const versions = (conversation: Partial<ConversationRecord>, change: Partial<ConversationRecord> = {}) =>
    followed(loaded({}, conversation), { ...BEGUN, ...conversation }, { ...NO_MOVE, change, answers: true }, given, 2)
      .messages.map(({ agent_version: version }) => version)
  t.strictSame(versions({}), [3])
  t.strictSame(versions({ handled_by: 'queue' }), [])
  t.strictSame(versions({ status: 'closed' }), [])
  t.strictSame(versions({ speaker: 2 }), [3], 'who spoke goes on')
  t.strictSame(versions({}, { speaker: 2 }), [8])
  t.strictSame(versions({}, { speaker: 5 }), [3], 'of who is not there any more')
  t.strictSame(versions({ agent: 2, speaker: 1 }, { speaker: null }), [8], 'the agent of the conversation again')
  const still = followed(loaded(), BEGUN, { ...NO_MOVE, notice: CARD }, given, 2)
  t.match([still.conversation.messages, still.conversation.last_message_at], [3, null], 'a notice is no message of anybody')
  const none = { ...NO_MOVE, stops: true }
  t.strictSame(followed(loaded(), BEGUN, none, moving(undefined, SO_FAR).given, 2).messages, [], 'nothing was being written')
  t.match(followed(loaded({ generating: WRITING }), BEGUN, none, given, 2).messages, [{ seq: 2, text: '', status: 'stopped' }])
  t.equal(followed(loaded({ generating: WRITING }), BEGUN, NO_MOVE, moving(undefined, SO_FAR).given, 2).run, undefined)
  t.equal(followed(loaded({}, { messages: 9 }), { ...BEGUN, messages: 9 }, NO_MOVE, given, 2).conversation.messages, 9)
  t.end()
})

t.test('what a visitor says is told to those who decide, and kept with where and how it was said', (t) => {
  const { given, events } = moving({ answers: true })
  const page = { url: 'https://a.test/', title: 'A' }
  const more = { language: 'de', page, vouched: 5, address: { email: 'a@a.test' } as never, guarded: [{ rule: 1 }] as never }
  const told = receive(loaded(), { ...SAID, ...more }, given, false)
  t.match(events, [{ type: 'said', seq: 3, wantsPerson: false, isThanks: true, address: { email: 'a@a.test' } }])
  t.match(told.conversation, {
    language: 'de', page, subject: 'Hello?', messages: 4, last_message_at: AT, course: { vouched: 5 }, revision: 2
  })
  t.match(told.messages, [
    { id: 'msg_v', seq: 3, role: 'visitor', text: 'Hello?', client_id: 'c', guarded: [{ rule: 1 }] }, { seq: 4, status: 'generating' }
  ])
  t.strictSame(told.events, [{ type: 'message.created', seq: 3 }, { type: 'message.created', seq: 4 }])
  const kept = receive(loaded({}, { language: 'fr', page, subject: 'Mine' }), SAID, moving(undefined).given, false)
  t.match(kept.conversation, { language: 'fr', page, subject: 'Mine', messages: 3, course: { vouched: null } })
  t.strictSame([kept.messages.length, kept.messages[0]!.guarded], [1, []])
  t.end()
})

t.test('an address is unclear only where it is said to be', (t) => {
  const { given, events } = moving(undefined)
  for (const more of [{}, { isAddressUnclear: true }]) receive(loaded(), { ...SAID, ...more }, given, false)
  t.match(events, [{ isAddressUnclear: false }, { isAddressUnclear: true }])
  t.end()
})

t.test('a conversation has twenty tags at most: by hand more are refused, else left out, and who watches is told of new ones', (t) => {
  const tags = (count: number) => Array.from({ length: count }, (_, n) => `tag ${n}`)
  const { given } = moving(undefined)
  t.strictSame(change(loaded(), { tags: tags(MOST_TAGS) }, given).conversation.tags, tags(MOST_TAGS))
  t.throws(() => change(loaded(), { tags: tags(MOST_TAGS + 1) }, given), { code: 'VALIDATION_ERROR' })
  const tagged = (kept: string[], ...more: string[]) => {
    const { conversation, events } = receive(loaded({}, { tags: kept }), { ...SAID, tags: more }, given, false)
    return { tags: conversation.tags, events: events.filter(({ type }) => type === 'conversation.updated') }
  }
  const told = [{ type: 'conversation.updated', seq: 0 }]
  t.strictSame(tagged(['a'], 'a', 'B'), { tags: ['a', 'b'], events: told })
  t.strictSame(tagged(['a'], 'A'), { tags: ['a'], events: [] })
  t.strictSame(tagged(tags(MOST_TAGS - 1), 'x', 'y'), { tags: [...tags(MOST_TAGS - 1), 'x'], events: told })
  for (const kept of [tags(MOST_TAGS), tags(MOST_TAGS + 1)]) t.strictSame(tagged(kept, 'x'), { tags: kept, events: [] })
  t.end()
})

t.test('an answer of which nothing was seen moves behind what is said, and a notice between them', (t) => {
  const say = (move: Partial<Transition>, more: Partial<ConversationRecord> = {}, superseded = true) =>
    receive(loaded({ generating: WRITING }, more), SAID, moving(move, SO_FAR).given, superseded)
  const moved = say({ answers: true })
  t.strictSame(shown(moved.messages), ['2 visitor complete', '3 agent generating'])
  t.match([moved.conversation.messages, moved.run], [3, RUN], 'what was taken for it is counted')
  t.strictSame(moved.events, [{ type: 'message.created', seq: 2 }, { type: 'message.restarted', seq: 3 }])
  const noticed = say({ answers: true, notice: CARD, events: ['conversation.updated'] })
  t.strictSame(shown(noticed.messages), ['2 visitor complete', '4 agent generating', '3 system complete'])
  t.equal(noticed.conversation.messages, 4)
  t.strictSame(noticed.events.map(({ type, seq }) => `${type} ${seq}`), [
    'conversation.updated 0', 'message.created 2', 'message.restarted 4', 'message.created 3'
  ])
  t.strictSame(shown(say({ stops: true, answers: true }).messages), ['3 visitor complete', '2 agent stopped', '4 agent generating'])
  t.strictSame(shown(say({ answers: true }, { messages: 3 }).messages), ['4 visitor complete'], 'others wait behind it')
  const waits = say({ answers: true }, {}, false)
  t.match([shown(waits.messages), waits.run], [['3 visitor complete'], undefined], 'what was seen is not begun anew')
  t.end()
})

t.test('the subject is the first line, in 120 characters', (t) => {
  const subject = (text: string) =>
    receive(loaded(), { ...SAID, text }, moving(undefined).given, false).conversation.subject
  t.equal(subject('  One \r\n two'), 'One')
  t.equal(subject('x'.repeat(120)), 'x'.repeat(120))
  t.equal(subject('x'.repeat(121)), `${'x'.repeat(120)}…`)
  t.equal(subject(`${'x'.repeat(119)} yz`), `${'x'.repeat(119)}…`)
  t.end()
})

t.test('a person answers behind what follows from that', (t) => {
  const { given, events } = moving({ notice: CARD, change: { person: 4 } })
  const said = reply(loaded(), { text: 'Here I am.', client_id: 'c', attachments: [] }, 4, given)
  t.strictSame(events, [{ type: 'replied', person: 4 }])
  t.strictSame(shown(said.messages), ['3 system complete', '4 person complete'])
  t.match(said.messages[1], { id: 'msg_v', author: 4, text: 'Here I am.' })
  t.match(said.conversation, { messages: 4, person: 4, last_message_at: AT })
  t.strictSame(said.events.at(-1), { type: 'message.created', seq: 4 })
  t.end()
})

t.test('the agent remarks something of its own accord; what a person wrote elsewhere is told once, where it fits', (t) => {
  const { given, events } = moving({ change: { reply_due_for: null, person: 6 } })
  t.equal(proactiveMessage(loaded(), undefined, given), undefined)
  t.match(proactiveMessage(loaded(), { text: 'Still there?', jobs: [] }, given), {
    conversation: { messages: 3, last_message_at: AT, revision: 2 },
    messages: [{ id: 'msg_v', seq: 3, role: 'agent', text: 'Still there?', answered_by: 'canned', status: 'complete' }],
    events: [{ type: 'message.created', seq: 3 }]
  })
  const mail = { text: 'By mail.', client_id: 'm' }
  t.match(relay(loaded(), mail, given), {
    conversation: { messages: 3, person: 6, last_message_at: AT, revision: 2 },
    messages: [{ id: 'msg_v', seq: 3, role: 'person', text: 'By mail.', client_id: 'm' }],
    events: [{ type: 'message.created', seq: 3 }]
  })
  t.strictSame(events, [{ type: 'relayed' }])
  t.equal(relay(loaded({ repeated: message(1, 'person') }), mail, given), undefined)
  t.equal(relay(loaded({ generating: WRITING }), mail, given), undefined)
  t.equal(relay(loaded({}, { status: 'closed' }), mail, given), undefined)
  t.end()
})

t.test('of an answer the first end counts, and one that nobody is to say any more is not said', (t) => {
  const { given, events } = moving({})
  const proposal = { action: 'handoff', reason: 'x' }
  const cited = { ...ANSWER, citations: [{}] as never, unknown: true, hindered: 'limit' as const, proposal, run: RUN }
  const done = finish(loaded({ generating: WRITING }), 'msg_2', cited, 5, given)!
  t.strictSame(events, [{ type: 'ended', epoch: 5, ending: { status: 'complete', isUnknown: true, isCited: true, hindered: 'limit', proposal } }])
  t.match(done, { conversation: { messages: 2, last_message_at: AT }, messages: [{ seq: 2, text: 'Yes.', status: 'complete', unknown: true }], run: RUN })
  t.strictSame(done.events, [{ type: 'message.completed', seq: 2 }])
  t.notOk('proposal' in done.messages[0]!)
  const plain = moving({})
  const simple = finish(loaded({ generating: WRITING }), 'msg_2', ANSWER, 5, plain.given)!
  t.match(plain.events, [{ ending: { isUnknown: false, isCited: false, hindered: null, proposal: null } }])
  t.match([simple.messages[0]!.unknown, 'run' in simple], [false, false])
  t.equal(finish(loaded({ generating: WRITING }), 'msg_1', ANSWER, 5, given), undefined)
  t.equal(finish(loaded(), 'msg_2', ANSWER, 5, given), undefined)
  const late = finish(loaded({ generating: WRITING }), 'msg_2', ANSWER, 5, moving(undefined).given)!
  t.match(late.messages, [{ text: 'Message 2', status: 'stopped' }])
  t.equal(late.messages.length, 1)
  const waited = (move: Partial<Transition> | undefined) =>
    shown(finish(loaded({ generating: WRITING }, { messages: 3 }), 'msg_2', ANSWER, 5, moving(move).given)!.messages)
  t.strictSame(waited({}), ['2 agent complete', '4 agent generating'])
  t.strictSame(waited(undefined), ['2 agent stopped', '4 agent generating'])
  t.strictSame(shown(finish(loaded({ generating: WRITING }), 'msg_2', ANSWER, 5, moving({ answers: true, stops: true }).given)!.messages), [
    '2 agent complete', '3 agent generating'
  ], 'what has ended is not stopped')
  t.strictSame([isWaitedFor(BEGUN, WRITING), isWaitedFor({ ...BEGUN, messages: 3 }, WRITING)], [false, true])
  t.end()
})

t.test('what rules tag is on the conversation with what is said, and watchers are told once', (t) => {
  const said = (tags: string[], move: Partial<Transition> = {}) =>
    receive(loaded({}, { tags: ['old'] }), { ...SAID, tags }, moving({ answers: true, ...move }).given, false)
  const types = ({ events }: { events: Array<{ type: string }> }) => events.map(({ type }) => type)
  t.strictSame(said(['old', 'new']).conversation.tags, ['old', 'new'])
  t.strictSame(types(said(['new'])), ['conversation.updated', 'message.created', 'message.created'])
  t.strictSame(types(said(['new'], { events: ['conversation.updated'] })), types(said(['new'])), 'and only once')
  t.strictSame(types(said(['old'])), ['message.created', 'message.created'], 'what is there already is no change')
  const ended = (tags: string[]) =>
    finish(loaded({ generating: WRITING }, { tags: ['old'] }), 'msg_2', { ...ANSWER, tags }, 5, moving({}).given)!
  t.strictSame([ended(['new']).conversation.tags, types(ended(['new']))], [
    ['old', 'new'], ['conversation.updated', 'message.completed']
  ])
  t.notOk('tags' in ended(['new']).messages[0]!)
  t.strictSame(types(ended([])), ['message.completed'])
  const unsaid = finish(
    loaded({ generating: WRITING }, { tags: ['old'] }), 'msg_2', { ...ANSWER, tags: ['new'] }, 5, moving(undefined).given
  )!
  t.strictSame([unsaid.conversation.tags, types(unsaid)], [['old'], ['message.completed']], 'of what is not said nothing is told')
  t.end()
})

t.test('an answer that was cut off is begun three times', (t) => {
  const { given, events } = moving({})
  t.equal(resume(loaded(), given), undefined)
  t.match(resume(loaded({ generating: { ...WRITING, attempts: 2 } }), given), {
    conversation: { revision: 2 }, messages: [{ status: 'generating', attempts: 3 }], events: [{ type: 'message.restarted', seq: 2 }]
  })
  const third = { ...WRITING, attempts: 3, text: 'So fa' }
  const given3 = resume(loaded({ generating: third }, { epoch: 4 }), given)!
  t.match(given3.messages, [{ status: 'failed', text: 'So fa', answered_by: 'model', error: { code: 'interrupted' } }])
  t.match(events.at(-1), { epoch: 4 })
  t.match(resume(loaded({ generating: { ...third, answered_by: 'extract' } }), given)!.messages, [{ answered_by: 'extract' }])
  t.end()
})

t.test('an answer is written anew beside the old one, where it is the last and the agent speaks', (t) => {
  const { given, events } = moving({ notice: CARD, change: { status: 'open' } })
  const old = message(2, 'agent')
  const anew = regenerate(loaded(), old, true, 'c', given)
  t.strictSame(shown(anew.messages), ['3 agent generating'])
  t.match(anew.messages, [{ replaces: 'msg_2', client_id: 'c' }])
  t.equal(anew.conversation.last_message_at, AT)
  t.strictSame(events, [], 'nobody has to decide')
  const reopened = regenerate(loaded({}, { status: 'closed' }), old, true, 'c', given)
  t.match(events, [{ type: 'reopened' }])
  t.match(reopened.messages, [{ role: 'system', replaces: null, client_id: null }, { role: 'agent', replaces: 'msg_2', client_id: 'c' }])
  type More = Partial<ConversationRecord>
  const refused = (more: Partial<DecisionInput>, conversation: More, replaced = old, isLast = true) => () =>
    regenerate(loaded(more, conversation), replaced, isLast, null, given)
  t.throws(refused({}, {}, message(1, 'visitor')), { code: 'not_an_answer' })
  t.throws(refused({ generating: WRITING }, {}), { code: 'in_progress' })
  t.throws(refused({}, {}, old, false), { code: 'not_last_answer' })
  t.throws(refused({}, { handled_by: 'person' }), { code: 'taken_over' })
  t.end()
})

t.test('what is still being written of the agent can be stopped', (t) => {
  t.strictSame([isToStop(WRITING), isToStop(message(2, 'agent'))], [true, false])
  for (const role of ['visitor', 'person', 'system'] as const) t.throws(() => isToStop(message(2, role)), { code: 'not_an_answer' })
  t.end()
})

t.test('by hand a conversation is closed, opened, put off and named', (t) => {
  const by = (patch: object, who?: 'visitor' | 'person') => {
    const { given, events } = moving({ notice: CARD })
    const { conversation, events: told } = change(loaded({}, { language: 'de', tags: ['old'] }), patch, given, who)
    return { conversation, told, events }
  }
  t.strictSame(by({ status: 'closed' }).events, [{ type: 'closed', by: 'person', isResolved: false }])
  t.strictSame(by({ status: 'closed' }, 'visitor').events, [{ type: 'closed', by: 'visitor', isResolved: false }])
  t.strictSame(by({ status: 'open' }).events, [{ type: 'reopened' }])
  const named = by({ subject: 'X', tags: [' VIP', 'vip', 'b'] })
  t.strictSame(named.events, [])
  t.match(named.conversation, { subject: 'X', language: 'de', messages: 2, revision: 2 })
  t.strictSame(named.conversation.tags, ['vip', 'b'])
  t.strictSame(by({ subject: 'X' }).conversation.tags, ['old'])
  t.strictSame(named.told, [{ type: 'conversation.updated', seq: 0 }])
  t.strictSame([by({ language: null }).conversation.language, by({ language: 'en-GB' }).conversation.language], [null, 'en'])
  t.strictSame(by({ snoozed_until: '2026-11-20T15:04:05Z' }).events, [{ type: 'snoozed', until: '2026-11-20T15:04:05.000000Z' }])
  t.strictSame(by({ snoozed_until: null }).events, [{ type: 'snoozed', until: null }])
  t.strictSame(by({ status: 'closed' }).told, [{ type: 'conversation.updated', seq: 0 }, { type: 'message.created', seq: 3 }])
  t.throws(() => by({ snoozed_until: '2026-02-30T15:04:05Z' }), { code: 'VALIDATION_ERROR' })
  t.throws(() => by({ status: 'open', snoozed_until: null }), { code: 'VALIDATION_ERROR' })
  t.end()
})

t.test('answers are judged, of the agent and of a person; what a visitor wrote is not', (t) => {
  const { given, events } = moving({ change: { tags: ['judged'] } })
  const feedback = { score: -1 as const }
  t.match(judge(loaded(), message(2, 'agent'), feedback as never, given), {
    conversation: { tags: ['judged'], revision: 1 }, messages: [{ seq: 2, feedback }], events: [{ type: 'message.updated', seq: 2 }]
  })
  t.strictSame(events, [{ type: 'judged', score: -1 }])
  t.strictSame(judge(loaded(), message(2, 'person'), feedback as never, given).conversation, BEGUN)
  t.equal(events.length, 1, 'of what a person wrote nobody decides')
  t.strictSame(judge(loaded(), message(2, 'agent'), feedback as never, moving(undefined).given).conversation, BEGUN)
  for (const role of ['visitor', 'system'] as const) {
    t.throws(() => judge(loaded(), message(1, role), feedback as never, given), { code: 'not_an_answer' })
  }
  t.end()
})
