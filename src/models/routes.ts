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
const missing = 'No such model provider.'

/** The account's own providers of language models: list, add, remove. */
export const modelProviderRoutes: FastifyPluginAsync<{ providers: ModelProviderStore, trial: Trial }> = async (
  app, { providers, trial }
) => {
  app.route(route({
    get: '/model_providers',
    id: 'listModelProviders',
    tag,
    summary: 'List model providers',
    description: 'The providers that the account has added itself, oldest first. Keys are never shown.',
    who,
    answer: list(ModelProvider, {
      title: 'ModelProviderList', description: "The account's own providers", placeOf: ({ id }) => id
    }, 'Model providers retrieved successfully'),
    handle: ({ owner }) => providers.list(owner)
  }))

  app.route(route({
    get: '/model_providers/:id',
    id: 'getModelProvider',
    tag,
    summary: 'Read a model provider',
    who,
    params,
    missing,
    answer: ok(
      success(ModelProvider, { title: 'ModelProviderAnswer', description: 'The provider, without its key' }),
      'Model provider retrieved successfully'
    ),
    handle: async ({ owner, params: { id } }) => (await providers.list(owner)).find((one) => one.id === id)
  }))

  app.route(route({
    post: '/model_providers',
    id: 'createModelProvider',
    tag,
    summary: 'Add a model provider',
    description:
      'From then on it answers for agents whose `response_model` is among its `models`. The key is stored encrypted. The URL must be on the public internet.',
    who,
    body: ModelProviderDraft,
    idempotent: true,
    answer: created(
      success(ModelProvider, { title: 'ModelProviderCreated', description: 'The provider, without its key' }),
      'Model provider added successfully'
    ),
    refuses: [['limit_reached', 'An account may have 20 model providers. Remove one that is not needed.']],
    handle: ({ owner, body, once }) => providers.add(owner, body, once)
  }))

  app.route(route({
    delete: '/model_providers/:id',
    id: 'deleteModelProvider',
    tag,
    summary: 'Delete a model provider',
    description:
      "Its key is deleted permanently. Agents that used it are answered by the server's models, or from their sources.",
    who,
    params,
    missing,
    answer: removed('Model provider removed successfully'),
    handle: ({ owner, params: { id } }) => providers.remove(owner, id)
  }))

  app.route(route({
    get: '/language_models',
    id: 'listLanguageModels',
    tag,
    summary: 'List available language models',
    description:
      "The account's own models and those of the server, in the order in which they are tried, with their prices and the models that agents request.",
    who,
    answer: list(LanguageModel, {
      title: 'LanguageModelList', description: 'Available language models', placeOf: ({ models }) => models[0]!
    }, 'Models retrieved successfully'),
    handle: ({ owner }) => trial.list(owner)
  }))

  app.route(route({
    post: '/language_models/test',
    id: 'testLanguageModel',
    audit: 'never',
    tag,
    summary: 'Test a language model',
    description:
      'Sends the model a greeting and returns its first words, how long they took and what they cost. If the model does not answer, the request still succeeds: `answers` is false and `message` says why. The tokens used count like those of any answer.',
    who,
    body: ModelTrialDraft,
    limits: { answerMs: 120_000 },
    answer: ok(
      success(ModelTrial, { title: 'ModelTrialAnswer', description: 'What it said, or why it did not answer' }), 'Tried'
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
