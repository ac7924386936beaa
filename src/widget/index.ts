import type { FastifyPluginAsync } from 'fastify'
import { webFiles } from '../platform/http/web/files.ts'
import type { Tickets } from '../tickets/index.ts'
import type { Front } from '../handoff/index.ts'
import type { Neighbours } from '../platform/neighbours/contract.ts'
import { visitorThrottle, type VisitorLimits } from './limits.ts'
import { visitorCallRoutes, type VisitorCallNeeds } from './routes/calls.ts'
import { rememberedOpenings, type Openings } from './opening.ts'
import { widgetFiles } from './routes/files.ts'
import { visitorMessageRoutes } from './routes/messages.ts'
import { visitorPeopleRoutes } from './routes/people.ts'
import { visitorSatisfactionRoutes } from './routes/satisfaction.ts'
import { widgetSessionRoutes } from './routes/session.ts'
import { visitorConversationRoutes, type VisitorRoutesNeeds } from './routes/visitor.ts'
import { visitorRoutes } from './routes/who.ts'
import { demandKept } from './session.ts'
import { onlyVisitors, visitorFinder } from './visitor.ts'

export { widgetKeyRoutes } from './routes/keys.ts'
export type { WidgetStore } from './store.ts'
export { sqliteWidgetStore } from './store.sqlite.ts'
export { securityWithVisitors, VISITOR_SECRETS } from './visitor.ts'

/** Conversations that are looked through for the one to go on with. */
const RECENT = 20

type WidgetNeeds = Omit<VisitorRoutesNeeds, 'throttle'> & {
  limits: VisitorLimits, neighbours: Neighbours, topics: Openings, front: Front, tickets: Pick<Tickets, 'desk' | 'store'>
} & Pick<VisitorCallNeeds, 'agentOf'>

/** Everything that sites and their visitors ask for: the scripts, the page of its own, and what visitors do. */
export const widget: FastifyPluginAsync<WidgetNeeds> = async (app, { limits, neighbours, ...needs }) => {
  const { store, actions, conversations, clock } = needs
  const files = webFiles()
  const throttle = visitorThrottle(neighbours, limits)
  const find = visitorFinder(store, clock)
  const { visitors: known } = conversations
  await app.register(widgetFiles, { store, files })
  await app.register(widgetSessionRoutes, {
    prefix: '/v1',
    store,
    actions,
    files,
    openings: rememberedOpenings(needs.topics, clock),
    front: needs.front,
    throttle,
    find,
    clock,
    visitors: known,
    conversationsOf: async (owner, agent, visitor) =>
      (await conversations.store.list(owner, { agent, visitor }, undefined, RECENT)).items
  })
  await app.register(async (visitors) => {
    await visitors.register(onlyVisitors, {
      find, throttle, demandKept: async (visitor) => await demandKept({ store, visitors: known }, visitor)
    })
    await visitors.register(visitorRoutes, needs)
    await visitors.register(visitorConversationRoutes, { ...needs, throttle })
    await visitors.register(visitorMessageRoutes, { ...needs, throttle })
    await visitors.register(visitorPeopleRoutes, { ...needs, throttle })
    await visitors.register(visitorCallRoutes, { ...needs, throttle })
    await visitors.register(visitorSatisfactionRoutes, { ...needs, throttle })
  }, { prefix: '/v1/widget' })
}
