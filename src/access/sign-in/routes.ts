import cookie from '@fastify/cookie'
import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsync, FastifyReply } from 'fastify'
import { success } from '../../../schema/envelopes.ts'
import {
  LinkQuestion, LinkUse, OpenedLink, PasskeySignIn, ResetRequest, SignedIn, SignInDraft, WebAuthn, type Session,
  type SessionRecord
} from '../../../schema/sign-in.ts'
import type { Way } from '../../platform/http/openapi.ts'
import { ok, own } from '../../platform/http/resources/answer.ts'
import { openRoute } from '../route.ts'
import { setToken } from './cookie.ts'
import type { Passkeys } from './passkeys.ts'
import { demandOurs } from './same-origin.ts'
import type { BegunSession } from './store.ts'
import type { SignIn } from './verbs.ts'

const LinkRequested = Type.Object(
  { status: Type.Literal('success'), message: Type.String() }, { title: 'LinkRequested', description: 'Taken' }
)
const WhoHasSignedIn = success(SignedIn, { title: 'SignedInAnswer', description: 'Who has signed in' })
const tag = 'Sign-in'
const GONE: Way = ['gone', 'This link does not work any more.']
const TOO_OFTEN: Way = ['rate_limited', 'Too many attempts.']

/** What signing in and its links need. */
interface SignInRoutesOptions { signIn: SignIn, passkeys: Passkeys, baseUrl: string }

/**
 * Signing in with a password, a link or a passkey, which takes neither key nor session. Only pages of this server and
 * programs that are no browser may call these.
 */
export const signInRoutes: FastifyPluginAsync<SignInRoutesOptions> = async (
  app, { signIn, passkeys, baseUrl }
) => {
  await app.register(cookie)
  app.addHook('onRequest', async (request) => demandOurs(request, baseUrl))

  app.route(openRoute({
    post: '/session',
    id: 'signIn',
    tag,
    summary: 'Sign in',
    description: 'Sets a cookie that opens every route as a key does, for 14 days, from the pages of this server.',
    who: 'anyone',
    body: SignInDraft,
    answer: own({ 201: WhoHasSignedIn }),
    refuses: [['authentication_required', 'The e-mail address or the password is not right.'], TOO_OFTEN],
    handle: async ({ body, request, reply }) =>
      await welcome(reply, baseUrl, await signIn.withPassword(request, body))
  }))

  app.route(openRoute({
    post: '/links/request',
    id: 'requestLink',
    tag,
    summary: 'Ask for a link that sets a new password',
    description: 'It is mailed to the address, if somebody signs in with it; the answer is the same either way.',
    who: 'anyone',
    body: ResetRequest,
    answer: own({ 202: LinkRequested }),
    refuses: [['mail_not_set_up', 'No mail is sent here.'], TOO_OFTEN],
    handle: async ({ body: { email }, request, reply }) => {
      await signIn.askForLink(request, email)
      return reply.code(202).send({
        status: 'success', message: 'If somebody signs in with this address, a link is on its way to it.'
      })
    }
  }))

  app.route(openRoute({
    post: '/links/look',
    id: 'lookAtLink',
    tag,
    summary: 'What a link is for',
    description: 'The token is what follows the last / in the link. Looking does not use it up.',
    who: 'anyone',
    body: LinkQuestion,
    answer: ok(
      success(OpenedLink, { title: 'OpenedLinkAnswer', description: 'What it is for' }), 'Link retrieved successfully'
    ),
    refuses: [GONE, TOO_OFTEN],
    handle: ({ body: { token }, request }) => signIn.look(request, token)
  }))

  app.route(openRoute({
    post: '/links/use',
    id: 'useLink',
    tag,
    summary: 'Set the password with a link',
    description:
      'Works once. All other sessions of the user end, and a new one begins. An invitation is accepted at /v1/invitations/accept.',
    who: 'anyone',
    body: LinkUse,
    answer: own({ 201: WhoHasSignedIn }),
    refuses: [['taken', 'Another user has this e-mail address already.'], GONE, TOO_OFTEN],
    handle: async ({ body, request, reply }) => await welcome(reply, baseUrl, await signIn.withLink(request, body))
  }))

  app.route(openRoute({
    post: '/session/passkey/options',
    id: 'beginPasskeySignIn',
    tag,
    summary: 'Begin to sign in with a passkey',
    description: "What the browser's navigator.credentials.get() takes; it is good for five minutes, once.",
    who: 'anyone',
    answer: ok(
      success(WebAuthn, { title: 'PasskeyOptions', description: 'For the browser' }), 'Ask the browser for a passkey'
    ),
    refuses: [TOO_OFTEN],
    handle: ({ request }) => passkeys.ask(request)
  }))

  app.route(openRoute({
    post: '/session/passkey',
    id: 'signInWithPasskey',
    tag,
    summary: 'Sign in with a passkey',
    who: 'anyone',
    body: PasskeySignIn,
    answer: own({ 201: WhoHasSignedIn }),
    refuses: [['authentication_required', 'This passkey was not accepted.'], TOO_OFTEN],
    handle: async ({ body: { response }, request, reply }) =>
      await welcome(reply, baseUrl, await passkeys.signIn(request, response))
  }))
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
