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
/** Messages before an answer among which its question is looked for. */
const BEFORE = 20

/** Answers to review: listed by risk, and judged. */
export const reviewRoutes: FastifyPluginAsync<{
  reviews: ReviewStore, store: Pick<ConversationStore, 'messages'>
}> = async (app, { reviews, store }) => {
  /** With question and answer; undefined if they were deleted meanwhile. */
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
    summary: 'List answers to review',
    description:
      'Returns risky answers that nobody has reviewed yet, newest first: visitors disliked them or came back after ' +
      'them, they were poorly supported, or a source they cite has changed since. At most 500 are kept per agent.',
    who: READING,
    query: Type.Object({ ...inParts('Answers'), agent: Type.Optional(Id) }, closed),
    answer: listInParts(
      Review, { title: 'ReviewList', description: 'A page of answers, newest first' }, 'Answers retrieved successfully'
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
    summary: 'Review an answer',
    description:
      'Marks it as right, wrong or incomplete, which removes it from the list. A wrong or incomplete answer ' +
      'becomes a suggestion if the agent has `behavior.continuousLearning`. `POST /v1/agents/{id}/questions` turns ' +
      'it into a test question.',
    who,
    params: Type.Object({ id: PathId }),
    body: ReviewDraft,
    missing: 'No such answer to look at.',
    answer: ok(success(Review, { title: 'ReviewAnswer', description: 'The answer with its verdict' }), 'Judged'),
    async handle ({ caller, owner, params: { id }, body: { verdict } }) {
      const decided = await reviews.decide(owner, id, verdict, caller.user.id)
      return decided && await shown(owner, decided)
    }
  }))
}
