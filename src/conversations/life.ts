import type { ConversationEventType, ConversationRecord, MessageError, MessageRecord, AnsweredBy, Attachment, Citation, Usage } from '../../schema/conversations.ts'
import { Refusal } from '../platform/errors.ts'
import type { Run } from './usage/ledger.ts'

/*
 * The life of an answer, as pure decisions: what a conversation and its last messages become when something happens. The store loads what is
 * asked here, calls one of these, and writes what comes back in one transaction.
 *
 *   visitor's message ──► generating ──► complete
 *                          │  ▲   ├────► stopped    somebody stopped it
 *                          │  │   └────► failed     the model died, or it was begun three times
 *                          └──┘ restarted: after a crash, or because a further message came before it could be seen
 */

/** How often an answer is begun before it counts as failed. */
export const MOST_ATTEMPTS = 3

/** A conversation as it stands, and the messages that a decision looks at. */
export interface Standing {
  conversation: ConversationRecord
  /** The answer that is being written, if there is one. */
  generating: MessageRecord | undefined
}

/** What follows from what happened: the conversation as it becomes, the messages that are new or changed, and what watchers are told. */
export interface Decision {
  conversation: ConversationRecord
  messages: MessageRecord[]
  events: Array<{ type: ConversationEventType, seq: number }>
  /** What the model took that wrote one of them. */
  run?: Run
}

/** Ids and the time, handed in so that a decision stays pure. */
export interface Given { at: string, messageId: string, answerId: string, agentVersion: number }

/** What a visitor said. */
export interface Said { text: string, client_id: string | null, attachments: Attachment[], language: string | null }

/** What an answer turned out to be. */
export interface Answer {
  text: string
  status: 'complete' | 'stopped' | 'failed'
  citations: Citation[]
  suggestions: string[]
  answered_by: AnsweredBy
  model: string | null
  /** Whose model it was; for the ledger alone. */
  provider?: string
  usage: Usage | null
  error: MessageError | null
}

const SUBJECT = 120

/**
 * A visitor says something. A closed conversation is taken up again. While the agent speaks, one answer is asked for: the one being written if
 * `superseded` (nothing of it has been seen, so it is begun anew and answers both), otherwise one further when it is done.
 */
export function receive ({ conversation, generating }: Standing, said: Said, given: Given, superseded: boolean): Decision {
  const reopened = conversation.status === 'closed'
    ? { status: 'open' as const, handled_by: 'agent' as const, person: null, outcome: null, episode: conversation.episode + 1, epoch: conversation.epoch + 1 }
    : {}
  const current = { ...conversation, ...reopened }
  // An answer that is begun anew moves behind what it now answers too.
  const moved = superseded && generating?.seq === current.messages ? generating : undefined
  const seq = moved ? moved.seq : current.messages + 1
  const visitor = messageOf(current, { id: given.messageId, seq, role: 'visitor', text: said.text, client_id: said.client_id, attachments: said.attachments, at: given.at })
  const answer = moved ? { ...moved, seq: seq + 1 } : generating === undefined && current.handled_by === 'agent' ? answerOf(current, seq + 1, given) : undefined
  const messages = answer ? [visitor, answer] : [visitor]
  const next = touched(current, given.at, {
    messages: Math.max(current.messages, seq, answer?.seq ?? 0),
    last_message_at: given.at,
    language: said.language ?? current.language,
    subject: current.subject || subjectOf(said.text)
  })
  return {
    conversation: next,
    messages,
    events: [
      ...(reopened.status ? [{ type: 'conversation.updated' as const, seq: 0 }] : []),
      { type: 'message.created', seq },
      ...(answer ? [{ type: moved ? 'message.restarted' as const : 'message.created' as const, seq: answer.seq }] : [])
    ]
  }
}

/** Whether visitors' messages stand behind this answer, which it does not answer. */
export function isWaitedFor (conversation: ConversationRecord, answer: MessageRecord): boolean {
  return conversation.messages > answer.seq
}

/**
 * The answer is written, stopped or has failed. Undefined when it has ended already: of a stop and a completion that race, the first one counts. Where
 * visitors' messages wait behind it, one further answer begins.
 */
export function finish ({ conversation, generating }: Standing, id: string, answer: Answer, given: Given): Decision | undefined {
  if (generating?.id !== id) return undefined
  const { provider, ...written } = answer
  const ended: MessageRecord = { ...generating, ...written }
  const run = runOf(conversation.agent, answer)
  const further = isWaitedFor(conversation, generating) && conversation.handled_by === 'agent' && conversation.status === 'open'
    ? answerOf(conversation, conversation.messages + 1, given)
    : undefined
  return {
    conversation: touched(conversation, given.at, { last_message_at: given.at, messages: further?.seq ?? conversation.messages }),
    messages: further ? [ended, further] : [ended],
    events: [{ type: 'message.completed', seq: ended.seq }, ...(further ? [{ type: 'message.created' as const, seq: further.seq }] : [])],
    ...(run && { run })
  }
}

