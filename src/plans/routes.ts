import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type, type Static } from '@sinclair/typebox'
import { ApiKey, Permission, User } from '../../schema/access.ts'
import { success } from '../../schema/envelopes.ts'
import { Features, Limits, Tier } from '../../schema/plans.ts'
import { notAuthenticated, type AccessStore } from '../access/index.ts'
import type { Plans } from './plans.ts'

/** How much of what is limited is used. */
const Usage = Type.Object({
  agents: Type.Integer(),
  training_bytes: Type.Integer({ description: 'Bytes of text over all agents' }),
  stored_bytes: Type.Integer({ description: 'Bytes of files and texts that are kept, of deselected and failed sources too' })
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
  usage: (account: number) => Promise<Static<typeof Usage>>
}> = async (app, { plans, access, usage }) => {
  app.get('/me', {
    schema: {
      tags: ['Account'],
      operationId: 'getCaller',
      summary: 'The caller',
      description: 'The user behind the key, the key itself, and what the tier of the account allows that it acts for.',
      response: { 200: success(Me, { title: 'MeAnswer', description: 'Who calls, and what they may use' }) }
    },
    config: { permit: 'any user' }
  }, async ({ caller }) => {
    const { user, account, permissions, by } = caller
    const key = (await access.keys(user.id)).find(({ id }) => id === by.id)
    // Revoked by another request between the check and here.
    if (!key) throw notAuthenticated()
    return {
      status: 'success' as const,
      message: 'Caller retrieved successfully',
      data: {
        user,
        key,
        tier: account.tier,
        limits: plans.limits(account.tier),
        features: plans.features(account.tier),
        permissions: [...permissions],
        usage: await usage(account.id)
      }
    }
  })
}
