import cookie from '@fastify/cookie'
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Clock } from '../platform/clock.ts'
import { Refusal } from '../platform/errors.ts'
import type { Neighbours } from '../platform/neighbours/contract.ts'
import { addressBlock } from '../platform/net/address.ts'
import { digestOf, looksLikeKey } from './keys.ts'
import { anyTokenIn, tokenIn } from './sign-in/cookie.ts'
import { isFromOurs } from './sign-in/same-origin.ts'
import type { Membership, SessionHolder, SignInStore } from './sign-in/store.ts'
import { tokenDigest } from './sign-in/tokens.ts'
import type { AccessStore } from './store.ts'
import type { Caller } from './contract.ts'

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller
  }
}

/** Callers remembered at most; one more costs a query. */
const REMEMBERED = 10_000
/** Maximum length: enough for a key with its scheme, and for a session's token with an account. */
const LONGEST_REMEMBERED = 64
/**
 * Addresses whose failures are counted at most; far more would mean an attack from many places, where the count helps
 * little.
 */
const ADDRESSES = 10_000
const USE_NOTED_EVERY_MS = 60_000

interface IdentifyOptions {
  access: AccessStore
  signIn: SignInStore
  clock: Clock
  neighbours: Pick<Neighbours, 'window'>
  /** The server's public address, if set. */
  baseUrl: string
  /** Failures per minute from one address before it is refused; 0: no limit. */
  failuresPerMinute: number
  /** Called for every request without a valid key. */
  onFailure?: () => void
}

/** Identifies callers. */
export interface Identifier {
  /**
   * The caller of a request, by its key or by the cookie of a session. Refuses with `authentication_required`, with
   * `permission_denied` an account that the caller does not act for, and with `rate_limited` when an address has failed
   * too often: a valid key still works from there, and nobody's own limit is affected.
   */
  caller (request: FastifyRequest): Soon<Caller>
  /** The session of a request from one of our pages, whatever accounts its user acts for; undefined if none. */
  session (request: FastifyRequest): Promise<SessionHolder | undefined>
  /**
   * Counts an attempt to sign in from the address of a request. Refuses with `rate_limited` when there were too many.
   */
  attempt (request: FastifyRequest): Promise<void>
}

/** Cached callers are returned synchronously: a promise would slow the fastest routes by a twentieth. */
type Soon<T> = T | Promise<T>

/** How to look a caller up again: a header and the look-up of what it names. */
type LookUp = (name: string) => Promise<Omit<Caller, 'isStillAllowed'> | undefined>

/**
 * Identifies callers. A caller is cached until a key, session, member or user changes, here or in another process, so
 * revocations take effect on the very next request.
 */
