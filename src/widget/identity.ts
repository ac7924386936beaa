import { createHmac, timingSafeEqual } from 'node:crypto'
import { EMAIL } from '../../schema/common.ts'
import { Refusal } from '../platform/errors.ts'
import { objectOf } from '../platform/objects.ts'

/** A visitor's identity as asserted by the business; `secret`: which of its secrets signed it. */
export interface Identity { sub: string, email: string | null, name: string | null, until: number, secret: string }

/** Maximum lifetime of an identity, and tolerated clock difference, in seconds. */
const LONGEST_LIFETIME = 24 * 60 * 60
const LEEWAY = 60
const LONGEST_NAME = 200
const LONGEST_EMAIL = 254
const ADDRESS = new RegExp(EMAIL)

/**
 * Verifies an identity signed by the business: a JWT with the algorithm HS256 and no other, with `sub`, `aud` (this
 * key) and `exp` (within 24 hours). Refuses with `permission_denied` in all cases, telling its developers what is
 * wrong.
 */
export function readIdentity (
  jwt: string, secrets: readonly string[], { key, now }: { key: string, now: number }
): Identity {
  const [head = '', body = '', signature = '', ...more] = jwt.split('.')
  const { alg } = parse(head)
  if (more.length > 0 || alg !== 'HS256') throw wrong('must be a JWT signed with HS256.')
  if (secrets.length === 0) {
    throw wrong('cannot be checked: this key has no secret for identities yet. Make one, and sign with it.')
  }
  const given = Buffer.from(signature, 'base64url')
  const secret = secrets.find((one) => {
    const wanted = createHmac('sha256', one).update(`${head}.${body}`).digest()
    return wanted.length === given.length && timingSafeEqual(wanted, given)
  })
  if (secret === undefined) throw wrong('is not signed with a secret of this key.')
  return { ...claimsOf(parse(body), key, now), secret }
}

function claimsOf (
  { sub, aud, exp, nbf, email, name }: Record<string, unknown>, key: string, now: number
): Omit<Identity, 'secret'> {
  // A lone surrogate is stored as the replacement character: two such customers would become one.
  if (typeof sub !== 'string' || sub.trim() === '' || sub.length > LONGEST_NAME || !sub.isWellFormed()) {
    throw wrong(`must have a sub of 1 to ${LONGEST_NAME} whole characters: your own identifier of the visitor.`)
  }
  if (![aud].flat().includes(key)) throw wrong(`must have aud "${key}", so that it cannot be used elsewhere.`)
  if (typeof exp !== 'number' || exp + LEEWAY <= now) {
    throw wrong('has expired, or has no exp. Sign a new one for each page.')
  }
  if (exp > now + LONGEST_LIFETIME + LEEWAY) throw wrong('must expire within 24 hours.')
  if (nbf !== undefined && (typeof nbf !== 'number' || nbf - LEEWAY > now)) throw wrong('is not valid yet.')
  return {
    sub,
    until: exp + LEEWAY,
    email: typeof email === 'string' && email.length <= LONGEST_EMAIL && ADDRESS.test(email) ? email : null,
    name: typeof name === 'string' && name.trim() !== '' && name.length <= LONGEST_NAME ? name : null
  }
}

function parse (part: string): Record<string, unknown> {
  try {
    const read: unknown = JSON.parse(Buffer.from(part, 'base64url').toString())
    return objectOf(read)
  } catch {
    return {}
  }
}

function wrong (what: string): Refusal {
  return new Refusal('permission_denied', `The identity ${what}`)
}
