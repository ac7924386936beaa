import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsync } from 'fastify'
import { User } from '../../../schema/access.ts'
import { Id, PathId } from '../../../schema/common.ts'
import { Deleted, success } from '../../../schema/envelopes.ts'
import { PasswordChange, Session, UserPatch } from '../../../schema/sign-in.ts'
import type { Way } from '../../platform/http/openapi.ts'
import { ok, removed, whole } from '../../platform/http/resources/answer.ts'
import { InPartsIfAsked, listOf, partIfAsked } from '../../platform/http/resources/cursors.ts'
import { membershipFor } from '../identify.ts'
import type { Caller } from '../contract.ts'
import { route } from '../permit.ts'
import { clearToken } from './cookie.ts'
import { shownSession } from './routes.ts'
import type { Passkeys } from './passkeys.ts'
import { passkeyRoutes } from './passkey-routes.ts'
import type { PasskeyStore, SignInStore } from './store.ts'
import type { SignIn } from './verbs.ts'

const tag = 'Sign-in'
const params = Type.Object({ id: PathId })
const missing = 'No such session.'
const TOO_OFTEN: Way = ['rate_limited', 'Too many attempts.']

/** Dependencies of a person's own routes. */
interface MeRoutesOptions {
  stores: { signIn: SignInStore, passkeys: PasskeyStore }
  signIn: SignIn
  passkeys: Passkeys
  baseUrl: string
}

/** The caller's session; none for a key. */
const current = ({ by }: Caller) => by.kind === 'session' ? by.id : 0

/** A person's own sessions, name, password and passkeys. */
export const meRoutes: FastifyPluginAsync<MeRoutesOptions> = async (
  app, { stores, signIn, passkeys, baseUrl }
) => {
  const store = stores.signIn
  await app.register(passkeyRoutes, { store: stores.passkeys, passkeys })

  app.route(route({
    delete: '/session',
    id: 'signOut',
    tag,
    summary: 'Sign out',
    description: 'Ends the session that makes the request.',
    who: 'a session',
    answer: ok(Deleted, 'Signed out successfully'),
    handle: async ({ caller: { user, by: { id } }, reply }) => {
      await store.end(user.id, id)
      clearToken(reply, baseUrl)
      return { id }
    }
  }))

  app.route(route({
    get: '/me/sessions',
    id: 'listSessions',
    tag,
    summary: 'List your sessions',
    description: 'Returns where you are signed in, newest first.',
    who: 'any user',
    query: InPartsIfAsked,
    answer: whole(
      listOf(Session, { title: 'SessionList', description: 'The sessions that have not ended' }),
      'Sessions retrieved successfully'
    ),
    handle: async ({ caller, request }) => {
      const all = (await store.sessions(caller.user.id)).map((session) => shownSession(session, current(caller)))
      return partIfAsked(request, caller.user.id, all, ({ id }) => id, { isNewestFirst: true })
    }
  }))

  app.route(route({
    delete: '/me/sessions',
    id: 'endOtherSessions',
    tag,
    summary: 'Sign out everywhere else',
    description: 'Ends all your sessions except the one that makes the request.',
    who: 'a session',
    answer: ok(
      success(Type.Object({ ended: Type.Integer() }), {
        title: 'SessionsEnded', description: 'The number of sessions ended'
      }),
      'All other sessions have ended'
    ),
    handle: async ({ caller }) => ({ ended: await store.endOthers(caller.user.id, caller.by.id) })
  }))

  app.route(route({
    get: '/me/sessions/:id',
    id: 'getSession',
    tag,
    summary: 'Read one of your sessions',
    who: 'any user',
    params,
    missing,
    answer: ok(
      success(Session, { title: 'SessionAnswer', description: 'The session' }), 'Session retrieved successfully'
    ),
    handle: async ({ caller, params: { id } }) => {
      const found = (await store.sessions(caller.user.id)).find((session) => session.id === id)
      return found && shownSession(found, current(caller))
    }
  }))

  app.route(route({
    delete: '/me/sessions/:id',
    id: 'endSession',
    tag,
    summary: 'End a session',
    description: 'The session is refused from the next request on, and its open streams end within a second.',
    who: 'any user',
    params,
    missing,
    answer: removed('Session ended successfully'),
    handle: ({ caller, params: { id } }) => store.end(caller.user.id, id)
  }))

  app.route(route({
    put: '/me/password',
    id: 'changePassword',
    tag,
    summary: 'Change your password',
    description: 'Ends all your other sessions.',
    who: 'a session',
    body: PasswordChange,
    answer: ok(
      success(Type.Object({}), { title: 'PasswordChanged', description: 'The new password is in effect' }),
      'Password changed successfully'
    ),
    refuses: [TOO_OFTEN],
    handle: async ({ caller, body, request }) => {
      await signIn.changePassword(request, caller.user, caller.by.id, body)
      return {}
    }
  }))

  app.route(route({
    patch: '/me',
    id: 'changeCaller',
    tag,
    summary: 'Change your name or e-mail address',
    description: 'You sign in with the e-mail address; changing it requires your password.',
    who: 'a session',
    body: UserPatch,
    answer: ok(success(User, {
      title: 'UserAnswer', description: 'Your updated user'
    }), 'User updated successfully'),
    refuses: [['taken', 'Another user already has this e-mail address.'], TOO_OFTEN],
    handle: ({ caller, body, request }) => signIn.changeUser(request, caller.user, body)
  }))

  app.route(route({
    put: '/me/account',
    id: 'chooseAccount',
    audit: 'never',
    tag,
    summary: 'Choose the account to act for',
    description:
      'From now on, the session acts for this account unless a request names another one in Agenthall-Account.',
    who: 'a session',
    body: Type.Object({ account: Id }, { additionalProperties: false, title: 'AccountChoice' }),
    answer: ok(
      success(Type.Object({ account: Id }), {
        title: 'AccountChosen', description: 'The account the session acts for'
      }),
      'Account chosen successfully'
    ),
    handle: async ({ caller, body: { account } }) => {
      membershipFor({ memberships: await store.memberships(caller.user.id), chosen: null }, String(account))
      await store.choose(caller.user.id, caller.by.id, account)
      return { account }
    }
  }))
}
