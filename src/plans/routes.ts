import type { FastifyPluginAsync } from 'fastify'
import { success } from '../../schema/envelopes.ts'
import { Me } from '../../schema/people/me.ts'
import { notAuthenticated, route, type AccessStore, type Caller, type SignInStore } from '../access/index.ts'
import { timestamp } from '../platform/clock.ts'
import { ok } from '../platform/http/resources/answer.ts'
import type { Plans } from './plans.ts'

/** A caller's credential; one of them. Refuses one that was revoked between the check and here. */
async function cameWith (access: AccessStore, { user, account, by, expires }: Caller) {
  if (by.kind === 'session') return { key: null, session: { id: by.id, expires_at: timestamp(expires ?? 0) } }
  const key = (await access.keys(user.id, account.id)).find(({ id }) => id === by.id)
  if (!key) throw notAuthenticated()
  return { key, session: null }
}

/** The caller's identity and permissions. */
export const planRoutes: FastifyPluginAsync<{
  plans: Plans
  access: AccessStore
  signIn: SignInStore
  usage: (account: number) => Promise<Me['usage']>
}> = async (app, { plans, access, signIn, usage }) => {
  app.route(route({
    get: '/me',
    id: 'getCaller',
    tag: 'Account',
    summary: 'The caller',
    description: 'The user who asks, the key or session, and what the tier of the account allows that is acted for.',
    who: 'any user',
    answer: ok(
      success(Me, { title: 'MeAnswer', description: 'Who calls, and what they may use' }),
      'Caller retrieved successfully'
    ),
    handle: async ({ caller }) => {
      const { user, account: { id, tier }, permissions } = caller
      const proof = await cameWith(access, caller)
      const accounts = await signIn.accounts(user.id)
      const account = accounts.find((one) => one.id === id)
      if (!account) throw notAuthenticated()
      return {
        user,
        ...proof,
        account,
        accounts,
        tier,
        limits: plans.limits(tier),
        features: plans.features(tier),
        permissions: [...permissions],
        usage: await usage(id)
      }
    }
  }))
}
