import type { FastifyPluginAsync } from 'fastify'
import { success } from '../../../schema/envelopes.ts'
import { LookingDraft, Onlookers } from '../../../schema/handoff.ts'
import { route } from '../../access/index.ts'
import { inConversation, NO_CONVERSATION as missing, type ConversationStore } from '../../conversations/index.ts'
import { ok } from '../../platform/http/resources/answer.ts'
import type { Lookers } from './looking.ts'

/** Who has a conversation open, so that two do not answer it. Visitors never see it. */
export const lookingRoutes: FastifyPluginAsync<{
  store: Pick<ConversationStore, 'newest'>, lookers: Lookers
}> = async (app, { store, lookers }) => {
  app.route(route({
    put: '/conversations/:id/looking',
    id: 'tellLooking',
    audit: 'never',
    tag: 'People',
    summary: 'Report that you are viewing a conversation',
    description:
      'Notifies colleagues who watch GET /v1/events with `looking`. Nothing is stored, and it expires after 45 ' +
      'seconds, so repeat it. The response says who else has the conversation open.',
    who: ['REPLY_CONVERSATION'],
    params: inConversation,
    body: LookingDraft,
    missing,
    answer: ok(success(Onlookers, { title: 'OnlookersAnswer', description: 'Who else has it open' }), 'Told'),
    handle: async ({ caller, owner, params: { id }, body: { state } }) =>
      await store.newest(owner, id) && { colleagues: lookers.say(owner, id, caller.user.id, state) }
  }))
}