export function identifier ({
  access, signIn, clock, neighbours, baseUrl, failuresPerMinute, onFailure
}: IdentifyOptions): Identifier {
  // Keyed by the raw header: parsing it and hashing the key each time slowed the fastest routes by a twentieth.
  const remembered = new Map<string, Caller>()
  const noted = new Map<string, number>()
  const failures = neighbours.window({ name: 'failures', most: ADDRESSES })
  let generation = -1

  /** The caller that this names; undefined if there is none or it has expired. */
  function callerWith (name: string, lookUp: LookUp): Soon<Caller | undefined> {
    if (generation !== access.generation()) {
      generation = access.generation()
      remembered.clear()
    }
    const caller = remembered.get(name)
    if (caller) return isInTime(caller) ? caller : undefined
    return remember(name, lookUp).then((found) => found && isInTime(found) ? found : undefined)
  }

  async function remember (name: string, lookUp: LookUp): Promise<Caller | undefined> {
    const before = generation
    const found = await lookUp(name)
    if (!found) return undefined
    const isStillAllowed = async () => {
      try {
        const now = await callerWith(name, lookUp)
        return now?.account.id === found.account.id && found.permissions.every((one) => now.permissions.includes(one))
      } catch {
        // Someone who left an account may still act for another; failed look-ups end access too.
        return false
      }
    }
    const caller: Caller = { ...found, isStillAllowed }
    if (remembered.size >= REMEMBERED) remembered.clear()
    // With excessive blanks it would only waste memory.
    if (name.length <= LONGEST_REMEMBERED && generation === before) remembered.set(name, caller)
    return caller
  }

  const isInTime = ({ expires }: { expires: number | null }) => expires === null || expires > clock.micros()

  const byKey: LookUp = async (header) => {
    const key = keyIn(header)
    const holder = key !== undefined && looksLikeKey(key) ? await access.holder(digestOf(key)) : undefined
    if (!holder) return undefined
    const { key: id, ...rest } = holder
    return { ...rest, by: { kind: 'key', id } }
  }

  /** By the token of a session and the account that the request names, if any. */
  const bySession: LookUp = async (name) => {
    const [token = '', wanted] = name.split('\n')
    const holder = await signIn.holder(tokenDigest(token))
    const membership = holder && membershipFor(holder, wanted || undefined)
    if (!holder || !membership) return undefined
    return {
      ...membership, user: holder.user, by: { kind: 'session', id: holder.session }, isAssistant: false, expires: holder.expires
    }
  }

  function tokenOf (request: FastifyRequest): string | undefined {
    const token = tokenIn(request, baseUrl)
    return token !== undefined && isFromOurs(request, baseUrl) ? token : undefined
  }

  function found (request: FastifyRequest): Soon<Caller | undefined> {
    const { authorization, 'agenthall-account': wanted } = request.headers
    if (authorization !== undefined) {
      const caller = callerWith(authorization, byKey)
      return wanted === undefined ? caller : onlyFor(wanted, caller)
    }
    const token = tokenOf(request)
    // Headers cannot contain a line break, so this never collides with a key.
    return token === undefined ? undefined : callerWith(`${token}\n${wanted ?? ''}`, bySession)
  }

  async function onlyFor (wanted: string | string[], found: Soon<Caller | undefined>): Promise<Caller | undefined> {
    const caller = await found
    if (caller && String(wanted) !== String(caller.account.id)) {
      throw notTheirs(`This key acts for account ${caller.account.id} only.`)
    }
    return caller
  }

  function noteUse (request: FastifyRequest, { kind, id }: Caller['by']) {
    const name = `${kind} ${id}`
    const now = clock.monotonic()
    const last = noted.get(name)
    if (last !== undefined && now - last < USE_NOTED_EVERY_MS) return
    if (noted.size >= REMEMBERED) noted.clear()
    noted.set(name, now)
    // Not worth failing the request for: the next minute tries again.
    const touch = kind === 'key' ? access.touch : signIn.touch
    touch(id).catch((error) => request.log.warn({ err: error }, `could not record the use of a ${kind}`))
  }

  async function attempt (request: FastifyRequest) {
    if (failuresPerMinute === 0) return
    const { allowed, freesMs } = await failures.take(addressBlock(request.ip), failuresPerMinute)
    if (allowed) return
    throw new Refusal(
      'rate_limited',
      'Too many failed attempts from this address. Check the API key or password and wait before trying again.',
      {
        headers: { 'retry-after': String(Math.ceil(freesMs / 1000)) }
      }
    )
  }

  async function refused (request: FastifyRequest): Promise<never> {
    onFailure?.()
    // Without a key there was no guess.
    if (request.headers.authorization !== undefined) await attempt(request)
    throw notAuthenticated()
  }

  function admitted (request: FastifyRequest, caller: Caller | undefined): Soon<Caller> {
    if (!caller) return refused(request)
    noteUse(request, caller.by)
    return caller
  }

  return {
    caller (request) {
      const caller = found(request)
      return caller instanceof Promise ? caller.then((one) => admitted(request, one)) : admitted(request, caller)
    },
    async session (request) {
      const token = tokenOf(request)
      const holder = token === undefined ? undefined : await signIn.holder(tokenDigest(token))
      return holder && isInTime(holder) ? holder : undefined
    },
    attempt
  }
}

/**
 * The account that a session's request acts for, and what its user may do there: the one that it names, else the one
 * chosen in the session, else the first. Undefined for users who belong to none. Refuses with `permission_denied` one
 * that the user does not act for.
 */
export function membershipFor (
  { memberships, chosen }: Pick<SessionHolder, 'memberships' | 'chosen'>, wanted?: string
): Membership | undefined {
  if (wanted !== undefined && memberships.length > 0) {
    return memberships.find(({ account }) => String(account.id) === wanted) ?? refuse()
  }
  return memberships.find(({ account }) => account.id === chosen) ?? memberships[0]

  function refuse (): never {
    throw notTheirs('You may not act for the account in Agenthall-Account. GET /v1/me lists yours.')
  }
}

function notTheirs (message: string) {
  return new Refusal('permission_denied', message, { fields: { header: 'Agenthall-Account' } })
}

/** From here on every request must come with a key or a session: sets `request.caller`. */
export const identify = fp<{ callers: Identifier }>(async (app, { callers }) => {
  await app.register(cookie)
  app.decorateRequest('caller', null as unknown as Caller)
  app.addHook('onRequest', (request, _reply, done) => {
    const caller = callers.caller(request)
    if (!(caller instanceof Promise)) {
      request.caller = caller
      return done()
    }
    caller.then((found) => { request.caller = found }).then(() => done(), done)
  })
}, { name: 'identify' })

/** What only the caller knows: the key, or the token of the session. */
export function callerSecret (request: FastifyRequest): string | undefined {
  return keyIn(request.headers.authorization) ?? anyTokenIn(request)
}

/** The key in an Authorization header, under either of the two schemes; undefined when there is anything else. */
export function keyIn (header = ''): string | undefined {
  return /^(?:Api-Key|Bearer) +([!-~]{1,200}) *$/i.exec(header)?.[1]
}

/** The refusal of a request without a valid key, in the same words whatever is wrong with it. */
export function notAuthenticated (): Refusal {
  const how = 'Send a valid key as "Authorization: Api-Key <key>" or "Authorization: Bearer <key>".'
  return new Refusal('authentication_required', `Authentication failed. ${how}`, {
    headers: { 'www-authenticate': 'Api-Key, Bearer' }
  })
}
