import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsync } from 'fastify'
import { ConversationId } from '../../../schema/conversations.ts'
import { success } from '../../../schema/envelopes.ts'
import { ConversationWatched } from '../../../schema/streams/events.ts'
import { WidgetConversation, WidgetConversationDraft } from '../../../schema/widget.ts'
import type { Actions } from '../../actions/index.ts'
import { goneTopic } from '../../agents/index.ts'
import {
  linkedBelow, noConversation, placeAsked, topicOf, watching, type Conversations, type Streaming
} from '../../conversations/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Way } from '../../platform/http/openapi.ts'
import { created, ok, own, Streamed } from '../../platform/http/resources/answer.ts'
import { addressBlock } from '../../platform/net/address.ts'
import type { EventStreams } from '../../platform/http/sse.ts'
import type { Notifier } from '../../platform/work/notifier.ts'
import type { Blobs } from '../../platform/storage/sqlite/blobs.ts'
import type { VisitorThrottle } from '../limits.ts'
import { openSeats, SEATS_OF_BLOCK, SEATS_OF_VISITOR } from '../seats.ts'
import { noWidget } from '../session.ts'
import type { WidgetStore } from '../store.ts'
import { checkMayBegin, conversationOf, openToSites, ownConversations, shownConversation, type VisitorCaller } from '../visitor.ts'
import { visitorRoute } from './route.ts'

/** What the routes of visitors work on. */
export interface VisitorRoutesNeeds {
  actions: Actions
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
const params = Type.Object({ id: ConversationId })
const tag = 'Widget'
const who = 'visitor'

/**
 * A visitor's own conversations, and what happens in each as it happens. Nothing else is theirs to ask; what is said
 * in them: messages.ts.
 */
export const visitorConversationRoutes: FastifyPluginAsync<VisitorRoutesNeeds> = async (app, needs) => {
  const {
    store, conversations: { store: kept, talk, typing, presence }, throttle, streams, notifier, mediaUrl
  } = needs
  const cors = openToSites(store)
  const linked = linkedBelow(mediaUrl)
  const streaming: Streaming = {
    store: kept, talk, typing, streams, notifier, linked: (message) => linked(withoutCosts(message))
  }

  const [seats, blocks] = [openSeats(SEATS_OF_VISITOR), openSeats(SEATS_OF_BLOCK)]

  app.route(visitorRoute({
    get: '/conversations',
    id: 'listOwnConversations',
    tag,
    summary: "List the visitor's conversations",
    description: 'The last 20, newest first; for a visitor whom nobody vouches for those of this session.',
    who,
    cors,
    answer: ok(
      success(Type.Array(WidgetConversation), { title: 'WidgetConversationList', description: 'The conversations' }),
      'Conversations retrieved successfully'
    ),
    handle: async ({ visitor }) => (await ownConversations(kept, visitor)).map(shownConversation)
  }))

  app.route(visitorRoute({
    post: '/conversations',
    id: 'beginOwnConversation',
    tag,
    summary: 'Begin a conversation',
    who,
    cors,
    body: WidgetConversationDraft,
    answer: created(ConversationAnswer, 'Conversation created successfully', { show: shownConversation }),
    handle: async ({ visitor, owner, body, request: { ip } }) => {
      throttle.conversation(visitor.id, ip)
      const begun = await talk.begin(owner, visitor.agent, 'widget', { ...body, visitor: visitor.id })
      return (begun ?? noWidget()).answer
    }
  }))

  app.route(visitorRoute({
    get: '/conversations/:id',
    id: 'getOwnConversation',
    tag,
    summary: 'Read a conversation of the visitor',
    who,
    cors,
    params,
    answer: ok(ConversationAnswer, 'Conversation retrieved successfully'),
    async handle ({ visitor, owner, params: { id } }) {
      const shown = shownConversation(await conversationOf(kept, visitor, id))
      const call = await needs.actions.calls.waiting(owner, id)
      return { ...shown, ...(call ? { asks: { call } } : shown.wants_email && { asks: { email: true } }) }
    }
  }))

  app.route(visitorRoute({
    get: '/conversations/:id/events',
    id: 'watchOwnConversation',
    tag,
    summary: 'Watch a conversation of the visitor',
    description:
      'Server-sent events: each answer as it is written, and everything else that happens. Send the last id you saw as Last-Event-ID to go on exactly there.',
    who,
    cors,
    params,
    heeds: ['Last-Event-ID'],
    streams: ConversationWatched,
    answer: own({ 200: Streamed }),
    handle: async ({ visitor, owner, params: { id }, request, reply }) => {
      await conversationOf(kept, visitor, id)
      const { event: newest } = (await kept.newest(owner, id)) ?? noConversation()
      const { event, units } = placeAsked(request, newest)
      reply.raw.once('close', presence.enter(id))
      const taken = [seats(visitor.id), blocks(addressBlock(request.ip))]
      for (const seat of taken) reply.raw.once('close', seat.leave)
      return streams.send(request, reply, {
        topics: [topicOf(id), goneTopic(visitor.agent)],
        after: `${event}.${units}`,
        read: watching(streaming, owner, id),
        isStillAllowed: () => taken.every((seat) => seat.isMine()) && visitor.isStillAllowed()
      })
    }
  }))
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
