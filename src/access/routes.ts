import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { ApiKey, ApiKeyDraft, NewApiKey } from '../../schema/access.ts'
import { PathId } from '../../schema/common.ts'
import { Deleted, success } from '../../schema/envelopes.ts'
import { timestamp, type Clock } from '../platform/clock.ts'
import { Refusal, invalid } from '../platform/errors.ts'
import { onceOf } from '../platform/storage/sqlite/once.ts'
import { keyOf } from './identify.ts'
import { demand } from './permit.ts'
import type { AccessStore } from './store.ts'

/** API keys: list, make, revoke. */
export const apiKeyRoutes: FastifyPluginAsyncTypebox<{ access: AccessStore, clock: Clock }> = async (app, { access, clock }) => {
  app.get('/api_keys', {
    schema: {
      tags: ['API keys'],
      summary: 'List API keys',
      description: 'The keys of the user that have not been revoked. Secrets are never listed.',
      response: { 200: success(Type.Array(ApiKey), { title: 'ApiKeyList' }) }
    },
    config: { permit: ['MANAGE_API_KEY'] }
  }, async ({ caller }) => ({ status: 'success' as const, message: 'API keys retrieved successfully', data: await access.keys(caller.user.id) }))

  app.post('/api_keys', {
    schema: {
      tags: ['API keys'],
      summary: 'Make an API key',
      description: 'A key can carry only permissions that the calling key has. The secret is in this answer and is never shown again.',
      body: ApiKeyDraft,
      response: { 201: success(NewApiKey, { title: 'ApiKeyCreated' }) }
    },
    config: { permit: ['MANAGE_API_KEY'], heeds: ['Idempotency-Key'] }
  }, async (request, reply) => {
    const { caller, body } = request
    const permissions = body.permissions ?? [...caller.permissions]
    for (const permission of permissions) demand(caller.permissions, [permission], `make a key with the permission ${permission}`)
    const draft = { name: body.name ?? 'API key', permissions, expires_at: expiry(body.expires_at ?? null) }
    const { answer, replayed } = await access.createKey(caller.user.id, draft, onceOf(request, { secret: keyOf(request) }), () => {
      if (draft.expires_at !== null && draft.expires_at <= timestamp(clock.micros())) throw invalid({ field: 'expires_at', message: 'expires_at must be in the future.' })
    })
    if (replayed) reply.header('idempotency-replayed', 'true')
    return reply.code(201).header('location', `/v1/api_keys/${answer.id}`)
      .send({ status: 'success', message: 'API key created successfully. Keep the key: it is not shown again.', data: answer })
  })

  app.delete('/api_keys/:id', {
    schema: {
      tags: ['API keys'],
      summary: 'Revoke an API key',
      description: 'The key is refused from the very next request on.',
      params: Type.Object({ id: PathId }),
      response: { 200: Deleted }
    },
    config: { permit: ['MANAGE_API_KEY'] }
  }, async ({ caller, params: { id } }) => {
    if (!await access.revokeKey(caller.user.id, id)) throw new Refusal('not_found', 'No such API key.')
    return { status: 'success' as const, message: 'API key revoked successfully', data: { id } }
  })
}

function expiry (text: string | null): string | null {
  if (text === null) return null
  const millis = Date.parse(text)
  // A day that a month does not have would silently become one of the next month.
  if (!Number.isFinite(millis) || new Date(text.slice(0, 10)).toISOString().slice(0, 10) !== text.slice(0, 10)) throw invalid({ field: 'expires_at', message: 'expires_at is not a date that exists.' })
  return timestamp(millis * 1000)
}
