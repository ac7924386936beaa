import type { FastifyPluginAsync } from 'fastify'
import { Vocabulary, VocabularyDraft } from '../../../schema/agents.ts'
import { success } from '../../../schema/envelopes.ts'
import { route } from '../../access/index.ts'
import { wantedTags } from '../../platform/http/answers.ts'
import { ok } from '../../platform/http/resources/answer.ts'
import type { Version } from '../../platform/http/resources/tags.ts'
import type { Match } from '../../platform/storage/contract.ts'
import { checkVersion, NO_AGENT } from '../show.ts'
import type { KeptVocabulary, VocabularyStore } from '../vocabulary.sqlite.ts'
import { inAgent, tag } from './shapes.ts'

const VocabularyAnswer = success(Vocabulary, { title: 'VocabularyAnswer', description: 'The vocabulary' })

/** Maximum bytes of the longest vocabulary, in any script. */
const BODY_LIMIT = 4_194_304

const version: Version<KeptVocabulary, Match<KeptVocabulary>> = {
  tag: ({ id, version }) => `"${id.toString(36)}-${version.toString(36)}-vocabulary"`,
  match (request) {
    const wanted = wantedTags(request)
    return (before) => checkVersion(wanted, before, 'The vocabulary')
  }
}

/** The vocabulary of an agent's business: read, replace. */
export const vocabularyRoutes: FastifyPluginAsync<{ agents: VocabularyStore }> = async (app, { agents }) => {
  app.route(route({
    get: '/agents/:id/vocabulary',
    id: 'getVocabulary',
    tag,
    summary: "Read an agent's vocabulary",
    description: 'Returns the products, abbreviations and synonyms that the agent has been given.',
    who: 'any user',
    params: inAgent,
    version,
    missing: NO_AGENT,
    answer: ok(VocabularyAnswer, 'Vocabulary retrieved successfully'),
    handle: ({ owner, params: { id } }) => agents.vocabulary(owner, id)
  }))

  app.route(route({
    put: '/agents/:id/vocabulary',
    id: 'replaceVocabulary',
    tag,
    summary: "Replace an agent's vocabulary",
    description:
      'A question that uses a term or one of its meanings finds the passages that use any of them. Takes effect ' +
      'from the next question, for everything that the agent has learnt; nothing needs training. Replaces all ' +
      'terms. A word that is also a common word, such as IT, matches only as it is written here. With If-Match, ' +
      'succeeds only if nobody has changed the vocabulary since you read it.',
    who: ['MANAGE_AGENTS', 'MANAGE_AGENT_SETTINGS'],
    params: inAgent,
    body: VocabularyDraft,
    limits: { bodyLimit: BODY_LIMIT },
    version,
    missing: NO_AGENT,
    answer: ok(VocabularyAnswer, 'Vocabulary updated successfully'),
    handle: ({ owner, params: { id }, body: { terms }, match }) => agents.replaceVocabulary(owner, id, terms, match)
  }))
}
