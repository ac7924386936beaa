import { isDeepStrictEqual } from 'node:util'
import swagger from '@fastify/swagger'
import type { FastifyContextConfig, FastifyInstance, FastifySchema, RouteOptions } from 'fastify'
import fp from 'fastify-plugin'
import { Type, type TSchema } from '@sinclair/typebox'
import { ErrorAnswer, ValidationError } from '../../../schema/envelopes.ts'
import { REFUSALS, type RefusalCode } from '../errors.ts'
import type { Permit } from './permit.ts'

/** Request headers that a route heeds beside the key. */
const HEADERS = {
  'Idempotency-Key': Type.String({
    minLength: 1,
    maxLength: 255,
    description: 'Do this once: the same key within 24 hours is answered as the first time. Any text of your own'
  }),
  'If-Match': Type.String({ description: 'Only if the ETag is still this one, such as "1-2s-Zk3v0Q"' }),
  'If-None-Match': Type.String({ description: 'Answer 304 if the ETag is still this one, such as "1-2s-Zk3v0Q"' })
}

/** Response headers that tell something beside the body. */
const ANSWERED = {
  ETag: 'The state that is shown, for If-None-Match and If-Match',
  Location: 'Address of what was made',
  'Idempotency-Replayed': '`true` where this Idempotency-Key was answered before'
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Request headers that the handler heeds, to be documented. */
    heeds?: ReadonlyArray<keyof typeof HEADERS>
    /** Response headers of its success, to be documented; `Idempotency-Replayed` goes without saying. */
    tells?: ReadonlyArray<'ETag' | 'Location'>
    /** What it takes as multipart/form-data beside JSON, to be documented. */
    form?: object
  }
}

/** How requests say who sends them, told by who checks it. */
export interface Security {
  /** The ways, by the names by which routes refer to them. */
  schemes: Record<
    string,
    | { type: 'apiKey', in: 'header' | 'cookie', name: string, description?: string }
    | { type: 'http', scheme: string, description?: string }
  >
  /** The ways that a permit takes, any one of them, and how whoever comes may be refused. */
  of (permit: Exclude<Permit, 'anyone'>): {
    schemes: string[], refusals: Array<[code: RefusalCode, message: string, fields?: object]>
  }
}

/** The answer of a refusal, as a route documents it. */
export const refusal = (code: RefusalCode, message: string, fields: object = {}) => ({
  ...ErrorAnswer, description: message, examples: [{ error: { code, message, status: REFUSALS[code], fields } }]
})

/**
 * Collects the routes into an OpenAPI 3.1 document; also says of each route how it may refuse. Registered before the
 * routes.
 */
export const openapi = fp<{
  version: string
  description: string
  /** Groups of routes in the order in which they are shown. */
  groups?: Array<{ name: string, description: string }>
  security: Security
}>(async (app, { version, description, groups = [], security }) => {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Agenthall', version, description, license: { name: 'MIT', identifier: 'MIT' } },
      servers: [{ url: '/' }, { url: '/api' }],
      tags: groups,
      components: { securitySchemes: security.schemes }
    },
    // Here and not in the route itself, which would make a serialiser of every shape; a refusal needs none.
    transform: ({ schema, url, route }) => ({ schema: refusing(schema, route, security), url }),
    transformObject: (found) => hoist((found as { openapiObject: object }).openapiObject) as never
  })
}, { name: 'openapi' })

