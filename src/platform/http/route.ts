import type { Static, TSchema, TUnknown } from '@sinclair/typebox'
import type { FastifyContextConfig, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { Id } from '../../../schema/common.ts'
import { Refusal, REFUSALS } from '../errors.ts'
import type { IdempotencyKey, IdempotentResult } from '../storage/contract.ts'
import { idempotencyKeyOf } from '../storage/sqlite/idempotency.ts'
import { namesTag, notModified } from './answers.ts'
import { refusals, type Way } from './openapi.ts'
import type { Permit } from './permit.ts'
import { partAsked, type Answer, type AnswerKind, type Exchange, type PartAsked } from './resources/answer.ts'
import { Unchanged, type Version } from './resources/tags.ts'

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const
type Method = (typeof METHODS)[number]
/** One method with its path. */
type Address = { [M in Method]: { [This in M]: `/${string}` } & { [Other in Exclude<Method, M>]?: never } }[Method]

/** What a route contributes to the document. */
interface Described {
  /** The operation's id. */
  id: string
  /** The group of routes that it belongs to. */
  tag: string
  summary: string
  description?: string
  /** All ways in which it refuses, except implied ones; see `documented`. */
  refuses?: readonly Way[]
  /** Accepts multipart/form-data of this shape, besides JSON or, without a body schema, alone. */
  form?: object
  /** The JSON of each event of its stream. */
  streams?: TSchema
  /** The media type of an answer that is not JSON. */
  produces?: string
  /** Request headers that it handles itself. */
  heeds?: FastifyContextConfig['heeds']
  /** Response headers that it sets itself. */
  tells?: FastifyContextConfig['tells']
}

/** Size limit of the request, and time limits for sending and answering, where they differ from the default. */
interface Limits extends Pick<FastifyContextConfig, 'receiveMs' | 'answerMs' | 'insteadOfLarge'> {
  bodyLimit?: number
}

/**
 * Whether the Idempotency-Key header is supported: `true`; `with-secret` where the answer contains a secret, which is
 * then sealed with the caller's own and cached nowhere; or a function that tells apart callers who may not repeat each
 * other's requests.
 */
type Idempotent<Asker> = true | 'with-secret' | ((asker: Asker) => string)

/** What a handler is passed, besides the caller. */
interface Call<Params, Query, Body, Match> {
  params: Params
  query: Query
  body: Body
  /** The Idempotency-Key, if the route accepts one and it was sent. */
  once: IdempotencyKey | undefined
  /** Compares a thing with If-Match in the transaction that changes it. */
  match: Match
  request: FastifyRequest
  reply: FastifyReply
}

/** A handler's result: undefined or false if there is no such thing and the route says what is missing. */
type Result<Given, Idempotency, Missing> =
  | (Idempotency extends undefined ? Given : IdempotentResult<Given>)
  | (Missing extends string ? undefined : never)

/** A route: who may call it, what it accepts and returns, how it refuses, and what it does. */
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
  /** Refuses with `not_found` and this sentence if the handler returns undefined or false. */
  missing?: Missing
  /**
   * The version of the answer: a GET answers 304 to a caller that has it (If-None-Match), a change or removal is passed
   * `match` for If-Match, and everything but a removal answers with the ETag.
   */
  version?: Version<NoInfer<Given> extends boolean ? never : NoInfer<Given>, Match>
  idempotent?: Idempotency
  answer: Answer<Given, Kind>
  /** Fastify's own options, for special cases. */
  fastify?: Pick<RouteOptions, 'onRequest' | 'preValidation' | 'attachValidation'>
  /** Which other sites' pages may call it. */
  cors?: FastifyContextConfig['cors']
  /** The format of its refusals for clients that expect another. */
  errorBody?: FastifyContextConfig['errorBody']
  /**
   * Whether the audit log records it: `reading` for reads of personal data, `never` for what changes nothing an account
   * would look for, such as messages in a conversation. By default changes are recorded.
   */
  audit?: 'reading' | 'never'
  handle (
    call: Asker & Call<Static<Params>, Static<Query>, Static<Body>, Match> &
      (Kind extends 'part' ? { part: PartAsked<Static<Query>> } : unknown)
  ): Kind extends 'raw'
    ? unknown
    : Result<NoInfer<Given>, Idempotency, Missing> | Promise<Result<NoInfer<Given>, Idempotency, Missing>>
}

/** Callers, as passed to every handler of such routes; `owner`: the account that the request is for. */
interface Askers<Asker> {
  of (request: FastifyRequest): Asker
  /** A secret that only the caller knows. */
  secretOf? (request: FastifyRequest): string | undefined
  /** Runs the handler and records it in the audit log. */
  audited? (request: FastifyRequest, asker: Asker, audit: Audited, work: () => unknown): Promise<unknown>
}

/**
 * What the audit log records. `madeId`: the id of something new, from the result of its transaction. `sendsItself`: the
 * result means nothing, as the handler has sent the answer.
 */
export interface Audited {
  action: string
  kind: 'change' | 'reading'
  madeId: ((made: unknown) => string | number | undefined) | undefined
  sendsItself: boolean
}

/**
 * Routes for one kind of callers. What they have in common is built here: envelopes, cursors, replays, ETags, 404s, and
 * the headers that go with them.
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

/** The fields that every definition has, whatever is inferred from it. */
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

/** The refusal responses of a route; several with one status are combined. */
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

/** The handling part of a definition, whatever is inferred from it. */
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
        { action: id, kind, madeId: answer.madeId, sendsItself: answer.kind === 'raw' },
        () => plain(call)
      )
    : plain

  function onceFor (request: FastifyRequest, asker: Asker): IdempotencyKey | undefined {
    if (!idempotent) return undefined
    if (idempotent === true) return idempotencyKeyOf(request)
    return idempotencyKeyOf(request, { secret: idempotent === 'with-secret' ? secretOf?.(request) : idempotent(asker) })
  }

  function callOf (request: FastifyRequest, reply: FastifyReply) {
    const asker = of(request)
    const { params, query, body } = request
    const match = method === 'get' ? undefined : version?.match(request)
    return { ...asker, params, query, body, once: onceFor(request, asker), match, request, reply }
  }

  if (answer.kind === 'raw') return (request, reply) => handle(callOf(request, reply))

  return async (request, reply) => {
    const call = callOf(request, reply)
    const exchange: Exchange = { request, reply, owner: call.owner ?? 0 }
    const asked = answer.kind === 'part' ? partAsked(exchange) : {}
    const result = await handle({ ...call, ...asked })
    const given = idempotent ? unwrapped(result as IdempotentResult<unknown> | undefined, reply) : result
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

/** The result, and whether it is a replay. */
function unwrapped (outcome: IdempotentResult<unknown> | undefined, reply: FastifyReply): unknown {
  if (outcome?.replayed) reply.header('idempotency-replayed', 'true')
  return outcome?.answer
}
