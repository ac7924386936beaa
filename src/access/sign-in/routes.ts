import cookie from '@fastify/cookie'
import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsync, FastifyReply } from 'fastify'
import { success } from '../../../schema/envelopes.ts'
import {
  LinkQuestion, LinkUse, OpenedLink, PasskeySignIn, ResetRequest, SignedIn, SignInDraft, WebAuthn, type Session,
  type SessionRecord
} from '../../../schema/sign-in.ts'
import type { Way } from '../../platform/http/openapi.ts'
import { ok, raw } from '../../platform/http/resources/answer.ts'
import { openRoute } from '../permit.ts'
import { setToken } from './cookie.ts'
import type { Passkeys } from './passkeys.ts'
import { demandOurs } from './same-origin.ts'
import type { BegunSession } from './store.ts'
import type { SignIn } from './verbs.ts'

const LinkRequested = Type.Object(
  { status: Type.Literal('success'), message: Type.String() }, { title: 'LinkRequested', description: 'Accepted' }
)
const WhoHasSignedIn = success(SignedIn, { title: 'SignedInAnswer', description: 'The signed-in user' })
const tag = 'Sign-in'
const GONE: Way = ['gone', 'This link no longer works.']
const TOO_OFTEN: Way = ['rate_limited', 'Too many attempts.']

/** Dependencies of signing in and its links. */
interface SignInRoutesOptions { signIn: SignIn, passkeys: Passkeys, baseUrl: string }

/**
 * Signing in with a password, a link or a passkey, which takes neither key nor session. Only this server's own pages
 * and non-browser clients may call these.
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
    description:
      'Sets a cookie that grants access to every route like a key, for 14 days, from the pages of this server.',
    who: 'anyone',
    body: SignInDraft,
    answer: raw({ 201: WhoHasSignedIn }),
    refuses: [['authentication_required', 'The e-mail address or password is wrong.'], TOO_OFTEN],
    handle: async ({ body, request, reply }) =>
      await welcome(reply, baseUrl, await signIn.withPassword(request, body))
  }))

  app.route(openRoute({
    post: '/links/request',
    id: 'requestLink',
    tag,
    summary: 'Request a password reset link',
    description: 'Mails the link to the address if a user signs in with it; the response is the same either way.',
    who: 'anyone',
    body: ResetRequest,
    answer: raw({ 202: LinkRequested }),
    refuses: [['mail_not_set_up', 'Mail is not set up here.'], TOO_OFTEN],
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
    summary: 'Get what a link is for',
    description: 'The token is what follows the last / in the link. This does not use up the link.',
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
    summary: 'Set a password with a link',
    description:
      'Works once. Ends all other sessions of the user and starts a new one. Accept invitations with ' +
      '/v1/invitations/accept.',
    who: 'anyone',
    body: LinkUse,
    answer: raw({ 201: WhoHasSignedIn }),
    refuses: [['taken', 'Another user already has this e-mail address.'], GONE, TOO_OFTEN],
    handle: async ({ body, request, reply }) => await welcome(reply, baseUrl, await signIn.withLink(request, body))
  }))

  app.route(openRoute({
    post: '/session/passkey/options',
    id: 'beginPasskeySignIn',
    tag,
    summary: 'Start signing in with a passkey',
    description: "Returns the options for the browser's navigator.credentials.get(); valid for five minutes, once.",
    who: 'anyone',
    answer: ok(
      success(WebAuthn, {
        title: 'PasskeyOptions', description: 'Options for the browser'
      }), 'Ask the browser for a passkey'
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
    answer: raw({ 201: WhoHasSignedIn }),
    refuses: [['authentication_required', 'This passkey was not accepted.'], TOO_OFTEN],
    handle: async ({ body: { response }, request, reply }) =>
      await welcome(reply, baseUrl, await passkeys.signIn(request, response))
  }))
}

/** Responds to a successful sign-in, and sets the cookie. */
export function welcome (reply: FastifyReply, baseUrl: string, { session, token, user }: BegunSession) {
  setToken(reply, baseUrl, token, Date.parse(session.expires_at) * 1000)
  return reply
    .code(201)
    .headers({ 'cache-control': 'no-store', location: `/v1/me/sessions/${session.id}` })
    .send({
      status: 'success', message: 'Signed in successfully', data: { user, session: shownSession(session, session.id) }
    })
}

/** A session as responses show it; `current`: the id of the caller's own. */
export function shownSession (
  { digest: _digest, user: _user, account: _account, ...session }: SessionRecord, current: number
): Session {
  return { ...session, is_current: session.id === current }
}
