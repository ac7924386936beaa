import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Permission, User } from '../../schema/access.ts'
import type { Id } from '../../schema/common.ts'
import type { Clock } from '../platform/clock.ts'
import { Refusal } from '../platform/errors.ts'
import { slidingWindow } from '../platform/http/sliding-window.ts'
import { addressBlock } from '../platform/net/address.ts'
import { digestOf, looksLikeKey } from './keys.ts'
import type { AccessStore, Account } from './store.ts'

/**
 * Who is asking, what they may do, and for whom. A visitor is another kind of caller, with a type and a permit of its
 * own.
 */
export interface Caller {
  user: User
  /** The one the user acts for. */
  account: Account
  permissions: readonly Permission[]
  /** What the caller came with. */
  by: { kind: 'key', id: Id }
  /** Microseconds since 1970 after which that is void, or null. */
  expires: number | null
  /**
   * Whether the caller would be let in again now, for the same account. Whatever goes on after its request was let in,
   * a stream above all, asks at least once a second: revoking a key ends what it has opened.
   */
  isStillAllowed (): boolean
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller
  }
}

/** Callers remembered at most; one more costs a query. */
const REMEMBERED = 10_000
const LONGEST_REMEMBERED = 64
/**
 * Addresses whose failures are counted at most; far more would mean an attack from many places, where the count helps
 * little.
 */
const ADDRESSES = 10_000
const USE_NOTED_EVERY_MS = 60_000

export interface IdentifyOptions {
  access: AccessStore
  clock: Clock
  /** Failures a minute from one address before it is refused; 0: no limit. */
  failuresPerMinute: number
  /** Told of every request without a valid key. */
  onFailure?: () => void
}

/**
 * Finds who holds the key of a request. A caller is remembered until a key or user changes, here or in another process,
 * so a revoked key is refused on the very next request. Refuses with `authentication_required`, and with `rate_limited`
 * when an address has failed too often: a valid key still works from there, and nobody's own limit is touched.
 */
export function identifier ({ access, clock, failuresPerMinute, onFailure }: IdentifyOptions) {
  // By the header as it was sent: reading it anew and hashing the key each time cost a twentieth of the fastest routes.
  const remembered = new Map<string, Caller>()
  const noted = new Map<Id, number>()
  const failures = slidingWindow({ clock, most: ADDRESSES })
  let generation = -1

  /** The caller who sends this header; undefined when there is no such key or its time is over. */
  function callerWith (header: string): Caller | undefined {
    if (generation !== access.generation()) {
      generation = access.generation()
      remembered.clear()
    }
    const caller = remembered.get(header) ?? lookUp(header)
    return caller && (caller.expires === null || caller.expires > clock.micros()) ? caller : undefined
  }

  function lookUp (header: string): Caller | undefined {
    const key = keyIn(header)
    const holder = key !== undefined && looksLikeKey(key) ? access.holder(digestOf(key)) : undefined
    if (!holder) return undefined
    const { key: id, ...rest } = holder
    const isStillAllowed = () => callerWith(header)?.account.id === rest.account.id
    const caller: Caller = { ...rest, by: { kind: 'key', id }, isStillAllowed }
    if (remembered.size >= REMEMBERED) remembered.clear()
    // With more blanks than anybody needs it would only take room.
    if (header.length <= LONGEST_REMEMBERED) remembered.set(header, caller)
    return caller
  }

  function noteUse (request: FastifyRequest, key: Id) {
    const now = clock.monotonic()
    const last = noted.get(key)
    if (last !== undefined && now - last < USE_NOTED_EVERY_MS) return
    if (noted.size >= REMEMBERED) noted.clear()
    noted.set(key, now)
    // Not worth failing the request for: the next minute tries again.
    access.touch(key).catch((error) => request.log.warn({ err: error }, 'could not note the use of a key'))
  }

  function failed (request: FastifyRequest): Refusal {
    onFailure?.()
    if (request.headers.authorization !== undefined && failuresPerMinute > 0) {
      const { allowed, freesMs } = failures.take(addressBlock(request.ip), failuresPerMinute)
      if (!allowed) {
        return new Refusal('rate_limited', 'Too many failed attempts from this address. Check the API key and wait before trying again.', {
          headers: { 'retry-after': String(Math.ceil(freesMs / 1000)) }
        })
      }
    }
    return notAuthenticated()
  }

  return function identify (request: FastifyRequest): Caller {
    const { authorization } = request.headers
    const caller = authorization === undefined ? undefined : callerWith(authorization)
    if (!caller) throw failed(request)
    noteUse(request, caller.by.id)
    return caller
  }
}

/** From here on every request must come with a key: sets `request.caller`. */
export const identify = fp<IdentifyOptions>(async (app, options) => {
  const callerOf = identifier(options)
  app.decorateRequest('caller', null as unknown as Caller)
  app.addHook('onRequest', (request, _reply, done) => {
    request.caller = callerOf(request)
    done()
  })
}, { name: 'identify' })

/** The key in an Authorization header, under either of the two schemes; undefined when there is anything else. */
export function keyIn (header = ''): string | undefined {
  return /^(?:Api-Key|Bearer) +([!-~]{1,200}) *$/i.exec(header)?.[1]
}

/** The refusal of a request without a valid key, in the same words whatever is wrong with it. */
export function notAuthenticated (): Refusal {
  const how = 'Send a valid key as "Authorization: Api-Key <key>" or "Authorization: Bearer <key>".'
  return new Refusal('authentication_required', `Authentication failed. ${how}`, { headers: { 'www-authenticate': 'Api-Key, Bearer' } })
}
