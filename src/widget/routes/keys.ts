import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { PathId } from '../../../schema/common.ts'
import { Deleted, DeletedName, success } from '../../../schema/envelopes.ts'
import { NewIdentitySecret, WidgetKey, WidgetKeyDraft, WidgetKeyId, WidgetKeyPatch } from '../../../schema/widget.ts'
import { callerSecret } from '../../access/index.ts'
import { InPartsIfAsked, listOf, partIfAsked } from '../../platform/http/resources/cursors.ts'
import { answerTagged, matching, tagOf, Unchanged } from '../../platform/http/resources/tags.ts'
import { Refusal } from '../../platform/errors.ts'
import { refusal } from '../../platform/http/openapi.ts'
import { onceOf } from '../../platform/storage/sqlite/once.ts'
import type { WidgetStore } from '../store.ts'

const WidgetKeyAnswer = success(WidgetKey, { title: 'WidgetKeyAnswer', description: 'The key' })
const inAgent = Type.Object({ id: PathId })
const inKey = Type.Object({ id: PathId, key: WidgetKeyId })
const inSecret = Type.Object({ id: PathId, key: WidgetKeyId, secret: PathId })
const tags = ['Widget']
const THIS = 'The widget key'
const MANAGING = ['MANAGE_AGENTS', 'MANAGE_AGENT_SETTINGS'] as const

