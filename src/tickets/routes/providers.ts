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
      'Agents whose `ticketType` is thirdparty open their tickets in the one that `default_ticketing_provider` names, else in the first that `ticketing_providers` names. `inbound_path` is where the system may send its webhooks, so that answers and states come back. The address has to be on the public internet.',
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
    summary: 'Change a ticketing provider',
    description:
      'What is left out stays, within `settings` and `credentials` too; null takes a field away. With a new name it is renamed in the agents that name it, which moves their ETag; tickets that it has keep the old one as their `channel`.',
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
    summary: 'Remove a ticketing provider',
    description:
      'Its tickets stay here and there, and are no longer kept in step. Agents that name it open theirs in the next one that they name, else by mail, and in one that is added under the same name again.',
    who,
    params,
    version,
    missing,
    answer: removed('Ticketing provider removed successfully'),
    handle: ({ owner, params: { id }, match }) => providers.remove(owner, id, match)
  }))
}
