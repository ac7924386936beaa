import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type, type Static } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import { closed, PathId, text } from '../../schema/common.ts'
import {
  Conversation, ConversationDraft, ConversationId, ConversationPatch, ConversationStatus, HandledBy, Outcome,
  VisitorId, type ConversationRecord
} from '../../schema/conversations.ts'
import { DeletedName, success } from '../../schema/envelopes.ts'
import { noAgent } from '../agents/index.ts'
import { inParts, listOf, storedPart } from '../platform/http/resources/cursors.ts'
import { microsOf, timestamp } from '../platform/clock.ts'
import { Refusal, invalid } from '../platform/errors.ts'
import { namesTag, notModified, wantedTags } from '../platform/http/answers.ts'
import { onceOf } from '../platform/storage/sqlite/once.ts'
import type { ConversationStore } from './store.ts'
import type { Talk } from './talk/talk.ts'

const ConversationAnswer = success(Conversation, { title: 'ConversationAnswer', description: 'The conversation' })
const ConversationList = listOf(Conversation, { title: 'ConversationList', description: 'A part of the conversations' })

const Query = Type.Object(
  {
    ...inParts('Conversations'),
    status: Type.Optional(ConversationStatus),
    handled_by: Type.Optional(HandledBy),
    visitor: Type.Optional(VisitorId),
    outcome: Type.Optional(Outcome),
    since: Type.Optional(
      Type.String({
        maxLength: 40,
        pattern: '^\\d{4}-\\d{2}-\\d{2}(T[0-9:.]+(Z|[+-]\\d{2}:\\d{2}))?$',
        description: 'Those with a message at or after this time; of a day, when it begins in UTC',
        examples: ['2026-11-20', '2026-11-20T15:04:05Z']
      })
    ),
    search: Type.Optional(text(200, {
      description:
        "Those that hold all of these words, whole: in the subject, in messages, or in the visitor's name, address, phone number or external id"
    }))
  },
  closed
)
const QueryOfAll = Type.Object({ ...Query.properties, agent: Type.Optional(PathId) }, closed)

const inAgent = Type.Object({ id: PathId })
export const inConversation = Type.Object({ id: ConversationId })
export const tags = ['Conversations']

/** Who may read conversations, and who may speak in them for a visitor. */
export const READING = ['REPLY_CONVERSATION', 'VIEW_ANALYTICS'] as const
export const SPEAKING = ['REPLY_CONVERSATION', 'MANAGE_AGENTS'] as const

/** The time that a query names, as times are kept. Refuses with VALIDATION_ERROR one that is in no calendar. */
function since ({ since: asked }: { since?: string }): { since?: string } {
  if (asked === undefined) return {}
  const micros = microsOf(asked)
  if (micros === undefined) {
    throw invalid({
      field: 'since', message: 'since must be a day or a time that exists, such as 2026-11-20 or 2026-11-20T15:04:05Z.'
    })
  }
  return { since: timestamp(micros) }
}

