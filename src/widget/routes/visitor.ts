import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import type { Id } from '../../../schema/common.ts'
import { ConversationId, type ConversationRecord } from '../../../schema/conversations.ts'
import { success } from '../../../schema/envelopes.ts'
import { ConversationWatched } from '../../../schema/streams/events.ts'
import { WidgetConversation, WidgetConversationDraft } from '../../../schema/widget.ts'
import type { Actions } from '../../actions/index.ts'
import { goneTopic } from '../../agents/index.ts'
import {
  type Conversations, linkedBelow, noConversation, placeAsked, type Streaming, topicOf, type VisitorStore, watching
} from '../../conversations/index.ts'
import type { NameForVisitors, SeenStore } from '../../handoff/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Neighbours } from '../../platform/neighbours/contract.ts'
import type { Way } from '../../platform/http/openapi.ts'
import { created, ok, raw, Streamed } from '../../platform/http/resources/answer.ts'
import { addressBlock } from '../../platform/net/address.ts'
import type { EventStreams } from '../../platform/http/sse.ts'
import type { Notifier } from '../../platform/work/notifier.ts'
import type { Blobs } from '../../platform/storage/sqlite/blobs.ts'
import type { SatisfactionStore } from '../../satisfaction/index.ts'
import type { VisitorThrottle } from '../limits.ts'
import { openSeats, SEATS_OF_BLOCK, SEATS_OF_VISITOR } from '../seats.ts'
import { noWidget } from '../session.ts'
import type { WidgetStore } from '../store.ts'
import {
  checkMayBegin, conversationOf, conversationShown, messageShown, openToSites, ownConversations, type VisitorCaller,
  visitorRoute
} from '../visitor.ts'
import { isUtf8 } from 'node:buffer'
import { timeZoneNamed } from '../../business/index.ts'
import { hasConsented } from '../../privacy/index.ts'

/** Dependencies of the visitors' routes. */
export interface VisitorRoutesNeeds {
  actions: Actions
  satisfaction: Pick<SatisfactionStore, 'give' | 'isAsked'>
  store: WidgetStore
  conversations: Conversations
  throttle: VisitorThrottle
  streams: EventStreams
  notifier: Notifier
  neighbours: Pick<Neighbours, 'tell' | 'hear' | 'onBeat'>
  clock: Clock
  blobs: Blobs
  nameForVisitors: NameForVisitors
  seen: Pick<SeenStore, 'of' | 'watch' | 'markByVisitor'>
  learnWhereabouts: ReturnType<typeof learningWhereabouts>
  mediaUrl: () => string
}

export const ConversationAnswer = success(WidgetConversation, {
  title: 'WidgetConversationAnswer', description: 'The conversation'
})
/** The refusals of visitors who first have to consent or to say who they are; see mayBegin. */
export const NOT_YET: [Way, Way] = [
  ['consent_missing', 'Please read the notice about your data and agree to it first.', { missing: ['consent'] }],
  ['details_missing', 'Please tell us your name and your e-mail address first.', { missing: ['name', 'email'] }]
]
const params = Type.Object({ id: ConversationId })
const tag = 'Widget'
const who = 'visitor'

/**
 * A visitor's own conversations, and their events as a stream. Visitors can request nothing else; for messages see
 * messages.ts.
 */
export const visitorConversationRoutes: FastifyPluginAsync<VisitorRoutesNeeds> = async (app, needs) => {
  const {
    store, conversations: { store: kept, talk, typing, presence }, throttle, streams, notifier, nameForVisitors,
    mediaUrl, neighbours, clock
  } = needs
  const cors = openToSites(store)
  const linked = linkedBelow(mediaUrl)
  const shownConversation = conversationShown(nameForVisitors)
  const streamingTo = (owner: Id): Streaming => {
    const shown = messageShown(nameForVisitors, owner)
    return { store: kept, talk, typing, streams, notifier, linked: async (message) => linked(await shown(message)) }
  }

  /** Up to where the person who answers has seen it; what their colleagues view is not disclosed to the visitor. */
  const seenIn = async ({ id, owner, person }: ConversationRecord) => {
    const mark = person === null ? undefined : await needs.seen.of(owner, id, person)
    return mark && { seen_up_to: mark.up_to }
  }

  const seats = openSeats({ neighbours, clock, called: 'visitor', most: SEATS_OF_VISITOR })
  const blocks = openSeats({ neighbours, clock, called: 'block', most: SEATS_OF_BLOCK })

  app.route(visitorRoute({
    get: '/conversations',
    id: 'listOwnConversations',
    tag,
    summary: "List the visitor's conversations",
    description:
      'Returns the last 20, newest first; for a visitor whom the business does not vouch for, only those of this ' +
      'session.',
    who,
    cors,
    answer: ok(
      success(Type.Array(WidgetConversation), { title: 'WidgetConversationList', description: 'The conversations' }),
      'Conversations retrieved successfully'
    ),
    handle: async ({ visitor }) =>
      await Promise.all((await ownConversations(kept, visitor)).map(shownConversation))
  }))

  app.route(visitorRoute({
    post: '/conversations',
    id: 'beginOwnConversation',
    tag,
    summary: 'Start a conversation',
    who,
    cors,
    body: WidgetConversationDraft,
    answer: created(ConversationAnswer, 'Conversation created successfully', { show: shownConversation }),
    handle: async ({ visitor, owner, body, request }) => {
      await throttle.conversation(visitor.id, request.ip)
      // Before it appears in any list, which requests its visitor's name only once.
      await needs.learnWhereabouts(visitor, request)
      const begun = await talk.begin(owner, visitor.agent, 'widget', { ...body, visitor: visitor.id })
      return (begun ?? noWidget()).answer
    }
  }))

  app.route(visitorRoute({
    get: '/conversations/:id',
    id: 'getOwnConversation',
    tag,
    summary: "Read one of the visitor's conversations",
    who,
    cors,
    params,
    answer: ok(ConversationAnswer, 'Conversation retrieved successfully'),
    async handle ({ visitor, owner, params: { id } }) {
      const found = await conversationOf(kept, visitor, id)
      const shown = { ...await shownConversation(found), ...await seenIn(found) }
      const call = await needs.actions.calls.waiting(owner, id)
      if (call) return { ...shown, asks: { call } }
      // While a person handles it, visitors can tell that person.
      if (shown.wants_email && shown.handled_by !== 'person') return { ...shown, asks: { email: true } }
      return await needs.satisfaction.isAsked(owner, id) ? { ...shown, asks: { rating: true } } : shown
    }
  }))

  app.route(visitorRoute({
    get: '/conversations/:id/events',
    id: 'watchOwnConversation',
    tag,
    summary: "Stream the events of a visitor's conversation",
    description:
      'Server-sent events: each answer as it is written, and everything else that happens. To resume exactly where ' +
      'you left off, send the last id you received as Last-Event-ID.',
    who,
    cors,
    params,
    heeds: ['Last-Event-ID'],
    streams: ConversationWatched,
    answer: raw({ 200: Streamed }),
    handle: async ({ visitor, owner, params: { id }, request, reply }) => {
      await conversationOf(kept, visitor, id)
      const { event: newest } = (await kept.newest(owner, id)) ?? noConversation()
      const { event, units } = placeAsked(request, newest)
      reply.raw.once('close', presence.enter(owner, id))
      const taken = [seats(visitor.id), blocks(addressBlock(request.ip))]
      for (const seat of taken) reply.raw.once('close', seat.leave)
      return streams.send(request, reply, {
        topics: [topicOf(id), goneTopic(visitor.agent)],
        after: `${event}.${units}`,
        read: tellingSeen(watching(streamingTo(owner), owner, id), needs.seen.watch(owner), id),
        isStillAllowed: async () => taken.every((seat) => seat.isMine()) && await visitor.isStillAllowed()
      })
    }
  }))
}

