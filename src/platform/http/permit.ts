import fp from 'fastify-plugin'
import type { Permission } from '../../../schema/access.ts'
import { Refusal } from '../errors.ts'

/**
 * Who may call a route: `anyone`, holders of `any key`, or of a key that carries at least one of the permissions.
 * Every route says it; silence does not boot.
 */
export type Permit = 'anyone' | 'any key' | readonly Permission[]

declare module 'fastify' {
  interface FastifyContextConfig {
    permit?: Permit
  }
}

/** Refuses to start a server that has a route nobody decided about. */
export const everyRouteSaysWho = fp(async (app) => {
  app.addHook('onRoute', (route) => {
    if (!route.config?.permit) throw new Error(`${route.method} ${route.url} does not say who may call it`)
  })
}, { name: 'every-route-says-who' })

/** Throws `permission_denied` unless one of the wanted permissions is held. */
export function demand (held: readonly Permission[], wanted: readonly Permission[], what = 'do this') {
  if (wanted.some((permission) => held.includes(permission))) return
  throw new Refusal('permission_denied', `This key may not ${what}: it needs the permission ${wanted.join(' or ')}.`, {
    fields: { permissions: [...wanted] }
  })
}
