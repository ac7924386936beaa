import type { Static, TSchema, TUnknown } from '@sinclair/typebox'
import type { FastifyContextConfig, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { Id } from '../../../schema/common.ts'
import { Refusal, REFUSALS } from '../errors.ts'
import type { Once, Outcome } from '../storage/contract.ts'
import { onceOf } from '../storage/sqlite/once.ts'
import { namesTag, notModified } from './answers.ts'
import { refusals, type Way } from './openapi.ts'
import type { Permit } from './permit.ts'
import { partAsked, type Answer, type AnswerKind, type Exchange, type PartAsked } from './resources/answer.ts'
import { Unchanged, type Version } from './resources/tags.ts'

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const
type Method = (typeof METHODS)[number]
/** One method with its path. */
type Address = { [M in Method]: { [Own in M]: `/${string}` } & { [Other in Exclude<Method, M>]?: never } }[Method]

/** What a route says of itself in the document. */
interface Described {
  /** The operation's id. */
  id: string
  /** The group of routes that it belongs to. */
  tag: string
  summary: string
  description?: string
  /** Every way in which it refuses that does not go without saying; see `documented`. */
  refuses?: readonly Way[]
  /** Takes multipart/form-data, of this shape, beside JSON or, where it has no body, alone. */
  form?: object
  /** What each event of its stream is as JSON. */
  streams?: TSchema
  /** The media type of an answer that is not JSON. */
  produces?: string
  /** Request headers that it handles itself. */
  heeds?: FastifyContextConfig['heeds']
  /** Response headers that it sets itself. */
  tells?: FastifyContextConfig['tells']
}

/** How much may be sent, and how long sending and answering may take, where that is not what is usual. */
interface Limits extends Pick<FastifyContextConfig, 'receiveMs' | 'answerMs' | 'insteadOfLarge'> {
  bodyLimit?: number
}

/**
 * That the Idempotency-Key header counts: `true`; `with-secret` where the answer holds a secret, which is then sealed
 * with the caller's own and goes into no cache; or a function that tells callers apart who may not repeat each other's
 * requests.
 */
type Idempotent<Asker> = true | 'with-secret' | ((asker: Asker) => string)

/** What a handler is handed, beside who asks. */
interface Call<Params, Query, Body, Match> {
  params: Params
  query: Query
  body: Body
  /** The Idempotency-Key, if the route accepts one and it was sent. */
  once: Once | undefined
  /** Compares a thing with If-Match in the transaction that changes it. */
  match: Match
  request: FastifyRequest
  reply: FastifyReply
}

/** What a handler returns: undefined or false where there is no such thing and the route says what is missing. */
type Result<Given, Idempotency, Missing> =
  | (Idempotency extends undefined ? Given : Outcome<Given>)
  | (Missing extends string ? undefined : never)

/** A route: who may call it, what it takes and answers, how it refuses, and what it does. */
type Definition<
  Who, Asker, Given, Kind extends AnswerKind, Params extends TSchema, Query extends TSchema, Body extends TSchema,
  Match, Idempotency, Missing
> = Address & Described & {
  /** Who may call it. */
  who: Who
  params?: Params
  query?: Query
  body?: Body
  limits?: Limits
  /** Refuses with `not_found` and this sentence where the handler returns undefined or false. */
  missing?: Missing
  /**
   * The version of what is answered: a GET answers 304 to a caller that has it (If-None-Match), a change or removal is
   * handed `match` for If-Match, and everything but a removal answers with the ETag.
   */
  version?: Version<NoInfer<Given> extends boolean ? never : NoInfer<Given>, Match>
  idempotent?: Idempotency
  answer: Answer<Given, Kind>
  /** Fastify's own options, for what is particular. */
  fastify?: Pick<RouteOptions, 'onRequest' | 'preValidation' | 'attachValidation'>
  /** Pages of which other sites may call it. */
  cors?: FastifyContextConfig['cors']
  /** What its refusals look like to clients that expect another shape. */
  errorBody?: FastifyContextConfig['errorBody']
  /**
   * Whether the audit log tells of it: `reading` of who read personal data, `never` of what changes nothing an account
   * would look for, such as what is said in a conversation. A change without it is told of.
   */
  audit?: 'reading' | 'never'
  handle (
    call: Asker & Call<Static<Params>, Static<Query>, Static<Body>, Match> &
      (Kind extends 'part' ? { part: PartAsked<Static<Query>> } : unknown)
  ): Kind extends 'own'
    ? unknown
    : Result<NoInfer<Given>, Idempotency, Missing> | Promise<Result<NoInfer<Given>, Idempotency, Missing>>
}

/** Who asks, as every handler of such routes is handed it; `owner`: the account that is asked for. */
interface Askers<Asker> {
  of (request: FastifyRequest): Asker
  /** What only they know. */
  secretOf? (request: FastifyRequest): string | undefined
  /** Does what is asked for, and has the audit log tell of it. */
  audited? (request: FastifyRequest, asker: Asker, audit: Audited, work: () => unknown): Promise<unknown>
}

/**
 * Of what the audit log tells. `madeId`: the id of something new, by what its transaction gives. `sendsItself`: the
 * result says nothing, as the handler has sent the answer.
 */
export interface Audited {
  action: string
  kind: 'change' | 'reading'
  madeId: ((made: unknown) => string | number | undefined) | undefined
  sendsItself: boolean
}

/**
 * Routes of one kind of askers. What each says is put together here: envelopes, cursors, replays, ETags, 404s, and the
 * headers that go with them.
 */
export function routesOf<Who extends Permit, Asker extends { owner?: Id }> (askers: Askers<Asker>) {
  return function route<
    Given,
    Kind extends AnswerKind,
    Params extends TSchema = TUnknown,
    Query extends TSchema = TUnknown,
    Body extends TSchema = TUnknown,
    Match = undefined,
    Idempotency extends Idempotent<Asker> | undefined = undefined,
    Missing extends string | undefined = undefined
  > (
    definition: Definition<Who, Asker, Given, Kind, Params, Query, Body, Match, Idempotency, Missing>
  ): RouteOptions {
    const method = METHODS.find((one) => one in definition)!
    const { [method]: url, limits: { bodyLimit } = {}, fastify } = definition
    return {
      method: method.toUpperCase(),
      url: url!,
      ...(bodyLimit !== undefined && { bodyLimit }),
      ...fastify,
      schema: schemaOf(method, definition),
      config: configOf(method, definition),
      handler: handlerOf(method, definition as unknown as Handled<Asker>, askers)
    }
  }
}

/** What every definition says, whatever is inferred from it. */
interface Said extends Described {
  who: Permit
  params?: TSchema
  query?: TSchema
  body?: TSchema
  limits?: Limits
  missing?: string
  version?: Version<never, unknown>
  idempotent?: unknown
  answer: Pick<Answer<unknown, AnswerKind>, 'kind' | 'responses' | 'query'>
  cors?: FastifyContextConfig['cors']
  errorBody?: FastifyContextConfig['errorBody']
}

function schemaOf (
  method: Method,
  { tag, id, summary, description, params, query, body, answer, refuses = [], version, form, produces }: Said
): RouteOptions['schema'] {
  const isTagged = version && method === 'get'
  const querystring = answer.query ?? query
  return {
    tags: [tag],
    operationId: id,
    summary,
    ...(description !== undefined && { description }),
    ...(form && { consumes: [...(body ? ['application/json'] : []), 'multipart/form-data'] }),
    ...(produces !== undefined && { produces: [produces] }),
    ...(params && { params }),
    ...(querystring && { querystring }),
    ...(body && { body }),
    response: { ...answer.responses, ...(isTagged && { 304: Unchanged }), ...byStatus(refuses) }
  }
}

/** The answers of refusals, of several with one status all in one. */
function byStatus (ways: readonly Way[]): Record<number, object> {
  const statuses = Map.groupBy(ways, ([code]) => REFUSALS[code])
  return Object.fromEntries([...statuses].map(([status, [first, ...others]]) => [status, refusals(first!, ...others)]))
}

function configOf (
  method: Method,
  {
    who, idempotent, version, heeds = [], tells = [], form, streams, limits: { bodyLimit: _limit, ...limits } = {},
    cors, errorBody
  }: Said
): FastifyContextConfig {
  return {
    permit: who,
    heeds: [
      ...(idempotent ? ['Idempotency-Key'] as const : []),
      ...(version && method !== 'post' ? [method === 'get' ? 'If-None-Match' : 'If-Match'] as const : []),
      ...heeds
    ],
    tells: [...(version && method !== 'delete' ? ['ETag'] as const : []), ...tells],
    ...(form && { form }),
    ...(streams && { streams }),
    ...limits,
    ...(cors && { cors }),
    ...(errorBody && { errorBody })
  }
}

/** What a definition does, whatever is inferred from it. */
interface Handled<Asker> {
  id: string
  audit?: 'reading' | 'never'
  answer: Answer<unknown, AnswerKind>
  version?: Version<unknown, unknown>
  idempotent?: Idempotent<Asker>
  missing?: string
  handle (call: object): unknown
}

function handlerOf<Asker extends { owner?: Id }> (
  method: Method,
  { id, audit, handle: plain, answer, version, idempotent, missing }: Handled<Asker>,
  { of, secretOf, audited }: Askers<Asker>
): RouteOptions['handler'] {
  const kind = audit ?? (method === 'get' ? 'never' : 'change')
  const handle = audited && kind !== 'never'
    ? (call: Asker & { request: FastifyRequest }) => audited(
        call.request,
        call,
        { action: id, kind, madeId: answer.madeId, sendsItself: answer.kind === 'own' },
        () => plain(call)
      )
    : plain

  function onceFor (request: FastifyRequest, asker: Asker): Once | undefined {
    if (!idempotent) return undefined
    if (idempotent === true) return onceOf(request)
    return onceOf(request, { secret: idempotent === 'with-secret' ? secretOf?.(request) : idempotent(asker) })
  }

  function callOf (request: FastifyRequest, reply: FastifyReply) {
    const asker = of(request)
    const { params, query, body } = request
    const match = method === 'get' ? undefined : version?.match(request)
    return { ...asker, params, query, body, once: onceFor(request, asker), match, request, reply }
  }

  if (answer.kind === 'own') return (request, reply) => handle(callOf(request, reply))

  return async (request, reply) => {
    const call = callOf(request, reply)
    const exchange: Exchange = { request, reply, owner: call.owner ?? 0 }
    const asked = answer.kind === 'part' ? partAsked(exchange) : {}
    const result = await handle({ ...call, ...asked })
    const given = idempotent ? unwrapped(result as Outcome<unknown> | undefined, reply) : result
    if (given === undefined || given === false) throw new Refusal('not_found', missing ?? NOTHING)
    if (idempotent === 'with-secret') reply.header('cache-control', 'no-store')
    if (version && method !== 'delete') {
      const tag = version.tag(given, request)
      if (method === 'get' && namesTag(request.headers['if-none-match'], tag)) return notModified(reply, tag)
      reply.header('etag', tag)
    }
    return answer.send(given, { ...exchange, ...asked })
  }
}

const NOTHING = 'Nothing is at this address.'

/** What was done, and whether it was before. */
function unwrapped (outcome: Outcome<unknown> | undefined, reply: FastifyReply): unknown {
  if (outcome?.replayed) reply.header('idempotency-replayed', 'true')
  return outcome?.answer
}
