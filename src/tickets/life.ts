import type { AgentRecord } from '../../schema/agents.ts'
import type { Id } from '../../schema/common.ts'
import type { ConversationRecord, MessageRecord, VisitorRecord } from '../../schema/conversations.ts'
import type {
  ConversationTicketDraft, Requester, Ticket, TicketMessage, TicketPatch, TicketRecord, TicketRole
} from '../../schema/tickets.ts'
import { Refusal, shortened } from '../platform/errors.ts'
import type { DomainEvent } from '../platform/work/event-bus.ts'
import type { JobRequest } from '../platform/work/jobs.ts'
import type { Dispatch } from '../platform/work/outbox.ts'

/*
 * The life of a ticket, as pure decisions: what it becomes when something happens, what is sent for that, and what is
 * announced.
 *
 * opened ──► pending ──► sent ──► open ◄──► closed      pending: on its way · sent: it arrived · open: somebody wrote
 * to it, or there is
 * └──────► failed ───┘                     nowhere to send it, so that it waits here · failed: it did not arrive
 */

declare module '../platform/work/event-bus.ts' {
  interface DomainEvents {
    'ticket.created': { ticket: TicketRecord }
    'ticket.updated': { ticket: TicketRecord }
  }
}

/** How tickets leave: by mail, or to a provider. */
export const MAIL = 'mail'
export const TICKET = 'ticket'
/** The failure of a ticket whose mail bounced. */
export const BOUNCED = 'bounced'
/** Why a ticket waits here: there was no route to send it. */
const NOT_SENT = 'not_sent'
/** The job kinds that answer a mail by the agent, and that show in the chat what could not be sent. */
export const ANSWER = 'ticket.answer'
export const SHOW = 'ticket.show'

/** A ticket and all its messages. */
export interface Kept { ticket: TicketRecord, messages: TicketMessage[] }

/** What follows: the new state of the ticket, the messages added, and what is sent, queued and published. */
export interface TicketDecision {
  ticket: TicketRecord
  said?: TicketMessage
  /** Held messages that are passed on now, by position. */
  released?: number[]
  /** Its id at its origin, so that it is taken in only once. */
  origin?: string
  /** Digest of the request that reported this; it takes effect only once. */
  request?: string
  dispatches: Dispatch[]
  jobs: Array<Omit<JobRequest, 'subject'>>
  domainEvents: DomainEvent[]
}

/** Where a ticket goes: a provider, an address, or nowhere but here. */
export type Way = { kind: 'provider', id: Id, name: string } | { kind: 'mail' } | { kind: 'none', why: string }

/** The sentence after the reason why a ticket waits here. */
const LEAVES = 'The ticket is sent once that is fixed.'
const SUBJECT = 200
const DESCRIPTION = 20_000
/** Maximum messages per ticket. */
export const MOST_MESSAGES = 500
/** Mails that a ticket passes on in 24 hours. Stops undetected auto-reply loops. */
export const MOST_PASSED_ON = 20

/** Where an agent's tickets go. `providers`: those of the account, by name; `hasMail`: mail can be sent. */
export function wayOf (
  { behavior, ticketing_providers: names, default_ticketing_provider: first }: AgentRecord,
  providers: ReadonlyMap<string, Id>,
  hasMail: boolean
): Way {
  const mail: Way =
    behavior.email && hasMail
      ? { kind: 'mail' }
      : {
          kind: 'none',
          why: behavior.email
            ? 'Mail is not set up on this server.'
            : 'The agent has no address for tickets.'
        }
  if (behavior.ticketType === 'email') return mail
  const name = [...(first === null ? [] : [first]), ...names].find((one) => providers.has(one))
  const id = name === undefined ? undefined : providers.get(name)
  if (name !== undefined && id !== undefined) return { kind: 'provider', id, name }
  return mail.kind === 'mail'
    ? mail
    : { kind: 'none', why: "None of the agent's ticketing providers is set up." }
}

/** The content of a new ticket. */
export interface Asked extends ConversationTicketDraft {
  agent: AgentRecord
  conversation?: ConversationRecord | undefined
  visitor?: VisitorRecord | undefined
  /** Its last messages. */
  said?: readonly MessageRecord[]
}

