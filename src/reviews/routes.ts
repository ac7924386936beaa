import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsync } from 'fastify'
import { closed, Id, PathId } from '../../schema/common.ts'
import { success } from '../../schema/envelopes.ts'
import { Review, ReviewDraft } from '../../schema/people/reviews.ts'
import { route } from '../access/index.ts'
import { READING, type ConversationStore } from '../conversations/index.ts'
import { listInParts, ok } from '../platform/http/resources/answer.ts'
import { inParts } from '../platform/http/resources/cursors.ts'
import type { ReviewRow, ReviewStore } from './store.ts'

const tag = 'Knowledge'
const who = ['REPLY_CONVERSATION'] as const
/** Messages before an answer among which its question is. */
const BEFORE = 20

/** Answers that somebody should look at: listed by what makes them a risk, and judged. */
export const reviewRoutes: FastifyPluginAsync<{
  reviews: ReviewStore, store: Pick<ConversationStore, 'messages'>
}> = async (app, { reviews, store }) => {
  /** With what was said; undefined where that is gone meanwhile. */
  async function shown (owner: Id, row: ReviewRow): Promise<Review | undefined> {
    const said = await store.messages(owner, row.conversation, { before: row.seq + 1 }, BEFORE) ?? []
    const answer = said.find(({ seq }) => seq === row.seq)
    if (!answer) return undefined
    return {
      ...row,
      message: answer.id,
      question: said.findLast(({ role, seq }) => role === 'visitor' && seq < row.seq)?.text ?? '',
      answer: answer.text,
      citations: answer.citations,
      agent_version: answer.agent_version
    }
  }

  app.route(route({
    get: '/reviews',
    id: 'listReviews',
    tag,
    summary: 'List answers to look at',
    description:
      'Answers that are a risk, and that nobody has looked at yet, newest first: visitors disliked them, came back after them, they had little to rest on, or a source that they name has changed since. At most 500 of each agent are kept.',
    who: READING,
    query: Type.Object({ ...inParts('Answers'), agent: Type.Optional(Id) }, closed),
    answer: listInParts(
      Review, { title: 'ReviewList', description: 'A part of them, newest first' }, 'Answers retrieved successfully'
    ),
    async handle ({ owner, part: { filter, after, limit } }) {
      const { items, next } = await reviews.list(owner, filter, after, limit)
      const all = await Promise.all(items.map(async (one) => await shown(owner, one)))
      return { items: all.filter((one) => one !== undefined), next }
    }
  }))

  app.route(route({
    put: '/reviews/:id',
    id: 'decideReview',
    tag,
    summary: 'Say what an answer is',
    description:
      'Right, wrong or incomplete; it is listed no more then. What is wrong or incomplete becomes a suggestion where the agent has `behavior.continuousLearning`. `POST /v1/agents/{id}/questions` makes a test question of it.',
    who,
    params: Type.Object({ id: PathId }),
    body: ReviewDraft,
    missing: 'No such answer to look at.',
    answer: ok(success(Review, { title: 'ReviewAnswer', description: 'The answer, as it is judged now' }), 'Judged'),
    async handle ({ caller, owner, params: { id }, body: { verdict } }) {
      const decided = await reviews.decide(owner, id, verdict, caller.user.id)
      return decided && await shown(owner, decided)
    }
  }))
}
