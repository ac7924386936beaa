import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsync } from 'fastify'
import { PathId } from '../../../schema/common.ts'
import { success } from '../../../schema/envelopes.ts'
import type { TicketingProvider as Provider } from '../../../schema/tickets.ts'
import { route } from '../../access/index.ts'
import type { Way } from '../../platform/http/openapi.ts'
import { created, list, ok, removed } from '../../platform/http/resources/answer.ts'
import { versionOf } from '../../platform/http/resources/tags.ts'
import { TicketingProvider, TicketingProviderDraft, TicketingProviderPatch } from '../providers/schemas.ts'
import type { TicketingProviderStore } from '../store.ts'

const tag = 'Ticketing providers'
const who = ['CONFIGURE_BUSINESS'] as const
const params = Type.Object({ id: PathId })
/** The same words whether there is none or it is somebody else's. */
const missing = 'No such ticketing provider.'
const version = versionOf<Provider>('The ticketing provider')
const ProviderAnswer = success(TicketingProvider, {
  title: 'TicketingProviderAnswer', description: 'The provider, without its credentials'
})
const TAKEN: Way = ['taken', 'There is a ticketing provider "Zendesk" already. Choose another name.']

/** The account's ticketing providers: list, add, read, change, remove. */
export const ticketingProviderRoutes: FastifyPluginAsync<{ providers: TicketingProviderStore }> = async (
  app, { providers }
) => {
  app.route(route({
    get: '/ticketing_providers',
    id: 'listTicketingProviders',
    tag,
    summary: 'List ticketing providers',
    description: 'Oldest first. Credentials are never shown.',
    who,
    answer: list(TicketingProvider, {
      title: 'TicketingProviderList', description: "The account's ticketing providers", placeOf: ({ id }) => id
    }, 'Ticketing providers retrieved successfully'),
    handle: ({ owner }) => providers.list(owner)
  }))

  app.route(route({
    post: '/ticketing_providers',
    id: 'createTicketingProvider',
    tag,
    summary: 'Add a ticketing provider',
    description:
      'Agents whose `ticketType` is `thirdparty` open their tickets in the provider named by `default_ticketing_provider`, or else in the first one listed in `ticketing_providers`. The system can send its webhooks to `inbound_path`, so that answers and statuses come back. The URL must be on the public internet.',
    who,
    body: TicketingProviderDraft,
    idempotent: true,
    version,
    answer: created(ProviderAnswer, 'Ticketing provider added successfully'),
    refuses: [
      TAKEN, ['limit_reached', 'An account may have 20 ticketing providers. Remove one that is not needed.']
    ],
    handle: ({ owner, body, once }) => providers.add(owner, body, once)
  }))

  app.route(route({
    get: '/ticketing_providers/:id',
    id: 'getTicketingProvider',
    tag,
    summary: 'Read a ticketing provider',
    who,
    params,
    version,
    missing,
    answer: ok(ProviderAnswer, 'Ticketing provider retrieved successfully'),
    handle: ({ owner, params: { id } }) => providers.get(owner, id)
  }))

  app.route(route({
    patch: '/ticketing_providers/:id',
    id: 'updateTicketingProvider',
    tag,
    summary: 'Update a ticketing provider',
    description:
      'Omitted fields stay unchanged, also within `settings` and `credentials`; null removes a field. A new name is also updated in the agents that use the provider, which changes their ETag; its existing tickets keep the old name as their `channel`.',
    who,
    params,
    body: TicketingProviderPatch,
    version,
    missing,
    answer: ok(ProviderAnswer, 'Ticketing provider updated successfully'),
    refuses: [TAKEN],
    handle: ({ owner, params: { id }, body, match }) => providers.change(owner, id, body, match)
  }))

  app.route(route({
    delete: '/ticketing_providers/:id',
    id: 'deleteTicketingProvider',
    tag,
    summary: 'Delete a ticketing provider',
    description:
      'Its tickets are kept here and in the external system, but are no longer synchronised. Agents that use it open tickets in the next provider they name, or else by mail. If a provider is added again under the same name, they use that one.',
    who,
    params,
    version,
    missing,
    answer: removed('Ticketing provider removed successfully'),
    handle: ({ owner, params: { id }, match }) => providers.remove(owner, id, match)
  }))
}
