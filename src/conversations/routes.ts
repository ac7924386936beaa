import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { closed, PathId, text } from '../../schema/common.ts'
import {
  Conversation, ConversationDraft, ConversationId, ConversationPatch, ConversationStatus, HandledBy,
  MessagePreviewShown, Outcome, Priority, Tag, VisitorId, type ConversationRecord
} from '../../schema/conversations.ts'
import { success } from '../../schema/envelopes.ts'
import { route } from '../access/index.ts'
import { NO_AGENT } from '../agents/index.ts'
import { created, list, listInParts, ok, removedName } from '../platform/http/resources/answer.ts'
import { inParts } from '../platform/http/resources/cursors.ts'
import type { Way } from '../platform/http/openapi.ts'
import type { Version } from '../platform/http/resources/tags.ts'
import { microsOf, timestamp } from '../platform/clock.ts'
import { Refusal, invalid } from '../platform/errors.ts'
import { wantedTags } from '../platform/http/answers.ts'
import type { Match } from '../platform/storage/contract.ts'
import type { ConversationStore } from './store.ts'
import type { Talk } from './talk/contract.ts'
import type { Presence } from './visitors/presence.ts'

const ConversationAnswer = success(Conversation, { title: 'ConversationAnswer', description: 'The conversation' })
const ConversationList = listInParts(
  Conversation, { title: 'ConversationList', description: 'A page of conversations' },
  'Conversations retrieved successfully'
)

const Query = Type.Object(
  {
    ...inParts('Conversations'),
    status: Type.Optional(ConversationStatus),
    handled_by: Type.Optional(HandledBy),
    visitor: Type.Optional(VisitorId),
    outcome: Type.Optional(Outcome),
    person: Type.Optional(PathId),
    assignee: Type.Optional(PathId),
    priority: Type.Optional(Priority),
    tag: Type.Optional(Type.String({ minLength: 1, maxLength: 50, description: 'Only conversations with this tag' })),
    overdue: Type.Optional(Type.Boolean({
      description: 'true: only conversations with an overdue reply from a person; false: none of them'
    })),
    snoozed: Type.Optional(Type.Boolean({ description: 'true: only snoozed conversations; false: none of them' })),
    since: Type.Optional(
      Type.String({
        maxLength: 40,
        pattern: '^\\d{4}-\\d{2}-\\d{2}(T[0-9:.]+(Z|[+-]\\d{2}:\\d{2}))?$',
        description: 'Only conversations with a message at or after this time; a date means its start in UTC',
        examples: ['2026-11-20', '2026-11-20T15:04:05Z']
      })
    ),
    search: Type.Optional(text(200, {
      description:
        "Only conversations that contain all of these whole words in the subject, tags, messages, or the visitor's " +
        'name, address, phone number or external id; of the name, the first two letters of a word are enough'
    }))
  },
  closed
)
/** Comma-separated ids, 100 at most. */
const Ids = Type.String({
  pattern: '^conv_[A-Za-z0-9_-]{22}(,conv_[A-Za-z0-9_-]{22}){0,99}$',
  maxLength: 2799,
  description: 'Comma-separated conversation ids, at most 100'
})
const QueryOfAll = Type.Object({ ...Query.properties, agent: Type.Optional(PathId) }, closed)

const inAgent = Type.Object({ id: PathId })
export const inConversation = Type.Object({ id: ConversationId })
export const tag = 'Conversations'
/** The same text whether it is missing or is somebody else's. */
export const NO_CONVERSATION = 'No such conversation.'

/** Who may read conversations, and who may write in them for a visitor. */
export const READING = ['REPLY_CONVERSATION', 'VIEW_ANALYTICS'] as const
export const SPEAKING = ['REPLY_CONVERSATION', 'MANAGE_AGENTS'] as const

/** The time in a query, in stored format. Refuses with VALIDATION_ERROR an invalid one. */
function since ({ since: asked }: { since?: string }): { since?: string } {
  if (asked === undefined) return {}
  const micros = microsOf(asked)
  if (micros === undefined) {
    throw invalid({
      field: 'since', message: 'since must be a valid date or time, such as 2026-11-20 or 2026-11-20T15:04:05Z.'
    })
  }
  return { since: timestamp(micros) }
}

