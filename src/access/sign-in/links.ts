import type { UserRecord } from '../../../schema/access.ts'
import type { Id } from '../../../schema/common.ts'
import type { LinkKind, LinkRecord } from '../../../schema/sign-in.ts'
import { timestamp } from '../../platform/clock.ts'
import { invalid, Refusal } from '../../platform/errors.ts'

const MINUTE = 60_000_000
const LIVES: Record<LinkKind, number> = { setup: 30 * MINUTE, reset: 30 * MINUTE, invitation: 7 * 24 * 60 * MINUTE }

/** When a link made now expires. Both are microseconds since 1970. */
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
    'gone', 'This link no longer works: it was used, replaced by a newer one, or has expired. Ask for another.'
  )
}

/** What a person enters when they set a password with a link. */
export interface About { name?: string, email?: string }

/**
 * Who the user of a set-up or reset link is afterwards. `holder`: the user who has the requested e-mail address.
 * Refuses with VALIDATION_ERROR a user who would have no address to sign in with, and with `taken` an address that
 * another has.
 */
export function decideAbout (
  user: Pick<UserRecord, 'id' | 'name' | 'email'>, { name = user.name, email }: About, holder: Id | undefined
): { name: string, email: string } {
  const address = email ?? user.email
  if (address === null) throw invalid({ field: 'email', message: 'email is required: you sign in with it.' })
  if (email !== undefined && holder !== undefined && holder !== user.id) throw addressTaken()
  return { name, email: address }
}

/** The refusal of an e-mail address that another user has. */
export function addressTaken () {
  return new Refusal('taken', 'Another user already has this e-mail address. Use another, or sign in with it.')
}
