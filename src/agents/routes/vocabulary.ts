import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Vocabulary, VocabularyDraft } from '../../../schema/agents.ts'
import { success } from '../../../schema/envelopes.ts'
import { wantedTags } from '../../platform/http/answers.ts'
import { answerTagged, Unchanged } from '../../platform/http/resources/tags.ts'
import { checkVersion, noAgent } from '../show.ts'
import type { KeptVocabulary, VocabularyStore } from '../vocabulary.sqlite.ts'
import { inAgent, tags } from './shapes.ts'

const VocabularyAnswer = success(Vocabulary, { title: 'VocabularyAnswer', description: 'The vocabulary' })

/** As much as the longest vocabulary has, in any script. */
const BODY_LIMIT = 4_194_304

const tagOf = ({ id, version }: KeptVocabulary) => `"${id.toString(36)}-${version.toString(36)}-vocabulary"`

/** What words mean in an agent's business: read, replace. */
export const vocabularyRoutes: FastifyPluginAsyncTypebox<{ agents: VocabularyStore }> = async (app, { agents }) => {
  function answer (request: FastifyRequest, reply: FastifyReply, kept: KeptVocabulary, message: string) {
    const { terms, updated_at: updated } = kept
    return answerTagged(request, reply, tagOf(kept), message, { terms, updated_at: updated })
  }

  app.get(
    '/agents/:id/vocabulary',
    {
      schema: {
        tags,
        operationId: 'getVocabulary',
        summary: "Read an agent's vocabulary",
        description: 'The products, abbreviations and synonyms that the agent was told.',
        params: inAgent,
        response: { 200: VocabularyAnswer, 304: Unchanged }
      },
      config: { permit: 'any user', heeds: ['If-None-Match'], tells: ['ETag'] }
    },
    async (request, reply) => {
      const kept = (await agents.vocabulary(request.caller.account.id, request.params.id)) ?? noAgent()
      return answer(request, reply, kept, 'Vocabulary retrieved successfully')
    }
  )

  app.put(
    '/agents/:id/vocabulary',
    {
      bodyLimit: BODY_LIMIT,
      schema: {
        tags,
        operationId: 'replaceVocabulary',
        summary: "Replace an agent's vocabulary",
        description:
          'A question that uses a term or one of its meanings finds the passages that use any of them. ' +
          'It counts from the next question on, for everything that the agent has learnt; nothing needs training. ' +
          'All terms are replaced. A word that is also a common one, as IT is, only counts as it is written here. ' +
          'With If-Match, only if nobody has changed it since you read it.',
        params: inAgent,
        body: VocabularyDraft,
        response: { 200: VocabularyAnswer }
      },
      config: { permit: ['MANAGE_AGENTS', 'MANAGE_AGENT_SETTINGS'], heeds: ['If-Match'], tells: ['ETag'] }
    },
    async (request, reply) => {
      const { caller, params: { id }, body: { terms } } = request
      const check = (before: KeptVocabulary) => checkVersion(wantedTags(request), before, 'The vocabulary')
      const kept = (await agents.replaceVocabulary(caller.account.id, id, terms, check)) ?? noAgent()
      return answer(request, reply, kept, 'Vocabulary updated successfully')
    }
  )
}
