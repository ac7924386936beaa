import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type, type Static } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Conversation } from '../../schema/conversations.ts'
import { success } from '../../schema/envelopes.ts'
import { CloseDraft, HandoffDraft, TakeoverDraft, TypingDraft } from '../../schema/handoff.ts'
import { demand } from '../access/index.ts'
import { inConversation, noConversation, onlyToTry, SPEAKING, type Conversations, type HandsEvent } from '../conversations/index.ts'
import type { EventStreams } from '../platform/http/sse.ts'
import { refusal, refusals } from '../platform/http/openapi.ts'
import { onceOf } from '../platform/storage/sqlite/once.ts'
import { CLOSED, NO_HANDOFF } from './conversing.ts'
import type { DutyStore } from './duty.sqlite.ts'
import { dutyRoutes } from './duty-routes.ts'
import { noteRoutes } from './note-routes.ts'
import type { NoteStore } from './notes.sqlite.ts'

/** What hand-offs are served from. */
export interface HandoffParts { conversations: Conversations, duty: DutyStore, notes: NoteStore, streams: EventStreams }

const tags = ['People']
const REPLYING = ['REPLY_CONVERSATION'] as const
const ConversationHanded = success(Conversation, {
  title: 'ConversationHanded', description: 'The conversation as it is now'
})
const done = (message: string, data: Conversation) => ({ status: 'success' as const, message, data })

/**
 * How people take part in conversations: asked for, taking over, giving back, closing; their notes, who is there, and
 * what happens meanwhile.
 */
export const handoffRoutes: FastifyPluginAsyncTypebox<HandoffParts> = async (
  app, { conversations, duty, notes, streams }
) => {
  const { talk, store, typing } = conversations
  app.addHook('preHandler', onlyToTry(store))

  /** What happens to a conversation, in answer to who asked for it. */
  async function handOver (
    request: FastifyRequest, reply: FastifyReply, message: string, event: HandsEvent
  ): Promise<ReturnType<typeof done>> {
    const { caller, params } = request
    const { id } = params as Static<typeof inConversation>
    // A colleague's key is no repeat: what it was answered is not theirs.
    const once = onceOf(request, { secret: String(caller.user.id) })
    const { answer, replayed } = (await talk.handOverOnce(caller.account.id, id, event, once)) ?? noConversation()
    if (replayed) reply.header('idempotency-replayed', 'true')
    return done(message, answer)
  }

  app.post(
    '/conversations/:id/handoff',
    {
      schema: {
        tags,
        operationId: 'requestHandoff',
        summary: 'Ask for a person',
        description:
          'Where somebody is on duty the conversation waits for them, otherwise a ticket is opened and the agent goes on. Asked again while it waits, nothing changes.',
        params: inConversation,
        body: HandoffDraft,
        response: { 200: ConversationHanded, 409: refusals(NO_HANDOFF, CLOSED) }
      },
      config: { permit: SPEAKING, heeds: ['Idempotency-Key'] }
    },
    async (request, reply) =>
      await handOver(request, reply, 'A person was asked for', {
        type: 'asked', reason: request.body.reason ?? 'visitor_asked'
      })
  )

  app.delete(
    '/conversations/:id/handoff',
    {
      schema: {
        tags,
        operationId: 'cancelHandoff',
        summary: 'Wait for a person no more',
        description: 'The agent goes on, and answers what was said meanwhile.',
        params: inConversation,
        response: { 200: ConversationHanded, 409: refusal('not_waiting', 'This conversation does not wait for a person.') }
      },
      config: { permit: SPEAKING }
    },
    async ({ caller, params: { id } }) =>
      done('The agent goes on', (await talk.handOver(caller.account.id, id, { type: 'cancelled' })) ?? noConversation())
  )

  app.post(
    '/conversations/:id/takeover',
    {
      schema: {
        tags,
        operationId: 'takeOverConversation',
        summary: 'Take a conversation over',
        description:
          'What the agent is writing is cut off; from now on the caller answers, with messages of the role person. Of two at once one is refused.',
        params: inConversation,
        body: TakeoverDraft,
        response: {
          200: ConversationHanded,
          409: refusal('taken_over', 'Somebody else has taken this conversation over.', { person: 7 })
        }
      },
      config: { permit: REPLYING, heeds: ['Idempotency-Key'] }
    },
    async (request, reply) =>
      await handOver(request, reply, 'Conversation taken over', {
        type: 'taken', person: request.caller.user.id, from: request.body.from ?? null
      })
  )

  app.post(
    '/conversations/:id/release',
    {
      schema: {
        tags,
        operationId: 'releaseConversation',
        summary: 'Give a conversation back to the agent',
        description: 'The agent answers what still waits for an answer.',
        params: inConversation,
        response: {
          200: ConversationHanded,
          409: refusals(
            ['not_taken_over', 'Nobody has taken this conversation over.'],
            ['taken_over', 'Somebody else has taken this conversation over; only they can release it.', { person: 7 }]
          )
        }
      },
      config: { permit: REPLYING, heeds: ['Idempotency-Key'] }
    },
    async (request, reply) =>
      await handOver(request, reply, 'The agent answers again', { type: 'released', person: request.caller.user.id })
  )

  app.post(
    '/conversations/:id/close',
    {
      schema: {
        tags,
        operationId: 'closeConversation',
        summary: 'Close a conversation',
        description:
          'Its episode ends with one outcome. A message within 7 days takes it up again, later it begins another conversation.',
        params: inConversation,
        body: CloseDraft,
        response: { 200: ConversationHanded }
      },
      config: { permit: SPEAKING, heeds: ['Idempotency-Key'] }
    },
    async (request, reply) => {
      const by = request.caller.permissions.includes('REPLY_CONVERSATION') ? 'person' : 'visitor'
      return await handOver(request, reply, 'Conversation closed', {
        type: 'closed', by, isResolved: request.body.resolved ?? false
      })
    }
  )

  app.post(
    '/conversations/:id/typing',
    {
      schema: {
        tags,
        operationId: 'tellTyping',
        summary: 'Tell that somebody types',
        description: 'Those who watch are told; it is kept nowhere. Repeat it every few seconds.',
        params: inConversation,
        body: TypingDraft,
        response: { 202: success(Type.Object({ id: Type.String() }), { title: 'TypingTold', description: 'Told' }) }
      },
      config: { permit: SPEAKING }
    },
    async ({ caller, params: { id }, body: { role = 'visitor' } }, reply) => {
      if (role === 'person') demand(caller.permissions, REPLYING, 'answer as a person')
      ;(await store.newest(caller.account.id, id)) ?? noConversation()
      typing.say(caller.account.id, id, role)
      return reply.code(202).send({ status: 'success', message: 'Told', data: { id } })
    }
  )

  await app.register(noteRoutes, { notes })
  await app.register(dutyRoutes, { conversations, duty, streams })
}
