import type { UserDraft } from '../../schema/access.ts'
import type { Id } from '../../schema/common.ts'
import type { Tier } from '../../schema/plans.ts'
import { Refusal } from '../platform/errors.ts'
import { FIRST_KEY } from './make-key.ts'
import type { NewKey } from './contract.ts'

/** A new user, as decided. */
interface NewUser { name: string, email: string | null, tier: Tier }

/**
 * The user made from a draft, with its first key. The first user gets everything, unless the draft says otherwise.
 * Refuses with `taken` an e-mail address that somebody else has; `holder` is that user.
 */
export function decideUser (
  { name, email = null, tier }: UserDraft, { isFirst, holder }: { isFirst: boolean, holder?: Id | undefined }
): { user: NewUser, key: NewKey } {
  if (holder !== undefined) {
    throw new Refusal(
      'taken', `User ${holder} already has the e-mail address ${email}. Leave it out, or use another.`
    )
  }
  return { user: { name, email, tier: tier ?? (isFirst ? 'enterprise' : 'free') }, key: FIRST_KEY }
}
