import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsync } from 'fastify'
import { PathId, closed } from '../../schema/common.ts'
import { Delivery, DeliveryState } from '../../schema/webhooks.ts'
import { success } from '../../schema/envelopes.ts'
import { route } from '../access/index.ts'
import { accepted, listInParts, ok } from '../platform/http/resources/answer.ts'
import { inParts } from '../platform/http/resources/cursors.ts'
import type { Deliveries } from './deliveries.ts'

const tag = 'Deliveries'
const who = ['CONFIGURE_BUSINESS'] as const
const params = Type.Object({ id: PathId })
/** The same message whether it does not exist or belongs to somebody else. */
const missing = 'No such delivery.'
const DeliveryAnswer = success(Delivery, { title: 'DeliveryAnswer', description: 'The delivery' })
/** What a delivery may belong to; deliveries have it as their `about`. */
const About = Type.String({
  maxLength: 100,
  pattern: '^(conversations/conv_[A-Za-z0-9_-]{22}|visitors/vis_[A-Za-z0-9_-]{22}|tickets/tkt_[a-z2-7]{20}|(webhooks|links)/[1-9]\\d{0,15})$',
  description: 'Only deliveries that belong to this: `conversations/<id>`, `tickets/<id>`, `visitors/<id>`, `webhooks/<id>` for its tests and for events about nothing that can be deleted, `links/<id>` for mailed links',
  examples: ['tickets/tkt_4hk2m7q5w3ztbn6yadcf']
})
const Query = Type.Object(
  {
    ...inParts('Deliveries'),
    state: Type.Optional(DeliveryState),
    channel: Type.Optional(Type.String({ maxLength: 40, examples: ['webhook', 'mail', 'ticket'] })),
    about: Type.Optional(About)
  },
  closed
)

/** Outgoing messages: list, read, send again. */
export const deliveryRoutes: FastifyPluginAsync<{ deliveries: Deliveries }> = async (app, { deliveries }) => {
  app.route(route({
    get: '/deliveries',
    id: 'listDeliveries',
    tag,
    summary: 'List deliveries',
    description:
      'All outgoing deliveries (mail, tickets, webhooks), newest first. A failed attempt is retried after 1, 5 and 30 minutes, then 2 and 8 hours; after that the delivery is dead. Finished deliveries are deleted after 30 days.',
    who,
    query: Query,
    answer: listInParts(
      Delivery, { title: 'DeliveryList', description: 'A part of the deliveries' }, 'Deliveries retrieved successfully'
    ),
    handle: ({ owner, part: { filter, after, limit } }) => deliveries.list(owner, filter, after, limit)
  }))

  app.route(route({
    get: '/deliveries/:id',
    id: 'getDelivery',
    tag,
    summary: 'Read a delivery',
    who,
    params,
    missing,
    answer: ok(DeliveryAnswer, 'Delivery retrieved successfully'),
    handle: ({ owner, params: { id } }) => deliveries.get(owner, id)
  }))

  app.route(route({
    post: '/deliveries/:id/replay',
    id: 'replayDelivery',
    tag,
    summary: 'Resend a delivery',
    description:
      'For dead deliveries. Webhook deliveries can also be resent after they were sent; the receiver recognises a repeat by its `webhook-id`.',
    who,
    params,
    idempotent: true,
    missing,
    answer: accepted(DeliveryAnswer, 'Delivery queued again'),
    refuses: [['already_sent', 'This has been sent already.'], ['in_progress', 'This is still being tried.']],
    handle: ({ owner, params: { id }, once }) => deliveries.replay(owner, id, once)
  }))
}
