import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { PathId } from '../../schema/common.ts'
import { Deleted, success } from '../../schema/envelopes.ts'
import { Member, MemberPatch } from '../../schema/team.ts'
import { InPartsIfAsked, listOf, partIfAsked } from '../platform/http/resources/cursors.ts'
import { answerTagged, matching, tagOf, Unchanged } from '../platform/http/resources/tags.ts'
import { Refusal } from '../platform/errors.ts'
import { refusal } from '../platform/http/openapi.ts'
import { asked } from './rules.ts'
import type { TeamStore } from './store.ts'

const tags = ['Team']
const THIS = 'The member'
const MemberAnswer = success(Member, { title: 'MemberAnswer', description: 'The member' })
const inMember = Type.Object({ id: PathId })

/** Their name and address are their own to change. */
const setOf = ({ user, ...set }: Member) => ({ ...set, user: user.id })
const notTheirs = refusal(
  'permission_denied', 'You may not remove somebody else: it needs the permission SEND_INVITE.', {
    permissions: ['SEND_INVITE']
  }
)
const lastOwner = refusal('last_owner', 'This is the only owner of the account. Make somebody else an owner first.')

/** Who acts for the account: list, read, change, remove. */
export const memberRoutes: FastifyPluginAsyncTypebox<{ team: TeamStore }> = async (app, { team }) => {
  app.get(
    '/members',
    {
      schema: {
        tags,
        operationId: 'listMembers',
        summary: 'List the members of the team',
        description: 'Everybody who acts for the account, in the order of joining.',
        querystring: InPartsIfAsked,
        response: { 200: listOf(Member, { title: 'MemberList', description: 'The members' }) }
      },
      config: { permit: ['SEND_INVITE'] }
    },
    async (request) => {
      const { caller: { account } } = request
      return {
        status: 'success' as const,
        message: 'Members retrieved successfully',
        ...partIfAsked(request, account.id, await team.members(account.id), ({ id }) => id)
      }
    }
  )

  app.get(
    '/members/:id',
    {
      schema: {
        tags,
        operationId: 'getMember',
        summary: 'Read a member of the team',
        params: inMember,
        response: { 200: MemberAnswer, 304: Unchanged }
      },
      config: { permit: ['SEND_INVITE'], heeds: ['If-None-Match'], tells: ['ETag'] }
    },
    async (request, reply) => {
      const { caller: { account }, params } = request
      const data = (await team.members(account.id)).find(({ id }) => id === params.id) ?? noMember()
      return answerTagged(request, reply, tagOf(setOf(data), data), 'Member retrieved successfully', data)
    }
  )

  app.patch(
    '/members/:id',
    {
      schema: {
        tags,
        operationId: 'updateMember',
        summary: 'Change what a member may do',
        description:
          "By the name of a role or permission by permission: at most what you may do yourself. It counts from the member's next request on, for keys too.",
        params: inMember,
        body: MemberPatch,
        response: { 200: MemberAnswer, 409: lastOwner }
      },
      config: { permit: ['SEND_INVITE'], heeds: ['If-Match'], tells: ['ETag'] }
    },
    async (request, reply) => {
      const { caller: { account, permissions }, params: { id }, body } = request
      const match = matching(request, THIS, setOf)
      const data = (await team.change(account.id, id, permissions, asked(body), match)) ?? noMember()
      return answerTagged(request, reply, tagOf(setOf(data), data), 'Member updated successfully', data)
    }
  )

  app.delete(
    '/members/:id',
    {
      schema: {
        tags,
        operationId: 'removeMember',
        summary: 'Remove a member, or leave',
        description:
          'With the membership end the keys made for it, what they watch, and the sessions of who belongs to no other account. Everybody may end their own, whose id `GET /v1/me` tells as `account.member`: in a session, or with a key that may do all that they may. To remove somebody else needs the permission SEND_INVITE.',
        params: inMember,
        response: { 200: Deleted, 403: notTheirs, 409: lastOwner }
      },
      config: { permit: 'any user', heeds: ['If-Match'] }
    },
    async (request) => {
      const { caller: { account, user, permissions }, params: { id } } = request
      const match = matching(request, THIS, setOf)
      if (!(await team.remove(account.id, id, { user: user.id, permissions }, match))) noMember()
      return { status: 'success' as const, message: 'Member removed successfully', data: { id } }
    }
  )
}

function noMember (): never {
  throw new Refusal('not_found', 'No such member.')
}
