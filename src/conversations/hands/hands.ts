import type { AgentRecord } from '../../../schema/agents.ts'
import type { Id } from '../../../schema/common.ts'
import type { ConversationRecord } from '../../../schema/conversations.ts'
import { NEW_COURSE, type HandoffReason } from '../../../schema/handoff.ts'

/** Where tickets about an agent's conversations go: to an address, or to a system of somebody else's. */
export interface TicketWays { ticketType: 'email' | 'thirdparty', email: string | null, hasProvider: boolean }

/** Whether tickets have somewhere to go. */
export function hasTickets ({ ticketType, email, hasProvider }: TicketWays): boolean {
  return ticketType === 'thirdparty' ? hasProvider : Boolean(email)
}

/** Whether a conversation with this agent can come to a person: one is called, or a ticket has somewhere to go. */
export function hasPerson ({ behavior, default_ticketing_provider: first, ticketing_providers: all }: AgentRecord) {
  return behavior.expertHandoff || hasTickets({ ...behavior, hasProvider: first !== null || all.length > 0 })
}

/** Whether a model may propose a person, a ticket or an end: there is a way to one, or its business speaks of it. */
export function mayPropose (agent: AgentRecord): boolean {
  return hasPerson(agent) || agent.behavior.escalationPrompt !== ''
}

/** Whether the agent's draft answers in a conversation: somebody tries it out before it is published. */
export const isOfDraft = ({ channel }: Pick<ConversationRecord, 'channel'>): boolean => channel === 'console'

declare module '../../platform/work/announcements.ts' {
  interface Happenings {
    /** A person is called, and the conversation waits for one. */
    'handoff.requested': { conversation: ConversationRecord, reason: HandoffReason }
    /** Somebody is asked to take it, before others are. */
    'handoff.offered': { conversation: ConversationRecord, to: Id }
    /** Somebody was given it by somebody else. */
    'handoff.assigned': { conversation: ConversationRecord, to: Id }
    'handoff.taken': { conversation: ConversationRecord, person: Id }
    /** The agent answers again. */
    'handoff.released': { conversation: ConversationRecord }
    'handoff.transferred': { conversation: ConversationRecord, to: Id }
    /** People should have replied by now. */
    'handoff.overdue': { conversation: ConversationRecord }
    /** Nobody was there, and a ticket is opened. */
    'handoff.ticketed': { conversation: ConversationRecord, reason: HandoffReason }
  }
}

/** How a conversation begins: its agent speaks. */
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
