import fc from 'fast-check'
import t from 'tap'
import type { ConversationRecord, MessageRecord } from '../../schema/conversations.ts'
import { AT_FIRST } from '../../src/conversations/handoff/policy.ts'
import type { HandoffPolicy, DecisionInput } from '../../src/conversations/contract.ts'
import type { Answer, Decision, DecisionContext } from '../../src/conversations/life/decision.ts'
import { change, finish, MOST_ATTEMPTS, receive, regenerate, resume } from '../../src/conversations/life/life.ts'
import { decide } from '../../src/handoff/policy.ts'

const AT = '2026-01-01T00:00:00.000000Z'
const BEGUN: ConversationRecord = {
  id: 'conv_1',
  agent: 1,
  owner: 1,
  visitor: null,
  channel: 'api',
  ...AT_FIRST,
  language: null,
  subject: '',
  tickets: [],
  messages: 0,
  created_at: AT,
  updated_at: AT,
  last_message_at: null,
  page: null,
  revision: 1
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

let ids = 0
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
/** The state machine, with somebody on duty. */
const handoff: HandoffPolicy = {
  transition ({ conversation, generating, speaker, agent, hasAddress }, event) {
    const change = decide(conversation, event, {
      at: AT,
      speaker,
      agent,
      hasAddress,
      isOnDuty: true,
      dutyEndsInMs: undefined,
      writes: generating?.seq ?? 0,
      hands: () => [],
      mayAnswer: () => true
    })
    return change && { ...change, notice: change.notice && { text: change.notice.key, suggestions: [] } }
  },
  isOver: () => false
}
const given = (): DecisionContext => ({
  at: AT,
  messageId: `msg_v${++ids}`,
  answerId: `msg_a${++ids}`,
  noticeId: `msg_n${++ids}`,
  handoff,
  soFar: () => undefined
})
const said = (text = 'Hello?') => ({
  text, client_id: null, attachments: [], language: null, wantsPerson: false, isThanks: false
})

/** A conversation stored as in a store. */
function kept (conversation = BEGUN) {
  const messages = new Map<string, MessageRecord>()
  const standing = (): DecisionInput => ({
    conversation,
    generating: [...messages.values()].find(({ status }) => status === 'generating'),
    speaker: SPEAKER,
    agent: () => SPEAKER,
    hasAddress: () => false,
    repeated: undefined,
    message: undefined,
    attachments: []
  })
  const write = (decision: Decision | undefined) => {
    if (!decision) return undefined
    conversation = decision.conversation
    for (const message of decision.messages) messages.set(message.id, message)
    return decision
  }
  return {
    standing, write, inOrder: () => [...messages.values()].sort((a, b) => a.seq - b.seq), now: () => conversation
  }
}

t.test('a message gets the next place, and an answer begins behind it', async (t) => {
  const { write, standing, inOrder, now } = kept()
  write(receive(standing(), said('How do I return this?\nIt is broken.'), given(), false))
  t.match(inOrder(), [
    { seq: 1, role: 'visitor', status: 'complete' },
    { seq: 2, role: 'agent', status: 'generating', agent_version: 3, attempts: 1 }
  ])
  t.match(now(), { messages: 2, subject: 'How do I return this?', last_message_at: AT })
  write(finish(standing(), inOrder()[1]!.id, ANSWER, now().epoch, given()))
  t.match(inOrder()[1], { status: 'complete', text: 'Yes.', answered_by: 'extract' })
  const again = () => finish(standing(), inOrder()[1]!.id, { ...ANSWER, status: 'stopped' }, now().epoch, given())
  t.equal(again(), undefined, 'what has ended does not end again')
  write(receive(standing(), said('And this?'), given(), false))
  t.match(standing().generating, { seq: 4 })
  t.equal(again(), undefined, 'nor does it end the answer after it')
})

t.test('a long first line is cut for the subject', async (t) => {
  const { write, standing, now } = kept()
  write(receive(standing(), said('wörd '.repeat(60)), given(), false))
  t.match(now().subject, /^wörd .*wörd…$/)
  t.ok([...now().subject].length <= 121)
})

t.test('a further message before anything was seen moves the answer behind it; later ones wait for one more answer', async (t) => {
  const { write, standing, inOrder, now } = kept()
  write(receive(standing(), said('one'), given(), false))
  const moved = write(receive(standing(), said('two'), given(), true))!
  t.strictSame(inOrder().map(({ seq, role }) => [seq, role]), [[1, 'visitor'], [2, 'visitor'], [3, 'agent']])
  t.strictSame(moved.events, [{ type: 'message.created', seq: 2 }, { type: 'message.restarted', seq: 3 }])
  write(receive(standing(), said('three'), given(), false))
  write(receive(standing(), said('four'), given(), true))
  t.strictSame(
    inOrder().map(({ role }) => role),
    ['visitor', 'visitor', 'agent', 'visitor', 'visitor'],
    'what others wait behind does not move'
  )
  const done = write(finish(standing(), inOrder()[2]!.id, ANSWER, now().epoch, given()))!
  t.match(done.messages, [{ seq: 3, status: 'complete' }, { seq: 6, status: 'generating' }])
})

t.test('where a person speaks, no answer begins, and one that was asked for is not given', async (t) => {
  const { write, standing, inOrder } = kept({ ...BEGUN, handled_by: 'person', person: 5 })
  write(receive(standing(), said(), given(), false))
  t.strictSame(inOrder().map(({ role }) => role), ['visitor'])
})

t.test('a closed conversation is taken up again, by the agent', async (t) => {
  const { write, standing, now } = kept({
    ...BEGUN, status: 'closed', handled_by: 'person', person: 5, outcome: 'handed_off'
  })
  const { events } = write(receive(standing(), said(), given(), false))!
  t.match(now(), { status: 'open', handled_by: 'agent', person: null, outcome: null, episode: 2, epoch: 1 })
  t.equal(events[0]!.type, 'conversation.reopened')
})

t.test('an answer that a crash cut off is begun again, and given up the fourth time', async (t) => {
  const { write, standing, inOrder } = kept()
  write(receive(standing(), said(), given(), false))
  for (let attempt = 2; attempt <= MOST_ATTEMPTS; attempt++) {
    const { events } = write(resume(standing(), given()))!
    t.strictSame(events, [{ type: 'message.restarted', seq: 2 }])
    t.match(inOrder()[1], { status: 'generating', attempts: attempt })
  }
  write(resume(standing(), given()))
  t.match(inOrder()[1], { status: 'failed', error: { code: 'interrupted' } })
  t.equal(resume(standing(), given()), undefined)
})

t.test('only the last answer of the agent is written anew', async (t) => {
  const { write, standing, inOrder, now } = kept()
  write(receive(standing(), said(), given(), false))
  const answer = () => inOrder()[1]!
  t.throws(() => regenerate(standing(), answer(), true, null, given()), {
    code: 'in_progress', message: /writing an answer/
  })
  write(finish(standing(), answer().id, ANSWER, now().epoch, given()))
  t.throws(() => regenerate(standing(), inOrder()[0]!, true, null, given()), {
    code: 'not_an_answer', message: /answer of the agent/
  })
  t.throws(() => regenerate(standing(), answer(), false, null, given()), { code: 'not_last_answer', message: /last answer/ })
  t.throws(
    () => regenerate({ ...standing(), conversation: { ...BEGUN, handled_by: 'queue' } }, answer(), true, null, given()),
    { code: 'taken_over', message: /person/ }
  )
  const { messages: [anew] } = write(regenerate(standing(), answer(), true, null, given()))!
  t.match(anew, { seq: 3, replaces: answer().id, status: 'generating' })
  const reopened = regenerate(
    { ...standing(), conversation: { ...BEGUN, status: 'closed', messages: 2 }, generating: undefined },
    answer(),
    true,
    null,
    given()
  )
  t.match(reopened.conversation, { status: 'open', episode: 2 })
})

t.test('closing and opening by hand', async (t) => {
  const { write, standing, now, inOrder } = kept()
  write(change(standing(), { status: 'closed', language: 'de' }, given()))
  t.match(now(), { status: 'closed', language: 'de', revision: 2, epoch: 1, outcome: 'abandoned', closed_at: AT })
  write(change(standing(), { status: 'closed', subject: 'x' }, given()))
  t.match(now(), { status: 'closed', episode: 1, epoch: 1, subject: 'x' })
  write(change(standing(), { status: 'open' }, given()))
  t.match(now(), { status: 'open', episode: 2, epoch: 2, outcome: null, closed_at: null, reopened_at: AT })
  t.strictSame(
    inOrder().map(({ role, text }) => `${role} ${text}`),
    ['system closed', 'system returned'],
    'the visitor is told each time'
  )
})

t.test('whatever happens in whatever order, places have no gaps, one answer is written at a time, and none is left', async (t) => {
  const step = fc.constantFrom('say', 'say at once', 'finish', 'stop', 'fail', 'crash', 'close')
  t.doesNotThrow(() => fc.assert(fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
    const { write, standing, inOrder, now } = kept()
    for (const one of steps) {
      const id = standing().generating?.id ?? ''
      if (one === 'say' || one === 'say at once') write(receive(standing(), said(), given(), one === 'say at once'))
      else if (one === 'crash') write(resume(standing(), given()))
      else if (one === 'close') write(change(standing(), { status: 'closed' }, given()))
      else {
        write(
          finish(
            standing(),
            id,
            { ...ANSWER, status: one === 'finish' ? 'complete' : one === 'stop' ? 'stopped' : 'failed' },
            now().epoch,
            given()
          )
        )
      }
      const seqs = inOrder().map(({ seq }) => seq)
      if (seqs.some((seq, at) => seq !== at + 1) || now().messages !== seqs.length) return false
      if (inOrder().filter(({ status }) => status === 'generating').length > 1) return false
    }
    // Every question is followed by an answer in the end.
    for (let answer = standing().generating; answer; answer = standing().generating) {
      write(finish(standing(), answer.id, ANSWER, now().epoch, given()))
    }
    const last = inOrder().at(-1)
    return !last || last.role !== 'visitor' || now().status !== 'open'
  }), { numRuns: 500 }))
})
