import type { Id } from '../../../schema/common.ts'
import type { Channel, ConversationDraft, ConversationRecord } from '../../../schema/conversations.ts'
import { timestamp, type Clock } from '../../platform/clock.ts'
import { codeOf } from '../../platform/languages.ts'
import { AT_FIRST } from '../handoff/policy.ts'
import { newId } from '../storage/rows.ts'

/** A conversation without messages. */
export function newConversation (
  owner: Id,
  agent: Id,
  channel: Channel,
  { visitor = null, language = null, subject = '' }: ConversationDraft,
  clock: Clock
): ConversationRecord {
  const at = timestamp(clock.micros())
  return {
    id: newId('conv'),
    agent,
    owner,
    visitor,
    channel,
    ...AT_FIRST,
    language: codeOf(language),
    subject,
    page: null,
    tickets: [],
    messages: 0,
    created_at: at,
    updated_at: at,
    last_message_at: null,
    revision: clock.micros()
  }
}
