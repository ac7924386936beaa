import { createHmac, hash, timingSafeEqual } from 'node:crypto'

/** How long a token is valid, in seconds. */
export const TOKEN_SECONDS = 24 * 60 * 60

/** That the business has vouched for a visitor: with which of its secrets, and until when (seconds since 1970). */
interface Vouched { by: string, until: number }

/** What a visitor's token says. */
export interface Session {
  key: string
  visitor: string
  /** Null: nobody has vouched for their identity. */
  vouched: Vouched | null
  /** Microseconds since 1970: an unverified visitor sees no conversation that was begun before. */
  since: number
  /** Seconds since 1970 after which the token is void. */
  expires: number
}

const PREFIX = 'agv_'
const FORM = /^agv_([A-Za-z0-9_-]{1,400})\.([A-Za-z0-9_-]{43})$/

/** A token with these claims, signed (HMAC-SHA-256). */
export function tokenOf ({ key, visitor, vouched, since, expires }: Session, signing: string): string {
  const says = [key, visitor, vouched ? [vouched.by, vouched.until] : 0, since, expires]
  const said = Buffer.from(JSON.stringify(says)).toString('base64url')
  return `${PREFIX}${said}.${mac(said, signing).toString('base64url')}`
}

/** The unverified claims of a token, and the signature to check. */
export interface Claim { session: Session, said: string, signed: string }

/** See Claim; undefined for anything that is not a token. */
export function claimOf (token: string): Claim | undefined {
  const [, said = '', signed = ''] = FORM.exec(token) ?? []
  const session = said === '' ? undefined : read(said)
  return session && { session, said, signed }
}

/**
 * Whether a claim was signed by us: `signing` is the secret for tokens of its key. Also false if it has expired at
 * `now` (seconds since 1970).
 */
export function isOurs ({ session, said, signed }: Claim, signing: string, now: number): boolean {
  return timingSafeEqual(mac(said, signing), Buffer.from(signed, 'base64url')) && session.expires > now
}

/** Whether the business vouches for the visitor at this time (seconds since 1970). */
export const isVouchedFor = ({ vouched }: Pick<Session, 'vouched'>, now: number): boolean =>
  vouched !== null && vouched.until > now

/** The name of a secret in tokens: a number would be reused by the next secret. */
export const nameOfSecret = (secret: string): string => hash('sha256', `vouched ${secret}`, 'base64url').slice(0, 16)

/** The unverified claims of a token. One from before 0.5 that does not say which secret vouched is void. */
function read (said: string): Session | undefined {
  try {
    const [key, visitor, vouched, since, expires] = JSON.parse(Buffer.from(said, 'base64url').toString()) as [
      unknown,
      string,
      [string, number] | 0 | 1,
      number,
      number
    ]
    if (typeof key !== 'string' || vouched === 1) return undefined
    return { key, visitor, vouched: vouched ? { by: vouched[0], until: vouched[1] } : null, since, expires }
  } catch {
    return undefined
  }
}

function mac (said: string, signing: string): Buffer {
  return createHmac('sha256', signing).update(said).digest()
}
