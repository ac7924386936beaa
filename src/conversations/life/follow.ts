import type { ConversationRecord, MessageRecord } from '../../../schema/conversations.ts'
import type { Happening } from '../../platform/work/announcements.ts'
import type { HandsEvent, Move, Loaded } from '../contract.ts'
import type { Answer, Decision, Given } from './decision.ts'

/** Nothing follows. */
export const NO_MOVE: Move = {
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

/** What is left of an answer that is ended where nobody writes it. */
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

/** What the hands make of it; nothing where it does not matter to them. */
export function moveOf (loaded: Loaded, event: HandsEvent, { hands }: Given): Move {
  return hands.decide(loaded, event) ?? NO_MOVE
}

/**
 * What follows from a move: what was being written ends, the visitor is told, the agent begins its answer, each at the
 * next place after `seq`, and everything that is to be known of it goes along.
 */
export function followed (
  { conversation: before, generating, speaker, agent }: Loaded,
  conversation: ConversationRecord,
  move: Move,
  given: Given,
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
    happenings: move.announces.map(
      ({ type, data }) => ({ ...about, type, data: { ...data, conversation: next } }) as Happening
    ),
    ...(move.ended && { ended: move.ended }),
    ...(move.takesBack && { takenBack: { episode: before.episode, at } })
  }
}

function answerOf (
  conversation: ConversationRecord, seq: number, { answerId, at }: Given, version: number | null
): MessageRecord {
  return {
    ...messageOf(conversation, { id: answerId, seq, role: 'agent', text: '', client_id: null, attachments: [], at }),
    status: 'generating',
    agent_version: version,
    attempts: 1
  }
}

/** A message as it is when it is said, complete. */
export function messageOf (
  conversation: ConversationRecord,
  { at, ...own }: Pick<MessageRecord, 'id' | 'seq' | 'role' | 'text' | 'client_id' | 'attachments'> & { at: string }
): MessageRecord {
  return {
    ...own,
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

/** The conversation with a change, by which everybody sees that it is another. */
export function touched (
  conversation: ConversationRecord, at: string, change: Partial<ConversationRecord>
): ConversationRecord {
  return { ...conversation, ...change, updated_at: at, revision: conversation.revision + 1 }
}
