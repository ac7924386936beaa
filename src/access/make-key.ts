import { PERMISSIONS, type ApiKeyDraft } from '../../schema/access.ts'
import { microsOf, timestamp } from '../platform/clock.ts'
import { invalid } from '../platform/errors.ts'
import { demand } from './permit.ts'
import type { NewKey, KeyMaker } from './contract.ts'

/** A new user's first key: all permissions, no expiry. */
export const FIRST_KEY: NewKey = { name: 'First key', permissions: [...PERMISSIONS], expires_at: null }

/**
 * The key made from a draft: it can do no more than its maker, and expires no later. What the draft omits is as the
 * maker's. Refuses with `permission_denied`, and with VALIDATION_ERROR an expiry that does not exist, is past, or later
 * than the maker's. `now`: microseconds since 1970.
 */
export function decideKey (
  maker: KeyMaker,
  { name = 'API key', permissions = [...maker.permissions], expires_at: asked }: ApiKeyDraft,
  now: number
): NewKey {
  for (const permission of permissions) {
    demand(maker.permissions, [permission], `make a key with the permission ${permission}`)
  }
  const expires = asked === undefined || asked === null ? maker.expires : expiry(asked)
  if (expires !== null && expires <= now) wrongExpiry('must be in the future.')
  if (maker.expires !== null && expires !== null && expires > maker.expires) {
    wrongExpiry(
      `must be ${timestamp(maker.expires)} at the latest, when the calling key expires. Use one that lives longer, or leave it out.`
    )
  }
  return { name, permissions, expires_at: expires === null ? null : timestamp(expires) }
}

function expiry (text: string): number {
  return microsOf(text) ?? wrongExpiry('is not a valid date.')
}

function wrongExpiry (why: string): never {
  throw invalid({ field: 'expires_at', message: `expires_at ${why}` })
}
