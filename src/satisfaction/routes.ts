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
  title: 'SatisfactionAnswer', description: 'How content the visitor was'
})

/** Why nobody can answer. */
export const NOT_ASKED: Way = [
  'not_asked', 'Nobody is asked about this conversation: it goes on, or its visitor was asked within seven days.'
]

/** How content visitors were: read by people, and answered for a visitor by who speaks for them. */
export const satisfactionRoutes: FastifyPluginAsync<{
  satisfaction: SatisfactionStore, store: Pick<ConversationStore, 'get'>
}> = async (app, { satisfaction, store }) => {
  app.addHook('preHandler', onlyToTry(store))

  app.route(route({
    get: '/satisfaction',
    id: 'listSatisfaction',
    tag,
    summary: 'List how content visitors were',
    description:
      'What visitors answered once a conversation was closed, newest first, beside how it ended and which version of the agent and which member answered last. They are asked where `asks_satisfaction` of GET /v1/business is set, never twice in seven days.',
    who: READING,
    query: Type.Object({
      ...inParts('Answers'), agent: Type.Optional(Id), conversation: Type.Optional(ConversationId)
    }, closed),
    answer: listInParts(
      Satisfaction, { title: 'SatisfactionList', description: 'A part of the answers, newest first' },
      'Answers retrieved successfully'
    ),
    handle: ({ owner, part: { filter, after, limit } }) => satisfaction.list(owner, filter, after, limit)
  }))

  app.route(route({
    put: '/conversations/:id/satisfaction',
    id: 'giveSatisfaction',
    audit: 'never',
    tag,
    summary: 'Say how content the visitor was',
    description: 'For their visitor, about the episode that has ended; said again, it takes the place of what was said.',
    who: SPEAKING,
    params: inConversation,
    body: SatisfactionDraft,
    missing,
    answer: ok(SatisfactionAnswer, 'Answer saved successfully'),
    refuses: [NOT_ASKED],
    handle: ({ owner, params: { id }, body }) => satisfaction.give(owner, id, body)
  }))
}
