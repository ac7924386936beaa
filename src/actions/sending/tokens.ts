import type { Id } from '../../../schema/common.ts'
import type { Clock } from '../../platform/clock.ts'
import { Refusal } from '../../platform/errors.ts'
import type { Egress } from '../../platform/net/egress.ts'
import type { OpenConnection } from '../contract.ts'

const MOST_BYTES = 65_536
const MOST_KEPT = 1000
/** Before its end a token is fetched anew. */
const EARLY_MS = 30_000
const USUAL_MS = 300_000

/**
 * Tokens of connections that fetch them for a client (OAuth 2.0, client credentials), kept until shortly before their
 * end.
 */
export function openTokens ({ out, clock }: { out: Pick<Egress, 'fetch'>, clock: Clock }) {
  const kept = new Map<Id, { token: string, until: number, of: string }>()

  return {
    async of (connection: OpenConnection, signal: AbortSignal): Promise<string> {
      const known = kept.get(connection.id)
      if (known && known.of === connection.updated_at && known.until > clock.monotonic()) return known.token
      const { status, bytes } = await out.fetch(connection.token_url!, {
        method: 'POST',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          accept: 'application/json',
          authorization: `Basic ${Buffer.from([connection.auth_name, connection.opened()].map((part) =>
            encodeURIComponent(part ?? '')).join(':')).toString('base64')}`
        },
        body: 'grant_type=client_credentials',
        maxBytes: MOST_BYTES,
        redirect: 'manual',
        anyStatus: true,
        signal
      }).catch((cause: Error) => { throw refused(cause.message, cause) })
      const { access_token: token, expires_in: seconds } = parsed(bytes)
      if (status !== 200 || typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token)) {
        throw refused(`It answered ${status}.`)
      }
      const ms = typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : USUAL_MS
      if (kept.size >= MOST_KEPT) kept.clear()
      kept.set(connection.id, { token, until: clock.monotonic() + ms - EARLY_MS, of: connection.updated_at })
      return token
    }
  }
}

/** Nothing was sent to the system itself, whatever the reason. */
const refused = (why: string, cause?: unknown) =>
  new Refusal('unavailable', `No token came from token_url. ${why}`, { cause })

function parsed (bytes: Uint8Array): Record<string, unknown> {
  try {
    return Object(JSON.parse(Buffer.from(bytes).toString()))
  } catch {
    return {}
  }
}
