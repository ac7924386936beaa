import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { User } from '../../../schema/access.ts'
import { Id, PathId } from '../../../schema/common.ts'
import { Deleted, success } from '../../../schema/envelopes.ts'
import { PasswordChange, Session, UserPatch } from '../../../schema/sign-in.ts'
import { InPartsIfAsked, listOf, partIfAsked } from '../../platform/http/resources/cursors.ts'
import { Refusal } from '../../platform/errors.ts'
import { refusal } from '../../platform/http/openapi.ts'
import { membershipFor } from '../identify.ts'
import { clearToken } from './cookie.ts'
import { shownSession } from './routes.ts'
import type { Passkeys } from './passkeys.ts'
import { passkeyRoutes } from './passkey-routes.ts'
import type { PasskeyStore, SignInStore } from './store.ts'
import type { SignIn } from './verbs.ts'

const tags = ['Sign-in']
const tooOften = refusal('rate_limited', 'Too many attempts.')

/** What a person's own routes need. */
export interface OwnRoutesOptions {
  stores: { signIn: SignInStore, passkeys: PasskeyStore }
  signIn: SignIn
  passkeys: Passkeys
  baseUrl: string
}

/** What a person does about their own sessions, name, password and passkeys. */
export const ownRoutes: FastifyPluginAsyncTypebox<OwnRoutesOptions> = async (
  app, { stores, signIn, passkeys, baseUrl }
) => {
  const store = stores.signIn
  await app.register(passkeyRoutes, { store: stores.passkeys, passkeys })

  app.delete(
    '/session',
    {
      schema: {
        tags,
        operationId: 'signOut',
        summary: 'Sign out',
        description: 'Ends the session that asks.',
        response: { 200: Deleted }
      },
      config: { permit: 'a session' }
    },
    async ({ caller }, reply) => {
      const {
        user, by: { id }
      } = caller
      await store.end(user.id, id)
      clearToken(reply, baseUrl)
      return { status: 'success' as const, message: 'Signed out successfully', data: { id } }
    }
  )

  app.get(
    '/me/sessions',
    {
      schema: {
        tags,
        operationId: 'listSessions',
        summary: 'List your sessions',
        description: 'Where you are signed in, newest first.',
        querystring: InPartsIfAsked,
        response: {
          200: listOf(Session, { title: 'SessionList', description: 'The sessions that have not ended' })
        }
      },
      config: { permit: 'any user' }
    },
    async (request) => {
      const { caller: { by, user } } = request
      const current = by.kind === 'session' ? by.id : 0
      const all = (await store.sessions(user.id)).map((session) => shownSession(session, current))
      return {
        status: 'success' as const,
        message: 'Sessions retrieved successfully',
        ...partIfAsked(request, user.id, all, ({ id }) => id, { isNewestFirst: true })
      }
    }
  )

  app.delete(
    '/me/sessions',
    {
      schema: {
        tags,
        operationId: 'endOtherSessions',
        summary: 'Sign out everywhere else',
        description: 'Ends all your sessions but the one that asks.',
        response: {
          200: success(Type.Object({ ended: Type.Integer() }), {
            title: 'SessionsEnded', description: 'How many there were'
          })
        }
      },
      config: { permit: 'a session' }
    },
    async ({ caller }) => {
      const ended = await store.endOthers(caller.user.id, caller.by.id)
      return { status: 'success' as const, message: 'All other sessions have ended', data: { ended } }
    }
  )

  app.get(
    '/me/sessions/:id',
    {
      schema: {
        tags,
        operationId: 'getSession',
        summary: 'Read one of your sessions',
        params: Type.Object({ id: PathId }),
        response: { 200: success(Session, { title: 'SessionAnswer', description: 'The session' }) }
      },
      config: { permit: 'any user' }
    },
    async ({ caller: { by, user }, params: { id } }) => {
      const found = (await store.sessions(user.id)).find((session) => session.id === id)
      if (!found) throw new Refusal('not_found', 'No such session.')
      return {
        status: 'success' as const,
        message: 'Session retrieved successfully',
        data: shownSession(found, by.kind === 'session' ? by.id : 0)
      }
    }
  )

  app.delete(
    '/me/sessions/:id',
    {
      schema: {
        tags,
        operationId: 'endSession',
        summary: 'End a session',
        description: 'It is refused from the very next request on, and what it watches ends within a second.',
        params: Type.Object({ id: PathId }),
        response: { 200: Deleted }
      },
      config: { permit: 'any user' }
    },
    async ({ caller, params: { id } }) => {
      if (!(await store.end(caller.user.id, id))) throw new Refusal('not_found', 'No such session.')
      return { status: 'success' as const, message: 'Session ended successfully', data: { id } }
    }
  )

  app.put(
    '/me/password',
    {
      schema: {
        tags,
        operationId: 'changePassword',
        summary: 'Change your password',
        description: 'Ends all your other sessions.',
        body: PasswordChange,
        response: {
          200: success(Type.Object({}), { title: 'PasswordChanged', description: 'The new one counts' }),
          429: tooOften
        }
      },
      config: { permit: 'a session' }
    },
    async (request) => {
      const { caller, body } = request
      await signIn.changePassword(request, caller.user, caller.by.id, body)
      return { status: 'success' as const, message: 'Password changed successfully', data: {} }
    }
  )

  app.patch(
    '/me',
    {
      schema: {
        tags,
        operationId: 'changeCaller',
        summary: 'Change your name or e-mail address',
        description: 'The e-mail address is what you sign in with; to change it takes the password.',
        body: UserPatch,
        response: {
          200: success(User, { title: 'UserAnswer', description: 'Who you are now' }),
          409: refusal('taken', 'Another user has this e-mail address already.'),
          429: tooOften
        }
      },
      config: { permit: 'a session' }
    },
    async (request) => {
      return {
        status: 'success' as const,
        message: 'You were changed successfully',
        data: await signIn.changeUser(request, request.caller.user, request.body)
      }
    }
  )

  app.put(
    '/me/account',
    {
      schema: {
        tags,
        operationId: 'chooseAccount',
        summary: 'Choose whom to act for',
        description:
          'The session acts for this account from now on, where a request does not name another in Agenthall-Account.',
        body: Type.Object({ account: Id }, { additionalProperties: false, title: 'AccountChoice' }),
        response: {
          200: success(Type.Object({ account: Id }), {
            title: 'AccountChosen', description: 'The account that is acted for'
          })
        }
      },
      config: { permit: 'a session' }
    },
    async ({ caller, body: { account } }) => {
      membershipFor({ memberships: store.memberships(caller.user.id), chosen: null }, String(account))
      await store.choose(caller.user.id, caller.by.id, account)
      return { status: 'success' as const, message: 'Account chosen successfully', data: { account } }
    }
  )
}
