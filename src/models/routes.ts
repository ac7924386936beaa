import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsync } from 'fastify'
import { PathId } from '../../schema/common.ts'
import { success } from '../../schema/envelopes.ts'
import { LanguageModel, ModelProvider, ModelProviderDraft, ModelTrial, ModelTrialDraft } from '../../schema/models.ts'
import { route } from '../access/index.ts'
import { created, list, ok, removed } from '../platform/http/resources/answer.ts'
import type { ModelProviderStore } from './store.ts'
import type { Trial } from './trying/trial.ts'

const tag = 'Models'
const who = ['CONFIGURE_BUSINESS'] as const
const params = Type.Object({ id: PathId })
const missing = 'No such provider of models.'

/** The account's own providers of language models: list, add, remove. */
export const modelProviderRoutes: FastifyPluginAsync<{ providers: ModelProviderStore, trial: Trial }> = async (
  app, { providers, trial }
) => {
  app.route(route({
    get: '/model_providers',
    id: 'listModelProviders',
    tag,
    summary: 'List providers of models',
    description: 'The providers that the account has brought itself, oldest first. Keys are never shown.',
    who,
    answer: list(ModelProvider, {
      title: 'ModelProviderList', description: "The account's own providers", placeOf: ({ id }) => id
    }, 'Providers of models retrieved successfully'),
    handle: ({ owner }) => providers.list(owner)
  }))

  app.route(route({
    get: '/model_providers/:id',
    id: 'getModelProvider',
    tag,
    summary: 'Read a provider of models',
    who,
    params,
    missing,
    answer: ok(
      success(ModelProvider, { title: 'ModelProviderAnswer', description: 'The provider, without its key' }),
      'Provider of models retrieved successfully'
    ),
    handle: async ({ owner, params: { id } }) => (await providers.list(owner)).find((one) => one.id === id)
  }))

  app.route(route({
    post: '/model_providers',
    id: 'createModelProvider',
    tag,
    summary: 'Add a provider of models',
    description:
      'Agents whose `response_model` is among its `models` are answered by it from then on. The key is kept sealed. The address has to be on the public internet.',
    who,
    body: ModelProviderDraft,
    idempotent: true,
    answer: created(
      success(ModelProvider, { title: 'ModelProviderCreated', description: 'The provider, without its key' }),
      'Provider of models added successfully'
    ),
    refuses: [['limit_reached', 'An account may have 20 providers of models. Remove one that is not needed.']],
    handle: ({ owner, body, once }) => providers.add(owner, body, once)
  }))

  app.route(route({
    delete: '/model_providers/:id',
    id: 'deleteModelProvider',
    tag,
    summary: 'Remove a provider of models',
    description:
      "Its key is gone for good. Agents that it answered for are answered by the installation's models, or from their sources.",
    who,
    params,
    missing,
    answer: removed('Provider of models removed successfully'),
    handle: ({ owner, params: { id } }) => providers.remove(owner, id)
  }))

  app.route(route({
    get: '/language_models',
    id: 'listLanguageModels',
    tag,
    summary: 'List models that answer',
    description:
      "The account's own and those of the server, in the order in which they are asked, with their prices and the models that agents ask for.",
    who,
    answer: list(LanguageModel, {
      title: 'LanguageModelList', description: 'Models that answer', placeOf: ({ models }) => models[0]!
    }, 'Models retrieved successfully'),
    handle: ({ owner }) => trial.list(owner)
  }))

  app.route(route({
    post: '/language_models/test',
    id: 'testLanguageModel',
    audit: 'never',
    tag,
    summary: 'Try a model',
    description:
      'Says hello to it and answers with its first words, how long they took and what they cost. That a model does not answer is an answer too: `answers` is false and `message` says why. What it takes counts as what any answer takes.',
    who,
    body: ModelTrialDraft,
    limits: { answerMs: 120_000 },
    answer: ok(
      success(ModelTrial, { title: 'ModelTrialAnswer', description: 'What it said, or why it said nothing' }), 'Tried'
    ),
    handle: async ({ owner, body: { model }, request }) => {
      const gone = new AbortController()
      request.raw.socket.once('close', () => gone.abort())
      const tried = await trial.attempt(owner, model, gone.signal)
      request.commits()
      return tried
    }
  }))
}
