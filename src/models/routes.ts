import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { PathId } from '../../schema/common.ts'
import { Deleted, success } from '../../schema/envelopes.ts'
import { ModelProvider, ModelProviderDraft } from '../../schema/models.ts'
import { InPartsIfAsked, listOf, partIfAsked } from '../platform/http/resources/cursors.ts'
import { Refusal } from '../platform/errors.ts'
import { refusal } from '../platform/http/openapi.ts'
import { onceOf } from '../platform/storage/sqlite/once.ts'
import type { ModelProviderStore } from './store.ts'

const tags = ['Models']

/** The account's own providers of language models: list, add, remove. */
export const modelProviderRoutes: FastifyPluginAsyncTypebox<{ providers: ModelProviderStore }> = async (
  app, { providers }
) => {
  app.get(
    '/model_providers',
    {
      schema: {
        tags,
        operationId: 'listModelProviders',
        summary: 'List providers of models',
        description: 'The providers that the account has brought itself, oldest first. Keys are never shown.',
        querystring: InPartsIfAsked,
        response: {
          200: listOf(ModelProvider, { title: 'ModelProviderList', description: "The account's own providers" })
        }
      },
      config: { permit: ['CONFIGURE_BUSINESS'] }
    },
    async (request) => {
      const { caller: { account } } = request
      return {
        status: 'success' as const,
        message: 'Providers of models retrieved successfully',
        ...partIfAsked(request, account.id, await providers.list(account.id), ({ id }) => id)
      }
    }
  )

  app.get(
    '/model_providers/:id',
    {
      schema: {
        tags,
        operationId: 'getModelProvider',
        summary: 'Read a provider of models',
        params: Type.Object({ id: PathId }),
        response: {
          200: success(ModelProvider, { title: 'ModelProviderAnswer', description: 'The provider, without its key' })
        }
      },
      config: { permit: ['CONFIGURE_BUSINESS'] }
    },
    async ({ caller, params: { id } }) => {
      const data = (await providers.list(caller.account.id)).find((one) => one.id === id) ?? noProvider()
      return { status: 'success' as const, message: 'Provider of models retrieved successfully', data }
    }
  )

  app.post(
    '/model_providers',
    {
      schema: {
        tags,
        operationId: 'createModelProvider',
        summary: 'Add a provider of models',
        description:
          'Agents whose `response_model` is among its `models` are answered by it from then on. The key is kept sealed. The address has to be on the public internet.',
        body: ModelProviderDraft,
        response: {
          201: success(ModelProvider, { title: 'ModelProviderCreated', description: 'The provider, without its key' }),
          409: refusal('limit_reached', 'An account may have 20 providers of models. Remove one that is not needed.')
        }
      },
      config: { permit: ['CONFIGURE_BUSINESS'], heeds: ['Idempotency-Key'] }
    },
    async (request, reply) => {
      const { answer, replayed } = await providers.add(request.caller.account.id, request.body, onceOf(request))
      if (replayed) reply.header('idempotency-replayed', 'true')
      return reply.code(201).header('location', `/v1/model_providers/${answer.id}`).send({
        status: 'success', message: 'Provider of models added successfully', data: answer
      })
    }
  )

  app.delete(
    '/model_providers/:id',
    {
      schema: {
        tags,
        operationId: 'deleteModelProvider',
        summary: 'Remove a provider of models',
        description:
          "Its key is gone for good. Agents that it answered for are answered by the installation's models, or from their sources.",
        params: Type.Object({ id: PathId }),
        response: { 200: Deleted }
      },
      config: { permit: ['CONFIGURE_BUSINESS'] }
    },
    async ({ caller, params: { id } }) => {
      if (!(await providers.remove(caller.account.id, id))) noProvider()
      return { status: 'success' as const, message: 'Provider of models removed successfully', data: { id } }
    }
  )
}

function noProvider (): never {
  throw new Refusal('not_found', 'No such provider of models.')
}
