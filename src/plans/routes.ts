import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type, type Static } from '@sinclair/typebox'
import { ApiKey, Permission, User } from '../../schema/access.ts'
import { Id, Timestamp } from '../../schema/common.ts'
import { success } from '../../schema/envelopes.ts'
import { Features, Limits, Tier } from '../../schema/plans.ts'
import { notAuthenticated, type AccessStore, type Caller, type SignInStore } from '../access/index.ts'
import { timestamp } from '../platform/clock.ts'
import type { Plans } from './plans.ts'

/** How much of what is limited is used. */
const Usage = Type.Object({
  agents: Type.Integer(),
  training_bytes: Type.Integer({ description: 'Bytes of text over all agents' }),
  stored_bytes: Type.Integer({ description: 'Bytes of files and texts that are kept, of deselected and failed sources too' })
}, { title: 'Usage' })

/** An account by its name, which is that of the user it was made for. */
const AccountRef = Type.Object({ id: Id, name: Type.String() }, { title: 'AccountRef' })

const Me = Type.Object({
  user: User,
  key: Type.Union([Type.Omit(ApiKey, ['permissions'], { title: 'CallingKey' }), Type.Null()], { description: 'The key that asks; null in a session' }),
  session: Type.Union([Type.Object({ id: Id, expires_at: Timestamp }, { title: 'CallingSession' }), Type.Null()], { description: 'The session that asks; null with a key' }),
  account: Type.Composite([AccountRef], { title: 'AccountRef', description: 'The account that is acted for' }),
  accounts: Type.Array(AccountRef, { description: 'All that the user may act for: with a session by naming one in Agenthall-Account' }),
  tier: Tier,
  limits: Limits,
  features: Features,
  permissions: Type.Array(Permission),
  usage: Usage
}, { title: 'Me' })

/** What a caller came with; one of them. Refuses what was revoked between the check and here. */
async function cameWith (access: AccessStore, { user, account, by, expires }: Caller) {
  if (by.kind === 'session') return { key: null, session: { id: by.id, expires_at: timestamp(expires ?? 0) } }
  const key = (await access.keys(user.id, account.id)).find(({ id }) => id === by.id)
  if (!key) throw notAuthenticated()
  return { key, session: null }
}

/** Who the caller is and what it may use. */
export const planRoutes: FastifyPluginAsyncTypebox<{
  plans: Plans
  access: AccessStore
  signIn: SignInStore
  usage: (account: number) => Promise<Static<typeof Usage>>
}> = async (app, { plans, access, signIn, usage }) => {
  app.get('/me', {
    schema: {
      tags: ['Account'],
      operationId: 'getCaller',
      summary: 'The caller',
      description: 'The user who asks, the key or session, and what the tier of the account allows that is acted for.',
      response: { 200: success(Me, { title: 'MeAnswer', description: 'Who calls, and what they may use' }) }
    },
    config: { permit: 'any user' }
  }, async ({ caller }) => {
    const { user, account: { id, tier }, permissions } = caller
    const proof = await cameWith(access, caller)
    const accounts = await signIn.accounts(user.id)
    const account = accounts.find((one) => one.id === id)
    if (!account) throw notAuthenticated()
    return {
      status: 'success' as const,
      message: 'Caller retrieved successfully',
      data: {
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
  })
}
