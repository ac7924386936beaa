import type { ConversationRecord } from '../../../schema/conversations.ts'
import { MOST_TAGS } from '../../../schema/common.ts'
import { tagsAs } from '../../platform/tags.ts'
import type { Decision } from './decision.ts'

/*
 * Tags put on a conversation by rules: pure functions.
 */

/**
 * Tags with others appended, each once; any beyond a conversation's limit are left out. The same list if none is added.
 */
export function taggedWith (kept: string[], more: readonly string[]): string[] {
  const added = tagsAs(more).filter((tag) => !kept.includes(tag)).slice(0, Math.max(0, MOST_TAGS - kept.length))
  return added.length > 0 ? [...kept, ...added] : kept
}

/** The event for watchers, the same for tags set by rules and by people. */
export function toldOf (
  events: Decision['events'], before: ConversationRecord, after: ConversationRecord
): Decision['events'] {
  if (after.tags === before.tags || events.some(({ type }) => type === 'conversation.updated')) return events
  return [{ type: 'conversation.updated', seq: 0 }, ...events]
}
