import type { Id } from '../../schema/common.ts'
import type { ReceiptRecord, Removed } from '../../schema/privacy.ts'
import type { Slice as Part } from '../conversations/index.ts'
import type { Keeps } from '../personal-data/contract.ts'

/** What retention would remove: the days in question, the resulting time, and the amounts. */
export interface Preview { days: number | null, silent_since: string | null, removed: Removed }

/** Finds and removes what is expired or to be erased. What is somebody else's is `undefined`. */
export interface PrivacyStore {
  /**
   * What retention would remove from an agent, by its setting or by the given days. Undefined when there is no such
   * agent.
   */
  preview (owner: Id, agent: Id, days?: number): Promise<Preview | undefined>
  /** Proofs of what was removed, newest first. */
  receipts (owner: Id, cursor: string | undefined, limit: number): Promise<Part<ReceiptRecord>>
  /**
   * Removes a visitor with all their conversations, in slices that do not block others; if killed, it continues when
   * requested again. Returns the receipt; undefined when there is no such visitor.
   */
  erase (owner: Id, visitor: string): Promise<ReceiptRecord | undefined>
  /** Removes expired data of all agents, in slices, until it is done or the signal is aborted. */
  retain (signal: AbortSignal): Promise<void>
  /** The owner of a visitor: for the operator's command line. */
  ownerOf (visitor: string): Promise<Id | undefined>
}

/** What is deleted with an agent, a user or an account. */
export const privacyKept: Keeps = {
  ofAccount: [{ table: 'privacy_receipts', of: 'owner_id = ?' }]
}