/** Every change to a conversation creates a new version. */
const version: Version<ConversationRecord, Match<ConversationRecord>> = {
  tag: ({ revision }) => `"${revision.toString(36)}"`,
  match (request) {
    const wanted = wantedTags(request)
    return (kept) => {
      if (!wanted || wanted.includes(version.tag(kept, request))) return
      throw new Refusal(
        'precondition_failed', 'The conversation has changed since you read it. Read it again, then repeat the change.'
      )
    }
  }
}

/** Conversations: list, start, read, change, delete. */
export const conversationRoutes: FastifyPluginAsync<{
  store: ConversationStore, talk: Talk, presence: Presence
}> = async (app, { store, talk, presence }) => {
  app.addHook('preHandler', onlyToTry(store))

  app.route(route({
    get: '/conversations',
    id: 'listConversations',
    tag,
    summary: 'List conversations',
    description: 'Returns conversations of all agents, newest first.',
    who: READING,
    query: QueryOfAll,
    answer: ConversationList,
    handle: ({ owner, part: { filter, after, limit } }) =>
      store.list(owner, { ...filter, ...since(filter) }, after, limit)
  }))

  app.route(route({
    get: '/conversations/previews',
    id: 'listPreviews',
    tag,
    summary: 'List the latest messages of conversations',
    description:
      'For the given ids, returns the beginning of the newest message sent by the visitor, the agent or a person. ' +
      'Omits conversations without messages and deleted ones. `visitor_is_here` says whether the visitor currently ' +
      'has the conversation open on a site; the stream of GET /v1/events reports its changes.',
    who: READING,
    query: Type.Object({ ids: Type.Optional(Ids) }, closed),
    answer: ok(
      success(Type.Array(MessagePreviewShown), {
        title: 'MessagePreviewList', description: 'The beginnings of the newest messages'
      }),
      'Messages retrieved successfully'
    ),
    handle: async ({ owner, query: { ids } }) =>
      (await store.previews(owner, [...new Set(ids?.split(','))]))
        .map((one) => ({ ...one, visitor_is_here: presence.isThere(owner, one.conversation) }))
  }))

  app.route(route({
    get: '/agents/:id/conversations',
    id: 'listAgentConversations',
    tag,
    summary: "List an agent's conversations",
    description: 'Newest first.',
    who: READING,
    params: inAgent,
    query: Query,
    missing: NO_AGENT,
    answer: ConversationList,
    handle: async ({ owner, params: { id }, part: { filter, after, limit } }) =>
      await store.hasAgent(owner, id)
        ? await store.list(owner, { ...filter, ...since(filter), agent: id }, after, limit)
        : undefined
  }))

  app.route(route({
    post: '/agents/:id/conversations',
    id: 'createConversation',
    audit: 'never',
    tag,
    summary: 'Start a conversation',
    who: SPEAKING,
    params: inAgent,
    body: ConversationDraft,
    idempotent: true,
    version,
    missing: NO_AGENT,
    answer: created(ConversationAnswer, 'Conversation created successfully', {
      at: ({ id }) => `/v1/conversations/${id}`
    }),
    handle: async ({ caller, owner, params: { id }, body, once }) => {
      if (body.visitor) await checkVisitorToTry(store, caller, body.visitor)
      return await talk.begin(owner, id, body.draft ? 'console' : 'api', body, once)
    }
  }))

  app.route(route({
    get: '/conversations/:id',
    id: 'getConversation',
    tag,
    summary: 'Read a conversation',
    who: READING,
    params: inConversation,
    version,
    missing: NO_CONVERSATION,
    answer: ok(ConversationAnswer, 'Conversation retrieved successfully'),
    handle: ({ owner, params: { id } }) => store.get(owner, id)
  }))

  app.route(route({
    patch: '/conversations/:id',
    id: 'updateConversation',
    tag,
    summary: 'Update a conversation',
    description:
      'Closes it, as POST …/close does, or reopens it; sets its priority, tags it, or snoozes it until a given ' +
      'time. Webhooks receive these changes as `conversation.updated`.',
    who: SPEAKING,
    params: inConversation,
    body: ConversationPatch,
    version,
    missing: NO_CONVERSATION,
    answer: ok(ConversationAnswer, 'Conversation updated successfully'),
    refuses: [CLOSED_NOW, WAITS_NOW],
    handle: ({ caller, owner, params: { id }, body, match }) => talk.change(owner, id, body, match, closerOf(caller))
  }))

  app.route(route({
    get: '/tags',
    id: 'listTags',
    tag,
    summary: 'List conversation tags',
    description:
      "Returns the account's tags in alphabetical order, at most 1,000. A tag disappears when no conversation has " +
      'it any more.',
    who: READING,
    answer: list(
      Tag, { title: 'TagList', description: 'The tags', placeOf: ({ name }) => name }, 'Tags retrieved successfully'
    ),
    handle: async ({ owner }) => (await store.tags(owner)).map((name) => ({ name }))
  }))

  app.route(route({
    delete: '/conversations/:id',
    id: 'deleteConversation',
    tag,
    summary: 'Delete a conversation',
    description: 'Also deletes everything that was said in it.',
    who: ['MANAGE_AGENTS'],
    params: inConversation,
    version,
    missing: NO_CONVERSATION,
    answer: removedName('Conversation deleted successfully'),
    handle: ({ owner, params: { id }, match }) => talk.remove(owner, id, match)
  }))
}