/** An additional event for visitors: that somebody has seen more of it. The conversation says up to where. */
function tellingSeen (
  read: ReturnType<typeof watching>, marks: ReturnType<SeenStore['watch']>, id: string
): ReturnType<typeof watching> {
  const told = JSON.stringify({ type: 'data-event', transient: true, data: { type: 'seen', data: null } })
  return async (after) => {
    const parts = await read(after)
    const isSeen = marks().some(({ id: seen, user }) => seen === id && user !== null)
    return parts && (isSeen ? [...parts, { data: told }] : parts)
  }
}

/** The conversation in which a visitor is about to write; see checkMayBegin. */
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

/** A name in any script, with a letter in it: `'s-Hertogenbosch`, `St. John's`, `Frankfurt am Main`. */
const PLACE = /^(?!\p{M})(?=.*\p{L})[\p{L}\p{M} .'-]{1,80}$/u

/**
 * The place named in a header, sent as UTF-8 or Latin-1, raw or percent-encoded (`%C3%B6`); undefined if it is not a
 * name. Each character of a header represents a byte.
 */
export function placeIn (sent: string): string | undefined {
  const plain = sent.replace(/%([\da-f]{2})/gi, (_all, hex: string) => String.fromCharCode(parseInt(hex, 16)))
  const bytes = Buffer.from(plain, 'latin1')
  const place = bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1').normalize('NFC').trim()
  return PLACE.test(place) ? place : undefined
}

/**
 * A visitor's place as reported by the proxy in front. Undefined if no trusted proxy forwarded the request: its only
 * address is then the connection's, and the client may have written the header itself.
 */
function placeOf ({ headers, ips = [] }: Pick<FastifyRequest, 'headers' | 'ips'>, header: string): string | undefined {
  const sent = headers[header.toLowerCase()]
  return ips.length > 1 && typeof sent === 'string' ? placeIn(sent) : undefined
}

/** Dependencies of learning where visitors are. */
interface WhereaboutsNeeds {
  store: Pick<WidgetStore, 'face'>
  visitors: Pick<VisitorStore, 'get' | 'update'>
  /** The header in which a proxy reports a visitor's place; empty: none. */
  cityHeader: string
}

/**
 * Stores a visitor's place and time zone, if a request reports them and they changed; not for visitors who have yet to
 * agree to the privacy notice.
 */
export function learningWhereabouts ({ store, visitors, cityHeader }: WhereaboutsNeeds) {
  return async ({ owner, agent, id }: VisitorCaller, request: FastifyRequest, written = '') => {
    const place = placeOf(request, cityHeader)
    const zone = timeZoneNamed(written)
    const told = { ...(place && { place }), ...(zone && { time_zone: zone }) }
    if (Object.keys(told).length === 0) return
    const kept = await visitors.get(owner, id)
    if (!kept || isKnown(kept, told)) return
    const face = await store.face(owner, agent)
    if (face && hasConsented(face, kept)) await visitors.update(owner, id, (before) => ({ ...before, ...told }))
  }
}

type Whereabouts = Partial<Record<'place' | 'time_zone', string | null>>

function isKnown (kept: Whereabouts, { place = kept.place, time_zone: zone = kept.time_zone }: Whereabouts): boolean {
  return place === kept.place && zone === kept.time_zone
}
