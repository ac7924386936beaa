import type { Purpose } from '../../schema/business.ts'
import type { Id } from '../../schema/common.ts'
import type { ConversationRecord, VisitorRecord } from '../../schema/conversations.ts'
import type { Removed } from '../../schema/privacy.ts'
import type { Work } from '../platform/storage/work.ts'
import type { Owned } from '../platform/work/row-removal.ts'

/*
 * What each feature declares about its data of persons, agents and accounts: `privacy/` exports, counts and removes it,
 * and reads no other feature's tables.
 */

/** Which rows of a feature are deleted with an agent or an account. */
export interface Keeps {
  /** Potentially many rows of an agent, in order of deletion. Newer rows may belong to older ones. */
  ofAgent?: readonly Owned[]
  /** Potentially many rows of an account, besides its agents. */
  ofAccount?: readonly Owned[]
  /**
   * Columns (`api_keys.user_id`) that give access for a user or an account, or cause things to be sent to them: such
   * rows are deleted in the commit that deletes the user.
   */
  ways?: readonly string[]
  /** Tables whose rows the outbox names (`tickets/…`), so that those of a deleted agent are hidden there. */
  named?: readonly string[]
}

/** A feature's part of an export, of a visitor or of a conversation. */
export interface Exporter {
  /** Its property in the file. */
  name: string
  of: (owner: Id, about: { visitor: VisitorRecord } | { conversation: ConversationRecord }) => Promise<unknown[]>
}

/** Counts of some rows; `number`: the last one's, null if there was none. */
export type Counted = Partial<Removed> & { number: number | null }

/** Counts an agent's next rows after a number that have been inactive since a time: Counted. */
export interface Counter {
  get (asked: { agent: Id, since: string, behind: number }): Work<Counted | undefined>
}

/** An address that personal data is sent to, in any scheme, and what it is sent for. */
export interface Sent { url: string, purpose: Purpose }

/** A recipient in another system, by its reference there, and when (microseconds since 1970). */
export interface Sending { system: string, reference: string | null, at: number }
