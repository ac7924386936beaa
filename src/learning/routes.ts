import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { PathId } from '../../schema/common.ts'
import { Deleted, success } from '../../schema/envelopes.ts'
import { KnowledgeSource } from '../../schema/knowledge.ts'
import { Suggestion, SuggestionApproval } from '../../schema/people/learning.ts'
import { noAgent, type AgentStore, type Shown } from '../agents/index.ts'
import { invalid } from '../platform/errors.ts'
import { onceOf } from '../platform/storage/sqlite/once.ts'
import { discardAll, newSource, TOO_MANY_SOURCES, type Knowledge, type NewSource } from '../sources/index.ts'
import type { Learning, Suggested } from './suggest.ts'

const SuggestionList = success(Type.Array(Suggestion), {
  title: 'SuggestionList', description: 'What the agent could learn, most often asked first'
})
const SourceAnswer = success(KnowledgeSource, {
  title: 'KnowledgeSourceLearnt', description: 'The source that was made of it'
})
const inAgent = Type.Object({ id: PathId })
const inSuggestion = Type.Object({ id: PathId, sid: PathId })
const tags = ['Knowledge']
const LONGEST_TITLE = 200

/** What routes of learning need. */
export interface LearningRoutesNeeds {
  learning: Learning
  agents: AgentStore
  knowledge: Pick<Knowledge, 'store' | 'blobs'>
  shown: Shown
}

/** What an agent could learn: looked at, approved or dismissed by a person. Nothing is learnt without one. */
export const learningRoutes: FastifyPluginAsyncTypebox<LearningRoutesNeeds> = async (
  app, { learning, agents, knowledge, shown }
) => {
  /** The suggestions of an agent that learns. */
  async function suggestionsOf (owner: number, id: number): Promise<Suggested[]> {
    const { agent } = (await agents.get(owner, id)) ?? noAgent()
    return agent.behavior.continuousLearning ? await learning.of(owner, id) : []
  }

  async function find (owner: number, agent: number, id: number): Promise<Suggested | undefined> {
    return (await suggestionsOf(owner, agent)).find(({ suggestion }) => suggestion.id === id)
  }

  /** The source that is made of a suggestion; none where nothing is suggested any more. */
  async function sourcesOf (found: Suggested | undefined, asked: SuggestionApproval): Promise<NewSource[]> {
    if (!found) return []
    const { question = found.suggestion.question, answer = found.suggestion.answer } = asked
    if (answer === null) {
      throw invalid({ field: 'answer', message: 'answer is required: nobody has answered this yet.' })
    }
    const title = question.slice(0, LONGEST_TITLE).toWellFormed()
    return [await newSource(knowledge.blobs, { title, plain_text: `${question}\n\n${answer}` })]
  }

  app.get(
    '/agents/:id/suggestions',
    {
      schema: {
        tags,
        operationId: 'listSuggestions',
        summary: 'List what an agent could learn',
        description:
          'With `behavior.continuousLearning`: what it did not know, what visitors disliked, and what people answered, masked and grouped. Empty without it.',
        params: inAgent,
        response: { 200: SuggestionList }
      },
      config: { permit: ['MANAGE_KNOWLEDGE_BASE'] }
    },
    async ({ caller, params: { id } }) => {
      const found = await suggestionsOf(caller.account.id, id)
      return {
        status: 'success' as const,
        message: 'Suggestions retrieved successfully',
        data: found.map(({ suggestion }) => suggestion)
      }
    }
  )

  app.post(
    '/agents/:id/suggestions/:sid/approve',
    {
      schema: {
        tags,
        operationId: 'approveSuggestion',
        summary: 'Let an agent learn',
        description:
          'Makes a text source of the question and its answer, after whose training the question is answered.',
        params: inSuggestion,
        body: SuggestionApproval,
        response: { 201: SourceAnswer, 409: TOO_MANY_SOURCES }
      },
      config: { permit: ['MANAGE_KNOWLEDGE_BASE'], heeds: ['Idempotency-Key'] }
    },
    async (request, reply) => {
      const { caller, params: { id, sid }, body } = request
      const owner = caller.account.id
      const once = onceOf(request)
      const found = await find(owner, id, sid)
      const sources = await sourcesOf(found, body)
      try {
        const { answer: [made], replayed } = (await knowledge.store.add(owner, id, sources, once, [
          { type: 'suggestion.approved', owner, agent: id, data: { candidates: found?.members ?? [] } }
        ])) ?? noAgent()
        if (replayed) {
          await discardAll(knowledge.blobs, sources)
          reply.header('idempotency-replayed', 'true')
        }
        return await reply
          .code(201)
          .header('location', `/v1/agents/${id}/knowledge_sources/${made!.id}`)
          .send({
            status: 'success', message: 'Added; training has begun', data: shown.source(made!, caller.account.tier)
          })
      } catch (error) {
        await discardAll(knowledge.blobs, sources)
        throw error
      }
    }
  )

  app.post(
    '/agents/:id/suggestions/:sid/dismiss',
    {
      schema: {
        tags,
        operationId: 'dismissSuggestion',
        summary: 'Do not let an agent learn',
        description: 'It is not suggested again, however often it is asked.',
        params: inSuggestion,
        response: { 200: Deleted }
      },
      config: { permit: ['MANAGE_KNOWLEDGE_BASE'], heeds: ['Idempotency-Key'] }
    },
    async (request, reply) => {
      const { caller: { account: { id: owner } }, params: { id, sid } } = request
      const { members = [] } = (await find(owner, id, sid)) ?? {}
      const { replayed } = await learning.store.dismiss(owner, members, onceOf(request))
      if (replayed) reply.header('idempotency-replayed', 'true')
      return { status: 'success' as const, message: 'Suggestion dismissed', data: { id: sid } }
    }
  )
}
