import type { ConversationRecord, MessageRecord } from '../../../schema/conversations.ts'
import type { DomainEvent } from '../../platform/work/event-bus.ts'
import type { HandoffEvent, Transition, DecisionInput } from '../contract.ts'
import type { Answer, Decision, DecisionContext } from './decision.ts'

/** No transition. */
export const NO_MOVE: Transition = {
  change: {},
  notice: null,
  events: [],
  announces: [],
  jobs: [],
  stops: false,
  answers: false,
  ended: null,
  takesBack: false
}

/** The rest of an answer that is ended while nobody writes it. */
export const NOTHING_LEFT: Answer = {
  text: '',
  status: 'stopped',
  citations: [],
  suggestions: [],
  answered_by: 'model',
  model: null,
  usage: null,
  error: null
}

/** The hand-off policy's transition; NO_MOVE if it is not affected. */
export function moveOf (loaded: DecisionInput, event: HandoffEvent, { handoff }: DecisionContext): Transition {
  return handoff.transition(loaded, event) ?? NO_MOVE
}

/**
 * The effects of a transition: the current answer ends, the visitor is notified, the agent starts its answer, each at
 * the next seq after `seq`, with all events and jobs.
 */
export function followed (
  { conversation: before, generating, speaker, agent }: DecisionInput,
  conversation: ConversationRecord,
  move: Transition,
  given: DecisionContext,
  seq: number
): Decision {
  const { at, noticeId } = given
  const current = { ...conversation, ...move.change }
  const { run, ...left } = (move.stops && generating && given.soFar()) || NOTHING_LEFT
  const stopped = move.stops && generating ? [{ ...generating, ...left }] : []
  const notice = move.notice
    ? [
        {
          ...messageOf(current, {
            id: noticeId, seq: seq + 1, role: 'system', text: move.notice.text, client_id: null, attachments: [], at
          }),
          suggestions: move.notice.suggestions
        }
      ]
    : []
  const speaks =
    current.speaker === conversation.speaker ? speaker : (agent(current.speaker ?? current.agent) ?? speaker)
  const isAgents = move.answers && current.handled_by === 'agent' && current.status === 'open'
  const answer = isAgents ? [answerOf(current, seq + notice.length + 1, given, speaks.version)] : []
  const next = touched(current, at, {
    messages: Math.max(conversation.messages, seq + notice.length + answer.length),
    ...(answer.length > 0 && { last_message_at: at })
  })
  const about = { owner: next.owner, agent: next.agent }
  return {
    conversation: next,
    messages: [...stopped, ...notice, ...answer],
    events: [
      ...stopped.map((message) => ({ type: 'message.completed' as const, seq: message.seq })),
      ...move.events.map((type) => ({ type, seq: 0 })),
      ...[...notice, ...answer].map((message) => ({ type: 'message.created' as const, seq: message.seq }))
    ],
    jobs: move.jobs,
    ...(run && { run }),
    domainEvents: move.announces.map(
      ({ type, data }) => ({ ...about, type, data: { ...data, conversation: next } }) as DomainEvent
    ),
    ...(move.ended && { ended: move.ended }),
    ...(move.takesBack && { takenBack: { episode: before.episode, at } })
  }
}

function answerOf (
  conversation: ConversationRecord, seq: number, { answerId, at }: DecisionContext, version: number | null
): MessageRecord {
  return {
    ...messageOf(conversation, { id: answerId, seq, role: 'agent', text: '', client_id: null, attachments: [], at }),
    status: 'generating',
    agent_version: version,
    attempts: 1
  }
}

/** A complete message as it is sent. */
export function messageOf (
  conversation: ConversationRecord,
  { at, ...fields }: Pick<MessageRecord, 'id' | 'seq' | 'role' | 'text' | 'client_id' | 'attachments'> & { at: string }
): MessageRecord {
  return {
    ...fields,
    conversation: conversation.id,
    author: null,
    status: 'complete',
    citations: [],
    suggestions: [],
    replaces: null,
    feedback: null,
    answered_by: null,
    unknown: false,
    model: null,
    agent_version: null,
    usage: null,
    error: null,
    guarded: [],
    created_at: at,
    attempts: 0
  }
}

/** The conversation with a change, and a new revision. */
export function touched (
  conversation: ConversationRecord, at: string, change: Partial<ConversationRecord>
): ConversationRecord {
  return { ...conversation, ...change, updated_at: at, revision: conversation.revision + 1 }
}
