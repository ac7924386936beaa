import type { UserRecord } from '../../../schema/access.ts'
import type { Id } from '../../../schema/common.ts'
import type { LinkKind, LinkRecord } from '../../../schema/sign-in.ts'
import { timestamp } from '../../platform/clock.ts'
import { invalid, Refusal } from '../../platform/errors.ts'

const MINUTE = 60_000_000
const LIVES: Record<LinkKind, number> = { setup: 30 * MINUTE, reset: 30 * MINUTE, invitation: 7 * 24 * 60 * MINUTE }

/** When a link that is made now stops working. Both are microseconds since 1970. */
export function linkExpires (kind: LinkKind, now: number): number {
  return now + LIVES[kind]
}

/**
 * The link, if it can still be used. Refuses with `gone`, in the same words, one that was never made, was used, was
 * replaced or has expired.
 */
export function usable (link: LinkRecord | undefined, now: number): LinkRecord {
  if (link && link.used_at === null && link.expires_at > timestamp(now)) return link
  throw new Refusal(
    'gone', 'This link does not work any more: it was used, replaced by a newer one, or has expired. Ask for another.'
  )
}

/** What a person says of themselves when they set a password with a link. */
export interface About { name?: string, email?: string }

/**
 * Who the user of a set-up or reset link is afterwards. `holder`: who has the e-mail address that is asked for. Refuses
 * with VALIDATION_ERROR a user who would have no address to sign in with, and with `taken` an address that another
 * has.
 */
export function decideAbout (
  user: Pick<UserRecord, 'id' | 'name' | 'email'>, { name = user.name, email }: About, holder: Id | undefined
): { name: string, email: string } {
  const address = email ?? user.email
  if (address === null) throw invalid({ field: 'email', message: 'email is required: it is what you sign in with.' })
  if (email !== undefined && holder !== undefined && holder !== user.id) throw addressTaken()
  return { name, email: address }
}

/** The refusal of an e-mail address that another user has. */
export function addressTaken () {
  return new Refusal('taken', 'Another user has this e-mail address already. Use another, or sign in with it.')
}
