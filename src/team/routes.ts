import type { FastifyPluginAsync } from 'fastify'
import { accountRoutes, type AccountRoutesOptions } from './account-routes.ts'
import { invitationRoutes, type InvitationRoutesOptions } from './invitation-routes.ts'
import { memberRoutes } from './member-routes.ts'

/** The account, its members and invitations to it. */
export const teamRoutes: FastifyPluginAsync<InvitationRoutesOptions & AccountRoutesOptions> = async (app, parts) => {
  await app.register(accountRoutes, parts)
  await app.register(memberRoutes, parts)
  await app.register(invitationRoutes, parts)
}
