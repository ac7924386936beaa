import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { closed, PathId } from '../../schema/common.ts'
import { success } from '../../schema/envelopes.ts'
import { FoundPassage } from '../../schema/knowledge.ts'
import { noAgent } from './routes.ts'
import type { Search } from './search.ts'
import type { KnowledgeStore } from './store.ts'

const Query = Type.Object({
  query: Type.String({ minLength: 1, maxLength: 4000, pattern: '\\S', examples: ['How long do I have to return something?'] }),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, description: 'Passages at most; 10 without it' }))
}, { ...closed, title: 'SearchQuery', examples: [{ query: 'How long do I have to return something?', limit: 5 }] })

/** How long a search may take, in milliseconds: longest is what an embeddings service takes. */
const SEARCHING_MS = 15_000

/** Search in what an agent knows. */
export const searchRoutes: FastifyPluginAsyncTypebox<{ knowledge: KnowledgeStore, search: Search }> = async (app, { knowledge, search }) => {
  app.post('/agents/:id/search', {
    schema: {
      tags: ['Knowledge'],
      summary: 'Search what an agent knows',
      description: 'The passages of the agent\'s selected sources that answer the query best, best first.',
      params: Type.Object({ id: PathId }),
      body: Query,
      response: { 200: success(Type.Array(FoundPassage), { title: 'SearchAnswer' }) }
    },
    config: { permit: 'any user', answerMs: SEARCHING_MS }
  }, async ({ caller, params: { id }, body: { query, limit = 10 } }) => {
    await knowledge.room(caller.account.id, id) ?? noAgent()
    return { status: 'success' as const, message: 'Search done', data: await search(caller.account.id, id, query, limit) }
  })
}
