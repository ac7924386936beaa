import type { BusinessRecord } from '../../schema/business.ts'
import type { Id } from '../../schema/common.ts'
import type { Work } from '../platform/storage/work.ts'
import type { Keeps } from '../personal-data/contract.ts'

/** Stores the settings of accounts. An account without settings has the defaults. */
export interface BusinessStore {
  get (owner: Id): Promise<BusinessRecord>
  /** Synchronous variant, for use inside a transaction. */
  of (owner: Id): Work<BusinessRecord>
  /** Writes the result of `decide`, unless it throws. */
  change (owner: Id, decide: (kept: BusinessRecord) => BusinessRecord): Promise<BusinessRecord>
}

/** What is deleted with an agent, a user or an account. */
export const businessKept: Keeps = {
  ways: ['businesses.owner_id']
}
