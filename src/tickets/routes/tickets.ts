import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsync } from 'fastify'
import { closed, PathId } from '../../../schema/common.ts'
import { ConversationId } from '../../../schema/conversations.ts'
import { success } from '../../../schema/envelopes.ts'
import {
  ConversationTicketDraft, Ticket, TicketDraft, TicketId, TicketMessageDraft, TicketPatch, TicketStatus
} from '../../../schema/tickets.ts'
import { route } from '../../access/index.ts'
import { created, listInParts, ok } from '../../platform/http/resources/answer.ts'
import { inParts } from '../../platform/http/resources/cursors.ts'
import { versionOf } from '../../platform/http/resources/tags.ts'
import type { TicketService } from '../desk.ts'
import { shown } from '../life.ts'
import type { TicketStore } from '../store.ts'

const tag = 'Tickets'
const who = ['CREATE_TICKET'] as const
const params = Type.Object({ id: TicketId })
/** The same words whether there is none or it is somebody else's. */
const missing = 'No such ticket.'
const NO_AGENT_OR_CONVERSATION = 'No such agent, or no such conversation of it.'
const TicketAnswer = success(Ticket, { title: 'TicketAnswer', description: 'The ticket' })
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

/** Fields that people set; the delivery state changes on its own. */
const version = versionOf('The ticket', ({
  messages, updated_at: _updated, external_id: _id, external_url: _url, error: _error, ...set
}: Ticket) => ({ ...set, messages: messages.length }))
const at = ({ id }: Ticket) => `/v1/tickets/${id}`

/** Tickets: open, list, read, change, answer. */
export const ticketRoutes: FastifyPluginAsync<{ desk: TicketService, tickets: TicketStore }> = async (
  app, { desk, tickets }
) => {
  app.route(route({
    post: '/conversations/:id/tickets',
    id: 'createConversationTicket',
    tag,
    summary: 'Open a ticket about a conversation',
    description:
      "The agent's `behavior.ticketType` decides where the ticket goes: to `behavior.email`, or to the agent's default ticketing provider. Omitted fields are taken from the conversation and its visitor.",
    who,
    params: Type.Object({ id: ConversationId }),
    body: ConversationTicketDraft,
    idempotent: true,
    version,
    missing: 'No such conversation.',
    answer: created(TicketAnswer, 'Ticket opened successfully', { at }),
    handle: ({ owner, params: { id }, body, once }) => desk.openFor(owner, id, body, once)
  }))

  app.route(route({
    post: '/tickets',
    id: 'createTicket',
    tag,
    summary: 'Open a ticket',
    who,
    body: TicketDraft,
    idempotent: true,
    version,
    missing: NO_AGENT_OR_CONVERSATION,
    answer: created(TicketAnswer, 'Ticket opened successfully'),
    refuses: [['not_found', NO_AGENT_OR_CONVERSATION]],
    handle: ({ owner, body, once }) => desk.open(owner, body, once)
  }))

  app.route(route({
    get: '/tickets',
    id: 'listTickets',
    tag,
    summary: 'List tickets',
    description: 'Newest first.',
    who,
    query: Query,
    answer: listInParts(
      Ticket, { title: 'TicketList', description: 'A part of the tickets' }, 'Tickets retrieved successfully'
    ),
    handle: ({ owner, part: { filter, after, limit } }) => tickets.list(owner, filter, after, limit)
  }))

  app.route(route({
    get: '/tickets/:id',
    id: 'getTicket',
    tag,
    summary: 'Read a ticket',
    who,
    params,
    version,
    missing,
    answer: ok(TicketAnswer, 'Ticket retrieved successfully'),
    handle: async ({ owner, params: { id } }) => {
      const kept = await tickets.get(owner, id)
      return kept && shown(kept)
    }
  }))

  app.route(route({
    patch: '/tickets/:id',
    id: 'updateTicket',
    tag,
    summary: 'Update a ticket',
    description:
      'Closes it, reopens it or corrects the requester; omitted fields stay unchanged. With If-Match, it is updated only if nobody has changed it or written in it since you read it; the progress of its delivery does not count.',
    who,
    params,
    body: TicketPatch,
    version,
    missing,
    answer: ok(TicketAnswer, 'Ticket updated successfully'),
    handle: ({ owner, params: { id }, body, match }) => desk.change(owner, id, body, match)
  }))

  app.route(route({
    post: '/tickets/:id/messages',
    id: 'createTicketMessage',
    tag,
    summary: 'Answer a ticket',
    description: 'Sends the answer by mail to the requester, or as a comment to the ticketing provider that has the ticket.',
    who,
    params,
    body: TicketMessageDraft,
    idempotent: true,
    missing,
    answer: created(TicketAnswer, 'Answer sent successfully', { at }),
    refuses: [
      ['recipient_unknown', 'There is no address to answer to: set requester.email of the ticket first.'],
      ['provider_removed', 'The ticketing provider Zendesk was removed. Open a new ticket.'],
      ['mail_not_set_up', 'Mail is not set up here. Ask the operator for it.'],
      ['limit_reached', 'A ticket takes 500 messages. Open a new one.']
    ],
    handle: ({ caller, owner, params: { id }, body: { text }, once }) =>
      desk.reply(owner, id, text, caller.user.name, once)
  }))
}
