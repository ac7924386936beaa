import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsync } from 'fastify'
import { success } from '../../schema/envelopes.ts'
import { CapacityDraft, Duty, DutyDraft, type Looking, type SeenTold } from '../../schema/handoff.ts'
import { PathId, type Id } from '../../schema/common.ts'
import { AccountWatched } from '../../schema/streams/events.ts'
import { route } from '../access/index.ts'
import {
  inboxOf, READING, shownMessage, type AccountEvent, type Conversations, type ConversationStore
} from '../conversations/index.ts'
import { ok, raw, Streamed } from '../platform/http/resources/answer.ts'
import { lastEventId, type EventStreams, type ServerSentEvent } from '../platform/http/sse.ts'
import type { Lookers } from './desk/looking.ts'
import type { DutyStore } from './duty.sqlite.ts'
import type { SeenStore } from './seen.sqlite.ts'

const tag = 'People'
const DutyAnswer = success(Duty, { title: 'DutyAnswer', description: 'Whether the caller is available for visitors' })

/** Who changes what members may do, says how much they take. */
const LEADING = ['SEND_INVITE'] as const
const member = Type.Object({ id: PathId })
const NO_MEMBER = 'No such member.'

/**
 * Whether the caller and their colleagues are there for visitors, and
 * everything that happens in the account's conversations.
 */
export const dutyRoutes: FastifyPluginAsync<{
  conversations: Conversations, duty: DutyStore, seen: SeenStore, lookers: Lookers, streams: EventStreams
}> = async (app, { conversations, duty, seen, lookers, streams }) => {
  const happened = readTogether(conversations.store)

  app.route(route({
    get: '/me/duty',
    id: 'getDuty',
    tag,
    summary: 'Get your availability',
    who: ['REPLY_CONVERSATION'],
    answer: ok(DutyAnswer, 'Duty retrieved successfully'),
    handle: ({ caller, owner }) => duty.of(owner, caller.user.id)
  }))

  app.route(route({
    put: '/me/duty',
    id: 'setDuty',
    audit: 'never',
    tag,
    summary: 'Set your availability',
    description:
      'If it is not set, everybody who watches GET /v1/events is available. Either way, only business hours count. ' +
      'When nobody is available any more, waiting conversations become tickets. A waiting conversation is offered ' +
      "to the least busy member, for 30 seconds each, and never beyond a member's capacity.",
    who: ['REPLY_CONVERSATION'],
    body: DutyDraft,
    answer: ok(DutyAnswer, 'Duty set'),
    handle: ({ caller, owner, body: { on, capacity } }) => duty.set(owner, caller.user.id, on, capacity)
  }))

  app.route(route({
    get: '/members/:id/duty',
    id: 'getMemberDuty',
    tag,
    summary: "Get a member's availability",
    who: LEADING,
    params: member,
    missing: NO_MEMBER,
    answer: ok(DutyAnswer, 'Duty retrieved successfully'),
    handle: ({ owner, params: { id } }) => duty.ofMember(owner, id)
  }))

  app.route(route({
    put: '/members/:id/capacity',
    id: 'setCapacity',
    tag,
    summary: "Set a member's capacity",
    description:
      'Sets how many conversations the member takes at once. Members set their own with PUT /v1/me/duty. ' +
      'Conversations they already hold stay with them.',
    who: LEADING,
    params: member,
    body: CapacityDraft,
    missing: NO_MEMBER,
    answer: ok(DutyAnswer, 'Capacity set'),
    handle: ({ owner, params: { id }, body: { capacity } }) => duty.limit(owner, id, capacity)
  }))

  app.route(route({
    get: '/events',
    id: 'watchAccount',
    tag,
    summary: 'Stream the events of all conversations',
    description:
      "Server-sent events of all the account's conversations, each with the current conversation and message: `{ " +
      'seq, type, id, conversation, message }`. To resume, send the last id you received as Last-Event-ID; without ' +
      'it, the stream starts now. `events.missed`: more has happened than is retained; fetch the lists again. ' +
      '`typing` says who is typing where and, for a visitor in a widget, `text`: what has been typed so far; it is ' +
      'not stored. `seen` says up to which message a member has seen a conversation or, with `user: null` and ' +
      '`at`, its visitor has; `looking`, which member has one open or is typing in it; `visitor`, whether its ' +
      'visitor has it open on a site. Members who may answer are on duty while they watch.',
    who: READING,
    heeds: ['Last-Event-ID'],
    streams: AccountWatched,
    answer: raw({ 200: Streamed }),
    handle: async ({ caller, owner, request, reply }) => {
      const heard = lastEventId(request)
      const last = await conversations.store.lastHappened(owner)
      const after = heard === undefined ? last : Math.min(heard, last)
      if (caller.permissions.includes('REPLY_CONVERSATION') && request.method === 'GET') {
        reply.raw.once('close', duty.enter(owner, caller.user.id))
      }
      return streams.send(request, reply, {
        topics: [inboxOf(owner)],
        after: String(after),
        read: watchingAll(conversations, [seen.watch(owner), lookers.watch(owner)], owner, happened),
        isStillAllowed: caller.isStillAllowed
      })
    }
  }))
}

/** Events of an account after an event id: the number of the first, and all as they are sent. */
type Reading = (owner: Id, after: string) => Promise<{ first: number, events: ServerSentEvent[] }>

/** One read for all watchers woken together: in one turn of the event loop they miss the same events. */
function readTogether (store: Pick<ConversationStore, 'happened'>): Reading {
  const inThisTurn = new Map<string, ReturnType<Reading>>()
  const read: Reading = async (owner, after) => {
    const happened = await store.happened(owner, Number(after))
    return { first: happened[0]?.seq ?? 0, events: happened.map(shown) }
  }
  return (owner, after) => {
    const key = `${owner} ${after}`
    const reading = inThisTurn.get(key) ?? read(owner, after)
    if (inThisTurn.size === 0) setImmediate(() => inThisTurn.clear())
    inThisTurn.set(key, reading)
    return reading
  }
}

/** What a watcher of an account missed after an event id, who types, what members see and look at. */
function watchingAll (
  { typing, presence }: Conversations, [seen, looking]: [() => SeenTold[], () => Looking[]], owner: Id,
  happened: Reading
): (after: string) => Promise<ServerSentEvent[]> {
  let heard = typing.last()
  const visitors = presence.watch(owner)
  return async (after) => {
    const { first, events } = await happened(owner, after)
    const isMissing = first > Number(after) + 1
    const typed = typing.since(heard).filter((one) => one.owner === owner)
    heard = typing.last()
    return [
      ...(isMissing ? [{ data: JSON.stringify({ type: 'events.missed' }) }] : []),
      ...events,
      ...typed.map(({ conversation, role, text }) => ({
        data: JSON.stringify({ type: 'typing', id: conversation, role, text })
      })),
      ...seen().map((mark) => ({ data: JSON.stringify({ type: 'seen', ...mark }) })),
      ...looking().map((one) => ({ data: JSON.stringify({ type: 'looking', ...one }) })),
      ...visitors().map((one) => ({ data: JSON.stringify({ type: 'visitor', ...one }) }))
    ]
  }
}

function shown ({ seq, type, id, conversation, message }: AccountEvent): ServerSentEvent {
  const { owner: _owner, revision: _revision, course: _course, ...rest } = conversation ?? {}
  return {
    id: String(seq),
    data: JSON.stringify({
      seq, type, id, conversation: conversation && rest, message: message && shownMessage(message)
    })
  }
}
