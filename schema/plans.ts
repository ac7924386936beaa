import { Type, type Static } from '@sinclair/typebox'
import { oneOf } from './common.ts'

/** The tiers a user can be on, smallest first. */
export const TIERS = ['free', 'pro', 'enterprise'] as const

/** One of the tiers. */
export const Tier = oneOf(TIERS, { title: 'Tier' })
export type Tier = Static<typeof Tier>

/** Features that a tier may use beyond the basics. */
export const FEATURES = ['WHITE_LABELING', 'PREMIUM_MODELS', 'AUTO_TICKET_RESPONSE', 'ADD_ON_AGENT'] as const
export type Feature = typeof FEATURES[number]

/** Each feature, and whether the caller's tier has it. */
export const Features = Type.Object({
  WHITE_LABELING: Type.Boolean(),
  PREMIUM_MODELS: Type.Boolean(),
  AUTO_TICKET_RESPONSE: Type.Boolean(),
  ADD_ON_AGENT: Type.Boolean()
}, { title: 'Features' })
export type Features = Static<typeof Features>

/** The limits of a tier. */
export const Limits = Type.Object(
  {
    requests_per_minute: Type.Integer({ minimum: 0, description: 'Requests in any 60 seconds; 0: no limit' }),
    max_training_usage_bytes: Type.Integer({ minimum: 0, description: 'Bytes of text an agent may be trained on' }),
    max_agents: Type.Integer({ minimum: 0, description: 'Agents the account may have; 0: no limit' }),
    max_stored_bytes: Type.Integer({
      minimum: 0, description: 'Bytes of files and texts the account may keep over all its agents'
    })
  },
  { title: 'Limits' }
)
export type Limits = Static<typeof Limits>
