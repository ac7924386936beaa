import cookie from '@fastify/cookie'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { FastifyReply } from 'fastify'
import { success } from '../../../schema/envelopes.ts'
import {
  LinkQuestion, LinkUse, OpenedLink, PasskeySignIn, ResetRequest, SignedIn, SignInDraft, WebAuthn, type Session,
  type SessionRecord
} from '../../../schema/sign-in.ts'
import { refusal } from '../../platform/http/openapi.ts'
import { setToken } from './cookie.ts'
import type { Passkeys } from './passkeys.ts'
import { demandOurs } from './same-origin.ts'
import type { BegunSession } from './store.ts'
import type { SignIn } from './verbs.ts'

const LinkRequested = Type.Object(
  { status: Type.Literal('success'), message: Type.String() }, { title: 'LinkRequested', description: 'Taken' }
)
const tags = ['Sign-in']
const gone = refusal('gone', 'This link does not work any more.')
const tooOften = refusal('rate_limited', 'Too many attempts.')

/** What signing in and its links need. */
export interface SignInRoutesOptions { signIn: SignIn, passkeys: Passkeys, baseUrl: string }

/**
 * Signing in, with a password, a link or a passkey: for who has neither key nor session yet. Only pages of this server
 * may, and what is no browser.
 */
export const signInRoutes: FastifyPluginAsyncTypebox<SignInRoutesOptions> = async (
  app, { signIn, passkeys, baseUrl }
) => {
  await app.register(cookie)
  app.addHook('onRequest', async (request) => demandOurs(request, baseUrl))

  app.post(
    '/session',
    {
      schema: {
        tags,
        operationId: 'signIn',
        summary: 'Sign in',
        description: 'Sets a cookie that opens every route as a key does, for 14 days, from the pages of this server.',
        body: SignInDraft,
        response: {
          201: success(SignedIn, { title: 'SignedInAnswer', description: 'Who has signed in' }),
          401: refusal('authentication_required', 'The e-mail address or the password is not right.'),
          429: tooOften
        }
      },
      config: { permit: 'anyone' }
    },
    async (request, reply) => await welcome(reply, baseUrl, await signIn.withPassword(request, request.body))
  )

  app.post(
    '/links/request',
    {
      schema: {
        tags,
        operationId: 'requestLink',
        summary: 'Ask for a link that sets a new password',
        description: 'It is mailed to the address, if somebody signs in with it; the answer is the same either way.',
        body: ResetRequest,
        response: { 202: LinkRequested, 409: refusal('mail_not_set_up', 'No mail is sent here.'), 429: tooOften }
      },
      config: { permit: 'anyone' }
    },
    async (request, reply) => {
      signIn.askForLink(request, request.body.email)
      return reply.code(202).send({
        status: 'success', message: 'If somebody signs in with this address, a link is on its way to it.'
      })
    }
  )

  app.post(
    '/links/look',
    {
      schema: {
        tags,
        operationId: 'lookAtLink',
        summary: 'What a link is for',
        description: 'The token is what follows the last / in the link. Looking does not use it up.',
        body: LinkQuestion,
        response: {
          200: success(OpenedLink, { title: 'OpenedLinkAnswer', description: 'What it is for' }),
          410: gone,
          429: tooOften
        }
      },
      config: { permit: 'anyone' }
    },
    async (request) => ({
      status: 'success' as const,
      message: 'Link retrieved successfully',
      data: signIn.look(request, request.body.token)
    })
  )

  app.post(
    '/links/use',
    {
      schema: {
        tags,
        operationId: 'useLink',
        summary: 'Set the password with a link',
        description:
          'Works once. All other sessions of the user end, and a new one begins. An invitation is accepted at /v1/invitations/accept.',
        body: LinkUse,
        response: {
          201: success(SignedIn, { title: 'SignedInAnswer', description: 'Who has signed in' }),
          409: refusal('taken', 'Another user has this e-mail address already.'),
          410: gone,
          429: tooOften
        }
      },
      config: { permit: 'anyone' }
    },
    async (request, reply) => await welcome(reply, baseUrl, await signIn.withLink(request, request.body))
  )

  app.post(
    '/session/passkey/options',
    {
      schema: {
        tags,
        operationId: 'beginPasskeySignIn',
        summary: 'Begin to sign in with a passkey',
        description: "What the browser's navigator.credentials.get() takes; it is good for five minutes, once.",
        response: { 200: success(WebAuthn, { title: 'PasskeyOptions', description: 'For the browser' }), 429: tooOften }
      },
      config: { permit: 'anyone' }
    },
    async (request) => ({
      status: 'success' as const, message: 'Ask the browser for a passkey', data: await passkeys.ask(request)
    })
  )

  app.post(
    '/session/passkey',
    {
      schema: {
        tags,
        operationId: 'signInWithPasskey',
        summary: 'Sign in with a passkey',
        body: PasskeySignIn,
        response: {
          201: success(SignedIn, { title: 'SignedInAnswer', description: 'Who has signed in' }),
          401: refusal('authentication_required', 'This passkey was not accepted.'),
          429: tooOften
        }
      },
      config: { permit: 'anyone' }
    },
    async (request, reply) => await welcome(reply, baseUrl, await passkeys.signIn(request, request.body.response))
  )
}

/** Answers who has just signed in, and hands over the cookie. */
export function welcome (reply: FastifyReply, baseUrl: string, { session, token, user }: BegunSession) {
  setToken(reply, baseUrl, token, Date.parse(session.expires_at) * 1000)
  return reply
    .code(201)
    .headers({ 'cache-control': 'no-store', location: `/v1/me/sessions/${session.id}` })
    .send({
      status: 'success', message: 'Signed in successfully', data: { user, session: shownSession(session, session.id) }
    })
}

/** A session as answers show it, to who asks from one of them. */
export function shownSession (
  { digest: _digest, user: _user, account: _account, ...session }: SessionRecord, current: number
): Session {
  return { ...session, is_current: session.id === current }
}
