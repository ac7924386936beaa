import type { FastifyPluginAsync } from 'fastify'
import type { Id } from '../../../schema/common.ts'
import type { ConversationRecord } from '../../../schema/conversations.ts'
import { success } from '../../../schema/envelopes.ts'
import { WidgetSession, WidgetVisitorPatch } from '../../../schema/widget.ts'
import { changedVisitor } from '../../conversations/index.ts'
import { timestamp } from '../../platform/clock.ts'
import { ok } from '../../platform/http/resources/answer.ts'
import { consentTo, onlyCollected } from '../../privacy/index.ts'
import type { Tickets } from '../../tickets/index.ts'
import { noWidget } from '../session.ts'
import { openToSites, ownConversations, shownVisitor, type VisitorCaller, visitorRoute } from '../visitor.ts'
import type { VisitorRoutesNeeds } from './visitor.ts'

type Needs = Pick<VisitorRoutesNeeds, 'store' | 'conversations' | 'clock'> & {
  tickets: Pick<Tickets, 'desk' | 'store'>
}
const tag = 'Widget'
const who = 'visitor'
const VisitorAnswer = success(
  WidgetSession.properties.visitor, { title: 'WidgetVisitorAnswer', description: 'What is known about the visitor' }
)

/** A visitor's identity: what is known about them, and the details they give as far as the agent requests them. */
export const visitorRoutes: FastifyPluginAsync<Needs> = async (app, needs) => {
  const { store, conversations: { store: kept, visitors }, tickets, clock } = needs
  const cors = openToSites(store)

  app.route(visitorRoute({
    get: '/visitor',
    id: 'getOwnVisitor',
    tag,
    summary: 'Read the visitor',
    who,
    cors,
    answer: ok(VisitorAnswer, 'Visitor retrieved successfully'),
    handle: ({ visitor }) => known(visitor)
  }))

  app.route(visitorRoute({
    patch: '/visitor',
    id: 'updateOwnVisitor',
    tag,
    summary: 'Update the visitor and record consent',
    who,
    cors,
    body: WidgetVisitorPatch,
    answer: ok(VisitorAnswer, 'Visitor updated successfully'),
    refuses: [['notice_changed', 'The notice about your data has changed. Read it again, then go on.']],
    handle: async ({ visitor, body }) => {
      const { owner, agent, id } = visitor
      const face = await store.face(owner, agent) ?? noWidget()
      // Verified visitors cannot change what the business asserts.
      const { email, name, ...rest } = body
      const isVouchedFor = (await visitors.get(owner, id) ?? noWidget()).verified
      const { consent, ...said }: WidgetVisitorPatch = isVouchedFor ? rest : body
      const handedOver = (await ownConversations(kept, visitor)).filter(
        ({ handled_by: by, tickets: opened }) => by !== 'agent' || opened.length > 0
      )
      const patch = {
        ...onlyCollected(face, said, handedOver.length > 0),
        ...(consent !== undefined && { consent: consentTo(face, consent) })
      }
      const at = timestamp(clock.micros())
      await visitors.update(owner, id, (before) => changedVisitor(before, patch, at)) ?? noWidget()
      if (patch.email !== undefined) await addressTickets(owner, handedOver, patch.email)
      return await known(visitor)
    }
  }))

  async function known ({ owner, agent, id, verified }: VisitorCaller) {
    const [visitor, face] = await Promise.all([visitors.get(owner, id), store.face(owner, agent)])
    return shownVisitor(face ?? noWidget(), visitor ?? noWidget(), verified)
  }

  /** Adds the address to tickets that could not be answered without one. */
  async function addressTickets (owner: Id, conversations: readonly ConversationRecord[], email: string) {
    for (const id of conversations.flatMap(({ tickets: opened }) => opened)) {
      const kept = await tickets.store.get(owner, id)
      if (kept && !kept.ticket.requester?.email) await tickets.desk.change(owner, id, { requester: { email } })
    }
  }
}
