import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import cookie from '@fastify/cookie'
import { PathId } from '../../schema/common.ts'
import { Deleted, success } from '../../schema/envelopes.ts'
import { SignedIn } from '../../schema/sign-in.ts'
import { Acceptance, Invitation, InvitationDraft, NewInvitation } from '../../schema/team.ts'
import { callerSecret, demandOurs, linkTo, welcome } from '../access/index.ts'
import { InPartsIfAsked, listOf, partIfAsked } from '../platform/http/resources/cursors.ts'
import { Refusal } from '../platform/errors.ts'
import { refusal, refusals } from '../platform/http/openapi.ts'
import { onceOf } from '../platform/storage/sqlite/once.ts'
import { accept, type AcceptParts } from './accept.ts'
import { asked, demandToGive } from './rules.ts'
import type { TeamStore } from './store.ts'

const tags = ['Team']

/** What inviting needs. `address`: where clients reach the server. */
export interface InvitationRoutesOptions { team: TeamStore, address: () => string }

/** Invitations: list, make, take back. */
export const invitationRoutes: FastifyPluginAsyncTypebox<InvitationRoutesOptions> = async (app, { team, address }) => {
  app.get(
    '/invitations',
    {
      schema: {
        tags,
        operationId: 'listInvitations',
        summary: 'List invitations',
        description: 'Those that can still be accepted, oldest first. Their links are never shown again.',
        querystring: InPartsIfAsked,
        response: { 200: listOf(Invitation, { title: 'InvitationList', description: 'The invitations' }) }
      },
      config: { permit: ['SEND_INVITE'] }
    },
    async (request) => {
      const { caller: { account } } = request
      return {
        status: 'success' as const,
        message: 'Invitations retrieved successfully',
        ...partIfAsked(request, account.id, await team.invitations(account.id), ({ id }) => id)
      }
    }
  )

  app.get('/invitations/:id', {
    schema: {
      tags,
      operationId: 'getInvitation',
      summary: 'Read an invitation',
      description: 'One that can still be accepted, without its link.',
      params: Type.Object({ id: PathId }),
      response: { 200: success(Invitation, { title: 'InvitationAnswer', description: 'The invitation' }) }
    },
    config: { permit: ['SEND_INVITE'] }
  }, async ({ caller, params: { id } }) => {
    const data = (await team.invitations(caller.account.id)).find((one) => one.id === id) ?? noInvitation()
    return { status: 'success' as const, message: 'Invitation retrieved successfully', data }
  })

  app.post(
    '/invitations',
    {
      schema: {
        tags,
        operationId: 'createInvitation',
        summary: 'Invite somebody to the team',
        description:
          'As at most what you may do yourself, by the name of a role or permission by permission. The link works once, for seven days, and is shown this once. Where mail is set up it goes out by mail too, once in 24 hours to an address and 20 times from an account; `mailed` tells.',
        body: InvitationDraft,
        response: {
          201: success(NewInvitation, {
            title: 'InvitationCreated', description: 'The invitation, with its link for this once'
          }),
          409: refusal('limit_reached', '100 invitations wait to be accepted.')
        }
      },
      config: { permit: ['SEND_INVITE'], heeds: ['Idempotency-Key'] }
    },
    async (request, reply) => {
      const {
        caller, body: { email = null, ...granted }
      } = request
      const permissions = asked(granted)
      demandToGive(caller.permissions, permissions)
      const once = onceOf(request, { secret: callerSecret(request) })
      const {
        answer: { invitation, token, mailed }, replayed
      } = await team.invite(caller.account.id, caller.user.id, { email, permissions }, once)
      if (replayed) reply.header('idempotency-replayed', 'true')
      const data = { ...invitation, link: linkTo(address(), token), mailed }
      const how = mailed ? 'It goes out by mail too.' : 'Nothing was mailed: hand the link over yourself.'
      return reply
        .code(201)
        .header('cache-control', 'no-store')
        .header('location', `/v1/invitations/${invitation.id}`)
        .send({
          status: 'success', message: `Invitation created successfully. The link is not shown again. ${how}`, data
        })
    }
  )

  app.delete('/invitations/:id', {
    schema: {
      tags,
      operationId: 'deleteInvitation',
      summary: 'Take an invitation back',
      description: 'Its link stops working at once.',
      params: Type.Object({ id: PathId }),
      response: { 200: Deleted }
    },
    config: { permit: ['SEND_INVITE'] }
  }, async ({ caller, params: { id } }) => {
    if (!await team.withdraw(caller.account.id, id)) noInvitation()
    return { status: 'success' as const, message: 'Invitation taken back successfully', data: { id } }
  })
}

function noInvitation (): never {
  throw new Refusal('not_found', 'No such invitation.')
}

/** Accepting one, for who may have neither key nor session yet. */
export const acceptRoute: FastifyPluginAsyncTypebox<AcceptParts & { baseUrl: string }> = async (
  app, { baseUrl, ...parts }
) => {
  await app.register(cookie)
  app.addHook('onRequest', async (request) => demandOurs(request, baseUrl))

  app.post(
    '/invitations/accept',
    {
      schema: {
        tags,
        operationId: 'acceptInvitation',
        summary: 'Accept an invitation',
        description:
          'Works once. In a session the token is enough. Otherwise with e-mail address and password: of a user that you have already, or of one that is made. A session begins that acts for the account.',
        body: Acceptance,
        response: {
          201: success(SignedIn, { title: 'SignedInAnswer', description: 'Who has signed in' }),
          401: refusal('authentication_required', 'The e-mail address or the password is not right.'),
          409: refusals(
            ['already_member', 'You are in this team already.'],
            ['taken', 'Another user has this e-mail address already.']
          ),
          410: refusal('gone', 'This link does not work any more.'),
          429: refusal('rate_limited', 'Too many attempts.')
        }
      },
      config: { permit: 'anyone' }
    },
    async (request, reply) => await welcome(reply, baseUrl, await accept(request, request.body, parts))
  )
}
