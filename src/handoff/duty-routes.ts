import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsync } from 'fastify'
import { success } from '../../schema/envelopes.ts'
import { CapacityDraft, Duty, DutyDraft, type Looking, type Seen } from '../../schema/handoff.ts'
import { PathId, type Id } from '../../schema/common.ts'
import { AccountWatched } from '../../schema/streams/events.ts'
import { route } from '../access/index.ts'
import {
  inboxOf, READING, shownMessage, type AccountEvent, type Conversations, type ConversationStore
} from '../conversations/index.ts'
import { ok, own, Streamed } from '../platform/http/resources/answer.ts'
import { lastEventId, type EventStreams, type ServerSentEvent } from '../platform/http/sse.ts'
import type { Lookers } from './desk/looking.ts'
import type { DutyStore } from './duty.sqlite.ts'
import type { SeenStore } from './seen.sqlite.ts'

const tag = 'People'
const DutyAnswer = success(Duty, { title: 'DutyAnswer', description: 'Whether the caller is there for visitors' })

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
    summary: 'Whether the caller is there for visitors',
    who: ['REPLY_CONVERSATION'],
    answer: ok(DutyAnswer, 'Duty retrieved successfully'),
    handle: ({ caller, owner }) => duty.of(owner, caller.user.id)
  }))

  app.route(route({
    put: '/me/duty',
    id: 'setDuty',
    audit: 'never',
    tag,
    summary: 'Say whether the caller is there for visitors',
    description:
      "Without it whoever watches GET /v1/events is there. Either counts within the business's hours. Conversations that wait when nobody is there any more become tickets. One that waits is offered to who has the least to do, for 30 seconds each, and to nobody beyond their capacity.",
    who: ['REPLY_CONVERSATION'],
    body: DutyDraft,
    answer: ok(DutyAnswer, 'Duty set'),
    handle: ({ caller, owner, body: { on, capacity } }) => duty.set(owner, caller.user.id, on, capacity)
  }))

  app.route(route({
    get: '/members/:id/duty',
    id: 'getMemberDuty',
    tag,
    summary: 'Whether a member is there for visitors',
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
    summary: 'Say how many conversations a member takes at once',
    description: 'Members set their own with PUT /v1/me/duty. What they hold already stays with them.',
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
    summary: 'Watch all conversations',
    description:
      'Server-sent events of all conversations of the account, each with the conversation and the message as they stand: `{ seq, type, id, conversation, message }`. Send the last id you saw as Last-Event-ID to go on there; without it the stream begins now. `events.missed`: more has happened than is kept, read the lists anew. `typing` says who types where and, of a visitor in a widget, `text`: what stands there so far; it is kept nowhere. `seen` says up to which message a member has seen a conversation, `looking` which member has one open or types in it, `visitor` whether its visitor has it open on a site. Whoever may answer and watches is on duty.',
    who: READING,
    heeds: ['Last-Event-ID'],
    streams: AccountWatched,
    answer: own({ 200: Streamed }),
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

/** What happened in an account after the id of an event: the number of the first, and all as they are sent. */
type Reading = (owner: Id, after: string) => Promise<{ first: number, events: ServerSentEvent[] }>

/** Reads for all who are woken together once what they have not seen: in one turn of the event loop it is the same. */
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

/** What a watcher of an account has not heard after the id of an event, who types, what members see and look at. */
function watchingAll (
  { typing, presence }: Conversations, [seen, looking]: [() => Seen[], () => Looking[]], owner: Id, happened: Reading
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
