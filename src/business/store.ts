import type { BusinessRecord } from '../../schema/business.ts'
import type { Id } from '../../schema/common.ts'
import type { Work } from '../platform/storage/work.ts'
import type { Keeps } from '../personal-data/contract.ts'

/** Where the settings of accounts rest. An account that has set nothing has the defaults. */
export interface BusinessStore {
  get (owner: Id): Promise<BusinessRecord>
  /** The same at once: for who decides inside a transaction. */
  of (owner: Id): Work<BusinessRecord>
  /** Writes what `decide` makes of the settings, unless it throws. */
  change (owner: Id, decide: (kept: BusinessRecord) => BusinessRecord): Promise<BusinessRecord>
}

/** What goes with an agent, a user or an account. */
export const businessKept: Keeps = {
  ways: ['businesses.owner_id']
}
