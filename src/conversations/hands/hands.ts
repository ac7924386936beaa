import type { AgentRecord } from '../../../schema/agents.ts'
import type { Id } from '../../../schema/common.ts'
import type {
  ConversationEventType, ConversationRecord, MessageStatus, Outcome
} from '../../../schema/conversations.ts'
import { NEW_COURSE, type HandoffReason } from '../../../schema/handoff.ts'
import type { Happenings } from '../../platform/work/announcements.ts'
import type { JobRequest } from '../../platform/work/jobs.ts'
import type { Loaded } from '../store.ts'
import type { Address } from './address.ts'

/*
 * Who speaks in a conversation is decided elsewhere, in handoff/. Here is what it is told, and what it answers.
 */

/** An agent, as far as it matters to who speaks. */
export interface Speaker {
  id: Id
  status: 'Active' | 'Inactive'
  version: number
  /** As visitors know it. */
  name: string
  expertHandoff: boolean
  aiToAiHandoff: boolean
  agentHandoffPrompt: string
  /** Where its mail goes, which is no visitor's address. */
  contact: string | null
  /** Its tickets have somewhere to go. */
  hasTickets: boolean
}

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

/** What a model proposes beside its answer: `handoff`, `ticket`, `resolve`, or `transfer_7` to agent 7. */
export interface Proposal { action: string, reason: string }

/** How an answer ended. `hindered`: no model could answer, and why. */
export interface Ending {
  status: Exclude<MessageStatus, 'generating'>
  isUnknown: boolean
  isCited: boolean
  hindered: 'provider_down' | 'limit' | null
  proposal: Proposal | null
}

/**
 * What may change who speaks. `seq`: the visitor's message. `epoch`: the one that it was begun in. `waits`: since which
 * message the visitor waited.
 */
export type HandsEvent =
  | { type: 'said', seq: number, wantsPerson: boolean, isThanks: boolean, address?: Address | undefined }
  | { type: 'ended', epoch: number, ending: Ending }
  | { type: 'judged', score: 1 | -1 }
  | { type: 'asked', reason: HandoffReason }
  | { type: 'cancelled' }
  | { type: 'taken', person: Id, from: Id | null }
  | { type: 'replied', person: Id }
  | { type: 'released', person: Id }
  | { type: 'due', epoch: number, what: Due, waits: number }
  | { type: 'left' }
  | { type: 'closed', by: 'visitor' | 'person', isResolved: boolean }
  | { type: 'reopened' }

/** What time brings: nobody came, the person who speaks does not answer, nobody says anything any more. */
export type Due = 'overdue' | 'unanswered' | 'silent'

/** How an episode ended, for the figures. */
export interface EndedEpisode {
  episode: number
  began_at: string | null
  asked_at: string | null
  reason: HandoffReason | null
  taken_at: string | null
  ended_at: string
  outcome: Outcome
}

/** Work that a decision about a conversation asks for; its subject is the conversation. */
export type ConversationJob = Pick<JobRequest, 'kind' | 'payload' | 'inMs'>

/** What becomes of who speaks, all of it to be written in one transaction. */
export interface Move {
  change: Partial<ConversationRecord>
  /** What the visitor is told. There is one whenever somebody else speaks from now on. */
  notice: { text: string, suggestions: string[] } | null
  events: ConversationEventType[]
  /** What later features are told; the conversation as it becomes is added. */
  announces: Array<HandsHappening>
  jobs: ConversationJob[]
  /** The answer that is being written ends with what was seen of it. */
  stops: boolean
  /** The agent answers what the visitor said. */
  answers: boolean
  ended: EndedEpisode | null
  /** The visitor came back: the last episode's outcome is taken back. */
  takesBack: boolean
}

type OfHands = 'handoff.requested' | 'handoff.taken' | 'handoff.released' | 'handoff.transferred' | 'handoff.ticketed'
export type HandsHappening = {
  [Type in OfHands]: { type: Type, data: Omit<Happenings[Type], 'conversation'> }
}[OfHands]

declare module '../../platform/work/announcements.ts' {
  interface Happenings {
    /** A person is called, and the conversation waits for one. */
    'handoff.requested': { conversation: ConversationRecord, reason: HandoffReason }
    'handoff.taken': { conversation: ConversationRecord, person: Id }
    /** The agent answers again. */
    'handoff.released': { conversation: ConversationRecord }
    'handoff.transferred': { conversation: ConversationRecord, to: Id }
    /** Nobody was there, and a ticket is opened. */
    'handoff.ticketed': { conversation: ConversationRecord, reason: HandoffReason }
  }
}

/** Who decides. Called inside the transaction that writes what comes of it. */
export interface Hands {
  /**
   * What happens to who speaks; undefined where what happened counts no more. Refuses with a code (409) what cannot be
   * now.
   */
  decide (loaded: Loaded, event: HandsEvent): Move | undefined
  /** Whether a conversation was closed so long ago that a message begins another one. */
  isOver (conversation: ConversationRecord, at: string): boolean
}

/** How a conversation begins: its agent speaks. */
export const AT_FIRST = {
  status: 'open',
  handled_by: 'agent',
  person: null,
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
