import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Id } from '../../schema/common.ts'
import type { ConversationRecord, MessageRecord, VisitorRecord } from '../../schema/conversations.ts'
import type { WidgetSession } from '../../schema/widget.ts'
import { type ConversationStore, noConversation } from '../conversations/index.ts'
import type { NameForVisitors } from '../handoff/index.ts'
import { type Clock, timestamp } from '../platform/clock.ts'
import { Refusal } from '../platform/errors.ts'
import type { Cors } from '../platform/http/cors.ts'
import type { Secret } from '../platform/http/log.ts'
import type { Security, Way } from '../platform/http/openapi.ts'
import { routesOf } from '../platform/http/route.ts'
import { checkCollected, checkConsented, hasConsented, missingOf } from '../privacy/index.ts'
import type { VisitorThrottle } from './limits.ts'
import type { Face } from './config.ts'
import type { KnownKey, WidgetStore } from './store.ts'
import { createHmac, hash, timingSafeEqual } from 'node:crypto'

declare module '../platform/http/permit.ts' {
  interface Permits {
    /** A visitor of a widget, with a token: sees their own conversations, and nothing else. */
    visitor: 'visitor'
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    visitor: VisitorCaller
  }
}

/** A visitor as the caller: no user, no permissions, one agent. */
export interface VisitorCaller extends Pick<Session, 'vouched' | 'since' | 'expires'> {
  /** The account whose agent it is. */
  owner: Id
  agent: Id
  /** Their id. */
  id: string
  /** The business vouches for their identity: they see what was said before this session too. */
  verified: boolean
  /** The key of the widget they use. */
  key: string
  /**
   * Whether they would still be admitted with the same rights: the token is valid, and neither key nor secret deleted.
   */
  isStillAllowed (): Promise<boolean>
}

/** Matches visitors' tokens anywhere in a log. */
export const VISITOR_SECRETS: Secret[] = [{ looks: /agv_[A-Za-z0-9_.-]{8,}/g, shown: 'agv_[hidden]' }]

/** Finds the visitor whose token a request carries; undefined when it carries no valid one. */
export function visitorFinder (store: WidgetStore, clock: Clock) {
  return async function find (
    header: string | undefined
  ): Promise<{ visitor: VisitorCaller, key: KnownKey } | undefined> {
    const token = /^Bearer +(agv_[!-~]{1,600}) *$/i.exec(header ?? '')?.[1]
    const now = clock.micros() / 1e6
    const claim = token === undefined ? undefined : claimOf(token)
    const key = claim && await store.find(claim.session.key)
    if (!claim || !key || !isOurs(claim, key.secrets.signing, now)) return undefined
    const { session } = claim
    if (!isSecretThere(session, key)) return undefined
    const { visitor: id, ...rest } = session
    const verified = isVouchedFor(session, now)
    const isStillAllowed = async () => (await find(header))?.visitor.verified === verified
    return { key, visitor: { ...rest, id, owner: key.owner, agent: key.agent, verified, isStillAllowed } }
  }
}

/** A session ends with the secret that vouched for its visitor, since that may have been leaked. */
function isSecretThere ({ vouched }: Session, { secrets }: KnownKey): boolean {
  return vouched === null || secrets.identity.some(({ secret }) => nameOfSecret(secret) === vouched.by)
}

export type FindVisitor = ReturnType<typeof visitorFinder>

interface OnlyVisitorsNeeds {
  find: FindVisitor
  throttle: VisitorThrottle
  /** Refuses a visitor who is no longer stored. */
  demandKept: (visitor: VisitorCaller) => Promise<void>
}

/**
 * From here on every request must come from a visitor, with a token, from a page on which its key may be used: sets
 * `request.visitor`, and counts it.
 */
export const onlyVisitors = fp<OnlyVisitorsNeeds>(async (app, { find, throttle, demandKept }) => {
  app.addHook('onRoute', ({ method, url, config }) => {
    // Browsers send an OPTIONS preflight before the token.
    if (config?.permit !== 'visitor' && method !== 'OPTIONS') {
      throw new Error(`${method} ${url} is for "${config?.permit}", which nothing here checks`)
    }
  })
  app.decorateRequest('visitor', null as unknown as VisitorCaller)
  app.addHook('onRequest', async (request) => {
    if (request.method === 'OPTIONS') return
    const found = await find(request.headers.authorization)
    if (!found) throw noSession()
    checkOrigin(request, found.key.origins)
    await throttle.request(found.visitor.id)
    await demandKept(found.visitor)
    request.visitor = found.visitor
  })
}, { name: 'only-visitors' })

/**
 * Whether a visitor may see a conversation: their own; an unverified visitor only those begun in this session, or one
 * that it continues.
 */
export function mayVisitorSee (
  { id, agent, verified, since }: Pick<VisitorCaller, 'id' | 'agent' | 'verified' | 'since'>,
  conversation: Pick<ConversationRecord, 'visitor' | 'agent' | 'created_at'>
): boolean {
  return (
    conversation.visitor === id &&
    conversation.agent === agent &&
    (verified || conversation.created_at >= timestamp(since))
  )
}

/** The conversation, if the visitor may see it: the same refusal whether there is none or it is another's. */
export async function conversationOf (
  kept: ConversationStore, visitor: VisitorCaller, id: string
): Promise<ConversationRecord> {
  const found = await kept.get(visitor.owner, id)
  return found && mayVisitorSee(visitor, found) ? found : noConversation()
}

