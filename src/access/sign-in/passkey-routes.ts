import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsync } from 'fastify'
import { PathId } from '../../../schema/common.ts'
import { success } from '../../../schema/envelopes.ts'
import { Passkey, PasskeyDraft, WebAuthn } from '../../../schema/sign-in.ts'
import { created, ok, removed, whole } from '../../platform/http/resources/answer.ts'
import { InPartsIfAsked, listOf, partIfAsked } from '../../platform/http/resources/cursors.ts'
import { route } from '../permit.ts'
import type { Passkeys } from './passkeys.ts'
import type { PasskeyStore } from './store.ts'

const tag = 'Sign-in'
const who = 'a session'
const params = Type.Object({ id: PathId })
const missing = 'No such passkey.'

/** A person's own passkeys: list, register, remove. */
export const passkeyRoutes: FastifyPluginAsync<{ store: PasskeyStore, passkeys: Passkeys }> = async (
  app, { store, passkeys }
) => {
  app.route(route({
    get: '/me/passkeys',
    id: 'listPasskeys',
    tag,
    summary: 'List your passkeys',
    who,
    query: InPartsIfAsked,
    answer: whole(
      listOf(Passkey, { title: 'PasskeyList', description: 'Oldest first' }), 'Passkeys retrieved successfully'
    ),
    handle: async ({ caller: { user }, request }) =>
      partIfAsked(request, user.id, await store.list(user.id), ({ id }) => id)
  }))

  app.route(route({
    post: '/me/passkeys/options',
    id: 'beginPasskey',
    audit: 'never',
    tag,
    summary: 'Start registering a passkey',
    description: "Returns the options for the browser's navigator.credentials.create(); valid for five minutes, once.",
    who,
    answer: ok(
      success(WebAuthn, {
        title: 'PasskeyOptions', description: 'Options for the browser'
      }), 'Ask the browser for a passkey'
    ),
    handle: ({ caller, request }) => passkeys.offer(request, caller.user)
  }))

  app.route(route({
    post: '/me/passkeys',
    id: 'createPasskey',
    tag,
    summary: 'Register a passkey',
    who,
    body: PasskeyDraft,
    answer: created(
      success(Passkey, {
        title: 'PasskeyCreated', description: 'The passkey, which you can now sign in with'
      }),
      'Passkey registered successfully'
    ),
    refuses: [
      ['already_registered', 'This passkey is already registered.'],
      ['limit_reached', 'You have 20 passkeys, the most allowed. Remove one that you do not use.']
    ],
    handle: ({ caller, body: { name = 'Passkey', response }, request }) =>
      passkeys.add(request, caller.user, name, response)
  }))

  app.route(route({
    get: '/me/passkeys/:id',
    id: 'getPasskey',
    tag,
    summary: 'Read one of your passkeys',
    who,
    params,
    missing,
    answer: ok(
      success(Passkey, { title: 'PasskeyAnswer', description: 'The passkey' }), 'Passkey retrieved successfully'
    ),
    handle: async ({ caller, params: { id } }) =>
      (await store.list(caller.user.id)).find((passkey) => passkey.id === id)
  }))

  app.route(route({
    delete: '/me/passkeys/:id',
    id: 'deletePasskey',
    tag,
    summary: 'Remove a passkey',
    who,
    params,
    missing,
    answer: removed('Passkey removed successfully'),
    handle: ({ caller, params: { id } }) => store.remove(caller.user.id, id)
  }))
}
