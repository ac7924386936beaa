import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { ConversationId } from '../../../schema/conversations.ts'
import { success } from '../../../schema/envelopes.ts'
import { ConversationWatched } from '../../../schema/streams/events.ts'
import { WidgetConversation, WidgetConversationDraft } from '../../../schema/widget.ts'
import { goneTopic } from '../../agents/index.ts'
import {
  linkedBelow, noConversation, placeOf, topicOf, watching, type Conversations, type Streaming
} from '../../conversations/index.ts'
import type { Clock } from '../../platform/clock.ts'
import { invalid } from '../../platform/errors.ts'
import type { Way } from '../../platform/http/openapi.ts'
import { addressBlock } from '../../platform/net/address.ts'
import type { EventStreams } from '../../platform/http/sse.ts'
import type { Notifier } from '../../platform/work/notifier.ts'
import type { Blobs } from '../../platform/storage/sqlite/blobs.ts'
import type { VisitorThrottle } from '../limits.ts'
import { openSeats, SEATS_OF_BLOCK, SEATS_OF_VISITOR } from '../seats.ts'
import { noWidget } from '../session.ts'
import type { WidgetStore } from '../store.ts'
import { checkMayBegin, conversationOf, openToSites, ownConversations, shownConversation, type VisitorCaller } from '../visitor.ts'

/** What the routes of visitors work on. */
export interface VisitorRoutesNeeds {
  store: WidgetStore
  conversations: Conversations
  throttle: VisitorThrottle
  streams: EventStreams
  notifier: Notifier
  clock: Clock
  blobs: Blobs
  mediaUrl: () => string
}

export const ConversationAnswer = success(WidgetConversation, {
  title: 'WidgetConversationAnswer', description: 'The conversation'
})
/** How those are refused who have to agree first, or to say who they are; see mayBegin. */
export const NOT_YET: [Way, Way] = [
  ['consent_missing', 'Please read the notice about your data and agree to it first.', { missing: ['consent'] }],
  ['details_missing', 'Please tell us your name and your e-mail address first.', { missing: ['name', 'email'] }]
]
const inConversation = Type.Object({ id: ConversationId })
const tags = ['Widget']

/**
 * A visitor's own conversations, and what happens in each as it happens. Nothing else is theirs to ask; what is said
 * in them: messages.ts.
 */
export const visitorConversationRoutes: FastifyPluginAsyncTypebox<VisitorRoutesNeeds> = async (app, needs) => {
  const {
    store, conversations: { store: kept, talk, typing, presence }, throttle, streams, notifier, mediaUrl
  } = needs
  const config = { permit: 'visitor' as const, cors: openToSites(store) }
  const linked = linkedBelow(mediaUrl)
  const streaming: Streaming = {
    store: kept, talk, typing, streams, notifier, linked: (message) => linked(withoutCosts(message))
  }

  const [seats, blocks] = [openSeats(SEATS_OF_VISITOR), openSeats(SEATS_OF_BLOCK)]
  const seen = async (visitor: VisitorCaller, id: string) => await conversationOf(kept, visitor, id)

  app.get(
    '/conversations',
    {
      schema: {
        tags,
        operationId: 'listOwnConversations',
        summary: "List the visitor's conversations",
        description: 'The last 20, newest first; for a visitor whom nobody vouches for those of this session.',
        response: {
          200: success(Type.Array(WidgetConversation), {
            title: 'WidgetConversationList', description: 'The conversations'
          })
        }
      },
      config
    },
    async ({ visitor }) => ({
      status: 'success' as const,
      message: 'Conversations retrieved successfully',
      data: (await ownConversations(kept, visitor)).map(shownConversation)
    })
  )

  app.post(
    '/conversations',
    {
      schema: {
        tags,
        operationId: 'beginOwnConversation',
        summary: 'Begin a conversation',
        body: WidgetConversationDraft,
        response: { 201: ConversationAnswer }
      },
      config
    },
    async ({ visitor, ip, body }, reply) => {
      throttle.conversation(visitor.id, ip)
      const begun =
        (await talk.begin(visitor.owner, visitor.agent, 'widget', { ...body, visitor: visitor.id })) ?? noWidget()
      return reply
        .code(201)
        .header('location', `/v1/widget/conversations/${begun.answer.id}`)
        .send({ status: 'success', message: 'Conversation created successfully', data: shownConversation(begun.answer) })
    }
  )

  app.get(
    '/conversations/:id',
    {
      schema: {
        tags,
        operationId: 'getOwnConversation',
        summary: 'Read a conversation of the visitor',
        params: inConversation,
        response: { 200: ConversationAnswer }
      },
      config
    },
    async ({ visitor, params: { id } }) => ({
      status: 'success' as const, message: 'Conversation retrieved successfully', data: shownConversation(await seen(visitor, id))
    })
  )

  app.get(
    '/conversations/:id/events',
    {
      schema: {
        tags,
        operationId: 'watchOwnConversation',
        summary: 'Watch a conversation of the visitor',
        description:
          'Server-sent events: each answer as it is written, and everything else that happens. Send the last id you saw as Last-Event-ID to go on exactly there.',
        params: inConversation,
        response: { 200: Type.String({ description: 'The events as they happen' }) }
      },
      config: { ...config, heeds: ['Last-Event-ID'], streams: ConversationWatched }
    },
    async (request, reply) => {
      const {
        visitor, params: { id }
      } = request
      await seen(visitor, id)
      const { event } = (await kept.newest(visitor.owner, id)) ?? noConversation()
      const header = request.headers['last-event-id']
      const place = header === undefined ? { event, units: 0 } : placeOf(String(header), event)
      if (!place) throw invalid({ field: 'Last-Event-ID', message: 'Last-Event-ID must be the id of an event.' })
      reply.raw.once('close', presence.enter(id))
      const taken = [seats(visitor.id), blocks(addressBlock(request.ip))]
      for (const seat of taken) reply.raw.once('close', seat.leave)
      return streams.send(request, reply, {
        topics: [topicOf(id), goneTopic(visitor.agent)],
        after: `${place.event}.${place.units}`,
        read: watching(streaming, visitor.owner, id),
        isStillAllowed: () => taken.every((seat) => seat.isMine()) && visitor.isStillAllowed()
      })
    }
  )
}

/** The conversation in which a visitor is to say something; see checkMayBegin. */
export function mayBegin (
  { store, conversations: { store: kept, visitors } }: Pick<VisitorRoutesNeeds, 'store' | 'conversations'>
) {
  return async (visitor: VisitorCaller, id: string) => {
    const conversation = await conversationOf(kept, visitor, id)
    const [face, who] = await Promise.all([
      store.face(visitor.owner, visitor.agent), visitors.get(visitor.owner, visitor.id)
    ])
    checkMayBegin(face ?? noWidget(), who ?? noWidget(), conversation)
    return conversation
  }
}

/** What the model was and took is the business's. */
function withoutCosts<T> (message: T): T {
  return { ...message, author: null, model: null, agent_version: null, usage: null }
}
