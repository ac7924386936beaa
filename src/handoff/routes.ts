import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsync } from 'fastify'
import { Conversation } from '../../schema/conversations.ts'
import { success } from '../../schema/envelopes.ts'
import { AssigneeDraft, CloseDraft, HandoffDraft, TakeoverDraft, TypingDraft } from '../../schema/handoff.ts'
import { demand, route, type AccountAsker } from '../access/index.ts'
import { closerOf, inConversation, NO_CONVERSATION as missing, onlyToTry, SPEAKING, type Conversations } from '../conversations/index.ts'
import { accepted, ok } from '../platform/http/resources/answer.ts'
import type { EventStreams } from '../platform/http/sse.ts'
import { CLOSED, NO_HANDOFF } from './conversing.ts'
import type { Lookers } from './desk/looking.ts'
import { lookingRoutes } from './desk/looking-routes.ts'
import type { DutyStore } from './duty.sqlite.ts'
import { dutyRoutes } from './duty-routes.ts'
import { noteRoutes } from './note-routes.ts'
import type { NoteStore } from './notes.sqlite.ts'
import { seenRoutes } from './seen-routes.ts'
import type { SeenStore } from './seen.sqlite.ts'

/** Dependencies of these routes. */
interface HandoffParts {
  conversations: Conversations
  duty: DutyStore
  notes: NoteStore
  seen: SeenStore
  lookers: Lookers
  streams: EventStreams
}

const tag = 'People'
const REPLYING = ['REPLY_CONVERSATION'] as const
const params = inConversation
const ConversationHanded = success(Conversation, {
  title: 'ConversationHanded', description: 'The conversation in its current state'
})

/** A colleague's key is not a repeat: its response is not theirs. */
const idempotent = ({ caller }: AccountAsker) => String(caller.user.id)

/**
 * How people take part in conversations: requests for them, taking over, giving back, closing; their notes, who is
 * there, and live events.
 */
export const handoffRoutes: FastifyPluginAsync<HandoffParts> = async (
  app, { conversations, duty, notes, seen, lookers, streams }
) => {
  const { talk, store, typing } = conversations
  app.addHook('preHandler', onlyToTry(store))

  app.route(route({
    post: '/conversations/:id/handoff',
    id: 'requestHandoff',
    audit: 'never',
    tag,
    summary: 'Request a person',
    description:
      'If somebody is on duty, the conversation waits for them; otherwise a ticket is opened and the agent ' +
      'continues. Requesting again while it waits changes nothing.',
    who: SPEAKING,
    params,
    body: HandoffDraft,
    idempotent,
    missing,
    answer: ok(ConversationHanded, 'A person was asked for'),
    refuses: [NO_HANDOFF, CLOSED],
    handle: ({ owner, params: { id }, body: { reason = 'visitor_asked' }, once }) =>
      talk.handOverOnce(owner, id, { type: 'asked', reason }, once)
  }))

  app.route(route({
    delete: '/conversations/:id/handoff',
    id: 'cancelHandoff',
    audit: 'never',
    tag,
    summary: 'Cancel the request for a person',
    description: 'The agent continues, and answers what was said in the meantime.',
    who: SPEAKING,
    params,
    missing,
    answer: ok(ConversationHanded, 'The agent goes on'),
    refuses: [['not_waiting', 'This conversation is not waiting for a person.']],
    handle: ({ owner, params: { id } }) => talk.handOver(owner, id, { type: 'cancelled' })
  }))

  app.route(route({
    post: '/conversations/:id/takeover',
    id: 'takeOverConversation',
    tag,
    summary: 'Take over a conversation',
    description:
      'Cuts off the answer that the agent is writing; from now on the caller answers, with messages of the role ' +
      'person. If two members take over at once, one is refused.',
    who: REPLYING,
    params,
    body: TakeoverDraft,
    idempotent,
    missing,
    answer: ok(ConversationHanded, 'Conversation taken over'),
    refuses: [['taken_over', 'Somebody else has taken this conversation over.', { person: 7 }]],
    handle: ({ caller, owner, params: { id }, body: { from = null }, once }) =>
      talk.handOverOnce(owner, id, { type: 'taken', person: caller.user.id, from }, once)
  }))

  app.route(route({
    put: '/conversations/:id/assignee',
    id: 'assignConversation',
    tag,
    summary: 'Assign a conversation to a member',
    description:
      'If a person answers, or the visitor waits for one, that member answers from now on; if the agent answers, ' +
      'that member is asked first once a person is requested. If two assign it at once, one is refused. Record the ' +
      'reason with POST …/notes.',
    who: REPLYING,
    params,
    body: AssigneeDraft,
    missing,
    answer: ok(ConversationHanded, 'Conversation assigned'),
    refuses: [CLOSED, ['taken_over', 'Somebody else has taken this conversation over.', { person: 7 }]],
    handle: ({ caller, owner, params: { id }, body: { assignee: to, from = null } }) =>
      talk.handOver(owner, id, { type: 'assigned', by: caller.user.id, to, from })
  }))

  app.route(route({
    post: '/conversations/:id/release',
    id: 'releaseConversation',
    tag,
    summary: 'Return a conversation to the agent',
    description: 'The agent answers whatever is still unanswered.',
    who: REPLYING,
    params,
    idempotent,
    missing,
    answer: ok(ConversationHanded, 'The agent answers again'),
    refuses: [
      ['not_taken_over', 'Nobody has taken this conversation over.'],
      ['taken_over', 'Somebody else has taken this conversation over; only they can release it.', { person: 7 }]
    ],
    handle: ({ caller, owner, params: { id }, once }) =>
      talk.handOverOnce(owner, id, { type: 'released', person: caller.user.id }, once)
  }))

  app.route(route({
    post: '/conversations/:id/close',
    id: 'closeConversation',
    tag,
    summary: 'Close a conversation',
    description:
      'Ends its episode with one outcome. A message within 7 days reopens the conversation; a later one starts a ' +
      'new conversation.',
    who: SPEAKING,
    params,
    body: CloseDraft,
    idempotent,
    missing,
    answer: ok(ConversationHanded, 'Conversation closed'),
    handle: ({ caller, owner, params: { id }, body: { resolved: isResolved = false }, once }) =>
      talk.handOverOnce(owner, id, { type: 'closed', by: closerOf(caller), isResolved }, once)
  }))

  app.route(route({
    post: '/conversations/:id/typing',
    id: 'tellTyping',
    audit: 'never',
    tag,
    summary: 'Report that somebody is typing',
    description: 'Notifies those who watch the conversation; nothing is stored. Repeat it every few seconds.',
    who: SPEAKING,
    params,
    body: TypingDraft,
    missing,
    answer: accepted(
      success(Type.Object({ id: Type.String() }), { title: 'TypingTold', description: 'Reported' }), 'Told'
    ),
    handle: async ({ caller, owner, params: { id }, body: { role = 'visitor' } }) => {
      if (role === 'person') demand(caller.permissions, REPLYING, 'answer as a person')
      if (!(await store.newest(owner, id))) return undefined
      typing.say(owner, id, role)
      return { id }
    }
  }))

  await app.register(noteRoutes, { notes })
  await app.register(dutyRoutes, { conversations, duty, seen, lookers, streams })
  await app.register(lookingRoutes, { store, lookers })
  await app.register(seenRoutes, { seen })
}
