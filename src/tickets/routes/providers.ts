import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { PathId } from '../../../schema/common.ts'
import { Deleted, success } from '../../../schema/envelopes.ts'
import { InPartsIfAsked, listOf, partIfAsked } from '../../platform/http/resources/cursors.ts'
import { answerTagged, matching, tagOf, Unchanged } from '../../platform/http/resources/tags.ts'
import { Refusal } from '../../platform/errors.ts'
import { refusals, type Way } from '../../platform/http/openapi.ts'
import { onceOf } from '../../platform/storage/sqlite/once.ts'
import { TicketingProvider, TicketingProviderDraft, TicketingProviderPatch } from '../providers/schemas.ts'
import type { TicketingProviderStore } from '../store.ts'

const ProviderAnswer = success(TicketingProvider, {
  title: 'TicketingProviderAnswer', description: 'The provider, without its credentials'
})
const inProvider = Type.Object({ id: PathId })
const tags = ['Ticketing providers']
const permit = ['CONFIGURE_BUSINESS'] as const
const THIS = 'The ticketing provider'
const TAKEN: Way = ['taken', 'There is a ticketing provider "Zendesk" already. Choose another name.']

/** The account's ticketing providers: list, add, read, change, remove. */
export const ticketingProviderRoutes: FastifyPluginAsyncTypebox<{ providers: TicketingProviderStore }> = async (
  app, { providers }
) => {
  app.get(
    '/ticketing_providers',
    {
      schema: {
        tags,
        operationId: 'listTicketingProviders',
        summary: 'List ticketing providers',
        description: 'Oldest first. Credentials are never shown.',
        querystring: InPartsIfAsked,
        response: {
          200: listOf(TicketingProvider, {
            title: 'TicketingProviderList', description: "The account's ticketing providers"
          })
        }
      },
      config: { permit }
    },
    async (request) => {
      const { caller: { account } } = request
      return {
        status: 'success' as const,
        message: 'Ticketing providers retrieved successfully',
        ...partIfAsked(request, account.id, await providers.list(account.id), ({ id }) => id)
      }
    }
  )

  app.post(
    '/ticketing_providers',
    {
      schema: {
        tags,
        operationId: 'createTicketingProvider',
        summary: 'Add a ticketing provider',
        description:
          'Agents whose `ticketType` is thirdparty open their tickets in the one that `default_ticketing_provider` names, else in the first that `ticketing_providers` names. `inbound_path` is where the system may send its webhooks, so that answers and states come back. The address has to be on the public internet.',
        body: TicketingProviderDraft,
        response: {
          201: ProviderAnswer,
          409: refusals(
            TAKEN,
            ['limit_reached', 'An account may have 20 ticketing providers. Remove one that is not needed.']
          )
        }
      },
      config: { permit, heeds: ['Idempotency-Key'], tells: ['ETag'] }
    },
    async (request, reply) => {
      const { answer, replayed } = await providers.add(request.caller.account.id, request.body, onceOf(request))
      if (replayed) reply.header('idempotency-replayed', 'true')
      return reply
        .code(201)
        .headers({ location: `/v1/ticketing_providers/${answer.id}`, etag: tagOf(answer) })
        .send({ status: 'success', message: 'Ticketing provider added successfully', data: answer })
    }
  )

  app.get(
    '/ticketing_providers/:id',
    {
      schema: {
        tags,
        operationId: 'getTicketingProvider',
        summary: 'Read a ticketing provider',
        params: inProvider,
        response: { 200: ProviderAnswer, 304: Unchanged }
      },
      config: { permit, heeds: ['If-None-Match'], tells: ['ETag'] }
    },
    async (request, reply) => {
      const data = (await providers.get(request.caller.account.id, request.params.id)) ?? noProvider()
      return answerTagged(request, reply, tagOf(data), 'Ticketing provider retrieved successfully', data)
    }
  )

  app.patch(
    '/ticketing_providers/:id',
    {
      schema: {
        tags,
        operationId: 'updateTicketingProvider',
        summary: 'Change a ticketing provider',
        description:
          'What is left out stays, within `settings` and `credentials` too; null takes a field away. With a new name it is renamed in the agents that name it, which moves their ETag; tickets that it has keep the old one as their `channel`.',
        params: inProvider,
        body: TicketingProviderPatch,
        response: { 200: ProviderAnswer, 409: refusals(TAKEN) }
      },
      config: { permit, heeds: ['If-Match'], tells: ['ETag'] }
    },
    async (request, reply) => {
      const { caller: { account }, params: { id }, body } = request
      const data = (await providers.change(account.id, id, body, matching(request, THIS))) ?? noProvider()
      return answerTagged(request, reply, tagOf(data), 'Ticketing provider updated successfully', data)
    }
  )

  app.delete(
    '/ticketing_providers/:id',
    {
      schema: {
        tags,
        operationId: 'deleteTicketingProvider',
        summary: 'Remove a ticketing provider',
        description:
          'Its tickets stay here and there, and are no longer kept in step. Agents that name it open theirs in the next one that they name, else by mail, and in one that is added under the same name again.',
        params: inProvider,
        response: { 200: Deleted }
      },
      config: { permit, heeds: ['If-Match'] }
    },
    async (request) => {
      const { caller, params: { id } } = request
      if (!(await providers.remove(caller.account.id, id, matching(request, THIS)))) noProvider()
      return { status: 'success' as const, message: 'Ticketing provider removed successfully', data: { id } }
    }
  )
}

/** The same words whether there is none or it is somebody else's. */
function noProvider (): never {
  throw new Refusal('not_found', 'No such ticketing provider.')
}