/** The visitor's last conversations that they may see, newest first. */
export async function ownConversations (
  kept: ConversationStore, visitor: VisitorCaller
): Promise<ConversationRecord[]> {
  const { items } = await kept.list(visitor.owner, { agent: visitor.agent, visitor: visitor.id }, undefined, 20)
  return items.filter((one) => mayVisitorSee(visitor, one))
}

/** A conversation as its visitor sees it. */
export function conversationShown (nameOf: NameForVisitors) {
  return async (conversation: ConversationRecord) => {
    const { owner, person, course } = conversation
    return {
      ...conversation,
      wants_email: course.address === 0,
      person_name: person === null ? null : await nameOf(owner, person)
    }
  }
}

/** A message as its visitor sees it: the model and its usage are only for the business. */
export function messageShown (nameOf: NameForVisitors, owner: Id) {
  return async <T extends Pick<MessageRecord, 'role' | 'author'>>(message: T) => {
    const { role, author } = message
    const name = role === 'person' && author !== null ? await nameOf(owner, author) : null
    return { ...message, author: null, model: null, agent_version: null, usage: null, guarded: [], person_name: name }
  }
}

/** A visitor as their widget sees them. Verified visitors count as having introduced themselves. */
export function shownVisitor (face: Face, visitor: VisitorRecord, verified: boolean): WidgetSession['visitor'] {
  return {
    id: visitor.id,
    verified,
    reachable: visitor.email !== null,
    introduced: visitor.verified || missingOf(face, visitor).length === 0,
    consented: hasConsented(face, visitor)
  }
}

/**
 * Refuses with `consent_missing` or `details_missing`, naming what is missing, a visitor who has not agreed to
 * the notice or not said who they are where the agent asks for it: before the first message, so that nobody is
 * interrupted by a change of the settings.
 */
export function checkMayBegin (
  face: Face, visitor: VisitorRecord, { messages }: Pick<ConversationRecord, 'messages'>
) {
  if (messages > 0) return
  checkConsented(face, visitor)
  if (!visitor.verified) checkCollected(face, visitor)
}

/** Whether the request comes from a page of this server itself: `/chat/…`. */
function isOwnPage ({ host, headers: { origin } }: FastifyRequest): boolean {
  const from = origin === undefined ? null : URL.parse(origin)
  return from !== null && URL.parse(`${from.protocol}//${host}`)?.host === from.host
}

/** Refuses pages of sites that a key does not list. Requests without Origin do not come from another site's page. */
export function checkOrigin (request: FastifyRequest, origins: readonly string[]) {
  const { origin } = request.headers
  if (origin === undefined || origins.includes(origin) || isOwnPage(request)) return
  throw new Refusal(
    'permission_denied', `Pages of ${origin.slice(0, 100)} may not use this widget. Add the origin to the widget key.`
  )
}

/**
 * CORS: visitors' routes can be read by pages of sites that any key lists; requests are then checked against their own
 * key.
 */
export function openToSites (store: WidgetStore): Cors {
  return (origin) => store.isKnownOrigin(origin)
}

/** The refusal of a request without a valid token, with the same message whatever is wrong with it. */
export function noSession (): Refusal {
  return new Refusal('authentication_required', 'This session is over. Begin a new one with POST /v1/widget/session.', {
    headers: { 'www-authenticate': 'Bearer' }
  })
}

/** How the API document shows that visitors call a route. */
const visitorSecurity = {
  schemes: {
    visitor: { type: 'http' as const, scheme: 'bearer', description: 'The token returned by POST /v1/widget/session.' }
  },
  refusals: [
    ['authentication_required', 'This session is over. Begin a new one with POST /v1/widget/session.'],
    ['permission_denied', 'Pages of this site may not use this widget.'],
    ['rate_limited', 'Over the rate limit; Retry-After says when to try again.', { limit: 12 }]
  ] as Way[]
}

const ofVisitors = {
  schemes: ['visitor'],
  who: 'For the visitor of a widget whose token it is, from pages of the sites that its key names.',
  isOfAccount: false,
  refusals: visitorSecurity.refusals
}

/** How the API document shows who may call a route: visitors' credentials besides those of others. */
export function securityWithVisitors ({ schemes, of }: Security): Security {
  return {
    schemes: { ...schemes, ...visitorSecurity.schemes },
    of: (permit) => permit === 'visitor' ? ofVisitors : of(permit)
  }
}

/** A route for the visitor of a widget; `owner`: the account whose agent they talk with. */
export const visitorRoute = routesOf<'visitor', { visitor: VisitorCaller, owner: Id }>({
  of: ({ visitor }) => ({ visitor, owner: visitor.owner })
})

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
interface Claim { session: Session, said: string, signed: string }

/** See Claim; undefined for anything that is not a token. */
function claimOf (token: string): Claim | undefined {
  const [, said = '', signed = ''] = FORM.exec(token) ?? []
  const session = said === '' ? undefined : read(said)
  return session && { session, said, signed }
}

/**
 * Whether a claim was signed by us: `signing` is the secret for tokens of its key. Also false if it has expired at
 * `now` (seconds since 1970).
 */
function isOurs ({ session, said, signed }: Claim, signing: string, now: number): boolean {
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
