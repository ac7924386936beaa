import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AgentDraft, AgentPatch, type AgentRecord } from '../../../schema/agents.ts'
import type { Id } from '../../../schema/common.ts'
import { Deleted } from '../../../schema/envelopes.ts'
import { demand, type Caller } from '../../access/index.ts'
import { decided, type Refusal } from '../../platform/errors.ts'
import { wantedTags } from '../../platform/http/answers.ts'
import type { Once, Outcome } from '../../platform/storage/contract.ts'
import { onceOf } from '../../platform/storage/sqlite/once.ts'
import { changed, newAgent, type Author, type DefaultModel } from '../draft.ts'
import { TEXT_BODY_LIMIT, UPLOAD_MS, WRITING_MS } from '../limits.ts'
import { checkVersion, noAgent, type Shown } from '../show.ts'
import type { AgentStore, AgentWithSources, NewAgent } from '../store.ts'
import { AgentAnswer, inAgent, tags } from './shapes.ts'

/** What to do with an agent whose texts are too large for one body. */
const ADD_INSTEAD = 'Create the agent without its texts and add them as knowledge sources, as texts or as files.'

/**
 * Makes an agent together with the knowledge sources that are listed in its draft, as they were `given`, all or
 * nothing. `mayAdd` throws unless the caller may add any; `commits` is called right before they are, see
 * FastifyRequest.commits. Refuses what AgentStore.create refuses, and with VALIDATION_ERROR what is no source.
 */
export type CreateWithSources = (owner: Id, agent: NewAgent | Refusal, given: unknown,
  caller: { mayAdd (): void, commits (): void }, once?: Once) => Promise<Outcome<AgentWithSources>>

/** What changing agents needs; `ticketingProviders`: the names of an account's. */
export interface ChangingNeeds {
  agents: AgentStore
  shown: Shown
  defaultModel: DefaultModel
  createWithSources: CreateWithSources
  ticketingProviders: (owner: Id) => Promise<readonly string[]>
}

/** Changing agents: create, update, delete. */
export const changingRoutes: FastifyPluginAsyncTypebox<ChangingNeeds> = async (
  app, { agents, shown, defaultModel, createWithSources, ticketingProviders }
) => {
  /** Who asks; what there is to be named is read where something is. */
  async function authorOf (
    { account, permissions }: Caller, { ticketing_providers: named = [] }: AgentPatch
  ): Promise<Author> {
    const ticketing = named.length > 0 ? await ticketingProviders(account.id) : []
    return { tier: account.tier, permissions, ticketing }
  }

  function send (reply: FastifyReply, { account }: Caller, kept: AgentWithSources, message: string) {
    return reply
      .header('etag', shown.tag(kept.agent, account.tier))
      .send({ status: 'success', message, data: shown.agent(kept, account.tier) })
  }

  async function create (request: FastifyRequest, body: AgentDraft) {
    const { caller } = request
    const author = await authorOf(caller, body)
    const agent = decided(() => newAgent(body, defaultModel, author))
    const once = onceOf(request)
    if (body.knowledge_sources === undefined) {
      request.commits()
      return await agents.create(caller.account.id, agent, once)
    }
    return await createWithSources(
      caller.account.id,
      agent,
      body.knowledge_sources,
      {
        mayAdd: () => demand(caller.permissions, ['MANAGE_KNOWLEDGE_BASE'], 'add knowledge sources'),
        commits: () => request.commits()
      },
      once
    )
  }

  const checkMatch = (request: FastifyRequest, agent: AgentRecord) =>
    checkVersion(wantedTags(request), agent, 'The agent')

  app.post(
    '/agents',
    {
      bodyLimit: TEXT_BODY_LIMIT,
      schema: {
        tags,
        operationId: 'createAgent',
        summary: 'Create an agent',
        description: 'Needs a name and a system prompt; every other field has a default.',
        body: AgentDraft,
        response: { 201: AgentAnswer }
      },
      config: {
        permit: ['MANAGE_AGENTS'],
        receiveMs: UPLOAD_MS,
        answerMs: WRITING_MS,
        insteadOfLarge: ADD_INSTEAD,
        heeds: ['Idempotency-Key'],
        tells: ['ETag']
      }
    },
    async (request, reply) => {
      const { caller, body } = request
      const { answer, replayed } = await create(request, body)
      if (replayed) reply.header('idempotency-replayed', 'true')
      reply.code(201).header('location', `/v1/agents/${answer.agent.id}`)
      return send(reply, caller, answer, 'Agent created successfully')
    }
  )

  app.put(
    '/agents/:id',
    {
      schema: {
        tags,
        operationId: 'updateAgent',
        summary: 'Update an agent',
        description:
          'An absent field stays, objects merge field by field, arrays are replaced. With If-Match, only if nobody has changed the agent since you read it; training does not count.',
        params: inAgent,
        body: AgentPatch,
        response: { 200: AgentAnswer }
      },
      config: { permit: ['MANAGE_AGENTS', 'MANAGE_AGENT_SETTINGS'], heeds: ['If-Match'], tells: ['ETag'] }
    },
    async (request, reply) => {
      const { caller, body } = request
      const author = await authorOf(caller, body)
      const kept =
        (await agents.update(caller.account.id, request.params.id, (agent) => {
          checkMatch(request, agent)
          return changed(agent, body, author)
        })) ?? noAgent()
      return send(reply, caller, kept, 'Agent updated successfully')
    }
  )

  app.delete(
    '/agents/:id',
    {
      schema: {
        tags,
        operationId: 'deleteAgent',
        summary: 'Delete an agent',
        description: 'Everything that belongs to the agent goes with it.',
        params: inAgent,
        response: { 200: Deleted }
      },
      config: { permit: ['MANAGE_AGENTS'], heeds: ['If-Match'] }
    },
    async (request) => {
      const { id } = request.params
      if (!(await agents.delete(request.caller.account.id, id, (agent) => checkMatch(request, agent)))) noAgent()
      return { status: 'success' as const, message: 'Agent deleted successfully', data: { id } }
    }
  )
}
