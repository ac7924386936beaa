import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Permission } from '../../schema/access.ts'
import { Agent, AgentDraft, AgentPatch, AgentStatus, type AgentRecord } from '../../schema/agents.ts'
import { closed, PathId, text, type Id } from '../../schema/common.ts'
import { Deleted, Pagination, Paging, success } from '../../schema/envelopes.ts'
import { Features } from '../../schema/plans.ts'
import { demand, type Caller } from '../access/index.ts'
import { decided, Refusal } from '../platform/errors.ts'
import type { Once, Outcome } from '../platform/storage/contract.ts'
import { namesTag, notModified, wantedTags } from '../platform/http/answers.ts'
import { onceOf } from '../platform/storage/sqlite/once.ts'
import type { Plans } from '../plans/index.ts'
import { changed, newAgent, type Author, type DefaultModel } from './draft.ts'
import { keptAnswers, recounted, roomy, type KeptAnswer } from './kept.ts'
import { agentLists, type ListAnswer } from './lists.ts'
import { checkVersion, noAgent, type Shown } from './show.ts'
import { TEXT_BODY_LIMIT, UPLOAD_MS, WRITING_MS } from './limits.ts'
import type { AgentStore, AgentWithSources, NewAgent } from './store.ts'

const AgentAnswer = success(Agent, { title: 'AgentAnswer', description: 'The agent' })

const AgentList = Type.Object({
  status: Type.Literal('success'),
  message: Type.String(),
  data: Type.Array(Agent),
  features: Features,
  permissions: Type.Array(Permission),
  pagination: Type.Optional(Pagination)
}, { title: 'AgentList', description: 'The agents' })

const AgentQuery = Type.Object({
  ...Paging,
  status: Type.Optional(AgentStatus),
  agent_type: Type.Optional(text(64, { description: 'In display or snake_case form' })),
  search: Type.Optional(text(200, { description: 'Part of the name or the description' }))
}, closed)

const params = Type.Object({ id: PathId })

/** What to do with an agent whose texts are too large for one body. */
const ADD_INSTEAD = 'Create the agent without its texts and add them as knowledge sources, as texts or as files.'
const unchanged = Type.Null({ description: 'What If-None-Match names is still right' })

/**
 * Makes an agent together with the knowledge sources that are listed in its draft, as they were `given`, all or
 * nothing. `mayAdd` throws unless the caller may add any; `commits` is called right before they are, see
 * FastifyRequest.commits. Refuses what AgentStore.create refuses, and with VALIDATION_ERROR what is no source.
 */
export type CreateWithSources = (owner: Id, agent: NewAgent | Refusal, given: unknown,
  caller: { mayAdd (): void, commits (): void }, once?: Once) => Promise<Outcome<AgentWithSources>>

