import rateLimit, { type FastifyRateLimitStoreCtor } from '@fastify/rate-limit'
import fp from 'fastify-plugin'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../platform/errors.ts'
import type { Neighbours } from '../platform/neighbours/contract.ts'
import { isWithin } from '../platform/work/within.ts'
import type { SlidingWindow, Taken } from '../platform/work/sliding-window.ts'
import type { Plans } from './plans.ts'

/**
 * Limits how often an account may be used, over all keys of all who act for it: in any 60 seconds no more than the
 * tier's number of requests is let through. Only requests that come with a valid key are counted, so nobody can use up
 * another's limit.
 */
export const throttle = fp<{ plans: Plans, neighbours: Neighbours, onLimit?: (tier: string) => void }>(
  async (app, { plans, neighbours, onLimit }) => {
    const window = neighbours.window({ name: 'requests', most: Infinity })
    const limitOf = ({ caller }: FastifyRequest) => plans.limits(caller.account.tier).requests_per_minute
    await app.register(rateLimit, {
      global: false,
      store: storeOf(window),
      timeWindow: 60_000,
      keyGenerator: ({ caller }) => String(caller.account.id),
      max: limitOf,
      errorResponseBuilder: ({ caller }, { max }) => {
        onLimit?.(caller.account.tier)
        return new Refusal(
          'rate_limited',
          `The ${caller.account.tier} tier allows ${max} requests a minute. Wait for Retry-After seconds, or ask the operator for a higher tier.`,
          {
            fields: { tier: caller.account.tier, limit: max }
          }
        )
      }
    })
    const limit = app.rateLimit() as unknown as (request: FastifyRequest, reply: FastifyReply) => Promise<void>
    app.addHook('onRequest', (request, reply, done) => {
      // Without a limit there is nothing to wait for; a tool's requests were counted where the tool was called.
      if (limitOf(request) === 0 || isWithin()) done()
      else limit(request, reply).then(() => done(), done)
    })
  },
{ name: 'throttle', dependencies: ['identify'] }
)

/** The sliding window in the form in which @fastify/rate-limit asks for a store. */
function storeOf (window: SlidingWindow): FastifyRateLimitStoreCtor {
  return class {
    incr (
      key: string,
      callback: (error: Error | null, result?: { current: number, ttl: number }) => void,
      _timeWindow: number,
      max: number
    ) {
      const answer = ({ allowed, used, freesMs }: Taken) =>
        callback(null, { current: allowed ? used : max + 1, ttl: freesMs })
      const taken = window.take(key, max)
      if (taken instanceof Promise) taken.then(answer, callback)
      else answer(taken)
    }

    /* c8 ignore next 3 -- the plugin's contract has it; it is called for limits of single routes: there are none */
    child () {
      return this
    }
  }
}
