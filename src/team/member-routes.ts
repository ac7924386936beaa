import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsync } from 'fastify'
import { PathId } from '../../schema/common.ts'
import { success } from '../../schema/envelopes.ts'
import { Colleague, Member, MemberPatch } from '../../schema/team.ts'
import { route } from '../access/index.ts'
import { list, ok, removed } from '../platform/http/resources/answer.ts'
import { versionOf } from '../platform/http/resources/tags.ts'
import type { Way } from '../platform/http/openapi.ts'
import { asked } from './rules.ts'
import type { TeamStore } from './store.ts'

const tag = 'Team'
const who = ['SEND_INVITE'] as const
const params = Type.Object({ id: PathId })
const missing = 'No such member.'
const MemberAnswer = success(Member, { title: 'MemberAnswer', description: 'The member' })

/** Their name and address are their own to change. */
const version = versionOf('The member', ({ user, ...set }: Member) => ({ ...set, user: user.id }))
const NOT_THEIRS: Way = [
  'permission_denied', 'You may not remove somebody else: it needs the permission SEND_INVITE.', {
    permissions: ['SEND_INVITE']
  }
]
const LAST_OWNER: Way = ['last_owner', 'This is the only owner of the account. Make somebody else an owner first.']

/** Members of the account: list, read, change, remove. */
export const memberRoutes: FastifyPluginAsync<{ team: TeamStore }> = async (app, { team }) => {
  app.route(route({
    get: '/colleagues',
    id: 'listColleagues',
    tag,
    summary: 'List the names of team members',
    description: 'Available to everybody who acts for the account. Returns only names, in the order of joining.',
    who: 'any user',
    answer: list(
      Colleague, { title: 'ColleagueList', description: 'The names', placeOf: ({ user }) => user },
      'Colleagues retrieved successfully'
    ),
    handle: async ({ owner }) => (await team.members(owner))
      .map(({ id: member, user: { id: user, name } }) => ({ user, member, name }))
  }))

  app.route(route({
    get: '/members',
    id: 'listMembers',
    tag,
    summary: 'List team members',
    description: 'Returns everybody who acts for the account, in the order of joining.',
    who,
    answer: list(
      Member, { title: 'MemberList', description: 'The members', placeOf: ({ id }) => id },
      'Members retrieved successfully'
    ),
    handle: ({ owner }) => team.members(owner)
  }))

  app.route(route({
    get: '/members/:id',
    id: 'getMember',
    tag,
    summary: 'Read a team member',
    who,
    params,
    version,
    missing,
    answer: ok(MemberAnswer, 'Member retrieved successfully'),
    handle: async ({ owner, params }) => (await team.members(owner)).find(({ id }) => id === params.id)
  }))

  app.route(route({
    patch: '/members/:id',
    id: 'updateMember',
    tag,
    summary: "Update a member's permissions",
    description:
      "By role name or individual permissions, at most those you have yourself. Takes effect from the member's " +
      'next request, for keys too.',
    who,
    params,
    body: MemberPatch,
    version,
    missing,
    answer: ok(MemberAnswer, 'Member updated successfully'),
    refuses: [LAST_OWNER],
    handle: ({ caller, owner, params: { id }, body, match }) =>
      team.change(owner, id, caller.permissions, asked(body), match)
  }))

  app.route(route({
    delete: '/members/:id',
    id: 'removeMember',
    tag,
    summary: 'Remove a member, or leave',
    description:
      "Ending the membership also ends the keys created for it, the member's open streams and, if they belong to " +
      'no other account, their sessions. Everybody may end their own, whose id `GET /v1/me` returns as ' +
      '`account.member`: in a session, or with a key that has all their permissions. Removing somebody else ' +
      'requires the permission SEND_INVITE.',
    who: 'any user',
    params,
    version,
    missing,
    answer: removed('Member removed successfully'),
    refuses: [NOT_THEIRS, LAST_OWNER],
    handle: ({ caller: { user, permissions }, owner, params: { id }, match }) =>
      team.remove(owner, id, { user: user.id, permissions }, match)
  }))
}
