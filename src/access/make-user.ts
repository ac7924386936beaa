import type { UserDraft } from '../../schema/access.ts'
import type { Tier } from '../../schema/plans.ts'
import { FIRST_KEY, type NewKey } from './make-key.ts'

/** What a new user is once it has been decided. */
export interface NewUser { name: string, email: string | null, tier: Tier }

/** The user that is made of a draft, with its first key. Who comes first has everything, unless the draft says otherwise. */
export function decideUser ({ name, email = null, tier }: UserDraft, { isFirst }: { isFirst: boolean }): { user: NewUser, key: NewKey } {
  return { user: { name, email, tier: tier ?? (isFirst ? 'enterprise' : 'free') }, key: FIRST_KEY }
}