/** The keys that put an agent's widget on sites: list, make, change, delete; and what identities are signed with. */
export const widgetKeyRoutes: FastifyPluginAsyncTypebox<{ store: WidgetStore }> = async (app, { store }) => {
  app.get(
    '/agents/:id/widget_keys',
    {
      schema: {
        tags,
        operationId: 'listWidgetKeys',
        summary: "List an agent's widget keys",
        params: inAgent,
        querystring: InPartsIfAsked,
        response: {
          200: listOf(WidgetKey, { title: 'WidgetKeyList', description: 'The keys, oldest first' })
        }
      },
      config: { permit: 'any user' }
    },
    async (request) => {
      const { caller: { account }, params: { id } } = request
      const keys = (await store.list(account.id, id)) ?? noAgent()
      return {
        status: 'success' as const,
        message: 'Widget keys retrieved successfully',
        ...partIfAsked(request, account.id, keys, (key) => `${key.created_at} ${key.id}`)
      }
    }
  )

  app.post(
    '/agents/:id/widget_keys',
    {
      schema: {
        tags,
        operationId: 'createWidgetKey',
        summary: 'Make a widget key',
        description:
          'The key is public: it stands in the pages that show the widget. Only pages of its `origins` can use it.',
        params: inAgent,
        body: WidgetKeyDraft,
        response: {
          201: WidgetKeyAnswer,
          409: refusal(
            'limit_reached',
            'An agent may have 20 widget keys. Delete one that is not needed; one key may stand on several sites.'
          )
        }
      },
      config: { permit: MANAGING, heeds: ['Idempotency-Key'] }
    },
    async (request, reply) => {
      const {
        caller, params: { id }, body
      } = request
      const { answer, replayed } = (await store.create(caller.account.id, id, body, onceOf(request))) ?? noAgent()
      if (replayed) reply.header('idempotency-replayed', 'true')
      return reply
        .code(201)
        .header('location', `/v1/agents/${id}/widget_keys/${answer.id}`)
        .send({ status: 'success', message: 'Widget key created successfully', data: answer })
    }
  )

  app.get(
    '/agents/:id/widget_keys/:key',
    {
      schema: {
        tags,
        operationId: 'getWidgetKey',
        summary: 'Read a widget key',
        params: inKey,
        response: { 200: WidgetKeyAnswer, 304: Unchanged }
      },
      config: { permit: 'any user', heeds: ['If-None-Match'], tells: ['ETag'] }
    },
    async (request, reply) => {
      const { caller, params: { id, key } } = request
      const keys = (await store.list(caller.account.id, id)) ?? noAgent()
      const data = keys.find((one) => one.id === key) ?? noKey()
      return answerTagged(request, reply, tagOf(data), 'Widget key retrieved successfully', data)
    }
  )

  app.patch(
    '/agents/:id/widget_keys/:key',
    {
      schema: {
        tags,
        operationId: 'updateWidgetKey',
        summary: 'Change a widget key',
        params: inKey,
        body: WidgetKeyPatch,
        response: { 200: WidgetKeyAnswer }
      },
      config: { permit: MANAGING, heeds: ['If-Match'], tells: ['ETag'] }
    },
    async (request, reply) => {
      const { caller, params: { id, key }, body } = request
      const data = (await store.update(caller.account.id, id, key, body, matching(request, THIS))) ?? noKey()
      return answerTagged(request, reply, tagOf(data), 'Widget key updated successfully', data)
    }
  )

  app.delete(
    '/agents/:id/widget_keys/:key',
    {
      schema: {
        tags,
        operationId: 'deleteWidgetKey',
        summary: 'Delete a widget key',
        description:
          'Widgets that carry it show nothing any more, and sessions that it began are over at once. Conversations stay.',
        params: inKey,
        response: { 200: DeletedName }
      },
      config: { permit: MANAGING, heeds: ['If-Match'] }
    },
    async (request) => {
      const { caller, params: { id, key } } = request
      if (!(await store.remove(caller.account.id, id, key, matching(request, THIS)))) noKey()
      return { status: 'success' as const, message: 'Widget key deleted successfully', data: { id: key } }
    }
  )

  app.post(
    '/agents/:id/widget_keys/:key/identity_secrets',
    {
      schema: {
        tags,
        operationId: 'createIdentitySecret',
        summary: 'Make a secret that identities are signed with',
        description:
          'Your server signs with it who a visitor is (a JWT, HS256: sub, aud = the key, exp within 24 hours, and email and name if you like). There may be two, so that they can be changed: make a new one, sign with it, delete the old one.',
        params: inKey,
        response: {
          201: success(NewIdentitySecret, { title: 'IdentitySecretCreated', description: 'The secret, this once' }),
          409: refusal(
            'limit_reached',
            'There are two secrets already, the old one and the new one. Delete the one that your server no longer signs with, then make another.'
          )
        }
      },
      config: { permit: MANAGING, heeds: ['Idempotency-Key'] }
    },
    async (request, reply) => {
      const { caller, params: { id, key } } = request
      const once = onceOf(request, { secret: callerSecret(request) })
      const { answer: data, replayed } = (await store.addSecret(caller.account.id, id, key, once)) ?? noKey()
      if (replayed) reply.header('idempotency-replayed', 'true')
      return reply
        .code(201)
        .header('cache-control', 'no-store')
        .header('location', `/v1/agents/${id}/widget_keys/${key}`)
        .send({ status: 'success', message: 'Secret created successfully. Keep it: it is not shown again.', data })
    }
  )

  app.delete(
    '/agents/:id/widget_keys/:key/identity_secrets/:secret',
    {
      schema: {
        tags,
        operationId: 'deleteIdentitySecret',
        summary: 'Delete a secret that identities are signed with',
        params: inSecret,
        response: { 200: Deleted }
      },
      config: { permit: MANAGING }
    },
    async ({ caller, params: { id, key, secret } }) => {
      if (!(await store.removeSecret(caller.account.id, id, key, secret))) {
        throw new Refusal('not_found', 'No such secret.')
      }
      return { status: 'success' as const, message: 'Secret deleted successfully', data: { id: secret } }
    }
  )
}

/** The same words whether it does not exist or is somebody else's. */
function noAgent (): never {
  throw new Refusal('not_found', 'No such agent.')
}

/** The same words whether it does not exist or is somebody else's. */
function noKey (): never {
  throw new Refusal('not_found', 'No such widget key.')
}
