import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { PathId } from '../../schema/common.ts'
import { Deleted, success } from '../../schema/envelopes.ts'
import { Delivery, NewWebhook, Webhook, WebhookDraft, WebhookPatch } from '../../schema/webhooks.ts'
import { callerSecret } from '../access/index.ts'
import type { Deliveries } from '../deliveries/index.ts'
import { InPartsIfAsked, listOf, partIfAsked } from '../platform/http/resources/cursors.ts'
import { answerTagged, matching, tagOf, Unchanged } from '../platform/http/resources/tags.ts'
import { Refusal } from '../platform/errors.ts'
import { refusal } from '../platform/http/openapi.ts'
import { onceOf } from '../platform/storage/sqlite/once.ts'
import type { WebhookStore } from './store.ts'

const WebhookAnswer = success(Webhook, { title: 'WebhookAnswer', description: 'The webhook' })
const NewAnswer = success(NewWebhook, {
  title: 'WebhookCreated', description: 'The webhook, with its secret for this once'
})
const inWebhook = Type.Object({ id: PathId })
const tags = ['Webhooks']
const permit = ['CONFIGURE_BUSINESS'] as const
const THIS = 'The webhook'
const KEPT = 'Keep the secret: it is not shown again.'

/** The account's webhooks: list, make, read, change, remove, try, give a new secret. */
export const webhookRoutes: FastifyPluginAsyncTypebox<{ webhooks: WebhookStore, deliveries: Deliveries }> = async (
  app, { webhooks, deliveries }
) => {
  app.get(
    '/webhooks',
    {
      schema: {
        tags,
        operationId: 'listWebhooks',
        summary: 'List webhooks',
        description: 'Oldest first. Secrets are never listed.',
        querystring: InPartsIfAsked,
        response: {
          200: listOf(Webhook, { title: 'WebhookList', description: 'The webhooks, without their secrets' })
        }
      },
      config: { permit }
    },
    async (request) => {
      const { caller: { account } } = request
      return {
        status: 'success' as const,
        message: 'Webhooks retrieved successfully',
        ...partIfAsked(request, account.id, await webhooks.list(account.id), ({ id }) => id)
      }
    }
  )

  app.post(
    '/webhooks',
    {
      schema: {
        tags,
        operationId: 'createWebhook',
        summary: 'Make a webhook',
        description:
          'Events are sent as POST, signed as Standard Webhooks says (its libraries verify them): `{ type, timestamp, data }`, in which `data` shows things as they are when it is sent. Any answer from 200 to 299 within 10 seconds will do; after others it is tried again (see deliveries). Events may come twice or in another order: tell them by `webhook-id` and `timestamp`. The secret is in this answer and is never shown again.',
        body: WebhookDraft,
        response: {
          201: NewAnswer, 409: refusal('limit_reached', 'An account may have 20 webhooks. Remove one that is not needed.')
        }
      },
      config: { permit, heeds: ['Idempotency-Key'], tells: ['ETag'] }
    },
    async (request, reply) => {
      const once = onceOf(request, { secret: callerSecret(request) })
      const { answer, replayed } = await webhooks.add(request.caller.account.id, request.body, once)
      if (replayed) reply.header('idempotency-replayed', 'true')
      const { secret: _secret, ...made } = answer
      return reply
        .code(201)
        .headers({ 'cache-control': 'no-store', location: `/v1/webhooks/${answer.id}`, etag: tagOf(made) })
        .send({ status: 'success', message: `Webhook created successfully. ${KEPT}`, data: answer })
    }
  )

  app.get(
    '/webhooks/:id',
    {
      schema: {
        tags,
        operationId: 'getWebhook',
        summary: 'Read a webhook',
        params: inWebhook,
        response: { 200: WebhookAnswer, 304: Unchanged }
      },
      config: { permit, heeds: ['If-None-Match'], tells: ['ETag'] }
    },
    async (request, reply) => {
      const data = (await webhooks.get(request.caller.account.id, request.params.id)) ?? noWebhook()
      return answerTagged(request, reply, tagOf(data), 'Webhook retrieved successfully', data)
    }
  )

  app.patch(
    '/webhooks/:id',
    {
      schema: {
        tags,
        operationId: 'updateWebhook',
        summary: 'Change a webhook',
        params: inWebhook,
        body: WebhookPatch,
        response: { 200: WebhookAnswer }
      },
      config: { permit, heeds: ['If-Match'], tells: ['ETag'] }
    },
    async (request, reply) => {
      const { caller: { account }, params: { id }, body } = request
      const data = (await webhooks.change(account.id, id, body, matching(request, THIS))) ?? noWebhook()
      return answerTagged(request, reply, tagOf(data), 'Webhook updated successfully', data)
    }
  )

  app.delete(
    '/webhooks/:id',
    {
      schema: {
        tags,
        operationId: 'deleteWebhook',
        summary: 'Remove a webhook',
        description: 'What has not been sent yet is not sent any more.',
        params: inWebhook,
        response: { 200: Deleted }
      },
      config: { permit, heeds: ['If-Match'] }
    },
    async (request) => {
      const { caller, params: { id } } = request
      if (!(await webhooks.remove(caller.account.id, id, matching(request, THIS)))) noWebhook()
      return { status: 'success' as const, message: 'Webhook removed successfully', data: { id } }
    }
  )

  app.post(
    '/webhooks/:id/rotate',
    {
      schema: {
        tags,
        operationId: 'rotateWebhookSecret',
        summary: 'Give it a new secret',
        description:
          'For 24 hours events are signed with the new secret and with the one before, so that receivers can change over.',
        params: inWebhook,
        response: { 201: NewAnswer }
      },
      config: { permit, heeds: ['Idempotency-Key'] }
    },
    async (request, reply) => {
      const once = onceOf(request, { secret: callerSecret(request) })
      const { answer, replayed } =
        (await webhooks.rotate(request.caller.account.id, request.params.id, once)) ?? noWebhook()
      if (replayed) reply.header('idempotency-replayed', 'true')
      return reply
        .code(201)
        .header('cache-control', 'no-store')
        .header('location', `/v1/webhooks/${request.params.id}`)
        .send({ status: 'success', message: `Secret replaced successfully. ${KEPT}`, data: answer })
    }
  )

  app.post(
    '/webhooks/:id/test',
    {
      schema: {
        tags,
        operationId: 'testWebhook',
        summary: 'Try a webhook',
        description: 'Sends it an event of the type `webhook.test`. The delivery tells what became of it.',
        params: inWebhook,
        response: { 202: success(Delivery, { title: 'WebhookTest', description: 'The delivery, which is under way' }) }
      },
      config: { permit, heeds: ['Idempotency-Key'] }
    },
    async (request, reply) => {
      const owner = request.caller.account.id
      const { answer, replayed } = (await webhooks.test(owner, request.params.id, onceOf(request))) ?? noWebhook()
      if (replayed) reply.header('idempotency-replayed', 'true')
      const data = (await deliveries.get(owner, answer)) ?? noWebhook()
      return reply.code(202).send({ status: 'success', message: 'The test is under way', data })
    }
  )
}

/** The same words whether there is none or it is somebody else's. */
function noWebhook (): never {
  throw new Refusal('not_found', 'No such webhook.')
}
