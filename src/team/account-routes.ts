import type { FastifyPluginAsync } from 'fastify'
import type { Id } from '../../schema/common.ts'
import type { Tier } from '../../schema/plans.ts'
import { success } from '../../schema/envelopes.ts'
import { AccountAnswer, AccountPatch } from '../../schema/team.ts'
import { notAuthenticated, route, type AccessStore } from '../access/index.ts'
import { Refusal } from '../platform/errors.ts'
import { ok } from '../platform/http/resources/answer.ts'
import type { Plans } from '../plans/index.ts'
import type { TeamStore } from './store.ts'

const tag = 'Account'
const Answer = success(AccountAnswer, { title: 'AccountAnswer', description: 'The account, and what its tier allows' })

/** `choosesTier`: whether an account may move itself to another tier, which otherwise only the operator does. */
export interface AccountRoutesOptions { access: AccessStore, team: TeamStore, plans: Plans, choosesTier: boolean }

/** The current account: read, change its tier. */
export const accountRoutes: FastifyPluginAsync<AccountRoutesOptions> = async (
  app, { access, team, plans, choosesTier }
) => {
  async function shown (account: Id) {
    const kept = await access.user(account)
    // Deleted between the check and here.
    if (!kept) throw notAuthenticated()
    const { id, name, tier, created_at: created } = kept
    const members = (await team.members(account)).length
    return { id, name, tier, limits: plans.limits(tier), features: plans.features(tier), members, created_at: created }
  }

  app.route(route({
    get: '/account',
    id: 'getAccount',
    tag,
    summary: 'Read the account',
    description: 'Tier, limits and features apply to everybody who acts for it.',
    who: 'any user',
    answer: ok(Answer, 'Account retrieved successfully'),
    handle: ({ owner }) => shown(owner)
  }))

  app.route(route({
    patch: '/account',
    id: 'updateAccount',
    tag,
    summary: "Change the account's tier",
    description:
      'Allowed only if the operator lets accounts choose (`AGENTHALL_ACCOUNTS_CHOOSE_TIER`); otherwise, any tier ' +
      'but the current one is refused with 403, and the operator moves accounts on the command line. Nothing is ' +
      'lost on a lower tier: existing settings stay, only setting them again is refused.',
    who: ['MANAGE_BILLING'],
    body: AccountPatch,
    answer: ok(Answer, 'Account updated successfully'),
    handle: async ({ caller: { account }, body: { tier } }) => {
      if (tier !== account.tier) {
        if (!choosesTier) throw operatorOnly(account.id, tier)
        await access.setTier(account.id, tier)
      }
      return await shown(account.id)
    }
  }))
}

function operatorOnly (account: Id, tier: Tier): Refusal {
  return new Refusal(
    'permission_denied',
    `Only the operator can move an account to another tier. Ask for it, naming account ${account}: "agenthall users update ${account} --tier ${tier}".`,
    { fields: { field: 'tier' } }
  )
}
