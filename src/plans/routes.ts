import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { ApiKey, Permission, User } from '../../schema/access.ts'
import { success } from '../../schema/envelopes.ts'
import { Features, Limits, Tier } from '../../schema/plans.ts'
import type { AccessStore } from '../access/index.ts'
import { Refusal } from '../platform/errors.ts'
import type { Plans } from './plans.ts'

/** How much of what is limited is used. */
export const Usage = Type.Object({
  agents: Type.Integer(),
  training_bytes: Type.Integer({ description: 'Bytes of text over all agents' })
}, { title: 'Usage' })

const Me = Type.Object({
  user: User,
  key: Type.Omit(ApiKey, ['permissions'], { title: 'CallingKey' }),
  tier: Tier,
  limits: Limits,
  features: Features,
  permissions: Type.Array(Permission),
  usage: Usage
}, { title: 'Me' })

/** Who the caller is and what it may use. */
export const planRoutes: FastifyPluginAsyncTypebox<{
  plans: Plans
  access: AccessStore
  usage: (owner: number) => Promise<{ agents: number, training_bytes: number }>
}> = async (app, { plans, access, usage }) => {
  app.get('/me', {
    schema: {
      tags: ['Account'],
      summary: 'The caller',
      description: 'The user behind the key, the key itself, and what the user\'s tier allows.',
      response: { 200: success(Me, { title: 'MeAnswer' }) }
    },
    config: { permit: 'any key' }
  }, async ({ caller }) => {
    const { user, owner, permissions } = caller
    const key = (await access.keys(user.id)).find(({ id }) => id === caller.key)
    // Revoked by another request between the check and here.
    if (!key) throw new Refusal('authentication_required', 'Authentication failed. Send a valid key as "Authorization: Api-Key <key>".')
    return {
      status: 'success' as const,
      message: 'Caller retrieved successfully',
      data: {
        user,
        key,
        tier: user.tier,
        limits: plans.limits(user.tier),
        features: plans.features(user.tier),
        permissions: [...permissions],
        usage: await usage(owner)
      }
    }
  })
}
