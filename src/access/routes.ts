import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { ApiKey, ApiKeyDraft, NewApiKey } from '../../schema/access.ts'
import { PathId } from '../../schema/common.ts'
import { Deleted, success } from '../../schema/envelopes.ts'
import { InPartsIfAsked, listOf, partIfAsked } from '../platform/http/resources/cursors.ts'
import { Refusal } from '../platform/errors.ts'
import { onceOf } from '../platform/storage/sqlite/once.ts'
import { callerSecret } from './identify.ts'
import { decideKey } from './make-key.ts'
import type { AccessStore } from './store.ts'

/** API keys: list, make, revoke. */
export const apiKeyRoutes: FastifyPluginAsyncTypebox<{ access: AccessStore }> = async (app, { access }) => {
  app.get(
    '/api_keys',
    {
      schema: {
        tags: ['API keys'],
        operationId: 'listApiKeys',
        summary: 'List API keys',
        description: "The caller's own keys for this account that have not been revoked. Secrets are never listed.",
        querystring: InPartsIfAsked,
        response: {
          200: listOf(ApiKey, { title: 'ApiKeyList', description: 'The keys, without their secrets' })
        }
      },
      config: { permit: ['MANAGE_API_KEY'] }
    },
    async (request) => {
      const { caller: { user, account } } = request
      return {
        status: 'success' as const,
        message: 'API keys retrieved successfully',
        ...partIfAsked(request, account.id, await access.keys(user.id, account.id), ({ id }) => id)
      }
    }
  )

  app.get('/api_keys/:id', {
    schema: {
      tags: ['API keys'],
      operationId: 'getApiKey',
      summary: 'Read an API key',
      description: 'One of the keys that the list shows, without its secret.',
      params: Type.Object({ id: PathId }),
      response: { 200: success(ApiKey, { title: 'ApiKeyAnswer', description: 'The key, without its secret' }) }
    },
    config: { permit: ['MANAGE_API_KEY'] }
  }, async ({ caller, params: { id } }) => {
    const keys = await access.keys(caller.user.id, caller.account.id)
    const data = keys.find((key) => key.id === id) ?? noKey()
    return { status: 'success' as const, message: 'API key retrieved successfully', data }
  })

  app.post(
    '/api_keys',
    {
      schema: {
        tags: ['API keys'],
        operationId: 'createApiKey',
        summary: 'Make an API key',
        description:
          'A key can carry only permissions that the caller has; made with a key it expires no later than that. It acts for the same account. The secret is in this answer and is never shown again.',
        body: ApiKeyDraft,
        response: {
          201: success(NewApiKey, { title: 'ApiKeyCreated', description: 'The key, with its secret for this once' })
        }
      },
      config: { permit: ['MANAGE_API_KEY'], heeds: ['Idempotency-Key'] }
    },
    async (request, reply) => {
      const { caller, body } = request
      // A session ends when its time is over; what is made in it stays.
      const expires = caller.by.kind === 'key' ? caller.expires : null
      const decide = (now: number) => decideKey({ permissions: caller.permissions, expires }, body, now)
      const once = onceOf(request, { secret: callerSecret(request) })
      const { answer, replayed } = await access.createKey(caller.user.id, decide, once, caller.account.id)
      if (replayed) reply.header('idempotency-replayed', 'true')
      return reply.code(201).header('cache-control', 'no-store').header('location', `/v1/api_keys/${answer.id}`).send({
        status: 'success', message: 'API key created successfully. Keep the key: it is not shown again.', data: answer
      })
    }
  )

  app.delete('/api_keys/:id', {
    schema: {
      tags: ['API keys'],
      operationId: 'revokeApiKey',
      summary: 'Revoke an API key',
      description: 'The key is refused from the very next request on.',
      params: Type.Object({ id: PathId }),
      response: { 200: Deleted }
    },
    config: { permit: ['MANAGE_API_KEY'] }
  }, async ({ caller, params: { id } }) => {
    if (!await access.revokeKey(caller.user.id, id)) noKey()
    return { status: 'success' as const, message: 'API key revoked successfully', data: { id } }
  })
}

/** The same words whether there is none or it is somebody else's. */
function noKey (): never {
  throw new Refusal('not_found', 'No such API key.')
}
