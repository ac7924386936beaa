import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsync } from 'fastify'
import { ConversationId } from '../../../schema/conversations.ts'
import { success } from '../../../schema/envelopes.ts'
import { SatisfactionDraft } from '../../../schema/satisfaction.ts'
import { NO_CONVERSATION as missing } from '../../conversations/index.ts'
import { accepted } from '../../platform/http/resources/answer.ts'
import { NOT_ASKED, type SatisfactionStore } from '../../satisfaction/index.ts'
import { conversationOf, openToSites, visitorRoute } from '../visitor.ts'
import type { VisitorRoutesNeeds } from './visitor.ts'

/** Dependencies of the route. */
interface VisitorSatisfactionNeeds extends Pick<VisitorRoutesNeeds, 'store' | 'conversations' | 'throttle'> {
  satisfaction: Pick<SatisfactionStore, 'give' | 'isAsked'>
}

/** A visitor's rating of a closed conversation. */
export const visitorSatisfactionRoutes: FastifyPluginAsync<VisitorSatisfactionNeeds> = async (app, needs) => {
  const { store, conversations, throttle, satisfaction } = needs
  app.route(visitorRoute({
    post: '/conversations/:id/satisfaction',
    id: 'giveOwnSatisfaction',
    tag: 'Widget',
    summary: 'Rate a conversation',
    description: 'Possible if the conversation asks for it with `asks.rating`. A new rating replaces the previous one.',
    who: 'visitor',
    cors: openToSites(store),
    params: Type.Object({ id: ConversationId }),
    body: SatisfactionDraft,
    missing,
    answer: accepted(
      success(Type.Object({ id: Type.String() }), { title: 'SatisfactionGiven', description: 'Saved' }), 'Answer saved'
    ),
    refuses: [NOT_ASKED],
    async handle ({ visitor, owner, params: { id }, body, request: { ip } }) {
      await conversationOf(conversations.store, visitor, id)
      await throttle.message(visitor.id, ip)
      return await satisfaction.give(owner, id, body) && { id }
    }
  }))
}
