import type { FastifyContextConfig, FastifySchema, RouteOptions } from 'fastify'
import { Type, type TSchema } from '@sinclair/typebox'
import { ErrorAnswer, ValidationError } from '../../../../schema/envelopes.ts'
import { REFUSALS, type RefusalCode } from '../../errors.ts'
import type { Permit } from '../permit.ts'
import { keysOf } from '../../../../schema/typed.ts'

/** Request headers that a route uses in addition to the key. */
const HEADERS = {
  'Idempotency-Key': Type.String({
    minLength: 1,
    maxLength: 255,
    description: 'Makes a request safe to retry: the same key within 24 hours gets the first response again. Any text you choose'
  }),
  'If-Match': Type.String({ description: 'Carries out the request only if the ETag still matches, such as "1-2s-Zk3v0Q"' }),
  'Last-Event-ID': Type.String({
    maxLength: 40, description: 'Id of the last event received, to continue after it; without it the stream begins now'
  }),
  'If-None-Match': Type.String({ description: 'Responds with 304 if the ETag still matches, such as "1-2s-Zk3v0Q"' })
}

/** Those that are refused if malformed. */
const READ: ReadonlyArray<keyof typeof HEADERS> = ['Idempotency-Key', 'Last-Event-ID']

/** Request headers of every route that is called for an account. */
const OF_ACCOUNTS = {
  'Agenthall-Account': Type.Integer({
    minimum: 1, description: 'Account to act for, if not your own; GET /v1/me lists the accounts you can act for'
  })
}

/** Response headers that add information to the body. */
const ANSWERED = {
  ETag: { type: 'string', description: 'Version of the returned state, for If-None-Match and If-Match' },
  Location: { type: 'string', description: 'URL of the created object' },
  Link: { type: 'string', description: 'URLs of the next, previous, first and last page (RFC 8288)' },
  'Idempotency-Replayed': { type: 'string', description: '`true` if the response repeats an earlier one for this Idempotency-Key' },
  'x-ratelimit-limit': { type: 'integer', description: 'Requests allowed per minute; missing if there is no limit' },
  'x-ratelimit-remaining': { type: 'integer', description: 'Requests remaining' },
  'x-ratelimit-reset': { type: 'integer', description: 'Seconds until more requests are allowed' },
  'Retry-After': { type: 'integer', description: 'Seconds to wait before retrying the request' }
}
type Answered = keyof typeof ANSWERED
const LIMITS = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'] as const
const answered = (names: readonly Answered[]) => Object.fromEntries(names.map((name) => [name, ANSWERED[name]]))

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Request headers that the handler uses, for the document. */
    heeds?: ReadonlyArray<keyof typeof HEADERS>
    /** Response headers of its success, for the document; those of every 201 or replay are implied. */
    tells?: ReadonlyArray<'ETag' | 'Link'>
    /** What it accepts as multipart/form-data besides JSON, for the document. */
    form?: object
    /** The JSON of each event of its stream, for the document; a route without it streams nothing. */
    streams?: TSchema
  }
}

/** A way in which a request may be refused: the code, an example of its sentence and of its fields. */
export type Way = readonly [code: RefusalCode, message: string, fields?: object]

/** Security schemes and what permits mean, from the feature that checks them. */
export interface Security {
  /** The schemes, by the names that routes use for them. */
  schemes: Record<
    string,
    | { type: 'apiKey', in: 'header' | 'cookie', name: string, description?: string }
    | { type: 'http', scheme: string, description?: string }
  >
  /** What a permit means. */
  of (permit: Exclude<Permit, 'anyone'>): {
    /** The schemes that it accepts, any one of them. */
    schemes: string[]
    /** Who may call the route, as a sentence. */
    who: string
    /** One of these permissions is needed; absent if none is. */
    permissions?: readonly string[]
    /** Whether requests are for an account, and count against its limit. */
    isOfAccount: boolean
    /** How a caller may be refused. */
    refusals: readonly Way[]
  }
}

/** The answer of a refusal, as a route documents it. */
export const refusal = (...way: Way) => refusals(way)

/** The response where one status has several reasons: each with its code, an example and its fields. */
export const refusals = (...ways: [Way, ...Way[]]) => ({
  ...ErrorAnswer,
  description: ways.map(([code, message]) => ways.length > 1 ? `\`${code}\`: ${message}` : message).join('\n\n'),
  examples: ways.map(([code, message, fields = {}]) => ({ error: { code, message, status: REFUSALS[code], fields } }))
})

const ANYONE: ReturnType<Security['of']> = {
  schemes: [], who: 'Open: no key is needed.', isOfAccount: false, refusals: []
}

/**
 * The codes that an error of this status may have on any route. What a route refuses because of the current state (409)
 * is specific to it: it lists each.
 */
const codesOf = (status: number) => status === 409
  ? []
  : keysOf(REFUSALS).filter(
    (code) => REFUSALS[code] === status && code !== 'VALIDATION_ERROR'
  )

/**
 * A route's schema for the document: who may call it, which headers it reads and sends, and all its refusals, with
 * their codes. Here and not in the route itself, which would compile a serialiser for every schema; a refusal needs
 * none.
 */
