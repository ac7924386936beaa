import { Type, type Static } from '@sinclair/typebox'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { Permission } from '../../../schema/access.ts'
import { Agent, AgentStatus } from '../../../schema/agents.ts'
import { closed, text, type Id } from '../../../schema/common.ts'
import { Pagination } from '../../../schema/envelopes.ts'
import { Features, type Tier } from '../../../schema/plans.ts'
import { route, type Caller } from '../../access/index.ts'
import { namesTag, notModified } from '../../platform/http/answers.ts'
import { raw } from '../../platform/http/resources/answer.ts'
import { cursorOf, InPages, NextCursor } from '../../platform/http/resources/cursors.ts'
import { Unchanged } from '../../platform/http/resources/tags.ts'
import type { Plans } from '../../plans/index.ts'
import { keptAnswers, patchCounts, type KeptAnswer } from '../kept.ts'
import { agentLists, type ListAnswer } from '../lists.ts'
import { noAgent, type Shown } from '../show.ts'
import type { AgentStore } from '../store.ts'
import { agentWriting } from '../written.ts'
import { AgentAnswer, inAgent, tag } from './shapes.ts'

const AgentList = Type.Object({
  status: Type.Literal('success'),
  message: Type.String(),
  data: Type.Array(Agent),
  features: Features,
  permissions: Type.Array(Permission),
  pagination: Type.Optional(Pagination),
  next_cursor: Type.Optional(NextCursor)
}, { title: 'AgentList', description: 'The agents' })

const AgentQuery = Type.Object({
  ...InPages,
  status: Type.Optional(AgentStatus),
  agent_type: Type.Optional(text(64, { description: 'In display or snake_case form' })),
  agent_category: Type.Optional(text(64, { description: 'In display or snake_case form' })),
  search: Type.Optional(text(200, { description: 'Text contained in the name or the description' }))
}, closed)

/** Reading agents: lists, and one. Responses are cached as bytes until something that they show changes. */
export const readingRoutes: FastifyPluginAsync<{
  agents: AgentStore, plans: Plans, shown: Shown, listBudget: number
}> = async (app, { agents, plans, shown, listBudget }) => {
  const kept = keptAnswers(listBudget)
  const lists = agentLists({ agents, plans, shown, kept })
  const written = agentWriting({ agents, shown })

  /** Sends a serialised response, or 304 if the caller has it. */
  function answer (request: FastifyRequest, reply: FastifyReply, { tag, body, link }: ListAnswer): FastifyReply {
    if (namesTag(request.headers['if-none-match'], tag)) return notModified(reply, tag)
    if (link) reply.header('link', link)
    return reply.header('etag', tag).header('content-type', 'application/json; charset=utf-8').send(body)
  }

  /** A cached response with current conversation counts. */
  async function countedAnew (owner: Id, name: string, revision: number, recalled: KeptAnswer): Promise<KeptAnswer> {
    const tally = await agents.tally(owner) ?? 0
    const now = patchCounts(recalled, tally, await agents.conversations(owner, recalled.ids))
    kept.keep(name, revision, now)
    return now
  }

  /** A cached response that is current, if its revision is in memory. */
  function current (owner: Id, name: string): KeptAnswer | undefined {
    const standing = agents.standing(owner)
    const recalled = standing && kept.recall(name, standing.revision)
    return recalled?.tally === standing?.tally ? recalled : undefined
  }

  async function listed (
    { caller, query, request, reply }:
    { caller: Caller, query: Static<typeof AgentQuery>, request: FastifyRequest, reply: FastifyReply },
    name: string
  ) {
    const { id: owner, tier } = caller.account
    const revision = (await agents.revision(owner))!
    const recalled = kept.recall(name, revision)
    if (recalled) return answer(request, reply, await countedAnew(owner, name, revision, recalled))
    const tag = shown.listTag(revision, (await agents.tally(owner))!, tier, name)
    if (namesTag(request.headers['if-none-match'], tag)) return notModified(reply, tag)
    const serialise = reply.getSerializationFunction(Agent) ?? reply.compileSerializationSchema(Agent)
    return answer(request, reply, await lists.make(name, revision, caller, {
      query, cursor: cursorOf(request, owner), serialise: serialise as (agent: Agent) => string
    }))
  }

  async function read (
    { owner, tier, id, request, reply }:
    { owner: Id, tier: Tier, id: Id, request: FastifyRequest, reply: FastifyReply },
    name: string
  ) {
    const revision = (await agents.revision(owner))!
    const recalled = kept.recall(name, revision)
    if (recalled) return answer(request, reply, await countedAnew(owner, name, revision, recalled))
    const tally = (await agents.tally(owner))!
    const found = await agents.get(owner, id) ?? noAgent()
    const { agent } = found
    const tag = shown.tag(agent, tier)
    if (namesTag(request.headers['if-none-match'], tag)) return notModified(reply, tag)
    const body = await written(reply, owner, tier, { kept: found, message: 'Agent retrieved successfully' })
    // Not the whole agent, which would be kept in memory beside its bytes.
    const tagged = { id, version: agent.version, revision: agent.revision }
    const tagWith = (_tally: number, [conversations = 0]: readonly number[]) =>
      shown.tag({ ...tagged, conversations }, tier)
    const made = { tag, body, ids: [id], tally, tagWith }
    // A change meanwhile would be cached under the revision from before it.
    if (body instanceof Buffer && await agents.revision(owner) === revision) {
      kept.keep(name, revision, { ...made, body })
    }
    return answer(request, reply, made)
  }

  app.route(route({
    get: '/agents',
    id: 'listAgents',
    tag,
    summary: 'List all agents',
    description:
      "Returns the account's agents in order of id: all of them, or page by page with `page`, `limit` or `cursor`. " +
      'With `cursor`, agents created or deleted between requests do not shift others, and no totals are counted.',
    who: 'any user',
    query: AgentQuery,
    heeds: ['If-None-Match'],
    tells: ['ETag', 'Link'],
    answer: raw({ 200: AgentList, 304: Unchanged }),
    handle: ({ caller, owner, query, request, reply }) => {
      const name = lists.name(caller, query)
      // Sent synchronously: a promise would cost a tenth of the throughput.
      const recalled = current(owner, name)
      if (!recalled) return listed({ caller, query, request, reply }, name)
      answer(request, reply, recalled)
    }
  }))

  app.route(route({
    get: '/agents/:id',
    id: 'getAgent',
    tag,
    summary: 'Read an agent',
    who: 'any user',
    params: inAgent,
    heeds: ['If-None-Match'],
    tells: ['ETag'],
    answer: raw({ 200: AgentAnswer, 304: Unchanged }),
    handle: ({ caller: { account: { tier } }, owner, params: { id }, request, reply }) => {
      const name = `agent ${id} of ${owner} ${tier}`
      const recalled = current(owner, name)
      if (!recalled) return read({ owner, tier, id, request, reply }, name)
      answer(request, reply, recalled)
    }
  }))
}
