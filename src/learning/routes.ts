import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsync } from 'fastify'
import { PathId } from '../../schema/common.ts'
import { Deleted, success } from '../../schema/envelopes.ts'
import { KnowledgeSource } from '../../schema/knowledge.ts'
import { Suggestion, SuggestionApproval } from '../../schema/people/learning.ts'
import { route } from '../access/index.ts'
import { noAgent, type AgentStore, type Shown } from '../agents/index.ts'
import { invalid } from '../platform/errors.ts'
import { created, ok } from '../platform/http/resources/answer.ts'
import { discardAll, newSource, TOO_MANY_SOURCES, type Knowledge, type NewSource } from '../sources/index.ts'
import type { Learning, Suggested } from './suggest.ts'

const SuggestionList = success(Type.Array(Suggestion), {
  title: 'SuggestionList', description: 'What the agent could learn, most frequently asked first'
})
const SourceAnswer = success(KnowledgeSource, {
  title: 'KnowledgeSourceLearnt', description: 'The source created from it'
})
const inAgent = Type.Object({ id: PathId })
const inSuggestion = Type.Object({ id: PathId, sid: PathId })
const tag = 'Knowledge'
const who = ['MANAGE_KNOWLEDGE_BASE'] as const
const missing = 'No such agent.'
const LONGEST_TITLE = 200

/** Dependencies of the learning routes. */
interface LearningRoutesNeeds {
  learning: Learning
  agents: AgentStore
  knowledge: Pick<Knowledge, 'store' | 'blobs'>
  shown: Shown
}

/** What an agent could learn: reviewed, approved or dismissed by a person. Nothing is learnt without one. */
export const learningRoutes: FastifyPluginAsync<LearningRoutesNeeds> = async (
  app, { learning, agents, knowledge, shown }
) => {
  /** The suggestions of an agent that learns. */
  async function suggestionsOf (owner: number, id: number): Promise<Suggested[]> {
    const agent = (await agents.live(owner, id)) ?? noAgent()
    return agent.behavior.continuousLearning ? await learning.of(owner, id) : []
  }

  async function find (owner: number, agent: number, id: number): Promise<Suggested | undefined> {
    return (await suggestionsOf(owner, agent)).find(({ suggestion }) => suggestion.id === id)
  }

  /** The source made from a suggestion; none if it is no longer suggested. */
  async function sourcesOf (found: Suggested | undefined, asked: SuggestionApproval): Promise<NewSource[]> {
    if (!found) return []
    const { question = found.suggestion.question, answer = found.suggestion.answer } = asked
    if (answer === null) {
      throw invalid({ field: 'answer', message: 'answer is required: nobody has answered this yet.' })
    }
    const title = question.slice(0, LONGEST_TITLE).toWellFormed()
    return [await newSource(knowledge.blobs, { title, plain_text: `${question}\n\n${answer}` })]
  }

  app.route(route({
    get: '/agents/:id/suggestions',
    id: 'listSuggestions',
    tag,
    summary: 'List learning suggestions for an agent',
    description:
      'With `behavior.continuousLearning`: questions the agent could not answer, answers that visitors disliked, and what people answered, masked and grouped. Empty without it.',
    who,
    params: inAgent,
    answer: ok(SuggestionList, 'Suggestions retrieved successfully'),
    handle: async ({ owner, params: { id } }) =>
      (await suggestionsOf(owner, id)).map(({ suggestion }) => suggestion)
  }))

  app.route(route({
    post: '/agents/:id/suggestions/:sid/approve',
    id: 'approveSuggestion',
    tag,
    summary: 'Approve a learning suggestion',
    description:
      'Creates a text source from the question and its answer; once it is trained, the agent can answer the question.',
    who,
    params: inSuggestion,
    body: SuggestionApproval,
    idempotent: true,
    missing,
    answer: created(SourceAnswer, 'Added; training has begun', {
      at: (made, { id }) => `/v1/agents/${id}/knowledge_sources/${made.id}`
    }),
    refuses: [TOO_MANY_SOURCES],
    handle: async ({ caller, owner, params: { id, sid }, body, once }) => {
      const found = await find(owner, id, sid)
      const sources = await sourcesOf(found, body)
      try {
        const done = await knowledge.store.add(owner, id, sources, once, [
          { type: 'suggestion.approved', owner, agent: id, data: { candidates: found?.members ?? [] } }
        ])
        if (!done || done.replayed) await discardAll(knowledge.blobs, sources)
        return done && { answer: shown.source(done.answer[0]!, caller.account.tier), replayed: done.replayed }
      } catch (error) {
        await discardAll(knowledge.blobs, sources)
        throw error
      }
    }
  }))

  app.route(route({
    post: '/agents/:id/suggestions/:sid/dismiss',
    id: 'dismissSuggestion',
    tag,
    summary: 'Dismiss a learning suggestion',
    description: 'The question is not suggested again, however often it is asked.',
    who,
    params: inSuggestion,
    idempotent: true,
    answer: ok(Deleted, 'Suggestion dismissed'),
    handle: async ({ owner, params: { id, sid }, once }) => {
      const { members = [] } = (await find(owner, id, sid)) ?? {}
      const { replayed } = await learning.store.dismiss(owner, members, once)
      return { answer: { id: sid }, replayed }
    }
  }))
}