/** A new ticket. */
export function opened (
  { agent, conversation, visitor, said = [], requester, ...draft }: Asked,
  way: Way,
  { id, at }: { id: string, at: string }
): TicketDecision {
  const question = said.findLast(({ role }) => role === 'visitor')?.text ?? ''
  const ticket: TicketRecord = {
    id,
    owner: agent.owner,
    agent: agent.id,
    conversation: conversation?.id ?? null,
    requester: requesterOf(visitor, requester),
    subject: shortened(draft.subject ?? (conversation?.subject || 'Ticket'), SUBJECT),
    description: shortened(draft.description ?? question, DESCRIPTION),
    ...onItsWay(way),
    external_id: null,
    external_url: null,
    is_answered: false,
    created_at: at,
    updated_at: at
  }
  return { ticket, dispatches: opening(ticket, way), jobs: [], domainEvents: [announced('ticket.created', ticket)] }
}

/**
 * Sends a ticket that waits here, now that there is a route. Undefined if it does not wait, if a person already works
 * on it here, and if there still is no route.
 */
export function leaves ({ ticket, messages }: Kept, way: Way, at: string): TicketDecision | undefined {
  const isWaiting = ticket.status === 'open' && ticket.error?.code === NOT_SENT
  if (!isWaiting || way.kind === 'none' || messages.some(({ role }) => role === 'person')) return undefined
  const next: TicketRecord = { ...ticket, ...onItsWay(way), updated_at: at }
  return { ticket: next, dispatches: opening(next, way), jobs: [], domainEvents: [announced('ticket.updated', next)] }
}

/** A ticket's initial state for a route. */
function onItsWay (way: Way): Pick<TicketRecord, 'status' | 'channel' | 'provider' | 'error'> {
  return {
    status: way.kind === 'none' ? 'open' : 'pending',
    channel: way.kind === 'provider' ? way.name : 'email',
    provider: way.kind === 'provider' ? way.id : null,
    error: way.kind === 'none' ? { code: NOT_SENT, message: `${way.why} ${LEAVES}` } : null
  }
}

/** The outgoing message that opens a ticket elsewhere. */
function opening (ticket: TicketRecord, way: Way): Dispatch[] {
  return way.kind === 'none' ? [] : [dispatch(ticket, way.kind === 'mail' ? 'business' : 'provider', 0)]
}

/** A message to a ticket. `to`: whom it is passed on to, if anybody. */
export interface Said {
  role: TicketRole
  from: string | null
  text: string
  held: boolean
  origin?: string
  to: 'business' | 'requester' | 'provider' | null
}

/** Adds a message to a ticket, which is open from then on. Refuses with `limit_reached` one message too many. */
export function said ({ ticket, messages }: Kept, { to, origin, ...message }: Said, at: string): TicketDecision {
  if (messages.length >= MOST_MESSAGES) {
    throw new Refusal('limit_reached', `A ticket takes ${MOST_MESSAGES} messages. Open a new one.`)
  }
  const n = messages.length + 1
  const next: TicketRecord = {
    ...ticket,
    status: message.role === 'agent' || message.held ? ticket.status : 'open',
    updated_at: at,
    ...(message.role === 'agent' && { is_answered: true })
  }
  return {
    ticket: next,
    said: { n, ...message, created_at: at },
    ...(origin !== undefined && { origin }),
    dispatches: to === null ? [] : [dispatch(next, to, n)],
    jobs: [],
    domainEvents: [announced('ticket.updated', next)]
  }
}

/**
 * A ticket changed by hand, or by the system that has it. What a person answered before the address was known is sent
 * once it is.
 */
export function changed (
  { ticket, messages }: Kept, { requester, ...patch }: TicketPatch, at: string
): TicketDecision {
  const next: TicketRecord = {
    ...ticket,
    ...patch,
    ...(requester && {
      requester: { name: ticket.requester?.name ?? null, email: ticket.requester?.email ?? null, ...requester }
    }),
    updated_at: at
  }
  const isReached = isWithoutAddress(ticket) && !isWithoutAddress(next)
  const released = (isReached ? messages.filter(isUnsent).slice(-MOST_PASSED_ON) : []).map(({ n }) => n)
  const isOpen = released.length > 0 && patch.status === undefined && next.status !== 'closed'
  const current = isOpen ? { ...next, status: 'open' as const } : next
  return {
    ticket: current,
    released,
    dispatches: released.map((n) => dispatch(current, 'requester', n)),
    jobs: [],
    domainEvents: [announced('ticket.updated', current)]
  }
}