/** Conversations: list, begin, read, change, delete. */
export const conversationRoutes: FastifyPluginAsyncTypebox<{ store: ConversationStore, talk: Talk }> = async (
  app, { store, talk }
) => {
  app.addHook('preHandler', onlyToTry(store))
  const list = async (request: FastifyRequest, filter: Static<typeof QueryOfAll>) => {
    const { cursor: _cursor, limit: _limit, ...asked } = { ...filter, ...since(filter) }
    const owner = request.caller.account.id
    return {
      status: 'success' as const,
      message: 'Conversations retrieved successfully',
      ...await storedPart(request, owner, async (after, limit) => await store.list(owner, asked, after, limit))
    }
  }

  app.get(
    '/conversations',
    {
      schema: {
        tags,
        operationId: 'listConversations',
        summary: 'List conversations',
        description: 'Of all agents, newest first.',
        querystring: QueryOfAll,
        response: { 200: ConversationList }
      },
      config: { permit: READING }
    },
    async (request) => await list(request, request.query)
  )

  app.get(
    '/agents/:id/conversations',
    {
      schema: {
        tags,
        operationId: 'listAgentConversations',
        summary: "List an agent's conversations",
        description: 'Newest first.',
        params: inAgent,
        querystring: Query,
        response: { 200: ConversationList }
      },
      config: { permit: READING }
    },
    async (request) => {
      const { caller, params: { id }, query } = request
      ;(await store.hasAgent(caller.account.id, id)) || noAgent()
      return await list(request, { ...query, agent: id })
    }
  )

  app.post(
    '/agents/:id/conversations',
    {
      schema: {
        tags,
        operationId: 'createConversation',
        summary: 'Begin a conversation',
        params: inAgent,
        body: ConversationDraft,
        response: { 201: ConversationAnswer }
      },
      config: { permit: SPEAKING, heeds: ['Idempotency-Key'], tells: ['ETag'] }
    },
    async (request, reply) => {
      const {
        caller, params: { id }, body
      } = request
      if (body.visitor) await checkVisitorToTry(store, caller, body.visitor)
      const { answer, replayed } = (await talk.begin(caller.account.id, id, 'api', body, onceOf(request))) ?? noAgent()
      if (replayed) reply.header('idempotency-replayed', 'true')
      return reply
        .code(201)
        .headers({ location: `/v1/conversations/${answer.id}`, etag: tagOf(answer) })
        .send({ status: 'success', message: 'Conversation created successfully', data: answer })
    }
  )

  app.get(
    '/conversations/:id',
    {
      schema: {
        tags,
        operationId: 'getConversation',
        summary: 'Read a conversation',
        params: inConversation,
        response: { 200: ConversationAnswer, 304: Type.Null({ description: 'Not changed since If-None-Match' }) }
      },
      config: { permit: READING, heeds: ['If-None-Match'], tells: ['ETag'] }
    },
    async (request, reply) => {
      const found = (await store.get(request.caller.account.id, request.params.id)) ?? noConversation()
      if (namesTag(request.headers['if-none-match'], tagOf(found))) return notModified(reply, tagOf(found))
      return reply
        .header('etag', tagOf(found))
        .send({ status: 'success', message: 'Conversation retrieved successfully', data: found })
    }
  )

  app.patch(
    '/conversations/:id',
    {
      schema: {
        tags,
        operationId: 'updateConversation',
        summary: 'Change a conversation',
        description: 'Close it, or take it up again.',
        params: inConversation,
        body: ConversationPatch,
        response: { 200: ConversationAnswer }
      },
      config: { permit: SPEAKING, heeds: ['If-Match'], tells: ['ETag'] }
    },
    async (request, reply) => {
      const changed =
        (await talk.change(request.caller.account.id, request.params.id, request.body, (kept) =>
          checkMatch(request, kept)
        )) ?? noConversation()
      return reply
        .header('etag', tagOf(changed))
        .send({ status: 'success', message: 'Conversation updated successfully', data: changed })
    }
  )

  app.delete(
    '/conversations/:id',
    {
      schema: {
        tags,
        operationId: 'deleteConversation',
        summary: 'Delete a conversation',
        description: 'Everything that was said in it goes with it.',
        params: inConversation,
        response: { 200: DeletedName }
      },
      config: { permit: ['MANAGE_AGENTS'], heeds: ['If-Match'] }
    },
    async (request) => {
      const { id } = request.params
      if (!(await talk.remove(request.caller.account.id, id, (kept) => checkMatch(request, kept)))) noConversation()
      return { status: 'success' as const, message: 'Conversation deleted successfully', data: { id } }
    }
  )
}

/** The channels of conversations in which nobody's customer speaks. */
const TRYING: readonly string[] = ['api', 'console']

/**
 * Refuses with `permission_denied` who manages agents and may not answer people a conversation of somebody else's
 * visitor: they speak as a visitor to try an agent out.
 */
export function onlyToTry (store: Pick<ConversationStore, 'get'>) {
  return async ({ caller, params, routeOptions: { config } }: FastifyRequest) => {
    const { id } = params as { id?: string }
    if (config.permit === SPEAKING && id !== undefined) await checkToTry(store, caller, id)
  }
}

/** Who asks, as far as it decides whether they may speak for visitors. */
export type Speaker = Pick<FastifyRequest['caller'], 'account' | 'permissions'>

/** The same for one conversation, wherever its id stands in a request. */
export async function checkToTry (store: Pick<ConversationStore, 'get'>, caller: Speaker, id: string) {
  if (maySpeakForAll(caller)) return
  const kept = await store.get(caller.account.id, id)
  if (kept && !TRYING.includes(kept.channel)) notToTry()
}

/** The same for a visitor: one who was spoken with elsewhere is somebody. */
export async function checkVisitorToTry (store: Pick<ConversationStore, 'list'>, caller: Speaker, visitor: string) {
  if (maySpeakForAll(caller)) return
  const { items } = await store.list(caller.account.id, { visitor }, undefined, MOST_TRIED)
  if (items.length === MOST_TRIED || items.some(({ channel }) => !TRYING.includes(channel))) notToTry()
}

/** Conversations of a visitor who is nobody's customer, at most. */
const MOST_TRIED = 100

/** Whether somebody may speak for every visitor, as they may answer them. */
export function maySpeakForAll ({ permissions }: Pick<Speaker, 'permissions'>): boolean {
  return permissions.includes('REPLY_CONVERSATION')
}

function notToTry (): never {
  throw new Refusal(
    'permission_denied',
    'Who may not answer people speaks only in conversations of the channels api and console. Ask for REPLY_CONVERSATION.'
  )
}

function tagOf ({ revision }: ConversationRecord): string {
  return `"${revision.toString(36)}"`
}

function checkMatch (request: FastifyRequest, kept: ConversationRecord) {
  const wanted = wantedTags(request)
  if (wanted && !wanted.includes(tagOf(kept))) {
    throw new Refusal(
      'precondition_failed', 'The conversation has changed since you read it. Read it again, then repeat the change.'
    )
  }
}

/** The same words whether it does not exist or is somebody else's. */
export function noConversation (): never {
  throw new Refusal('not_found', 'No such conversation.')
}

/** The number of a message in a query, refused by its name. */
export function onlyOne (fields: Record<string, unknown>) {
  const given = Object.keys(fields).filter((name) => fields[name] !== undefined)
  if (given.length > 1) throw invalid({ field: given[1]!, message: `${given.join(' and ')} cannot be given together.` })
}
