import { randomBytes } from 'node:crypto'
import type {
  AuthenticationResponseJSON, AuthenticatorTransport, RegistrationResponseJSON
} from '@simplewebauthn/server'
import type { FastifyRequest } from 'fastify'
import type { User } from '../../../schema/access.ts'
import type { Passkey } from '../../../schema/sign-in.ts'
import { invalid, Refusal } from '../../platform/errors.ts'
import type { Identifier } from '../identify.ts'
import type { Neighbours } from '../../platform/neighbours/contract.ts'
import { serverOrigin } from './same-origin.ts'
import type { BegunSession, PasskeyStore, SignInStore } from './store.ts'
import { browserOf } from './verbs.ts'

/**
 * Loaded when a passkey is first created or used: most processes never need it, and loading it holds the event loop for
 * 60 ms, so that nobody who has none may cause it.
 */
const library = async () => await import('@simplewebauthn/server')

/** How long an authenticator may take. */
const CHALLENGE_MS = 5 * 60_000
/** How long a browser waits for the person. */
const BROWSER_MS = 60_000
/** Bytes of a challenge. */
const CHALLENGE = 32

/** Passkeys: what a device signs instead of a password. */
export interface Passkeys {
  /** Options for the browser to create one for this user. */
  offer (request: FastifyRequest, user: User): Promise<object>
  /** Stores the one it created. Refuses with VALIDATION_ERROR what does not match the challenge. */
  add (request: FastifyRequest, user: User, name: string, response: object): Promise<Passkey>
  /** Options for the browser to find one, of any user. */
  ask (request: FastifyRequest): Promise<object>
  /** Begins a session for the holder of one. Refuses with `authentication_required`. */
  signIn (request: FastifyRequest, response: object): Promise<BegunSession>
}

/**
 * Passkeys on top of their store. Challenges are not persisted: those pending at a restart have to be requested again.
 */
export function openPasskeys ({ passkeys: store, signIn, callers, neighbours, baseUrl }: {
  passkeys: PasskeyStore,
  signIn: SignInStore,
  callers: Pick<Identifier, 'attempt'>,
  neighbours: Pick<Neighbours, 'put' | 'take'>
  baseUrl: string
}): Passkeys {
  const nameOf = (challenge: string) => `challenge/${challenge}`

  /** Remembers that this challenge was issued, to this user or to anybody. */
  const remember = async (challenge: string, user: number | null) =>
    await neighbours.put(nameOf(challenge), { user }, CHALLENGE_MS)

  /** Whether it was issued to this user, and recently; true only once. */
  const isOurs = (user: number | null) => async (challenge: string) => {
    const known = await neighbours.take(nameOf(challenge)) as { user: number | null } | undefined
    return known?.user === user
  }

  /** Which site the passkey is for: the name of the host, and where its pages come from. */
  function site (request: FastifyRequest) {
    const origin = serverOrigin(request, baseUrl)
    return { origin, host: new URL(origin).hostname }
  }

  async function verified (request: FastifyRequest, response: AuthenticationResponseJSON) {
    const passkey = await store.byCredential(response.id)
    if (!passkey) return undefined
    const { origin, host } = site(request)
    const { verifyAuthenticationResponse } = await library()
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: isOurs(null),
      expectedOrigin: origin,
      expectedRPID: host,
      credential: {
        id: passkey.credential,
        publicKey: new Uint8Array(passkey.public_key),
        counter: passkey.counter,
        transports: passkey.transports as AuthenticatorTransport[]
      }
    })
    return verified ? { passkey, counter: authenticationInfo.newCounter } : undefined
  }

  return {
    async offer (request, user) {
      const { generateRegistrationOptions } = await library()
      const options = await generateRegistrationOptions({
        rpName: 'Agenthall',
        rpID: site(request).host,
        userName: user.email ?? user.name,
        userDisplayName: user.name,
        userID: Buffer.from(`user ${user.id}`),
        excludeCredentials: (await store.credentials(user.id))
          .map(({ credential, transports }) => ({
            id: credential, transports: transports as AuthenticatorTransport[]
          })),
        // So that people sign in without typing a name.
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' }
      })
      await remember(options.challenge, user.id)
      return options
    },
    async add (request, user, name, given) {
      const { origin, host } = site(request)
      const response = given as RegistrationResponseJSON
      const { verifyRegistrationResponse } = await library()
      const { registrationInfo } = await quietly(verifyRegistrationResponse({
        response, expectedChallenge: isOurs(user.id), expectedOrigin: origin, expectedRPID: host
      })) ?? {}
      if (!registrationInfo) {
        throw invalid({
          field: 'response',
          message: 'response does not match the request. Try again; a passkey has to be created within five minutes.'
        })
      }
      const { id, publicKey, counter, transports = [] } = registrationInfo.credential
      return await store.add(user.id, {
        credential: id,
        public_key: Buffer.from(publicKey),
        counter,
        transports: transports.filter((one) => typeof one === 'string').slice(0, 10),
        name
      })
    },
    async ask (request) {
      await callers.attempt(request)
      // As the library would put it, without loading it for a stranger.
      const options = {
        rpId: site(request).host,
        challenge: randomBytes(CHALLENGE).toString('base64url'),
        timeout: BROWSER_MS,
        userVerification: 'required'
      }
      await remember(options.challenge, null)
      return options
    },
    async signIn (request, response) {
      await callers.attempt(request)
      const found = await quietly(verified(request, response as AuthenticationResponseJSON))
      const begun = found && await signIn.begin(found.passkey.user, browserOf(request))
      if (!begun) {
        throw new Refusal(
          'authentication_required', 'This passkey was not accepted. Try again, or sign in with your password.'
        )
      }
      await store.used(found.passkey.id, found.counter)
      return begun
    }
  }
}

/** The result, or undefined if refused: the library throws on anything that does not match. */
async function quietly<T> (work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch {
    return undefined
  }
}
