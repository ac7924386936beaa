import { isDeepStrictEqual } from 'node:util'
import swagger from '@fastify/swagger'
import type { FastifyInstance, FastifySchema, RouteOptions } from 'fastify'
import fp from 'fastify-plugin'
import { Type, type TSchema } from '@sinclair/typebox'
import { ErrorAnswer, ValidationError } from '../../schema/envelopes.ts'

const DESCRIPTION = `Manage AI agents that talk to your customers.

Every request carries \`Authorization: Api-Key <key>\`. Both prefixes, \`/v1\` and \`/api/v1\`, serve every route; a trailing
slash is optional. Requests are limited per user and minute by tier; see the \`x-ratelimit-…\` headers.

A POST with an \`Idempotency-Key\` header is done once and answered the same for 24 hours. An agent and a list carry an
\`ETag\`: send it as \`If-None-Match\` to read only what changed, and as \`If-Match\` to write only over what you read.`

/** The answer of a refusal, as a route documents it. */
export const refusal = (description: string, schema: TSchema = ErrorAnswer) => ({ ...schema, description })

/** Collects the routes into an OpenAPI 3.1 document; also says of each route how it may refuse. Registered before the routes. */
export const openapi = fp<{ version: string }>(async (app, { version }) => {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Agenthall', version, description: DESCRIPTION, license: { name: 'MIT', identifier: 'MIT' } },
      servers: [{ url: '/' }, { url: '/api' }],
      components: {
        securitySchemes: {
          apiKey: { type: 'apiKey', in: 'header', name: 'Authorization', description: 'Api-Key followed by a space and the key' }
        }
      }
    },
    // Here and not in the route itself, which would make a serialiser of every shape; a refusal needs none.
    transform: ({ schema, url, route }) => ({ schema: refusing(schema, route), url }),
    transformObject: (found) => hoist((found as { openapiObject: object }).openapiObject) as never
  })
}, { name: 'openapi' })

/** What a route says of itself, with how it may refuse. */
function refusing (schema: FastifySchema, { config, method }: RouteOptions): FastifySchema {
  const permit = config?.permit
  if (!schema?.response || permit === 'anyone') return schema
  const hasBody = schema.body !== undefined
  // A route that answers a text still refuses in JSON.
  const no = schema.produces ? (description: string, of: TSchema = ErrorAnswer) => ({ description, content: { 'application/json': { schema: of } } }) : refusal
  return {
    ...schema,
    security: [{ apiKey: [] }],
    response: {
      ...(schema.response as object),
      ...(hasBody || schema.params || schema.querystring
        ? {
            400: no('The request is shaped wrong', hasBody ? Type.Union([ValidationError, ErrorAnswer]) : ValidationError)
          }
        : {}),
      401: no('No key, or one that is not valid'),
      ...(permit !== 'any key' && { 403: no('The key lacks a permission, or the tier a feature') }),
      ...(schema.params ? { 404: no('No such thing, or not yours') } : {}),
      // Every POST takes an Idempotency-Key.
      ...(method === 'POST' && { 422: no('The Idempotency-Key was used for another request') }),
      ...(hasBody && { 413: no('The body is too large'), 415: no('The body is not JSON') }),
      429: no('Over the rate limit; see Retry-After')
    }
  }
}

/** Moves every schema with a title to `components.schemas` and refers to it there, so that clients made from the document get names. */
function hoist (document: object): object {
  const schemas: Record<string, unknown> = {}
  const walk = (value: unknown, top: boolean): unknown => {
    if (Array.isArray(value)) return value.map((item) => walk(item, false))
    if (typeof value !== 'object' || value === null) return value
    const walked = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, key === 'examples' || key === 'example' ? item : walk(item, false)]))
    const { title } = value as { title?: unknown }
    if (top || typeof title !== 'string' || !('type' in value || 'anyOf' in value)) return walked
    const { description, ...schema } = walked
    schemas[title] ??= schema
    // The second of two shapes under one name would be documented as the first.
    const { properties, required } = schemas[title] as { properties?: unknown, required?: unknown }
    if (!isDeepStrictEqual([properties, required], [walked.properties, walked.required])) throw new Error(`Two different schemas are titled ${title}.`)
    return { $ref: `#/components/schemas/${title}`, ...(description !== undefined && { description }) }
  }
  const { components = {}, ...rest } = document as { components?: object }
  const walked = walk(rest, true) as object
  return { ...walked, components: { ...components, schemas: Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => a < b ? -1 : 1)) } }
}

/** The document as text, two spaces deep, as it is checked in. */
export function openapiText (app: FastifyInstance): string {
  return JSON.stringify(app.swagger(), null, 2) + '\n'
}
