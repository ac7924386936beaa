import type { AgentRecord } from '../../schema/agents.ts'
import type { ConversationRecord, VisitorRecord } from '../../schema/conversations.ts'

/* Whether a visitor is asked how content they were: a decision without a database. */

/** Nobody is asked twice within this many days. */
const PAUSE_DAYS = 7
const DAY_MS = 24 * 3_600_000

/** Channels in which visitors can be asked: elsewhere a client decides what it shows, or somebody is testing. */
const CHANNELS: ReadonlySet<ConversationRecord['channel']> = new Set(['widget', 'api'])

/**
 * Whether the visitor of a conversation that has just ended is asked: if the account asks, they have written something,
 * and were not asked within the last days, about anything. `last`: when they were.
 */
export function isToBeAsked (
  { channel, status, closed_at: at, course }: Pick<ConversationRecord, 'channel' | 'status' | 'closed_at' | 'course'>,
  { asks, last }: { asks: boolean, last: string | null }
): boolean {
  if (!asks || status !== 'closed' || at === null || course.began_at === null || !CHANNELS.has(channel)) return false
  return last === null || Date.parse(at) - Date.parse(last) >= PAUSE_DAYS * DAY_MS
}

/** What tells an answer's words from one without: none of it is kept where nothing was said. */
export function wordsOf (comment: string | undefined): string {
  return (comment ?? '').replaceAll('\0', '').trim()
}

/**
 * Input for deciding whether the question is mailed. `isAsked`: it is still open; `isThere`: they see it in the
 * conversation.
 */
export interface Reading {
  agent: Pick<AgentRecord, 'status' | 'behavior'> | undefined
  visitor: Pick<VisitorRecord, 'email' | 'verified'> | undefined
  isAsked: boolean
  isThere: boolean
  /** They have agreed to the agent's notice. */
  mayWrite: boolean
}

/** The recipient of the question; undefined: nobody. An address given for a ticket may be used for nothing else. */
export function mailTo ({ agent, visitor, isAsked, isThere, mayWrite }: Reading): string | undefined {
  const isGiven = agent?.status === 'Active' && (agent.behavior.collectVisitorData || visitor?.verified === true)
  return isAsked && !isThere && isGiven && mayWrite ? visitor?.email ?? undefined : undefined
}
