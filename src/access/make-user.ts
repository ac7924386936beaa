import type { UserDraft } from '../../schema/access.ts'
import type { Id } from '../../schema/common.ts'
import type { Tier } from '../../schema/plans.ts'
import { Refusal } from '../platform/errors.ts'
import { FIRST_KEY } from './make-key.ts'
import type { NewKey } from './contract.ts'

/** What a new user is once it has been decided. */
interface NewUser { name: string, email: string | null, tier: Tier }

/**
 * The user that is made of a draft, with its first key. Who comes first has everything, unless the draft says
 * otherwise. Refuses with `taken` an e-mail address that somebody else has; `holder` is who has it.
 */
export function decideUser (
  { name, email = null, tier }: UserDraft, { isFirst, holder }: { isFirst: boolean, holder?: Id | undefined }
): { user: NewUser, key: NewKey } {
  if (holder !== undefined) {
    throw new Refusal(
      'taken', `User ${holder} has the e-mail address ${email} already. Leave it out, or give another.`
    )
  }
  return { user: { name, email, tier: tier ?? (isFirst ? 'enterprise' : 'free') }, key: FIRST_KEY }
}
