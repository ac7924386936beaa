import fp from 'fastify-plugin'
import type { Permit } from '../platform/http/permit.ts'
import { demand } from '../platform/http/permit.ts'
import { identifier, type Caller, type IdentifyOptions } from './identify.ts'

export { apiKeyRoutes } from './routes.ts'
export { addressBlock, type Caller } from './identify.ts'
export type { AccessStore } from './store.ts'
export { sqliteAccessStore } from './store.sqlite.ts'

/** From here on every request must come with a key: sets `request.caller`. */
export const identify = fp<IdentifyOptions>(async (app, options) => {
  const callerOf = identifier(options)
  app.decorateRequest('caller', null as unknown as Caller)
  app.addHook('onRequest', (request, _reply, done) => {
    request.caller = callerOf(request)
    done()
  })
}, { name: 'identify' })

/** Lets through only callers whose key carries what the route demands. Runs after the throttle, so that trying costs. */
export const permit = fp(async (app) => {
  app.addHook('onRequest', (request, _reply, done) => {
    const wanted = request.routeOptions.config.permit as Permit
    if (typeof wanted !== 'string') demand(request.caller.permissions, wanted)
    done()
  })
}, { name: 'permit', dependencies: ['identify'] })
