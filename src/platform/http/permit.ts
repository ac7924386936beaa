import fp from 'fastify-plugin'

/**
 * The kinds of permits, by name. `anyone` is built in; each feature that can authenticate callers adds its own kinds
 * here, by declaring the module again, and checks them in the part of the service where it has identified the caller.
 */
export interface Permits { anyone: 'anyone' }

/** Who may call a route. */
export type Permit = Permits[keyof Permits]

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may call this route. Every route must say; without it the server does not start. */
    permit?: Permit
  }
}

/** Refuses to start a server that has a route without a permit. */
export const everyRouteSaysWho = fp(async (app) => {
  app.addHook('onRoute', (route) => {
    if (!route.config?.permit) throw new Error(`${route.method} ${route.url} does not say who may call it`)
  })
}, { name: 'every-route-says-who' })