/** What a route says of itself, with how it may refuse. */
function refusing (schema: FastifySchema, { config }: RouteOptions, security: Security): FastifySchema {
  const permit = config?.permit
  if (!schema?.response || !permit) return schema
  const { schemes, refusals } = permit === 'anyone' ? { schemes: [], refusals: [] } : security.of(permit)
  const { heeds = [], form } = config!
  const hasBody = schema.body !== undefined || form !== undefined
  const invalid: TSchema = {
    ...(hasBody ? Type.Union([ValidationError, ErrorAnswer]) : ValidationError),
    description: 'The request is shaped wrong',
    examples: ValidationError.examples
  }
  // A route that answers a text still refuses in JSON.
  const inJson = (of: TSchema) =>
    schema.produces
      ? { description: of.description, content: { 'application/json': { schema: of, example: of.examples?.[0] } } }
      : of
  const no = (code: RefusalCode, message: string, fields?: object) => inJson(refusal(code, message, fields))
  return {
    ...schema,
    ...(heeds.length && {
      headers: Type.Object(Object.fromEntries(heeds.map((name) => [name, Type.Optional(HEADERS[name])])))
    }),
    ...(form !== undefined && {
      body: {
        content: {
          ...(schema.body !== undefined && { 'application/json': { schema: schema.body } }),
          'multipart/form-data': { schema: form }
        }
      }
    }),
    security: schemes.map((scheme) => ({ [scheme]: [] })),
    response: {
      ...telling(schema.response as Record<string, TSchema>, config!),
      ...(hasBody || schema.params || schema.querystring || heeds.includes('Idempotency-Key')
        ? { 400: inJson(invalid) }
        : {}),
      ...Object.fromEntries(refusals.map(([code, message, fields]) => [REFUSALS[code], no(code, message, fields)])),
      ...(schema.params ? { 404: no('not_found', 'There is no such thing, or it is not yours.') } : {}),
      ...(heeds.includes('If-Match') && { 412: no('precondition_failed', 'It has changed since you read it.') }),
      ...(hasBody && {
        413: no('payload_too_large', 'The body is too large.'),
        415: no(
          'unsupported_media_type', schema.body === undefined ? 'The body is not a form.' : 'The body is not JSON.'
        )
      }),
      ...(heeds.includes('Idempotency-Key') && {
        422: no(
          'idempotency_mismatch',
          'This Idempotency-Key was used for a different request. Use a new key for a new request.'
        )
      })
    }
  }
}

/** The answers of a route, those of its success with their headers. */
function telling (
  answers: Record<string, TSchema>, { heeds = [], tells = [] }: FastifyContextConfig
): Record<string, TSchema> {
  const names: Array<keyof typeof ANSWERED> = heeds.includes('Idempotency-Key')
    ? [...tells, 'Idempotency-Replayed']
    : [...tells]
  if (names.length === 0) return answers
  const headers = Object.fromEntries(names.map((name) => [name, { type: 'string', description: ANSWERED[name] }]))
  return Object.fromEntries(
    Object.entries(answers).map(([status, answer]) => [
      status, /^(2|304)/.test(status) ? { ...answer, headers } : answer
    ])
  )
}

/**
 * Moves every schema with a title to `components.schemas` and refers to it there, so that clients made from the
 * document get names.
 */
function hoist (document: object): object {
  const schemas: Record<string, unknown> = {}
  const walk = (value: unknown, top: boolean): unknown => {
    if (Array.isArray(value)) return value.map((item) => walk(item, false))
    if (typeof value !== 'object' || value === null) return value
    const walked = Object.fromEntries(
      Object.entries(value).map(([key, item]) => [
        key, key === 'examples' || key === 'example' ? item : walk(item, false)
      ])
    )
    const { title } = value as { title?: unknown }
    if (top || typeof title !== 'string' || !('type' in value || 'anyOf' in value)) return walked
    const { description, ...schema } = walked
    schemas[title] ??= schema
    // The second of two shapes under one name would be documented as the first.
    const { properties, required } = schemas[title] as { properties?: unknown, required?: unknown }
    if (!isDeepStrictEqual([properties, required], [walked.properties, walked.required])) {
      throw new Error(`Two different schemas are titled ${title}.`)
    }
    return { $ref: `#/components/schemas/${title}`, ...(description !== undefined && { description }) }
  }
  const { components = {}, ...rest } = document as { components?: object }
  const walked = walk(rest, true) as object
  return {
    ...walked,
    components: {
      ...components, schemas: Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)))
    }
  }
}

/** The document as text, two spaces deep, as it is checked in. */
export function openapiText (app: FastifyInstance): string {
  return JSON.stringify(app.swagger(), null, 2) + '\n'
}