/** Answers to it go by mail, but the address is unknown. */
export function isWithoutAddress ({ provider, channel, requester }: TicketRecord): boolean {
  return provider === null && channel === 'email' && !requester?.email
}

/** Messages from the business that were sent to nobody. */
export function isUnsent ({ role, held }: TicketMessage): boolean {
  return role === 'person' && held
}

/**
 * The visitor has given an address for answers; a ticketing provider gets it as a comment. Undefined if the ticket has
 * another address than they gave `before`: that one was set by the business.
 */
export function addressed (
  kept: Kept, email: string, before: string | null, at: string
): TicketDecision | undefined {
  const { ticket, messages } = kept
  const known = ticket.requester?.email ?? null
  if (known === email || (known !== null && known !== before)) return undefined
  const decision = changed(kept, { requester: { email } }, at)
  if (ticket.provider === null || messages.length >= MOST_MESSAGES) return decision
  return said(
    { ...kept, ticket: decision.ticket },
    { role: 'visitor', from: email, text: email, held: false, to: 'provider' },
    at
  )
}

/**
 * The system that has a ticket reports its status. A request without news is remembered too: replayed later, by anybody
 * who has seen it, it would undo what was done since.
 */
export function told (
  kept: Kept, { status, request }: { status: 'open' | 'closed', request?: string }, at: string
): TicketDecision | undefined {
  const once = request !== undefined && { request }
  if (kept.ticket.status !== status) return { ...changed(kept, { status }, at), ...once }
  return once ? { ticket: kept.ticket, dispatches: [], jobs: [], domainEvents: [], ...once } : undefined
}

/**
 * What opens the ticket elsewhere (`n` 0), or a message of it, has arrived, or was given up. Undefined if that changes
 * nothing about the ticket: a delivered message clears only the failure of an earlier message, not a bounce.
 */
export function settled (
  ticket: TicketRecord,
  outcome: { state: 'sent' } | { state: 'dead', error: TicketRecord['error'] },
  n: number,
  at: string
): TicketDecision | undefined {
  const { status, error } = ticket
  const isFailed = status === 'failed' && error?.code !== BOUNCED
  if (n > 0 && outcome.state === 'sent' && !isFailed) return undefined
  const arrived = n > 0 ? 'open' as const : 'sent' as const
  const moved: Partial<TicketRecord> =
    outcome.state === 'sent'
      ? { error: null, ...((status === 'pending' || status === 'failed') && { status: arrived }) }
      : { error: outcome.error, status: 'failed' }
  const next = { ...ticket, ...moved, updated_at: at }
  return { ticket: next, dispatches: [], jobs: [], domainEvents: [announced('ticket.updated', next)] }
}

/** The type of the notice to a member of the business that their message is held: the address is unknown. */
export const HELD = 'ticket.held'

/**
 * What is sent about a ticket: the ticket itself (0), one of its messages, or the notice that this is held. Its name
 * makes it be sent once.
 */
export function dispatch (
  { id, owner, provider }: TicketRecord, to: 'business' | 'requester' | 'provider', n: number, type?: typeof HELD
): Dispatch {
  const payload = {
    type: type ?? (n === 0 ? 'ticket.create' : 'ticket.message'),
    to: to === 'provider' ? `ticketing_providers/${provider}` : to,
    ticket: id,
    n,
    side: to
  }
  return { owner, channel: to === 'provider' ? TICKET : MAIL, key: `${id}/${n}/${to}`, about: `tickets/${id}`, payload }
}

function announced (type: 'ticket.created' | 'ticket.updated', ticket: TicketRecord): DomainEvent {
  return { owner: ticket.owner, agent: ticket.agent, type, data: { ticket } }
}

function requesterOf (
  visitor: VisitorRecord | undefined, asked: ConversationTicketDraft['requester']
): Requester | null {
  const known = { name: asked?.name ?? visitor?.name ?? null, email: asked?.email ?? visitor?.email ?? null }
  return known.name === null && known.email === null ? null : known
}

/** A ticket as responses show it. */
export function shown ({
  ticket: { owner: _owner, provider: _provider, is_answered: _answered, ...ticket }, messages
}: Kept): Ticket {
  return { ...ticket, messages }
}
