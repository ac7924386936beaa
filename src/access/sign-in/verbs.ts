import type { FastifyRequest } from 'fastify'
import type { User } from '../../../schema/access.ts'
import type { Id } from '../../../schema/common.ts'
import type { LinkUse, OpenedLink, SignInDraft, UserPatch } from '../../../schema/sign-in.ts'
import type { Clock } from '../../platform/clock.ts'
import { invalid, Refusal } from '../../platform/errors.ts'
import type { Neighbours } from '../../platform/neighbours/contract.ts'
import type { SlidingWindow } from '../../platform/work/sliding-window.ts'
import { addressBlock } from '../../platform/net/address.ts'
import type { Identifier } from '../identify.ts'
import { openPace } from '../pace.ts'
import { usable } from './links.ts'
import { demandStrong, type Passwords } from './password.ts'
import type { BegunSession, SignInStore } from './store.ts'
import { tokenDigest } from './tokens.ts'

/** Names whose attempts are counted, at most. */
const NAMES = 10_000
/** Links that can be requested for one address per minute. */
const LINKS_A_NAME = 3

/** Dependencies of signing in. */
interface SignInParts {
  store: SignInStore
  passwords: Passwords
  callers: Pick<Identifier, 'attempt'>
  clock: Clock
  neighbours: Pick<Neighbours, 'window' | 'waits'>
}

/** Signing in, and changes to one's own credentials. */
export interface SignIn {
  /**
   * Begins a session for the user with this address and password. Refuses with `authentication_required`, in the same
   * words and after the same time whatever is wrong, and with `rate_limited` after too many attempts.
   */
  withPassword (request: FastifyRequest, draft: SignInDraft): Promise<BegunSession>
  /** What a link is for. Refuses with `gone`. */
  look (request: FastifyRequest, token: string): Promise<OpenedLink>
  /** Sets the password with a link, and begins a session. */
  withLink (request: FastifyRequest, use: LinkUse): Promise<BegunSession>
  /**
   * Has a link that sets a new password mailed to this address, if somebody has it: nobody learns whether. Refuses with
   * `mail_not_set_up` if mail is not set up, and with `rate_limited` too many requests.
   */
  askForLink (request: FastifyRequest, email: string): Promise<void>
  /** Changes the password, and ends all sessions but this one. Refuses with VALIDATION_ERROR a wrong or a weak one. */
  changePassword (
    request: FastifyRequest, user: User, session: Id, change: { current_password: string, password: string }
  ): Promise<void>
  /** Changes the name or the e-mail address; the latter requires the password. */
  changeUser (request: FastifyRequest, user: User, patch: UserPatch): Promise<User>
  /** The user with this address and password. Refuses as `withPassword` does. */
  userWithPassword (request: FastifyRequest, draft: SignInDraft): Promise<User>
}

/** Signing in, on top of its store. */
export function openSignIn ({ store, passwords, callers, clock, neighbours }: SignInParts): SignIn {
  const pace = openPace(neighbours)
  const asked = neighbours.window({ name: 'links', most: NAMES })

  /**
   * Whether a password is right. Attempts count by address and name together, so that a stranger's affect nobody else.
   */
  async function isRight (request: FastifyRequest, name: string, password: string, kept: string | undefined) {
    await callers.attempt(request)
    const guesser = `${addressBlock(request.ip)} ${name.toLowerCase()}`
    await pace.attempt(guesser)
    const matches = await passwords.matches(password, kept)
    if (matches) await pace.right(guesser)
    return matches
  }

  async function demandPassword (request: FastifyRequest, { id, email }: Pick<User, 'id' | 'email'>, password: string) {
    if (!await isRight(request, email ?? `user ${id}`, password, await store.passwordOf(id))) {
      throw invalid({
        field: 'current_password',
        message: 'current_password is wrong. If it is lost, sign out and ask for a new one.'
      })
    }
  }

  async function linkOf (token: string) {
    return usable(await store.link(tokenDigest(token)), clock.micros())
  }

  async function userWithPassword (request: FastifyRequest, { email, password }: SignInDraft) {
    const found = await store.byEmail(email)
    return await isRight(request, email, password, found?.hash) && found ? found.user : notRight()
  }

  return {
    userWithPassword,
    async withPassword (request, draft) {
      const { id } = await userWithPassword(request, draft)
      // Deleted while the password was compared.
      return await store.begin(id, browserOf(request)) ?? notRight()
    },
    async look (request, token) {
      await callers.attempt(request)
      return await store.about(await linkOf(token))
    },
    async withLink (request, { token, password, ...about }) {
      await callers.attempt(request)
      const { user } = await linkOf(token)
      const known = user === null ? undefined : await store.user(user)
      demandStrong(password, { name: about.name ?? known?.name ?? '', email: about.email ?? known?.email ?? null })
      return await store.useLink(tokenDigest(token), await passwords.hash(password), about, browserOf(request))
    },
    async askForLink (request, email) {
      await callers.attempt(request)
      await demandFew(
        asked, email, LINKS_A_NAME, 'Too many links were requested for this address. Wait before trying again.'
      )
      if (!store.canMail) {
        throw new Refusal(
          'mail_not_set_up', 'Mail is not set up here. Ask the operator for a link ("agenthall users link").'
        )
      }
      // Not waited for: how long it takes would tell whether somebody has the address.
      store.mailLink(email).catch((error) => request.log.error(error))
    },
    async changePassword (request, user, session, { current_password: current, password }) {
      await demandPassword(request, user, current)
      demandStrong(password, user)
      await store.setPassword(user.id, await passwords.hash(password), session)
    },
    async changeUser (request, user, { current_password: current, ...about }) {
      if (about.email !== undefined) {
        if (current === undefined) {
          throw invalid({
            field: 'current_password', message: 'current_password is required to change the e-mail address.'
          })
        }
        await demandPassword(request, user, current)
      }
      return await store.change(user.id, about) ?? user
    }
  }
}

/** Refuses with `rate_limited` a name that is tried too often in a minute. */
async function demandFew (window: SlidingWindow, name: string, most: number, message: string) {
  const { allowed, freesMs } = await window.take(name.toLowerCase(), most)
  if (!allowed) {
    throw new Refusal(
      'rate_limited', message, { headers: { 'retry-after': String(Math.ceil(freesMs / 1000)) } }
    )
  }
}

function notRight (): never {
  throw new Refusal(
    'authentication_required',
    'The e-mail address or password is wrong. If the password is lost, ask for a new one.'
  )
}

/** The browser's User-Agent. */
export function browserOf ({ headers }: FastifyRequest): string {
  return headers['user-agent'] ?? ''
}
