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
/** The same words whether there is none or it is somebody else's. */
const missing = 'No such webhook.'
const version = versionOf<Webhook>('The webhook')
const WebhookAnswer = success(Webhook, { title: 'WebhookAnswer', description: 'The webhook' })
const NewAnswer = success(NewWebhook, {
  title: 'WebhookCreated', description: 'The webhook, with its secret for this once'
})
const KEPT = 'Keep the secret: it is not shown again.'

/** The account's webhooks: list, make, read, change, remove, try, give a new secret. */
export const webhookRoutes: FastifyPluginAsync<{ webhooks: WebhookStore, deliveries: Deliveries }> = async (
  app, { webhooks, deliveries }
) => {
  app.route(route({
    get: '/webhooks',
    id: 'listWebhooks',
    tag,
    summary: 'List webhooks',
    description: 'Oldest first. Secrets are never listed.',
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
    summary: 'Make a webhook',
    description:
      'Events are sent as POST, signed as Standard Webhooks says (its libraries verify them): `{ type, timestamp, data }`, in which `data` shows things as they are when it is sent. Any answer from 200 to 299 within 10 seconds will do; after others it is tried again (see deliveries). Events may come twice or in another order: tell them by `webhook-id` and `timestamp`. The secret is in this answer and is never shown again.',
    who,
    body: WebhookDraft,
    idempotent: 'with-secret',
    version: { ...version, tag: ({ secret: _secret, ...made }, request) => version.tag(made, request) },
    answer: created(NewAnswer, `Webhook created successfully. ${KEPT}`),
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
    summary: 'Change a webhook',
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
    summary: 'Remove a webhook',
    description: 'What has not been sent yet is not sent any more.',
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
    summary: 'Give it a new secret',
    description:
      'For 24 hours events are signed with the new secret and with the one before, so that receivers can change over.',
    who,
    params,
    idempotent: 'with-secret',
    missing,
    answer: created(NewAnswer, `Secret replaced successfully. ${KEPT}`, { at: ({ id }) => `/v1/webhooks/${id}` }),
    handle: ({ owner, params: { id }, once }) => webhooks.rotate(owner, id, once)
  }))

  app.route(route({
    post: '/webhooks/:id/test',
    id: 'testWebhook',
    tag,
    summary: 'Try a webhook',
    description: 'Sends it an event of the type `webhook.test`. The delivery tells what became of it.',
    who,
    params,
    idempotent: true,
    missing,
    answer: accepted(
      success(Delivery, { title: 'WebhookTest', description: 'The delivery, which is under way' }),
      'The test is under way'
    ),
    handle: async ({ owner, params: { id }, once }) => {
      const begun = await webhooks.test(owner, id, once)
      const answer = begun && await deliveries.get(owner, begun.answer)
      return answer && { answer, replayed: begun.replayed }
    }
  }))
}
