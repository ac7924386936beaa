import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Id } from '../../schema/common.ts'
import { success } from '../../schema/envelopes.ts'
import { AccountAnswer, AccountPatch } from '../../schema/team.ts'
import { notAuthenticated, type AccessStore } from '../access/index.ts'
import type { Plans } from '../plans/index.ts'
import type { TeamStore } from './store.ts'

const tags = ['Account']
const Answer = success(AccountAnswer, { title: 'AccountAnswer', description: 'The account, and what its tier allows' })

/** The account that is acted for: read, move to a tier. */
export const accountRoutes: FastifyPluginAsyncTypebox<{ access: AccessStore, team: TeamStore, plans: Plans }> = async (
  app, { access, team, plans }
) => {
  async function shown (account: Id) {
    const kept = await access.user(account)
    // Deleted between the check and here.
    if (!kept) throw notAuthenticated()
    const { id, name, tier, created_at: created } = kept
    const members = (await team.members(account)).length
    return { id, name, tier, limits: plans.limits(tier), features: plans.features(tier), members, created_at: created }
  }

  app.get(
    '/account',
    {
      schema: {
        tags,
        operationId: 'getAccount',
        summary: 'The account',
        description: 'Tier, limits and features count for all who act for it.',
        response: { 200: Answer }
      },
      config: { permit: 'any user' }
    },
    async ({ caller }) => ({
      status: 'success' as const, message: 'Account retrieved successfully', data: await shown(caller.account.id)
    })
  )

  app.patch(
    '/account',
    {
      schema: {
        tags,
        operationId: 'updateAccount',
        summary: 'Move the account to a tier',
        description: 'Nothing is lost on a lower one: what is set stays, only setting it anew is refused.',
        body: AccountPatch,
        response: { 200: Answer }
      },
      config: { permit: ['MANAGE_BILLING'] }
    },
    async ({ caller, body: { tier } }) => {
      await access.setTier(caller.account.id, tier)
      return {
        status: 'success' as const, message: 'Account updated successfully', data: await shown(caller.account.id)
      }
    }
  )
}