export function documented (
  schema: FastifySchema, { method, config }: RouteOptions, security: Security
): FastifySchema {
  if (!schema?.response || !config?.permit) return schema
  const { permit, heeds = [], form } = config
  const allowed = permit === 'anyone' ? ANYONE : security.of(permit)
  const headers = {
    ...Object.fromEntries(heeds.map((name) => [name, Type.Optional(HEADERS[name])])),
    ...(allowed.isOfAccount && { 'Agenthall-Account': Type.Optional(OF_ACCOUNTS['Agenthall-Account']) })
  }
  return {
    ...schema,
    description: [schema.description, allowed.who].filter((part) => part).join('\n\n'),
    ...(allowed.permissions && { 'x-permissions': allowed.permissions }),
    ...(Object.keys(headers).length > 0 && { headers: Type.Object(headers) }),
    ...(form !== undefined && {
      body: {
        content: {
          ...(schema.body !== undefined && { 'application/json': { schema: schema.body } }),
          'multipart/form-data': { schema: form }
        }
      }
    }),
    security: allowed.schemes.map((scheme) => ({ [scheme]: [] })),
    response: {
      ...withStreams(
        withHeaders(schema.response as Record<string, TSchema>, config, allowed.isOfAccount), config.streams
      ),
      ...refusalsOf(schema, config, allowed, ![method].flat().includes('GET'))
    }
  }
}

/** All ways in which a route may refuse, by status. What the route itself says about a status takes precedence. */
function refusalsOf (
  schema: FastifySchema,
  { heeds = [], form }: FastifyContextConfig,
  { refusals, isOfAccount }: Pick<ReturnType<Security['of']>, 'refusals' | 'isOfAccount'>,
  isWriting: boolean
): Record<string, unknown> {
  const hasBody = schema.body !== undefined || form !== undefined
  const invalid = {
    ...(hasBody ? Type.Union([ValidationError, ErrorAnswer]) : ValidationError),
    description: 'The request is malformed',
    examples: ValidationError.examples
  }
  const when = (isSo: boolean, ...way: Way): Way[] => isSo ? [way] : []
  const all = [
    ...refusals,
    ...when(schema.params !== undefined, 'not_found', 'It does not exist, or it is not yours.'),
    ...when(heeds.includes('If-Match'), 'precondition_failed', 'It has changed since you read it.'),
    ...when(hasBody, 'payload_too_large', 'The body is too large.'),
    ...when(hasBody, 'unsupported_media_type', `The body is not ${schema.body === undefined ? 'a form' : 'JSON'}.`),
    ...when(
      heeds.includes('Idempotency-Key'),
      'idempotency_mismatch',
      'This Idempotency-Key was used for a different request. Use a new key for a new request.'
    ),
    ...when(true, 'internal_error', 'Something went wrong here; the log says what.'),
    ...when(true, 'unavailable', 'The server is busy, starting or stopping; Retry-After says when to try again.'),
    ...when(isWriting, 'storage_full', 'The disk is full: nothing is written until there is room.')
  ]
  const described = schema.response as Record<string, TSchema>
  return {
    ...(hasBody || schema.params || schema.querystring || heeds.some((one) => READ.includes(one))
      ? { 400: inJson(invalid, {}) }
      : {}),
    ...Object.fromEntries(all.map((way) => [REFUSALS[way[0]], refused(refusal(...way), isOfAccount)])),
    ...Object.fromEntries(
      Object.entries(described).filter(([, one]) => one.title === ErrorAnswer.title)
        .map(([at, one]) => [at, refused(one, isOfAccount)])
    )
  }
}

/** An error for the document: in JSON, whatever the route answers otherwise, with every code it may have. */
function refused (answer: TSchema, isOfAccount: boolean): object {
  const examples = answer.examples as Array<{ error: { code: RefusalCode, status: number } }>
  const { status } = examples[0]!.error
  const codes = [...new Set([...examples.map(({ error }) => error.code), ...codesOf(status)])]
  const { description: _description, examples: _examples, ...shape } = answer
  return inJson({
    description: answer.description,
    allOf: [shape],
    properties: { error: { properties: { code: { enum: codes } } } },
    examples
  }, {
    ...((status === 429 || status === 503) && { 'Retry-After': ANSWERED['Retry-After'] }),
    ...(status === 429 && isOfAccount && answered(LIMITS))
  })
}

const inJson = ({ description, examples, ...schema }: Record<string, any>, headers: object) => ({
  description,
  ...(Object.keys(headers).length > 0 && { headers }),
  content: {
    'application/json': {
      schema,
      ...(examples?.length > 1
        ? {
            examples: Object.fromEntries(
              examples.map((value: { error: { code: string } }) => [value.error.code, { value }])
            )
          }
        : { example: examples?.[0] })
    }
  }
})

/** The responses of a route, those of its success with their headers. */
function withHeaders (
  answers: Record<string, TSchema>, { heeds = [], tells = [] }: FastifyContextConfig, isOfAccount: boolean
): Record<string, TSchema> {
  const all: Answered[] = [
    ...tells,
    'Location',
    ...(heeds.includes('Idempotency-Key') ? ['Idempotency-Replayed'] as const : []),
    ...(isOfAccount ? LIMITS : [])
  ]
  return Object.fromEntries(Object.entries(answers).map(([status, answer]) => {
    const names = all.filter((name) => name !== 'Location' || status === '201')
    const isTold = names.length > 0 && /^(2|304)/.test(status)
    return [status, isTold ? { ...answer, headers: answered(names) } : answer]
  }))
}

/**
 * The responses of a route with its stream: in place of a text, or beside the other success of a route that creates
 * something and can also answer as a whole.
 */
function withStreams (answers: Record<string, TSchema>, streams: TSchema | undefined): Record<string, object> {
  if (!streams) return answers
  const { Location: _location, ...beside } = (answers[201]?.headers ?? {}) as Record<string, object>
  const { description, headers, ...schema }: Record<string, any> =
    answers[200] ?? { description: 'The response as it is generated', headers: beside }
  return {
    ...answers,
    200: {
      description,
      ...(headers && { headers }),
      content: {
        ...(schema.type === 'object' && { 'application/json': { schema } }),
        'text/event-stream': { schema: streams }
      }
    }
  }
}
