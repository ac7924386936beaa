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
import { learningWhereabouts, visitorConversationRoutes, type VisitorRoutesNeeds } from './routes/visitor.ts'
import { visitorRoutes } from './routes/who.ts'
import { demandKept } from './session.ts'
import { onlyVisitors, visitorFinder } from './visitor.ts'

export { widgetKeyRoutes } from './routes/keys.ts'
export { sqliteWidgetStore } from './store.sqlite.ts'
export { securityWithVisitors, VISITOR_SECRETS } from './visitor.ts'

/** Maximum number of conversations searched for the one to continue. */
const RECENT = 20

type WidgetNeeds = Omit<VisitorRoutesNeeds, 'throttle' | 'neighbours' | 'learnWhereabouts'> & {
  limits: VisitorLimits
  neighbours: Neighbours
  topics: Openings
  front: Front
  tickets: Pick<Tickets, 'desk' | 'store'>
  cityHeader: string
} & Pick<VisitorCallNeeds, 'agentOf'>

/** All routes for sites and their visitors: the scripts, the hosted page, and what visitors do. */
export const widget: FastifyPluginAsync<WidgetNeeds> = async (app, { limits, neighbours, cityHeader, ...needs }) => {
  const { store, actions, conversations, clock } = needs
  const files = webFiles()
  const throttle = visitorThrottle(neighbours, limits)
  const find = visitorFinder(store, clock)
  const { visitors: known } = conversations
  const learnWhereabouts = learningWhereabouts({ store, visitors: known, cityHeader })
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
    await visitors.register(visitorConversationRoutes, { ...needs, neighbours, throttle, learnWhereabouts })
    await visitors.register(visitorMessageRoutes, { ...needs, neighbours, throttle, learnWhereabouts })
    await visitors.register(visitorPeopleRoutes, { ...needs, throttle, learnWhereabouts })
    await visitors.register(visitorCallRoutes, { ...needs, throttle })
    await visitors.register(visitorSatisfactionRoutes, { ...needs, throttle })
  }, { prefix: '/v1/widget' })
}
