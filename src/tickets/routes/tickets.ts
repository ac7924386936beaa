import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { closed, PathId } from '../../../schema/common.ts'
import { ConversationId } from '../../../schema/conversations.ts'
import { success } from '../../../schema/envelopes.ts'
import {
  ConversationTicketDraft, Ticket, TicketDraft, TicketId, TicketMessageDraft, TicketPatch, TicketStatus
} from '../../../schema/tickets.ts'
import { inParts, listOf, storedPart } from '../../platform/http/resources/cursors.ts'
import { answerTagged, matching, tagOf, Unchanged } from '../../platform/http/resources/tags.ts'
import { Refusal } from '../../platform/errors.ts'
import { refusal, refusals } from '../../platform/http/openapi.ts'
import { onceOf } from '../../platform/storage/sqlite/once.ts'
import type { Desk } from '../desk.ts'
import { shown } from '../life.ts'
import type { TicketStore } from '../store.ts'

const TicketAnswer = success(Ticket, { title: 'TicketAnswer', description: 'The ticket' })
const TicketList = listOf(Ticket, { title: 'TicketList', description: 'A part of the tickets' })
const Query = Type.Object(
  {
    ...inParts('Tickets'),
    status: Type.Optional(TicketStatus),
    agent: Type.Optional(PathId),
    channel: Type.Optional(Type.String({ maxLength: 64, description: '`email`, or the name of a ticketing provider' })),
    conversation: Type.Optional(ConversationId)
  },
  closed
)
const inTicket = Type.Object({ id: TicketId })
const tags = ['Tickets']
const permit = ['CREATE_TICKET'] as const

/** What people set and say; what becomes of sending it moves by itself. */
const setOf = ({
  messages, updated_at: _updated, external_id: _id, external_url: _url, error: _error, ...set
}: Ticket) => ({ ...set, messages: messages.length })

/** Tickets: open, list, read, change, answer. */
export const ticketRoutes: FastifyPluginAsyncTypebox<{ desk: Desk, tickets: TicketStore }> = async (
  app, { desk, tickets }
) => {
  app.post(
    '/conversations/:id/tickets',
    {
      schema: {
        tags,
        operationId: 'createConversationTicket',
        summary: 'Open a ticket about a conversation',
        description:
          "It goes where the agent's `behavior.ticketType` says: to `behavior.email`, or to its default ticketing provider. What is left out comes from the conversation and its visitor.",
        params: Type.Object({ id: ConversationId }),
        body: ConversationTicketDraft,
        response: { 201: TicketAnswer }
      },
      config: { permit, heeds: ['Idempotency-Key'], tells: ['ETag'] }
    },
    async (request, reply) => {
      const {
        caller, params: { id }, body
      } = request
      const { answer, replayed } =
        (await desk.openFor(caller.account.id, id, body, onceOf(request))) ?? missing('No such conversation.')
      if (replayed) reply.header('idempotency-replayed', 'true')
      return reply
        .code(201)
        .headers({ location: `/v1/tickets/${answer.id}`, etag: tagOf(setOf(answer), answer) })
        .send({ status: 'success', message: 'Ticket opened successfully', data: answer })
    }
  )

  app.post(
    '/tickets',
    {
      schema: {
        tags,
        operationId: 'createTicket',
        summary: 'Open a ticket',
        body: TicketDraft,
        response: { 201: TicketAnswer, 404: refusal('not_found', 'No such agent, or no such conversation of it.') }
      },
      config: { permit, heeds: ['Idempotency-Key'], tells: ['ETag'] }
    },
    async (request, reply) => {
      const { answer, replayed } =
        (await desk.open(request.caller.account.id, request.body, onceOf(request))) ??
        missing('No such agent, or no such conversation of it.')
      if (replayed) reply.header('idempotency-replayed', 'true')
      return reply
        .code(201)
        .headers({ location: `/v1/tickets/${answer.id}`, etag: tagOf(setOf(answer), answer) })
        .send({ status: 'success', message: 'Ticket opened successfully', data: answer })
    }
  )

  app.get(
    '/tickets',
    {
      schema: {
        tags,
        operationId: 'listTickets',
        summary: 'List tickets',
        description: 'Newest first.',
        querystring: Query,
        response: { 200: TicketList }
      },
      config: { permit }
    },
    async (request) => {
      const { caller: { account: { id } }, query: { cursor: _cursor, limit: _limit, ...filter } } = request
      return {
        status: 'success' as const,
        message: 'Tickets retrieved successfully',
        ...await storedPart(request, id, async (after, limit) => await tickets.list(id, filter, after, limit))
      }
    }
  )

  app.get(
    '/tickets/:id',
    {
      schema: {
        tags,
        operationId: 'getTicket',
        summary: 'Read a ticket',
        params: inTicket,
        response: { 200: TicketAnswer, 304: Unchanged }
      },
      config: { permit, heeds: ['If-None-Match'], tells: ['ETag'] }
    },
    async (request, reply) => {
      const data = shown((await tickets.get(request.caller.account.id, request.params.id)) ?? missing())
      return answerTagged(request, reply, tagOf(setOf(data), data), 'Ticket retrieved successfully', data)
    }
  )

  app.patch(
    '/tickets/:id',
    {
      schema: {
        tags,
        operationId: 'updateTicket',
        summary: 'Change a ticket',
        description:
          'Close it, open it again, or correct who asks; what is left out stays. With If-Match, only if nobody has changed it or written in it since you read it; what becomes of sending it does not count.',
        params: inTicket,
        body: TicketPatch,
        response: { 200: TicketAnswer }
      },
      config: { permit, heeds: ['If-Match'], tells: ['ETag'] }
    },
    async (request, reply) => {
      const { caller: { account }, params: { id }, body } = request
      const data = (await desk.change(account.id, id, body, matching(request, 'The ticket', setOf))) ?? missing()
      return answerTagged(request, reply, tagOf(setOf(data), data), 'Ticket updated successfully', data)
    }
  )

  app.post(
    '/tickets/:id/messages',
    {
      schema: {
        tags,
        operationId: 'createTicketMessage',
        summary: 'Answer a ticket',
        description: 'By mail to who asked, or as a comment in the ticketing provider that has it.',
        params: inTicket,
        body: TicketMessageDraft,
        response: {
          201: TicketAnswer,
          409: refusals(
            ['recipient_unknown', 'Nobody knows where to answer: set requester.email of the ticket first.'],
            ['provider_removed', 'The ticketing provider Zendesk was removed. Open a new ticket.'],
            ['mail_not_set_up', 'Mail is not set up here. Ask whoever runs this server for it.'],
            ['limit_reached', 'A ticket takes 500 messages. Open a new one.']
          )
        }
      },
      config: { permit, heeds: ['Idempotency-Key'] }
    },
    async (request, reply) => {
      const {
        caller, params: { id }, body: { text }
      } = request
      const { answer, replayed } =
        (await desk.reply(caller.account.id, id, text, caller.user.name, onceOf(request))) ?? missing()
      if (replayed) reply.header('idempotency-replayed', 'true')
      return reply.code(201).header('location', `/v1/tickets/${id}`).send({
        status: 'success', message: 'Answer sent successfully', data: answer
      })
    }
  )
}

/** The same words whether there is none or it is somebody else's. */
function missing (sentence = 'No such ticket.'): never {
  throw new Refusal('not_found', sentence)
}
