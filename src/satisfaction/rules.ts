import type { AgentRecord } from '../../schema/agents.ts'
import type { ConversationRecord, VisitorRecord } from '../../schema/conversations.ts'

/* Whether a visitor is asked how content they were: a decision without a database. */

/** Nobody is asked twice within so many days. */
const PAUSE_DAYS = 7
const DAY_MS = 24 * 3_600_000

/** Where visitors can be asked: elsewhere a client shows what it likes, or somebody tries an agent out. */
const CHANNELS: ReadonlySet<ConversationRecord['channel']> = new Set(['widget', 'api'])

/**
 * Whether the visitor of a conversation that has just ended is asked: where the account asks, they have said something,
 * and were not asked within the last days, about whatever it was. `last`: when they were.
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
 * What decides whether the question goes out by mail. `isAsked`: it is still open; `isThere`: they see it where they
 * are.
 */
export interface Reading {
  agent: Pick<AgentRecord, 'status' | 'behavior'> | undefined
  visitor: Pick<VisitorRecord, 'email' | 'verified'> | undefined
  isAsked: boolean
  isThere: boolean
  /** They have agreed to what the agent shows. */
  mayWrite: boolean
}

/**
 * Whom the question is mailed to; undefined: nobody. An address that was left for a ticket was left for nothing else.
 */
export function mailTo ({ agent, visitor, isAsked, isThere, mayWrite }: Reading): string | undefined {
  const isGiven = agent?.status === 'Active' && (agent.behavior.collectVisitorData || visitor?.verified === true)
  return isAsked && !isThere && isGiven && mayWrite ? visitor?.email ?? undefined : undefined
}
