import type { FastifyInstance } from 'fastify'
import { identifier, identify, openPasskeys, openPasswords, openSignIn, permit } from './access/index.ts'
import type { Config } from './config.ts'
import type { Clock } from './platform/clock.ts'
import type { Neighbours } from './platform/neighbours/contract.ts'
import type { Metrics } from './platform/http/metrics.ts'
import { plansOf, throttle } from './plans/index.ts'
import type { Stores } from './stores.ts'

/** What decides which requests are let in. */
export interface Admission {
  /** What accounts may use, by their tier. */
  plans: ReturnType<typeof plansOf>
  neighbours: Neighbours
  /** Called for each request over the rate limit. */
  onLimit: (tier?: string) => void
  access: ReturnType<typeof accessOf>
}

/** Who asks, how often, and may they: before all routes that take a key or a session. */
export async function admit (routes: FastifyInstance, { plans, neighbours, onLimit, access }: Admission) {
  await routes.register(identify, access)
  await routes.register(throttle, { plans, neighbours, onLimit })
  await routes.register(permit)
}

/** Who is asking, and how people sign in. */
export function accessOf ({
  config, stores, clock, metrics
}: { config: Config, stores: Stores, clock: Clock, metrics: Metrics }) {
  const baseUrl = config.BASE_URL
  const callers = identifier({
    ...stores,
    clock,
    baseUrl,
    failuresPerMinute: config.AUTH_FAILURES,
    onFailure: metrics.counter('authentication_failures_total', 'Requests without a valid key or session')
  })
  const passwords = openPasswords()
  const signIn = openSignIn({ ...stores, store: stores.signIn, passwords, callers, clock })
  return {
    callers,
    signIn,
    passwords,
    clock,
    store: stores.signIn,
    team: stores.team,
    passkeys: openPasskeys({ ...stores, callers, baseUrl }),
    stores,
    baseUrl
  }
}
