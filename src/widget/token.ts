import { createHmac, timingSafeEqual } from 'node:crypto'

/** How long a token is good for, in seconds. */
export const TOKEN_SECONDS = 24 * 60 * 60

/** What a visitor's token says. */
export interface Session {
  key: string
  visitor: string
  /** The business has vouched for who this is. */
  verified: boolean
  /** Microseconds since 1970: an unverified visitor sees no conversation that was begun before. */
  since: number
  /** Seconds since 1970 after which the token is void. */
  expires: number
}

const PREFIX = 'agv_'
const FORM = /^agv_([A-Za-z0-9_-]{1,400})\.([A-Za-z0-9_-]{43})$/

/** A token that says this, signed (HMAC-SHA-256). */
export function tokenOf ({ key, visitor, verified, since, expires }: Session, signing: string): string {
  const said = Buffer.from(JSON.stringify([key, visitor, verified ? 1 : 0, since, expires])).toString('base64url')
  return `${PREFIX}${said}.${mac(said, signing).toString('base64url')}`
}

/**
 * What a token says, once it is known to be ours: `signingOf` finds what those of a key are signed with. Undefined for
 * one that is not, or that is void now (seconds since 1970).
 */
export function sessionOf (
  token: string, signingOf: (key: string) => string | undefined, now: number
): Session | undefined {
  const [, said = '', signed = ''] = FORM.exec(token) ?? []
  const session = said === '' ? undefined : read(said)
  const signing = session && signingOf(session.key)
  if (!session || signing === undefined || !timingSafeEqual(mac(said, signing), Buffer.from(signed, 'base64url'))) {
    return undefined
  }
  return session.expires > now ? session : undefined
}

function read (said: string): Session | undefined {
  try {
    const [key, visitor, verified, since, expires] = JSON.parse(Buffer.from(said, 'base64url').toString()) as [
      string,
      string,
      number,
      number,
      number
    ]
    return { key, visitor, verified: verified === 1, since, expires }
  } catch {
    return undefined
  }
}

function mac (said: string, signing: string): Buffer {
  return createHmac('sha256', signing).update(said).digest()
}
