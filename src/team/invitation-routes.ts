import cookie from '@fastify/cookie'
import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsync } from 'fastify'
import { PathId } from '../../schema/common.ts'
import { success } from '../../schema/envelopes.ts'
import { SignedIn } from '../../schema/sign-in.ts'
import { Acceptance, Invitation, InvitationDraft, NewInvitation } from '../../schema/team.ts'
import { demandOurs, linkTo, openRoute, route, welcome } from '../access/index.ts'
import { created, list, ok, raw, removed } from '../platform/http/resources/answer.ts'
import { accept, type AcceptParts } from './accept.ts'
import { asked, demandToGive } from './rules.ts'
import type { TeamStore } from './store.ts'

const tag = 'Team'
const who = ['SEND_INVITE'] as const
const params = Type.Object({ id: PathId })
const missing = 'No such invitation.'

/** Dependencies of inviting. `address`: where clients reach the server. */
export interface InvitationRoutesOptions { team: TeamStore, address: () => string }

/** Invitations: list, create, revoke. */
export const invitationRoutes: FastifyPluginAsync<InvitationRoutesOptions> = async (app, { team, address }) => {
  app.route(route({
    get: '/invitations',
    id: 'listInvitations',
    tag,
    summary: 'List invitations',
    description: 'Returns invitations that can still be accepted, oldest first. Their links are never shown again.',
    who,
    answer: list(
      Invitation, { title: 'InvitationList', description: 'The invitations', placeOf: ({ id }) => id },
      'Invitations retrieved successfully'
    ),
    handle: ({ owner }) => team.invitations(owner)
  }))

  app.route(route({
    get: '/invitations/:id',
    id: 'getInvitation',
    tag,
    summary: 'Read an invitation',
    description: 'Returns an invitation that can still be accepted, without its link.',
    who,
    params,
    missing,
    answer: ok(
      success(Invitation, { title: 'InvitationAnswer', description: 'The invitation' }),
      'Invitation retrieved successfully'
    ),
    handle: async ({ owner, params: { id } }) => (await team.invitations(owner)).find((one) => one.id === id)
  }))

  app.route(route({
    post: '/invitations',
    id: 'createInvitation',
    tag,
    summary: 'Invite somebody to the team',
    description:
      'Grants a role by name or individual permissions, at most those you have yourself. The link works once, for ' +
      'seven days, and is shown only once. If mail is set up, the link is also mailed, at most once in 24 hours to ' +
      'an address and 20 times from an account; `mailed` says whether it was.',
    who,
    body: InvitationDraft,
    idempotent: 'with-secret',
    answer: created(
      success(NewInvitation, {
        title: 'InvitationCreated', description: 'The invitation with its link, shown only once'
      }),
      ({ mailed }) => {
        const how = mailed ? 'It goes out by mail too.' : 'Nothing was mailed: hand the link over yourself.'
        return `Invitation created successfully. The link is not shown again. ${how}`
      },
      { madeId: ({ invitation }) => invitation.id }
    ),
    refuses: [['limit_reached', '100 invitations are waiting to be accepted.']],
    handle: async ({ caller, owner, body: { email = null, ...granted }, once }) => {
      const permissions = asked(granted)
      demandToGive(caller.permissions, permissions)
      const {
        answer: { invitation, token, mailed }, replayed
      } = await team.invite(owner, caller.user.id, { email, permissions }, once)
      return { answer: { ...invitation, link: linkTo(address(), token), mailed }, replayed }
    }
  }))

  app.route(route({
    delete: '/invitations/:id',
    id: 'deleteInvitation',
    tag,
    summary: 'Revoke an invitation',
    description: 'Its link stops working immediately.',
    who,
    params,
    missing,
    answer: removed('Invitation revoked successfully'),
    handle: ({ owner, params: { id } }) => team.withdraw(owner, id)
  }))
}

/** Accepting an invitation, which needs neither key nor session. */
export const acceptRoute: FastifyPluginAsync<AcceptParts & { baseUrl: string }> = async (
  app, { baseUrl, ...parts }
) => {
  await app.register(cookie)
  app.addHook('onRequest', async (request) => demandOurs(request, baseUrl))

  app.route(openRoute({
    post: '/invitations/accept',
    id: 'acceptInvitation',
    tag,
    summary: 'Accept an invitation',
    description:
      'Works once. In a session, the token is enough. Otherwise, send an e-mail address and password: those of ' +
      'your existing user, or of one to be created. Starts a session that acts for the account.',
    who: 'anyone',
    body: Acceptance,
    answer: raw({ 201: success(SignedIn, { title: 'SignedInAnswer', description: 'The signed-in user' }) }),
    refuses: [
      ['authentication_required', 'The e-mail address or password is wrong.'],
      ['already_member', 'You are already in this team.'],
      ['taken', 'Another user already has this e-mail address.'],
      ['gone', 'This link no longer works.'],
      ['rate_limited', 'Too many attempts.']
    ],
    handle: async ({ request, body, reply }) => await welcome(reply, baseUrl, await accept(request, body, parts))
  }))
}
