import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { PathId } from '../../../schema/common.ts'
import { Deleted, success } from '../../../schema/envelopes.ts'
import { Passkey, PasskeyDraft, WebAuthn } from '../../../schema/sign-in.ts'
import { InPartsIfAsked, listOf, partIfAsked } from '../../platform/http/resources/cursors.ts'
import { Refusal } from '../../platform/errors.ts'
import { refusals } from '../../platform/http/openapi.ts'
import type { Passkeys } from './passkeys.ts'
import type { PasskeyStore } from './store.ts'

const tags = ['Sign-in']

/** A person's own passkeys: list, register, remove. */
export const passkeyRoutes: FastifyPluginAsyncTypebox<{ store: PasskeyStore, passkeys: Passkeys }> = async (
  app, { store, passkeys }
) => {
  app.get(
    '/me/passkeys',
    {
      schema: {
        tags,
        operationId: 'listPasskeys',
        summary: 'List your passkeys',
        querystring: InPartsIfAsked,
        response: { 200: listOf(Passkey, { title: 'PasskeyList', description: 'Oldest first' }) }
      },
      config: { permit: 'a session' }
    },
    async (request) => {
      const { caller: { user } } = request
      return {
        status: 'success' as const,
        message: 'Passkeys retrieved successfully',
        ...partIfAsked(request, user.id, await store.list(user.id), ({ id }) => id)
      }
    }
  )

  app.post(
    '/me/passkeys/options',
    {
      schema: {
        tags,
        operationId: 'beginPasskey',
        summary: 'Begin to register a passkey',
        description: "What the browser's navigator.credentials.create() takes; it is good for five minutes, once.",
        response: { 200: success(WebAuthn, { title: 'PasskeyOptions', description: 'For the browser' }) }
      },
      config: { permit: 'a session' }
    },
    async (request) => ({
      status: 'success' as const,
      message: 'Ask the browser for a passkey',
      data: await passkeys.offer(request, request.caller.user)
    })
  )

  app.post(
    '/me/passkeys',
    {
      schema: {
        tags,
        operationId: 'createPasskey',
        summary: 'Register a passkey',
        body: PasskeyDraft,
        response: {
          201: success(Passkey, {
            title: 'PasskeyCreated', description: 'The passkey, with which you can sign in from now on'
          }),
          409: refusals(
            ['already_registered', 'This passkey is registered already.'],
            ['limit_reached', 'You have 20 passkeys, which is as many as there can be. Remove one that you do not use.']
          )
        }
      },
      config: { permit: 'a session' }
    },
    async (request, reply) => {
      const {
        caller, body: { name = 'Passkey', response }
      } = request
      const data = await passkeys.add(request, caller.user, name, response)
      return reply.code(201).header('location', `/v1/me/passkeys/${data.id}`).send({
        status: 'success', message: 'Passkey registered successfully', data
      })
    }
  )

  app.get(
    '/me/passkeys/:id',
    {
      schema: {
        tags,
        operationId: 'getPasskey',
        summary: 'Read one of your passkeys',
        params: Type.Object({ id: PathId }),
        response: { 200: success(Passkey, { title: 'PasskeyAnswer', description: 'The passkey' }) }
      },
      config: { permit: 'a session' }
    },
    async ({ caller, params: { id } }) => {
      const data = (await store.list(caller.user.id)).find((passkey) => passkey.id === id)
      if (!data) throw new Refusal('not_found', 'No such passkey.')
      return { status: 'success' as const, message: 'Passkey retrieved successfully', data }
    }
  )

  app.delete(
    '/me/passkeys/:id',
    {
      schema: {
        tags,
        operationId: 'deletePasskey',
        summary: 'Remove a passkey',
        params: Type.Object({ id: PathId }),
        response: { 200: Deleted }
      },
      config: { permit: 'a session' }
    },
    async ({ caller, params: { id } }) => {
      if (!(await store.remove(caller.user.id, id))) throw new Refusal('not_found', 'No such passkey.')
      return { status: 'success' as const, message: 'Passkey removed successfully', data: { id } }
    }
  )
}
