import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsync } from 'fastify'
import { closed, PathId } from '../../../schema/common.ts'
import { success } from '../../../schema/envelopes.ts'
import { FoundPassage } from '../../../schema/knowledge.ts'
import { route } from '../../access/index.ts'
import { NO_AGENT } from '../../agents/index.ts'
import { whole } from '../../platform/http/resources/answer.ts'
import type { Idempotency } from '../../platform/storage/sqlite/idempotency.ts'
import type { Search } from '../search.ts'
import type { KnowledgeStore } from '../store.ts'

const Query = Type.Object(
  {
    query: Type.String({
      minLength: 1, maxLength: 4000, pattern: '\\S', examples: ['How long do I have to return something?']
    }),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, description: 'Passages at most; default: 10' }))
  },
  { ...closed, title: 'SearchQuery', examples: [{ query: 'How long do I have to return something?', limit: 5 }] }
)

/** How long a search may take, in milliseconds: longest is what an embeddings service takes. */
const SEARCHING_MS = 15_000

const SearchAnswer = Type.Composite(
  [
    success(Type.Array(FoundPassage)),
    Type.Object({
      training: Type.Integer({
        minimum: 0,
        description:
          'Selected sources that are waiting for training or being trained, so their current text may not be found yet'
      })
    })
  ],
  { title: 'SearchAnswer', description: 'The passages, best first' }
)

/** Search in what an agent knows. */
export const searchRoutes: FastifyPluginAsync<{
  knowledge: KnowledgeStore, search: Search, idempotency: Idempotency
}> = async (app, { knowledge, search, idempotency }) => {
  app.route(route({
    post: '/agents/:id/search',
    id: 'searchKnowledge',
    audit: 'never',
    tag: 'Knowledge',
    summary: 'Search what an agent knows',
    description:
      "Returns the passages of the agent's selected sources that best answer the query, best first; `training` is the number of these sources that are not trained yet.",
    who: 'any user',
    params: Type.Object({ id: PathId }),
    body: Query,
    limits: { answerMs: SEARCHING_MS },
    idempotent: true,
    missing: NO_AGENT,
    answer: whole(SearchAnswer, ({ data, training }) => data.length === 0 && training > 0
      ? `Nothing found; ${training} of the agent's sources are still to be trained`
      : 'Search done'),
    handle: async ({ owner, params: { id }, body: { query, limit = 10 }, once }) => {
      if (!await knowledge.room(owner, id)) return undefined
      return await idempotency.reading(owner, once, async () => ({
        data: await search(owner, id, query, limit),
        training: await knowledge.training(owner, id)
      }))
    }
  }))
}
