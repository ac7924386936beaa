import type { FastifyPluginAsync } from 'fastify'
import { AgentDraft, AgentPatch, type AgentRecord } from '../../../schema/agents.ts'
import type { Id } from '../../../schema/common.ts'
import { demand, route } from '../../access/index.ts'
import { NOT_KEPT } from '../../guards/index.ts'
import { decided, type Refusal } from '../../platform/errors.ts'
import { wantedTags } from '../../platform/http/answers.ts'
import { created, ok, removed, type Exchange } from '../../platform/http/resources/answer.ts'
import type { Version } from '../../platform/http/resources/tags.ts'
import type { Match, IdempotencyKey, IdempotentResult } from '../../platform/storage/contract.ts'
import { changed, havingTried, newAgent, type DefaultModel } from '../draft.ts'
import { TEXT_BODY_LIMIT, UPLOAD_MS, WRITING_MS } from '../limits.ts'
import { checkVersion, NO_AGENT, type Shown } from '../show.ts'
import type { AgentStore, AgentWithSources, NewAgent } from '../store.ts'
import { agentWriting } from '../written.ts'
import { authorsBy, type AuthorNeeds } from './author.ts'
import { AgentAnswer, inAgent, tag } from './shapes.ts'

/** What to do with an agent whose texts are too large for one body. */
const ADD_INSTEAD = 'Create the agent without its texts and add them as knowledge sources, as texts or as files.'

/**
 * Creates an agent together with the knowledge sources in its draft, as they were `given`, all or nothing. `mayAdd`
 * throws unless the caller may add any; `commits` is called right before the commit, see FastifyRequest.commits.
 * Refuses what AgentStore.create refuses, and with VALIDATION_ERROR invalid sources.
 */
export type CreateWithSources = (owner: Id, agent: NewAgent | Refusal, given: unknown,
  caller: { mayAdd (): void, commits (): void }, once?: IdempotencyKey) => Promise<IdempotentResult<AgentWithSources>>

/** Dependencies; `ticketingProviders`: the names of an account's. */
export interface ChangingNeeds extends AuthorNeeds {
  agents: AgentStore
  shown: Shown
  defaultModel: DefaultModel
  createWithSources: CreateWithSources
}

/** Changing agents: create, update, delete. */
export const changingRoutes: FastifyPluginAsync<ChangingNeeds> = async (
  app, { agents, shown, defaultModel, createWithSources, ...authors }
) => {
  const version: Version<AgentWithSources, Match<AgentRecord>> = {
    tag: ({ agent }, { caller }) => shown.tag(agent, caller.account.tier),
    match (request) {
      const wanted = wantedTags(request)
      return (agent) => checkVersion(wanted, agent, 'The agent')
    }
  }
  const writing = agentWriting({ agents, shown })
  const write = (kept: AgentWithSources, message: string, { owner, request, reply }: Exchange) =>
    writing(reply, owner, request.caller.account.tier, { kept, message })

  const authorOf = authorsBy(authors)

  app.route(route({
    post: '/agents',
    id: 'createAgent',
    tag,
    summary: 'Create an agent',
    description: 'Requires a name and a system prompt; every other field has a default.',
    who: ['MANAGE_AGENTS'],
    body: AgentDraft,
    limits: { bodyLimit: TEXT_BODY_LIMIT, receiveMs: UPLOAD_MS, answerMs: WRITING_MS, insteadOfLarge: ADD_INSTEAD },
    idempotent: true,
    version,
    answer: created(AgentAnswer, 'Agent created successfully', { write, madeId: ({ agent }) => agent.id }),
    refuses: NOT_KEPT,
    handle: async ({ caller, owner, body, once, request }) => {
      const author = await havingTried(await authorOf(caller, body), body)
      const agent = decided(() => newAgent(body, defaultModel, author))
      const { knowledge_sources: given } = body
      if (given === undefined) {
        request.commits()
        return await agents.create(owner, agent, once)
      }
      const mayAdd = () => demand(caller.permissions, ['MANAGE_KNOWLEDGE_BASE'], 'add knowledge sources')
      return await createWithSources(owner, agent, given, { mayAdd, commits: () => request.commits() }, once)
    }
  }))

  app.route(route({
    put: '/agents/:id',
    id: 'updateAgent',
    tag,
    summary: 'Update an agent',
    description:
      'Omitted fields are unchanged, objects are merged field by field, arrays are replaced. With If-Match, ' +
      'succeeds only if nobody has changed the agent since you read it; training does not count.',
    who: ['MANAGE_AGENTS', 'MANAGE_AGENT_SETTINGS'],
    params: inAgent,
    body: AgentPatch,
    version,
    missing: NO_AGENT,
    answer: ok(AgentAnswer, 'Agent updated successfully', { write }),
    refuses: NOT_KEPT,
    handle: async ({ caller, owner, params: { id }, body, match }) => {
      const author = await havingTried(await authorOf(caller, body), body, id)
      return await agents.update(owner, id, (agent) => {
        match(agent)
        return changed(agent, body, author)
      })
    }
  }))

  app.route(route({
    delete: '/agents/:id',
    id: 'deleteAgent',
    tag,
    summary: 'Delete an agent',
    description: 'Also deletes everything that belongs to the agent.',
    who: ['MANAGE_AGENTS'],
    params: inAgent,
    version,
    missing: NO_AGENT,
    answer: removed('Agent deleted successfully'),
    handle: ({ owner, params: { id }, match }) => agents.delete(owner, id, match)
  }))
}
