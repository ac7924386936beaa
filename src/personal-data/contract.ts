import type { Id } from '../../schema/common.ts'
import type { ConversationRecord, VisitorRecord } from '../../schema/conversations.ts'
import type { Removed } from '../../schema/privacy.ts'
import type { Work } from '../platform/storage/work.ts'
import type { Owned } from '../platform/work/row-removal.ts'

/*
 * What each feature hands in of what it keeps of persons, agents and accounts: `privacy/` exports, counts and removes
 * it, and reads no table of others.
 */

/** Which rows of a feature go with an agent or an account. */
export interface Keeps {
  /** What belongs to an agent and may be much, in the order in which it goes. Newer rows may belong to older ones. */
  ofAgent?: readonly Owned[]
  /** What an account has and may have much of, beside its agents. */
  ofAccount?: readonly Owned[]
  /**
   * Columns (`api_keys.user_id`) by which somebody comes in for a user or an account, or things are sent to them: such
   * rows go in the commit that deletes the user.
   */
  ways?: readonly string[]
  /** Tables whose rows the outbox names (`tickets/…`), so that what is of a deleted agent is hidden there. */
  named?: readonly string[]
}

/** Part of an export that a feature adds, of a visitor or of a conversation. */
export interface Exporter {
  /** Under which it stands in the file. */
  name: string
  of: (owner: Id, about: { visitor: VisitorRecord } | { conversation: ConversationRecord }) => Promise<unknown[]>
}

/** What was counted of some rows; `number`: of the last one, null where there was none. */
export type Counted = Partial<Removed> & { number: number | null }

/** Counts the next rows of an agent behind a number that were silent since a time: Counted. */
export interface Counter {
  get (asked: { agent: Id, since: string, behind: number }): Work<Counted | undefined>
}

/** Somebody to whom something was sent, by what they call it, and when (microseconds since 1970). */
export interface Sending { system: string, reference: string | null, at: number }
