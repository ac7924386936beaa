import { isDeepStrictEqual } from 'node:util'
import type { ConversationRecord, MessageRecord } from '../../schema/conversations.ts'
import type { Happening } from '../platform/work/announcements.ts'
import type { Decision } from './life/decision.ts'

declare module '../platform/work/announcements.ts' {
  interface Happenings {
    'conversation.created': { conversation: ConversationRecord }
    /** A message that is whole: a visitor's and a person's at once, an agent's when it ends, however it ends. */
    'message.completed': { conversation: ConversationRecord, message: MessageRecord }
    /** What the team says of it has changed: its tags, priority or assignee, or until when it is put off. */
    'conversation.updated': { conversation: ConversationRecord, changed: string[] }
    'conversation.closed': { conversation: ConversationRecord }
    /** One that was closed goes on. */
    'conversation.reopened': { conversation: ConversationRecord }
    /** It is gone, with everything that was said in it; `conversation` is how it stood, without its subject. */
    'conversation.deleted': { conversation: ConversationRecord }
    /** `before`: what the visitor thought of the answer until then. */
    'feedback.given': { conversation: ConversationRecord, message: MessageRecord, before: 1 | -1 | null }
  }
}

/** What of a conversation the team says of it. */
const OF_TEAM = ['assignee', 'priority', 'tags', 'snoozed_until'] as const

/**
 * What a decision about a conversation announces. `before`: the conversation, and the message that was asked for by id.
 */
export function happeningsOf (
  before: { conversation: ConversationRecord, message: MessageRecord | undefined },
  { conversation, messages, events }: Decision
): Happening[] {
  const about = { owner: conversation.owner, agent: conversation.agent }
  const said = events.flatMap(({ type, seq }): Happening[] => {
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