/** Agents: list, create, read, update, delete. */
export const agentRoutes: FastifyPluginAsyncTypebox<{
  agents: AgentStore
  plans: Plans
  shown: Shown
  defaultModel: DefaultModel
  listBudget: number
  createWithSources: CreateWithSources
}> = async (app, { agents, plans, shown, defaultModel, listBudget, createWithSources }) => {
  const kept = keptAnswers(listBudget)
  const lists = agentLists({ agents, plans, shown, kept })
  const tags = ['Agents']

  function send (reply: FastifyReply, { account }: Caller, kept: AgentWithSources, message: string) {
    return reply
      .header('etag', shown.tag(kept.agent, account.tier))
      .send({ status: 'success', message, data: shown.agent(kept, account.tier) })
  }

  /** Sends an answer that is serialised already, or says that the caller has it. */
  function answer (request: FastifyRequest, reply: FastifyReply, { tag, body, link }: ListAnswer): FastifyReply {
    if (namesTag(request.headers['if-none-match'], tag)) return notModified(reply, tag)
    if (link) reply.header('link', link)
    return reply.header('etag', tag).header('content-type', 'application/json; charset=utf-8').send(body)
  }

  /** A kept answer with the counts of conversations as they are now. */
  async function countedAnew (owner: Id, name: string, revision: number, recalled: KeptAnswer): Promise<KeptAnswer> {
    const tally = agents.tally(owner) ?? 0
    const now = recounted(recalled, tally, await agents.conversations(owner, recalled.ids))
    kept.keep(name, revision, now)
    return now
  }

  async function create (request: FastifyRequest, body: AgentDraft) {
    const { caller } = request
    const agent = decided(() => newAgent(body, defaultModel, author(caller)))
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

  app.get(
    '/agents',
    {
      schema: {
        tags,
        operationId: 'listAgents',
        summary: 'List all agents',
        description:
          'The agents of the user, in order of id; all of them, or in pages when `page` or `limit` is given.',
        querystring: AgentQuery,
        response: { 200: AgentList, 304: unchanged }
      },
      config: { permit: 'any user', heeds: ['If-None-Match'], tells: ['ETag'] }
    },
    (request, reply) => {
      const { caller, query } = request
      const revision = agents.revision(caller.account.id)!
      const name = lists.name(caller, query)
      const recalled = kept.recall(name, revision)
      const tally = agents.tally(caller.account.id)!
      // Answered at once: a promise, and an answer that is waited for like one, would cost a tenth of it.
      if (recalled?.tally === tally) {
        answer(request, reply, recalled)
        return
      }
      if (recalled) {
        return countedAnew(caller.account.id, name, revision, recalled).then((now) =>
          answer(request, reply, now)
        ) as never
      }
      const tag = shown.listTag(revision, tally, caller.account.tier, name)
      if (namesTag(request.headers['if-none-match'], tag)) {
        notModified(reply, tag)
        return
      }
      const serialise = reply.getSerializationFunction(Agent) ?? reply.compileSerializationSchema(Agent)
      return lists
        .make(name, revision, caller, query, serialise as (agent: Agent) => string)
        .then((made) => answer(request, reply, made)) as never
    }
  )

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
        tells: ['ETag', 'Location']
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

  app.get(
    '/agents/:id',
    {
      schema: {
        tags,
        operationId: 'getAgent',
        summary: 'Read an agent',
        params,
        response: { 200: AgentAnswer, 304: unchanged }
      },
      config: { permit: 'any user', heeds: ['If-None-Match'], tells: ['ETag'] }
    },
    (request, reply) => {
      const {
        caller: { account }, params: { id }
      } = request
      const revision = agents.revision(account.id)!
      const name = `agent ${id} of ${account.id} ${account.tier}`
      const recalled = kept.recall(name, revision)
      const tally = agents.tally(account.id)!
      if (recalled?.tally === tally) {
        answer(request, reply, recalled)
        return
      }
      if (recalled) {
        return countedAnew(account.id, name, revision, recalled).then((now) => answer(request, reply, now)) as never
      }
      return agents.get(account.id, id).then((found) => {
        const { agent, sources, total } = found ?? noAgent()
        const body = reply.serialize({
          status: 'success',
          message: 'Agent retrieved successfully',
          data: shown.agent({ agent, sources, total }, account.tier)
        })
        const tagWith = (_tally: number, [conversations = 0]: readonly number[]) =>
          shown.tag({ ...agent, conversations }, account.tier)
        const made = {
          tag: shown.tag(agent, account.tier), body: Buffer.from(roomy(body as string)), ids: [id], tally, tagWith
        }
        // What changed meanwhile would be kept under the revision from before it.
        if (agents.revision(account.id) === revision) kept.keep(name, revision, made)
        return answer(request, reply, made)
      }) as never
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
        params,
        body: AgentPatch,
        response: { 200: AgentAnswer }
      },
      config: { permit: ['MANAGE_AGENTS', 'MANAGE_AGENT_SETTINGS'], heeds: ['If-Match'], tells: ['ETag'] }
    },
    async (request, reply) => {
      const { caller, body } = request
      const kept =
        (await agents.update(caller.account.id, request.params.id, (agent) => {
          checkMatch(request, agent)
          return changed(agent, body, author(caller))
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
        params,
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

function author ({ account, permissions }: Caller): Author {
  return { tier: account.tier, permissions }
}
