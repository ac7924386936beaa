import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { PathId, closed } from '../../schema/common.ts'
import { Delivery, DeliveryState } from '../../schema/webhooks.ts'
import { success } from '../../schema/envelopes.ts'
import { inParts, listOf, storedPart } from '../platform/http/resources/cursors.ts'
import { Refusal } from '../platform/errors.ts'
import { refusals } from '../platform/http/openapi.ts'
import { onceOf } from '../platform/storage/sqlite/once.ts'
import type { Deliveries } from './deliveries.ts'

const DeliveryAnswer = success(Delivery, { title: 'DeliveryAnswer', description: 'The delivery' })
const DeliveryList = listOf(Delivery, { title: 'DeliveryList', description: 'A part of the deliveries' })
const Query = Type.Object(
  {
    ...inParts('Deliveries'),
    state: Type.Optional(DeliveryState),
    channel: Type.Optional(Type.String({ maxLength: 40, examples: ['webhook', 'mail', 'ticket'] })),
    about: Type.Optional(
      Type.String({
        maxLength: 100, description: 'Only what belongs to this', examples: ['tickets/tkt_4hk2m7q5w3ztbn6yadcf']
      })
    )
  },
  closed
)
const inDelivery = Type.Object({ id: PathId })
const tags = ['Deliveries']
const permit = ['CONFIGURE_BUSINESS'] as const

/** What leaves the house: list, read, send anew. */
export const deliveryRoutes: FastifyPluginAsyncTypebox<{ deliveries: Deliveries }> = async (app, { deliveries }) => {
  app.get(
    '/deliveries',
    {
      schema: {
        tags,
        operationId: 'listDeliveries',
        summary: 'List deliveries',
        description:
          'Everything that leaves (mail, tickets, webhooks), newest first. An attempt that fails is repeated after 1, 5 and 30 minutes, 2 and 8 hours; then the delivery is dead. What came to its end is forgotten after 30 days.',
        querystring: Query,
        response: { 200: DeliveryList }
      },
      config: { permit }
    },
    async (request) => {
      const { caller: { account: { id } }, query: { cursor: _cursor, limit: _limit, ...filter } } = request
      return {
        status: 'success' as const,
        message: 'Deliveries retrieved successfully',
        ...await storedPart(request, id, async (after, limit) => await deliveries.list(id, filter, after, limit))
      }
    }
  )

  app.get(
    '/deliveries/:id',
    {
      schema: {
        tags,
        operationId: 'getDelivery',
        summary: 'Read a delivery',
        params: inDelivery,
        response: { 200: DeliveryAnswer }
      },
      config: { permit }
    },
    async ({ caller, params: { id } }) => {
      const data = (await deliveries.get(caller.account.id, id)) ?? noDelivery()
      return { status: 'success' as const, message: 'Delivery retrieved successfully', data }
    }
  )

  app.post(
    '/deliveries/:id/replay',
    {
      schema: {
        tags,
        operationId: 'replayDelivery',
        summary: 'Send it anew',
        description:
          'For a delivery that is dead. One of a webhook can be sent anew also when it was sent: its receiver knows a repeat by `webhook-id`.',
        params: inDelivery,
        response: {
          202: DeliveryAnswer,
          409: refusals(
            ['already_sent', 'This has been sent already.'], ['in_progress', 'This is still being tried.']
          )
        }
      },
      config: { permit, heeds: ['Idempotency-Key'] }
    },
    async (request, reply) => {
      const { answer, replayed } =
        (await deliveries.replay(request.caller.account.id, request.params.id, onceOf(request))) ?? noDelivery()
      if (replayed) reply.header('idempotency-replayed', 'true')
      return reply.code(202).send({ status: 'success', message: 'Delivery begins anew', data: answer })
    }
  )
}

/** The same words whether there is none or it is somebody else's. */
function noDelivery (): never {
  throw new Refusal('not_found', 'No such delivery.')
}
