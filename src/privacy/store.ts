import type { Id } from '../../schema/common.ts'
import type { ReceiptRecord, Removed } from '../../schema/privacy.ts'
import type { Slice as Part } from '../conversations/index.ts'
import type { Keeps } from '../personal-data/contract.ts'

/** What retention would remove: the days it was asked about, since when that is, and how much. */
export interface Preview { days: number | null, silent_since: string | null, removed: Removed }

/** Where what is kept too long, or is to be forgotten, is found and removed. What is somebody else's is `undefined`. */
export interface PrivacyStore {
  /**
   * What retention would remove from an agent, by its setting or by so many days. Undefined when there is no such
   * agent.
   */
  preview (owner: Id, agent: Id, days?: number): Promise<Preview | undefined>
  /** Proofs of what was removed, newest first. */
  receipts (owner: Id, cursor: string | undefined, limit: number): Promise<Part<ReceiptRecord>>
  /**
   * Removes a visitor with everything that was said with them, in slices that hold nobody up; killed in the middle, it
   * goes on when it is asked for again. The receipt; undefined when there is no such visitor.
   */
  erase (owner: Id, visitor: string): Promise<ReceiptRecord | undefined>
  /** Removes what agents of everybody keep no longer, in slices, until it is done or the signal is aborted. */
  retain (signal: AbortSignal): Promise<void>
  /** Whose visitor this is: for the operator's command line. */
  ownerOf (visitor: string): Promise<Id | undefined>
}

/** What goes with an agent, a user or an account. */
export const privacyKept: Keeps = {
  ofAccount: [{ table: 'privacy_receipts', of: 'owner_id = ?' }]
}