/** Why snoozing is refused; decided by the hand-off policy. */
const CLOSED_NOW: Way = [
  'conversation_closed', 'This conversation is closed. Send a message in it to reopen it.'
]
const WAITS_NOW: Way = [
  'not_taken_over', 'A visitor is waiting here for a person. Take the conversation over first, then snooze it.'
]

/** The channels of conversations in which nobody's customer speaks. */
const TRYING: readonly string[] = ['api', 'console']

/**
 * Refuses with `permission_denied` callers who manage agents but may not answer people, in a customer's conversation:
 * they speak as a visitor to try an agent out.
 */
export function onlyToTry (store: Pick<ConversationStore, 'get'>) {
  return async ({ caller, params, routeOptions: { config } }: FastifyRequest) => {
    const { id } = params as { id?: string }
    if (config.permit === SPEAKING && id !== undefined) await checkToTry(store, caller, id)
  }
}

/** The caller, as far as it matters for speaking for visitors. */
export type Speaker = Pick<FastifyRequest['caller'], 'account' | 'permissions'>

/** The same for one conversation, wherever the request has its id. */
export async function checkToTry (store: Pick<ConversationStore, 'get'>, caller: Speaker, id: string) {
  if (maySpeakForAll(caller)) return
  const kept = await store.get(caller.account.id, id)
  if (kept && !TRYING.includes(kept.channel)) notToTry()
}

/** The same for a visitor: with chats elsewhere, one is a customer. */
export async function checkVisitorToTry (store: Pick<ConversationStore, 'list'>, caller: Speaker, visitor: string) {
  if (maySpeakForAll(caller)) return
  const { items } = await store.list(caller.account.id, { visitor }, undefined, MOST_TRIED)
  if (items.length === MOST_TRIED || items.some(({ channel }) => !TRYING.includes(channel))) notToTry()
}

/** Most conversations of a visitor who is nobody's customer. */
const MOST_TRIED = 100

/** Whether callers may speak for every visitor: if they may answer them. */
export function maySpeakForAll ({ permissions }: Pick<Speaker, 'permissions'>): boolean {
  return permissions.includes('REPLY_CONVERSATION')
}

/** Who a caller closes a conversation as: a visitor trying an agent out, if they may not answer people. */
export function closerOf (caller: Pick<Speaker, 'permissions'>): 'person' | 'visitor' {
  return maySpeakForAll(caller) ? 'person' : 'visitor'
}

function notToTry (): never {
  throw new Refusal(
    'permission_denied',
    'Without REPLY_CONVERSATION you can write only in conversations of the channels api and console. Ask for it.'
  )
}

/** Refuses with `not_found`. */
export function noConversation (): never {
  throw new Refusal('not_found', NO_CONVERSATION)
}

/** The seq of a message in a query; errors name its field. */
export function onlyOne (fields: Record<string, unknown>) {
  const given = Object.keys(fields).filter((name) => fields[name] !== undefined)
  if (given.length > 1) throw invalid({ field: given[1]!, message: `${given.join(' and ')} cannot be given together.` })
}