/** What the ledger notes of an answer; undefined where no model wrote it. */
export function runOf (agent: number, { model, provider = '', status, usage }: Pick<Answer, 'model' | 'provider' | 'status' | 'usage'>): Run | undefined {
  return usage && model !== null ? { agent, model, provider, outcome: status, ...usage } : undefined
}

/** An answer that a crash cut off is begun again, or given up when it was begun too often. */
export function resume ({ conversation, generating }: Standing, given: Given): Decision | undefined {
  if (!generating) return undefined
  if (generating.attempts >= MOST_ATTEMPTS) {
    return finish({ conversation, generating }, generating.id, {
      text: generating.text,
      status: 'failed',
      citations: [],
      suggestions: [],
      answered_by: generating.answered_by ?? 'model',
      model: generating.model,
      usage: null,
      error: { code: 'interrupted', message: 'The answer was interrupted several times. Ask again.' }
    }, given)
  }
  return {
    conversation: touched(conversation, given.at, {}),
    messages: [{ ...generating, attempts: generating.attempts + 1 }],
    events: [{ type: 'message.restarted', seq: generating.seq }]
  }
}

/** Writes an answer anew, beside the old one. Refuses with `conflict` while one is being written, and what is not the last answer. */
export function regenerate ({ conversation, generating }: Standing, replaced: MessageRecord, isLast: boolean, clientId: string | null, given: Given): Decision {
  if (replaced.role !== 'agent') throw new Refusal('conflict', 'Only an answer of the agent can be written anew.')
  if (generating) throw new Refusal('conflict', 'The agent is writing an answer. Stop it first, or wait until it is done.')
  if (!isLast) throw new Refusal('conflict', 'Only the last answer of a conversation can be written anew.')
  if (conversation.handled_by !== 'agent') throw new Refusal('conflict', 'A person has taken this conversation over; the agent does not answer in it now.')
  const answer = { ...answerOf(conversation, conversation.messages + 1, given), replaces: replaced.id, client_id: clientId }
  return {
    conversation: touched(conversation, given.at, { messages: answer.seq, last_message_at: given.at, ...(conversation.status === 'closed' && { status: 'open' as const, episode: conversation.episode + 1 }) }),
    messages: [answer],
    events: [{ type: 'message.created', seq: answer.seq }]
  }
}

/** Changes what is changed by hand: closing ends who speaks, opening gives it back to the agent. */
export function change (conversation: ConversationRecord, asked: { status?: 'open' | 'closed', language?: string | null, subject?: string }, at: string): ConversationRecord {
  const { status, ...rest } = asked
  const same = status === undefined || (status === 'closed') === (conversation.status === 'closed')
  const moved = same
    ? {}
    : status === 'closed'
      ? { status: 'closed' as const }
      : { status: 'open' as const, handled_by: 'agent' as const, person: null, outcome: null, episode: conversation.episode + 1, epoch: conversation.epoch + 1 }
  return touched(conversation, at, { ...rest, ...moved })
}

function answerOf (conversation: ConversationRecord, seq: number, { answerId, at, agentVersion }: Given): MessageRecord {
  return { ...messageOf(conversation, { id: answerId, seq, role: 'agent', text: '', client_id: null, attachments: [], at }), status: 'generating', agent_version: agentVersion, attempts: 1 }
}

function messageOf (conversation: ConversationRecord, { at, ...own }: Pick<MessageRecord, 'id' | 'seq' | 'role' | 'text' | 'client_id' | 'attachments'> & { at: string }): MessageRecord {
  return {
    ...own,
    conversation: conversation.id,
    status: 'complete',
    citations: [],
    suggestions: [],
    replaces: null,
    feedback: null,
    answered_by: null,
    model: null,
    agent_version: null,
    usage: null,
    error: null,
    created_at: at,
    attempts: 0
  }
}

function touched (conversation: ConversationRecord, at: string, change: Partial<ConversationRecord>): ConversationRecord {
  return { ...conversation, ...change, updated_at: at, revision: conversation.revision + 1 }
}

function subjectOf (text: string): string {
  const line = text.trim().split(/\s*[\r\n]+\s*/)[0] ?? ''
  const short = [...line].slice(0, SUBJECT).join('')
  return short === line ? line : `${short.trimEnd()}…`
}
