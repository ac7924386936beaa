import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { closed, PathId } from '../../../schema/common.ts'
import { success } from '../../../schema/envelopes.ts'
import { FoundPassage } from '../../../schema/knowledge.ts'
import { onceOf, type OnceOnly } from '../../platform/storage/sqlite/once.ts'
import { noAgent } from '../../agents/index.ts'
import type { Search } from '../search.ts'
import type { KnowledgeStore } from '../store.ts'

const Query = Type.Object(
  {
    query: Type.String({
      minLength: 1, maxLength: 4000, pattern: '\\S', examples: ['How long do I have to return something?']
    }),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, description: 'Passages at most; 10 without it' }))
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
          'Selected sources that wait to be trained or are being trained, so that nothing of their present text may be found yet'
      })
    })
  ],
  { title: 'SearchAnswer', description: 'The passages, best first' }
)

/** Search in what an agent knows. */
export const searchRoutes: FastifyPluginAsyncTypebox<{
  knowledge: KnowledgeStore, search: Search, onceOnly: OnceOnly
}> = async (app, { knowledge, search, onceOnly }) => {
  app.post(
    '/agents/:id/search',
    {
      schema: {
        tags: ['Knowledge'],
        operationId: 'searchKnowledge',
        summary: 'Search what an agent knows',
        description:
          "The passages of the agent's selected sources that answer the query best, best first; `training` says how many of these sources are not trained yet.",
        params: Type.Object({ id: PathId }),
        body: Query,
        response: { 200: SearchAnswer }
      },
      config: { permit: 'any user', answerMs: SEARCHING_MS, heeds: ['Idempotency-Key'] }
    },
    async (request, reply) => {
      const {
        caller, params: { id }, body: { query, limit = 10 }
      } = request
      ;(await knowledge.room(caller.account.id, id)) ?? noAgent()
      const {
        answer: { data, training }, replayed
      } = await onceOnly.reading(caller.account.id, onceOf(request), async () => ({
        data: await search(caller.account.id, id, query, limit),
        training: await knowledge.training(caller.account.id, id)
      }))
      if (replayed) reply.header('idempotency-replayed', 'true')
      const message =
        data.length === 0 && training > 0
          ? `Nothing found; ${training} of the agent's sources are still to be trained`
          : 'Search done'
      return { status: 'success' as const, message, data, training }
    }
  )
}
