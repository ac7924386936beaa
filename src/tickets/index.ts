import type { FastifyPluginAsync } from 'fastify'
import type { Tickets } from './open.ts'
import { ticketingProviderRoutes } from './routes/providers.ts'
import { ticketRoutes } from './routes/tickets.ts'

export { shown as shownTicket } from './life.ts'
export type { Unasked } from './mail/unasked.ts'
export { openTickets, type Tickets } from './open.ts'
export { ticketsOfPersons, type TicketsOfPersons } from './personal.sqlite.ts'
export { inboundRoutes } from './routes/inbound.ts'

/** All ticket routes that require a key. */
export const ticketsRoutes: FastifyPluginAsync<{ tickets: Tickets }> = async (
  app, { tickets: { desk, store, providers } }
) => {
  await app.register(ticketRoutes, { desk, tickets: store })
  await app.register(ticketingProviderRoutes, { providers })
}
