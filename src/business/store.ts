import type { BusinessRecord } from '../../schema/business.ts'
import type { Id } from '../../schema/common.ts'

/** Where the settings of accounts rest. An account that has set nothing has the defaults. */
export interface BusinessStore {
  get (owner: Id): Promise<BusinessRecord>
  /** The same at once: for who decides inside a transaction. */
  of (owner: Id): BusinessRecord
  /** Writes what `decide` makes of the settings, unless it throws. */
  change (owner: Id, decide: (kept: BusinessRecord) => BusinessRecord): Promise<BusinessRecord>
}
