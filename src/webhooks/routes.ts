import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsync } from 'fastify'
import { PathId } from '../../schema/common.ts'
import { success } from '../../schema/envelopes.ts'
import { Delivery, NewWebhook, Webhook, WebhookDraft, WebhookPatch } from '../../schema/webhooks.ts'
import { route } from '../access/index.ts'
import type { Deliveries } from '../deliveries/index.ts'
import { accepted, created, list, ok, removed } from '../platform/http/resources/answer.ts'
import { versionOf } from '../platform/http/resources/tags.ts'
import type { WebhookStore } from './store.ts'

const tag = 'Webhooks'
const who = ['CONFIGURE_BUSINESS'] as const
const params = Type.Object({ id: PathId })
/** The same message whether it does not exist or belongs to somebody else. */
const missing = 'No such webhook.'
const version = versionOf<Webhook>('The webhook')
const WebhookAnswer = success(Webhook, { title: 'WebhookAnswer', description: 'The webhook' })
const NewAnswer = success(NewWebhook, {
  title: 'WebhookCreated', description: 'The webhook with its secret, which is shown only once'
})
const KEEP_SECRET = 'Keep the secret: it is not shown again.'

/** The account's webhooks: list, create, read, change, remove, test, rotate the secret. */
export const webhookRoutes: FastifyPluginAsync<{ webhooks: WebhookStore, deliveries: Deliveries }> = async (
  app, { webhooks, deliveries }
) => {
  app.route(route({
    get: '/webhooks',
    id: 'listWebhooks',
    tag,
    summary: 'List webhooks',
    description: 'Oldest first. Secrets are never shown.',
    who,
    answer: list(Webhook, {
      title: 'WebhookList', description: 'The webhooks, without their secrets', placeOf: ({ id }) => id
    }, 'Webhooks retrieved successfully'),
    handle: ({ owner }) => webhooks.list(owner)
  }))

  app.route(route({
    post: '/webhooks',
    id: 'createWebhook',
    tag,
    summary: 'Create a webhook',
    description:
      'Events are sent as POST requests, signed according to Standard Webhooks (its libraries verify them): `{ type, timestamp, data }`, where `data` shows objects as they are at the time of sending. Respond with a status from 200 to 299 within 10 seconds; otherwise the event is retried (see deliveries). Events may arrive twice or out of order: use `webhook-id` and `timestamp` to tell. The secret is part of this response and is never shown again.',
    who,
    body: WebhookDraft,
    idempotent: 'with-secret',
    version: { ...version, tag: ({ secret: _secret, ...made }, request) => version.tag(made, request) },
    answer: created(NewAnswer, `Webhook created successfully. ${KEEP_SECRET}`),
    refuses: [['limit_reached', 'An account may have 20 webhooks. Remove one that is not needed.']],
    handle: ({ owner, body, once }) => webhooks.add(owner, body, once)
  }))

  app.route(route({
    get: '/webhooks/:id',
    id: 'getWebhook',
    tag,
    summary: 'Read a webhook',
    who,
    params,
    version,
    missing,
    answer: ok(WebhookAnswer, 'Webhook retrieved successfully'),
    handle: ({ owner, params: { id } }) => webhooks.get(owner, id)
  }))

  app.route(route({
    patch: '/webhooks/:id',
    id: 'updateWebhook',
    tag,
    summary: 'Update a webhook',
    who,
    params,
    body: WebhookPatch,
    version,
    missing,
    answer: ok(WebhookAnswer, 'Webhook updated successfully'),
    handle: ({ owner, params: { id }, body, match }) => webhooks.change(owner, id, body, match)
  }))

  app.route(route({
    delete: '/webhooks/:id',
    id: 'deleteWebhook',
    tag,
    summary: 'Delete a webhook',
    description: 'Events that have not been sent yet are dropped.',
    who,
    params,
    version,
    missing,
    answer: removed('Webhook removed successfully'),
    handle: ({ owner, params: { id }, match }) => webhooks.remove(owner, id, match)
  }))

  app.route(route({
    post: '/webhooks/:id/rotate',
    id: 'rotateWebhookSecret',
    tag,
    summary: "Rotate a webhook's secret",
    description:
      'For 24 hours events are signed with both the new and the previous secret, so that receivers can switch.',
    who,
    params,
    idempotent: 'with-secret',
    missing,
    answer: created(NewAnswer, `Secret replaced successfully. ${KEEP_SECRET}`, { at: ({ id }) => `/v1/webhooks/${id}` }),
    handle: ({ owner, params: { id }, once }) => webhooks.rotate(owner, id, once)
  }))

  app.route(route({
    post: '/webhooks/:id/test',
    id: 'testWebhook',
    tag,
    summary: 'Test a webhook',
    description: 'Sends it an event of type `webhook.test`. The delivery shows the result.',
    who,
    params,
    idempotent: true,
    missing,
    answer: accepted(
      success(Delivery, { title: 'WebhookTest', description: 'The delivery, which is in progress' }),
      'The test is under way'
    ),
    handle: async ({ owner, params: { id }, once }) => {
      const begun = await webhooks.test(owner, id, once)
      const answer = begun && await deliveries.get(owner, begun.answer)
      return answer && { answer, replayed: begun.replayed }
    }
  }))
}
