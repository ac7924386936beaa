import { isDeepStrictEqual } from 'node:util'
import type { ConversationRecord, MessageRecord } from '../../schema/conversations.ts'
import type { DomainEvent } from '../platform/work/event-bus.ts'
import type { Decision } from './life/decision.ts'

declare module '../platform/work/event-bus.ts' {
  interface DomainEvents {
    'conversation.created': { conversation: ConversationRecord }
    /** A complete message: a visitor's and a person's at once, an agent's when it ends, in whatever way. */
    'message.completed': { conversation: ConversationRecord, message: MessageRecord }
    /** Fields set by the team changed: its tags, priority, assignee, or snooze. */
    'conversation.updated': { conversation: ConversationRecord, changed: string[] }
    'conversation.closed': { conversation: ConversationRecord }
    /** A closed one was reopened. */
    'conversation.reopened': { conversation: ConversationRecord }
    /** It was deleted, with all its messages; `conversation` is its last state, without its subject. */
    'conversation.deleted': { conversation: ConversationRecord }
    /** `before`: the visitor's previous rating of the answer. */
    'feedback.given': { conversation: ConversationRecord, message: MessageRecord, before: 1 | -1 | null }
  }
}

/** Fields of a conversation set by the team. */
const OF_TEAM = ['assignee', 'priority', 'tags', 'snoozed_until'] as const

/**
 * The domain events of a decision about a conversation. `before`: the conversation, and the message requested by id.
 */
export function domainEventsOf (
  before: { conversation: ConversationRecord, message: MessageRecord | undefined },
  { conversation, messages, events }: Decision
): DomainEvent[] {
  const about = { owner: conversation.owner, agent: conversation.agent }
  const said = events.flatMap(({ type, seq }): DomainEvent[] => {
    const message = messages.find((one) => one.seq === seq)
    if (!message) return []
    if ((type === 'message.created' || type === 'message.completed') && message.status !== 'generating') {
      return [{ ...about, type: 'message.completed', data: { conversation, message } }]
    }
    const isJudged = type === 'message.updated' && message.feedback && message.feedback !== before.message?.feedback
    return isJudged
      ? [
          {
            ...about,
            type: 'feedback.given',
            data: { conversation, message, before: before.message?.feedback?.score ?? null }
          }
        ]
      : []
  })
  const changed = OF_TEAM.filter((field) => !isDeepStrictEqual(before.conversation[field], conversation[field]))
  if (changed.length > 0) said.push({ ...about, type: 'conversation.updated', data: { conversation, changed } })
  const [wasClosed, isClosed] = [before.conversation.status === 'closed', conversation.status === 'closed']
  if (wasClosed && !isClosed) return [{ ...about, type: 'conversation.reopened', data: { conversation } }, ...said]
  return isClosed && !wasClosed ? [...said, { ...about, type: 'conversation.closed', data: { conversation } }] : said
}
