import type { FastifyRequest } from 'fastify'
import type { Acceptance } from '../../schema/team.ts'
import {
  browserOf, demandStrong, tokenDigest, usable, type BegunSession, type Identifier, type Passwords, type SignIn,
  type SignInStore
} from '../access/index.ts'
import type { Clock } from '../platform/clock.ts'
import { invalid } from '../platform/errors.ts'
import type { Accepting, TeamStore } from './store.ts'

/** Dependencies of accepting an invitation. */
export interface AcceptParts {
  team: TeamStore
  store: SignInStore
  signIn: Pick<SignIn, 'userWithPassword'>
  callers: Pick<Identifier, 'attempt' | 'session'>
  passwords: Passwords
  clock: Clock
}

/**
 * Accepts an invitation: as the signed-in user, as the user who has the address and gives the password, or as somebody
 * new. Refuses with `gone`, `already_member`, and as signing in and setting a password do.
 */
export async function accept (
  request: FastifyRequest, acceptance: Acceptance, { team, callers, store, clock, ...parts }: AcceptParts
): Promise<BegunSession> {
  await callers.attempt(request)
  const digest = tokenDigest(acceptance.token)
  // Before a password is hashed in vain; the transaction decides.
  const { email: invited } = usable(await store.link(digest), clock.micros())
  const session = await callers.session(request)
  const who = session
    ? { user: session.user.id }
    : await whoIs(request, { ...acceptance, email: acceptance.email ?? invited ?? undefined }, store, parts)
  return await team.accept(digest, who, browserOf(request))
}

async function whoIs (
  request: FastifyRequest,
  { email, name, password }: Omit<Acceptance, 'token' | 'email'> & { email: string | undefined },
  store: SignInStore,
  { signIn, passwords }: Pick<AcceptParts, 'signIn' | 'passwords'>
): Promise<Accepting> {
  if (email === undefined) throw invalid({ field: 'email', message: 'email is required: you sign in with it.' })
  if (password === undefined) throw invalid({ field: 'password', message: 'password is required.' })
  if (await store.byEmail(email)) return { user: (await signIn.userWithPassword(request, { email, password })).id }
  const newcomer = { name: name ?? email.split('@')[0]!, email }
  demandStrong(password, newcomer)
  return { ...newcomer, hash: await passwords.hash(password) }
}
