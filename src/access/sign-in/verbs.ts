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

/** Names whose attempts are counted at most. */
const NAMES = 10_000
/** Links a minute that are asked for under one address. */
const LINKS_A_NAME = 3

/** What signing in needs. */
interface SignInParts {
  store: SignInStore
  passwords: Passwords
  callers: Pick<Identifier, 'attempt'>
  clock: Clock
  neighbours: Pick<Neighbours, 'window'>
}

/** Signing in, and what a person changes of how they do. */
export interface SignIn {
  /**
   * Begins a session for who has this address and password. Refuses with `authentication_required`, in the same words
   * and after the same time whatever is wrong, and with `rate_limited` who tries too often.
   */
  withPassword (request: FastifyRequest, draft: SignInDraft): Promise<BegunSession>
  /** What a link is for. Refuses with `gone`. */
  look (request: FastifyRequest, token: string): Promise<OpenedLink>
  /** Sets the password with a link, and begins a session. */
  withLink (request: FastifyRequest, use: LinkUse): Promise<BegunSession>
  /**
   * Has a link that sets a new password mailed to this address, if somebody has it: nobody learns whether. Refuses with
   * `mail_not_set_up` where no mail is sent, and with `rate_limited` who asks too often.
   */
  askForLink (request: FastifyRequest, email: string): Promise<void>
  /** Changes the password, and ends all sessions but this one. Refuses with VALIDATION_ERROR a wrong or a weak one. */
  changePassword (
    request: FastifyRequest, user: User, session: Id, change: { current_password: string, password: string }
  ): Promise<void>
  /** Changes the name or the e-mail address, for which the password is asked. */
  changeUser (request: FastifyRequest, user: User, patch: UserPatch): Promise<User>
  /** The user who has this address and password, refused as `withPassword` refuses. */
  demandOwn (request: FastifyRequest, draft: SignInDraft): Promise<User>
}

/** Signing in, over what is kept. */
export function openSignIn ({ store, passwords, callers, clock, neighbours }: SignInParts): SignIn {
  const pace = openPace(clock)
  const asked = neighbours.window({ name: 'links', most: NAMES })

  /** Whether a password is right. By address and name together, so that a stranger's tries are the stranger's. */
  async function isRight (request: FastifyRequest, name: string, password: string, kept: string | undefined) {
    await callers.attempt(request)
    const guesser = `${addressBlock(request.ip)} ${name.toLowerCase()}`
    pace.attempt(guesser)
    const matches = await passwords.matches(password, kept)
    if (matches) pace.right(guesser)
    return matches
  }

  async function demandPassword (request: FastifyRequest, { id, email }: Pick<User, 'id' | 'email'>, password: string) {
    if (!await isRight(request, email ?? `user ${id}`, password, await store.passwordOf(id))) {
      throw invalid({
        field: 'current_password',
        message: 'current_password is not right. If it is lost, sign out and ask for a new one.'
      })
    }
  }

  async function linkOf (token: string) {
    return usable(await store.link(tokenDigest(token)), clock.micros())
  }

  async function demandOwn (request: FastifyRequest, { email, password }: SignInDraft) {
    const found = await store.byEmail(email)
    return await isRight(request, email, password, found?.hash) && found ? found.user : notRight()
  }

  return {
    demandOwn,
    async withPassword (request, draft) {
      const { id } = await demandOwn(request, draft)
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
        asked, email, LINKS_A_NAME, 'Too many links were asked for under this address. Wait before trying again.'
      )
      if (!store.canMail) {
        throw new Refusal(
          'mail_not_set_up', 'No mail is sent here. Ask whoever runs this server for a link ("agenthall users link").'
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

/** Refuses with `rate_limited` a name that comes too often in a minute. */
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
    'The e-mail address or the password is not right. If the password is lost, ask for a new one.'
  )
}

/** What the browser says of itself. */
export function browserOf ({ headers }: FastifyRequest): string {
  return headers['user-agent'] ?? ''
}
