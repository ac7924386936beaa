import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsync } from 'fastify'
import { ApiKey, ApiKeyDraft, NewApiKey } from '../../schema/access.ts'
import { PathId } from '../../schema/common.ts'
import { success } from '../../schema/envelopes.ts'
import { created, list, ok, removed } from '../platform/http/resources/answer.ts'
import { decideKey } from './make-key.ts'
import { route } from './permit.ts'
import type { AccessStore } from './store.ts'

const tag = 'API keys'
const who = ['MANAGE_API_KEY'] as const
const params = Type.Object({ id: PathId })
/** The same words whether there is none or it is somebody else's. */
const missing = 'No such API key.'

/** API keys: list, make, revoke. */
export const apiKeyRoutes: FastifyPluginAsync<{ access: AccessStore }> = async (app, { access }) => {
  app.route(route({
    get: '/api_keys',
    id: 'listApiKeys',
    tag,
    summary: 'List API keys',
    description:
      "Returns the caller's own keys for this account that have not been revoked. Secrets are never included.",
    who,
    answer: list(ApiKey, {
      title: 'ApiKeyList', description: 'The keys, without their secrets', placeOf: ({ id }) => id
    }, 'API keys retrieved successfully'),
    handle: ({ caller, owner }) => access.keys(caller.user.id, owner)
  }))

  app.route(route({
    get: '/api_keys/:id',
    id: 'getApiKey',
    tag,
    summary: 'Read an API key',
    description: 'Returns one of the listed keys, without its secret.',
    who,
    params,
    missing,
    answer: ok(
      success(ApiKey, { title: 'ApiKeyAnswer', description: 'The key, without its secret' }),
      'API key retrieved successfully'
    ),
    handle: async ({ caller, owner, params: { id } }) =>
      (await access.keys(caller.user.id, owner)).find((key) => key.id === id)
  }))

  app.route(route({
    post: '/api_keys',
    id: 'createApiKey',
    tag,
    summary: 'Create an API key',
    description:
      'A key can have only permissions that the caller has; if created with a key, it expires no later than that ' +
      'key. It acts for the same account. The secret is in this response and is never shown again.',
    who,
    body: ApiKeyDraft,
    idempotent: 'with-secret',
    answer: created(
      success(NewApiKey, { title: 'ApiKeyCreated', description: 'The key with its secret, shown only once' }),
      'API key created successfully. Keep the key: it is not shown again.'
    ),
    handle: ({ caller, owner, body, once }) => {
      // A session expires; what is made in it stays.
      const expires = caller.by.kind === 'key' ? caller.expires : null
      const decide = (now: number) => decideKey({ permissions: caller.permissions, expires }, body, now)
      return access.createKey(caller.user.id, decide, once, owner)
    }
  }))

  app.route(route({
    delete: '/api_keys/:id',
    id: 'revokeApiKey',
    tag,
    summary: 'Revoke an API key',
    description: 'The key is refused from the next request on.',
    who,
    params,
    missing,
    answer: removed('API key revoked successfully'),
    handle: ({ caller, params: { id } }) => access.revokeKey(caller.user.id, id)
  }))
}
