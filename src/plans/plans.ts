import type { Id } from '../../schema/common.ts'
import type { Feature, Features, Limits, Tier } from '../../schema/plans.ts'
import { Refusal } from '../platform/errors.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import type { Work } from '../platform/storage/work.ts'
import rateLimit, { type FastifyRateLimitStoreCtor } from '@fastify/rate-limit'
import fp from 'fastify-plugin'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Neighbours } from '../platform/neighbours/contract.ts'
import { isWithin } from '../platform/work/within.ts'
import type { SlidingWindow, Taken } from '../platform/work/sliding-window.ts'

/** What each tier may use. */
export interface Plans {
  features (tier: Tier): Features
  limits (tier: Tier): Limits
}

const FEATURES_OF_TIERS: Record<Tier, Features> = {
  free: { WHITE_LABELING: false, PREMIUM_MODELS: false, AUTO_TICKET_RESPONSE: false, ADD_ON_AGENT: false },
  pro: { WHITE_LABELING: false, PREMIUM_MODELS: true, AUTO_TICKET_RESPONSE: true, ADD_ON_AGENT: false },
  enterprise: { WHITE_LABELING: true, PREMIUM_MODELS: true, AUTO_TICKET_RESPONSE: true, ADD_ON_AGENT: true }
}

/** Features that an account of this tier may switch on. */
export function featuresOf (tier: Tier): Features {
  return FEATURES_OF_TIERS[tier]
}

/** Maximum agents of an account of a tier; 0: no limit. */
export type AgentLimits = Partial<Record<Tier, number>>

const mostAgents = (limits: AgentLimits, tier: Tier) => featuresOf(tier).ADD_ON_AGENT ? 0 : limits[tier] ?? 0

/** The plans of an installation: what tiers may use is fixed, how much is a setting. */
export function plansOf ({ rateLimits, trainingLimits, storageLimits, agentLimits }:
  Record<'rateLimits' | 'trainingLimits' | 'storageLimits', Record<Tier, number>> & { agentLimits: AgentLimits }
): Plans {
  return {
    features: featuresOf,
    limits: (tier) => ({
      requests_per_minute: rateLimits[tier],
      max_training_usage_bytes: trainingLimits[tier],
      max_agents: mostAgents(agentLimits, tier),
      max_stored_bytes: storageLimits[tier]
    })
  }
}

/** Throws `feature_unavailable`, naming the feature and the tier, unless the tier has it. */
export function demandFeature (tier: Tier, feature: Feature, field: string) {
  if (FEATURES_OF_TIERS[tier][feature]) return
  throw new Refusal(
    'feature_unavailable',
    `${field} needs the feature ${feature}, which the ${tier} tier does not have. Ask the operator for a higher tier.`,
    {
      fields: { feature, tier, field }
    }
  )
}

/** Throws `feature_unavailable` when an account of this tier with this many agents may not have another. */
export function demandRoomForAgent (limits: AgentLimits, tier: Tier, agents: number) {
  const limit = mostAgents(limits, tier)
  if (limit === 0 || agents < limit) return
  throw new Refusal(
    'feature_unavailable',
    `The ${tier} tier allows ${limit === 1 ? 'one agent' : `${limit} agents`}; more need the feature ADD_ON_AGENT, which it does not have. Delete an agent, or ask the operator for a higher tier.`,
    { fields: { feature: 'ADD_ON_AGENT', tier, limit } }
  )
}

/** Returns the tier of an account, inside a transaction; the lowest for a deleted one. */
export function tiersIn (db: Database): (owner: Id) => Work<Tier> {
  const tierOf = db.column<[Id], Tier>('select tier from users where id = ?')
  return function * (owner) { return (yield * tierOf.get(owner)) ?? 'free' }
}

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
