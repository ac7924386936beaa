import type { AgentRecord } from '../../../schema/agents.ts'
import type { Id } from '../../../schema/common.ts'
import type { ConversationRecord } from '../../../schema/conversations.ts'
import { NEW_COURSE, type HandoffReason } from '../../../schema/handoff.ts'

/** The destination of tickets about an agent's conversations: an address, or somebody else's system. */
export interface TicketWays { ticketType: 'email' | 'thirdparty', email: string | null, hasProvider: boolean }

/** Whether tickets have a destination. */
export function hasTickets ({ ticketType, email, hasProvider }: TicketWays): boolean {
  return ticketType === 'thirdparty' ? hasProvider : Boolean(email)
}

/** Whether a conversation with this agent can reach a person: one is called, or a ticket has a destination. */
export function hasPerson ({ behavior, default_ticketing_provider: first, ticketing_providers: all }: AgentRecord) {
  return behavior.expertHandoff || hasTickets({ ...behavior, hasProvider: first !== null || all.length > 0 })
}

/** Whether a model may propose a person, a ticket or an end: one can be reached, or its business mentions it. */
export function mayPropose (agent: AgentRecord): boolean {
  return hasPerson(agent) || agent.behavior.escalationPrompt !== ''
}

/** Whether the agent's draft answers in a conversation: a trial before publication. */
export const isOfDraft = ({ channel }: Pick<ConversationRecord, 'channel'>): boolean => channel === 'console'

declare module '../../platform/work/event-bus.ts' {
  interface DomainEvents {
    /** A person is called, and the conversation waits for one. */
    'handoff.requested': { conversation: ConversationRecord, reason: HandoffReason }
    /** Somebody is offered it before others. */
    'handoff.offered': { conversation: ConversationRecord, to: Id }
    /** It was assigned by somebody else. */
    'handoff.assigned': { conversation: ConversationRecord, to: Id }
    'handoff.taken': { conversation: ConversationRecord, person: Id }
    /** The agent speaks again. */
    'handoff.released': { conversation: ConversationRecord }
    'handoff.transferred': { conversation: ConversationRecord, to: Id }
    /** A reply by people is overdue. */
    'handoff.overdue': { conversation: ConversationRecord }
    /** Nobody was there, and a ticket is opened. */
    'handoff.ticketed': { conversation: ConversationRecord, reason: HandoffReason }
  }
}

/** How conversations start: the agent speaks. */
export const AT_FIRST = {
  status: 'open',
  handled_by: 'agent',
  person: null,
  assignee: null,
  offered_to: null,
  offered_until: null,
  priority: null,
  tags: [],
  snoozed_until: null,
  reply_due_for: null,
  reply_due_at: null,
  overdue_at: null,
  speaker: null,
  reason: null,
  episode: 1,
  epoch: 0,
  outcome: null,
  closed_at: null,
  reopened_at: null,
  successor: null,
  course: NEW_COURSE
} as const satisfies Partial<ConversationRecord>
