import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'

/**
 * Which pages may call a route from a browser: those of `any origin`, or of the origins that the function accepts.
 * Routes without it are closed.
 */
export type Cors = 'any origin' | ((origin: string, request: FastifyRequest) => boolean | Promise<boolean>)

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Opens the route to pages of other sites. Never with cookies: what a page sends automatically gives no access. */
    cors?: Cors
  }
}

/** Request headers that a page may send; `*` would not cover authorization. */
const HEADERS = 'authorization, content-type, idempotency-key, if-match, if-none-match, last-event-id'
const PREFLIGHT_SECONDS = '600'

/**
 * Answers browsers that act for a page of another site, route by route. Registered before the routes, and before
 * authentication, so that pages can read refusals too. (`@fastify/cors` answers OPTIONS at every address, whether it is
 * open or not.)
 */
export const cors = fp(async (app) => {
  const methods = new Map<string, string[]>()

  app.addHook('onRoute', ({ url, method, config }) => {
    if (!config?.cors || method === 'OPTIONS') return
    const known = methods.get(url)
    if (known) {
      known.push(...[method].flat())
      return
    }
    const open = [method].flat()
    methods.set(url, open)
    const { cors } = config
    app.options(url, { schema: { hide: true }, config: { permit: 'anyone', cors } }, async (_request, reply) =>
      reply
        .code(204)
        .headers({
          allow: [...open, 'OPTIONS'].join(', '),
          'access-control-allow-methods': open.join(', '),
          'access-control-allow-headers': HEADERS,
          'access-control-max-age': PREFLIGHT_SECONDS
        })
        .send()
    )
  })

  app.addHook('onRequest', (request, reply, done) => {
    const wanted = request.routeOptions.config.cors
    if (wanted === undefined) return done()
    allow(wanted, request, reply).then(() => done(), done)
  })
}, { name: 'cors' })

async function allow (wanted: Cors, request: FastifyRequest, reply: FastifyReply) {
  const { origin } = request.headers
  // A cache must not give one origin the response meant for another.
  if (wanted !== 'any origin') reply.header('vary', 'origin')
  if (origin === undefined || (wanted !== 'any origin' && !await wanted(origin, request))) return
  reply.headers({
    'access-control-allow-origin': wanted === 'any origin' ? '*' : origin, 'access-control-expose-headers': '*'
  })
}
