import type { Id } from '../../../schema/common.ts'
import type { Clock } from '../../platform/clock.ts'
import { unless, type Egress } from '../../platform/net/egress.ts'
import type { OpenConnection } from '../contract.ts'
import { UnsentError } from './failure.ts'

const MOST_BYTES = 65_536
const MOST_KEPT = 1000
/** How long before its expiry a token is fetched again. */
const EARLY_MS = 30_000
const USUAL_MS = 300_000
/** Others may wait for it besides the first caller, whose deadline may pass earlier. */
const FETCH_MS = 20_000

/**
 * Tokens of connections that fetch them for a client (OAuth 2.0, client credentials), cached until shortly before they
 * expire. Concurrent callers share one fetch.
 */
export function openTokens ({ out, clock }: { out: Pick<Egress, 'fetch'>, clock: Clock }) {
  const kept = new Map<Id, { token: string, until: number, of: string }>()
  const fetching = new Map<string, Promise<string>>()

  async function fetchFor (connection: OpenConnection): Promise<string> {
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
      signal: AbortSignal.timeout(FETCH_MS)
    }).catch((cause: Error) => { throw refused(cause.message, cause) })
    const { access_token: token, expires_in: seconds, token_type: type = 'Bearer' } = parsed(bytes)
    if (status !== 200 || typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token)) {
      throw refused(`It answered ${status}.`)
    }
    if (!/^bearer$/i.test(String(type))) throw refused('Its type is not supported; only bearer tokens are.')
    const ms = typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : USUAL_MS
    if (kept.size >= MOST_KEPT) kept.clear()
    kept.set(connection.id, { token, until: clock.monotonic() + ms - EARLY_MS, of: connection.updated_at })
    return token
  }

  return {
    /** The token to use; `isKept`: it was cached, so it may have been revoked since. */
    async of (connection: OpenConnection, signal: AbortSignal): Promise<{ token: string, isKept: boolean }> {
      const known = kept.get(connection.id)
      if (known && known.of === connection.updated_at && known.until > clock.monotonic()) {
        return { token: known.token, isKept: true }
      }
      const name = `${connection.id} ${connection.updated_at}`
      const begun = fetching.get(name) ?? fetchFor(connection).finally(() => fetching.delete(name))
      fetching.set(name, begun)
      return { token: await unless(signal, begun), isKept: false }
    },
    /** Drops a token that the system no longer accepts. */
    forget ({ id }: Pick<OpenConnection, 'id'>, token: string) {
      if (kept.get(id)?.token === token) kept.delete(id)
    }
  }
}

/** Nothing was sent to the system itself, whatever the reason. */
const refused = (why: string, cause?: unknown) =>
  new UnsentError('no_token', `No token came from token_url. ${why}`, cause)

function parsed (bytes: Uint8Array): Record<string, unknown> {
  try {
    return Object(JSON.parse(Buffer.from(bytes).toString()))
  } catch {
    return {}
  }
}
