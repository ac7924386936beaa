import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsync } from 'fastify'
import { closed, Id } from '../../schema/common.ts'
import { ConversationId } from '../../schema/conversations.ts'
import { success } from '../../schema/envelopes.ts'
import { Satisfaction, SatisfactionDraft } from '../../schema/satisfaction.ts'
import { route } from '../access/index.ts'
import {
  inConversation, NO_CONVERSATION as missing, onlyToTry, READING, SPEAKING, type ConversationStore
} from '../conversations/index.ts'
import type { Way } from '../platform/http/openapi.ts'
import { inParts } from '../platform/http/resources/cursors.ts'
import { listInParts, ok } from '../platform/http/resources/answer.ts'
import type { SatisfactionStore } from './store.ts'

const tag = 'Conversations'
const SatisfactionAnswer = success(Satisfaction, {
  title: 'SatisfactionAnswer', description: "The visitor's rating"
})

/** Why nobody can answer. */
export const NOT_ASKED: Way = [
  'not_asked', 'Nobody is asked about this conversation: it goes on, or its visitor was asked within seven days.'
]

/** How content visitors were: read by people, and answered on a visitor's behalf by an integration. */
export const satisfactionRoutes: FastifyPluginAsync<{
  satisfaction: SatisfactionStore, store: Pick<ConversationStore, 'get'>
}> = async (app, { satisfaction, store }) => {
  app.addHook('preHandler', onlyToTry(store))

  app.route(route({
    get: '/satisfaction',
    id: 'listSatisfaction',
    tag,
    summary: 'List satisfaction ratings',
    description:
      'Returns what visitors answered after a conversation was closed, newest first, with how it ended and which ' +
      'agent version and member answered last. Visitors are asked if `asks_satisfaction` of GET /v1/business is ' +
      'set, never twice within seven days.',
    who: READING,
    query: Type.Object({
      ...inParts('Answers'), agent: Type.Optional(Id), conversation: Type.Optional(ConversationId)
    }, closed),
    answer: listInParts(
      Satisfaction, { title: 'SatisfactionList', description: 'A page of ratings, newest first' },
      'Answers retrieved successfully'
    ),
    handle: ({ owner, part: { filter, after, limit } }) => satisfaction.list(owner, filter, after, limit)
  }))

  app.route(route({
    put: '/conversations/:id/satisfaction',
    id: 'giveSatisfaction',
    audit: 'never',
    tag,
    summary: 'Rate a conversation for its visitor',
    description: 'Rates the episode that has ended. A new rating replaces the previous one.',
    who: SPEAKING,
    params: inConversation,
    body: SatisfactionDraft,
    missing,
    answer: ok(SatisfactionAnswer, 'Answer saved successfully'),
    refuses: [NOT_ASKED],
    handle: ({ owner, params: { id }, body }) => satisfaction.give(owner, id, body)
  }))
}
