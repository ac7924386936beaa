import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { hoist } from './openapi/components.ts'
import { documented, type Security } from './openapi/route.ts'

export { refusals, type Security, type Way } from './openapi/route.ts'

/**
 * Collects the routes into an OpenAPI 3.1 document; also documents who may call each route and how it may refuse.
 * Registered before the routes.
 */
export const openapi = fp<{
  version: string
  description: string
  /** Groups of routes in display order. */
  groups?: Array<{ name: string, description: string }>
  security: Security
  /** What is sent to addresses of accounts, as the document's `webhooks`. */
  webhooks?: Record<string, object>
}>(async (app, { version, description, groups = [], security, webhooks = {} }) => {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Agenthall', version, description, license: { name: 'MIT', identifier: 'MIT' } },
      servers: [{ url: '/' }, { url: '/api' }],
      tags: groups,
      components: { securitySchemes: security.schemes },
      ...(Object.keys(webhooks).length > 0 && { webhooks: webhooks as never })
    },
    transform: ({ schema, url, route }) => ({ schema: documented(schema, route, security), url }),
    transformObject: (found) => hoist((found as { openapiObject: object }).openapiObject) as never
  })
}, { name: 'openapi' })

/** The document as text, indented by two spaces, as it is checked in. */
export function openapiText (app: FastifyInstance): string {
  return JSON.stringify(app.swagger(), null, 2) + '\n'
}
