import type { Arguments } from '../../schema/actions.ts'
import type { AgentRecord } from '../../schema/agents.ts'
import type { RecordedAnswer } from '../../schema/checks.ts'
import type { Id } from '../../schema/common.ts'
import type {
  Attachment, ConversationEventType, ConversationRecord, MessageRecord, MessageStatus, Outcome, Page
} from '../../schema/conversations.ts'
import type { GuardRule } from '../../schema/guards.ts'
import type { HandoffReason } from '../../schema/handoff.ts'
import type { DomainEvents } from '../platform/work/event-bus.ts'
import type { JobRequest } from '../platform/work/jobs.ts'
import type { Address } from './handoff/address.ts'

/*
 * Who speaks in a conversation is decided elsewhere, in handoff/. These are its input and output.
 */

/** An agent, as far as it matters to hand-off. */
export interface Speaker {
  id: Id
  status: 'Active' | 'Inactive'
  /** The version it answers as; null: a draft, which has none. */
  version: number | null
  /** As visitors know it. */
  name: string
  expertHandoff: boolean
  aiToAiHandoff: boolean
  agentHandoffPrompt: string
  /** Where its mail goes; not a visitor's address. */
  contact: string | null
  /** Its tickets have a destination. */
  hasTickets: boolean
  /** What it does not answer itself, and what nobody may read. */
  guardRules: readonly GuardRule[]
}

/** What a model proposes besides its answer: `handoff`, `ticket`, `resolve`, or `transfer_7` to agent 7. */
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
 * Events that may change who speaks. `seq`: the visitor's message. `epoch`: the one in which it began. `waits`: the
 * message since which the visitor waited. `assigned`: `by` somebody, `to` another one, if necessary `from` its holder.
 * `abandoned`: its holder is no longer a member. `free`: somebody has capacity. `passed`: its addressee `to`
 * has not taken it. `relayed`: a person has written elsewhere. `late`: no reply by `until`.
 */
export type HandoffEvent =
  | {
    type: 'said'
    seq: number
    wantsPerson: boolean
    isThanks: boolean
    address?: Address | undefined
    /** It seems to say an address that cannot be read. */
    isAddressUnclear?: boolean | undefined
  }
  | { type: 'ended', epoch: number, ending: Ending }
  | { type: 'judged', score: 1 | -1 }
  | { type: 'asked', reason: HandoffReason }
  | { type: 'cancelled' }
  | { type: 'taken', person: Id, from: Id | null }
  | { type: 'replied', person: Id }
  | { type: 'relayed' }
  | { type: 'released', person: Id }
  | { type: 'due', epoch: number, what: Due, waits: number }
  | { type: 'left' }
  | { type: 'assigned', by: Id, to: Id | null, from: Id | null }
  | { type: 'abandoned', person: Id }
  | { type: 'free' }
  | { type: 'passed', epoch: number, to: Id }
  | { type: 'snoozed', until: string | null }
  | { type: 'woken', until: string }
  | { type: 'late', until: string }
  | { type: 'closed', by: 'visitor' | 'person', isResolved: boolean }
  | { type: 'reopened' }

/** Timers: nobody came, the person who speaks does not answer, nobody says anything any more. */
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

/** Work requested by a decision about a conversation; its subject is the conversation. */
export type ConversationJob = Pick<JobRequest, 'kind' | 'payload' | 'inMs'>

/** A change of who speaks, written in one transaction. */
export interface Transition {
  change: Partial<ConversationRecord>
  /** The notice for the visitor. There is one whenever the speaker changes. */
  notice: { text: string, suggestions: string[] } | null
  events: ConversationEventType[]
  /** Events for later features; the conversation's new state is added. */
  announces: Array<HandoffDomainEvent>
  jobs: ConversationJob[]
  /** The answer being written ends with what was seen of it. */
  stops: boolean
  /** The agent answers what the visitor said. */
  answers: boolean
  ended: EndedEpisode | null
  /** The visitor came back: the last episode's outcome is taken back. */
  takesBack: boolean
}

type OfHands =
  | 'handoff.requested' | 'handoff.offered' | 'handoff.assigned' | 'handoff.taken' | 'handoff.released'
  | 'handoff.transferred' | 'handoff.ticketed' | 'handoff.overdue'
export type HandoffDomainEvent = {
  [Type in OfHands]: { type: Type, data: Omit<DomainEvents[Type], 'conversation'> }
}[OfHands]

/** Decides hand-offs. Called inside the transaction writing the result. */
export interface HandoffPolicy {
  /**
   * The transition for this event; undefined if the event is stale. Refuses with a code (409) if impossible now.
   */
  transition (loaded: DecisionInput, event: HandoffEvent): Transition | undefined
  /** Whether a conversation was closed so long ago that a message starts a new one. */
  isOver (conversation: ConversationRecord, at: string): boolean
}

/** Input of a decision beyond the conversation's state. */
export interface DecisionInput extends ConversationState {
  /** The agent that answers in it. */
  speaker: Speaker
  /** Another agent of the owner; called only on a decision. */
  agent: (id: Id) => Speaker | undefined
  /** Whether an e-mail address of the visitor is known; called only on a decision. */
  hasAddress: () => boolean
  /** The message sent earlier with the same `client_id`, if one was requested. */
  repeated: MessageRecord | undefined
  /** The message requested by id, if any. */
  message: MessageRecord | undefined
  /** The files requested by id that the conversation has. */
  attachments: Attachment[]
}

/** A conversation's state, and the messages that a decision needs. */
interface ConversationState {
  conversation: ConversationRecord
  /** The answer being written, if any. */
  generating: MessageRecord | undefined
}

/*
 * Actions in other systems are decided elsewhere, in actions/. These are their input and output.
 */

/** An action as a model may choose it. The texts are the business's own; `parameters` is a JSON schema. */
export interface Offered {
  id: Id
  name: string
  /** As shown to visitors while it runs. */
  title: string
  when: string
  parameters: { type: 'object' } & Record<string, unknown>
}

/** An action to take for an answer. `given`: the model's arguments; none of them is trusted. */
interface Act { action: Id, given: Record<string, unknown>, place: AnswerRef, language: string | null }

/**
 * Its result: something to tell in the answer (`text` may be a stranger's words), an error in what was chosen, in our
 * own words, or a fixed text asking somebody to confirm it.
 */
export type Acted =
  | { type: 'told', title: string, text: string }
  | { type: 'wrong', title: string, text: string }
  | { type: 'asked', text: string }

/** Does them. */
export interface Acting {
  /** An agent's actions now. */
  offered (agent: AgentRecord): Promise<Offered[]>
  act (owner: Id, act: Act): Promise<Acted>
  /** The same for a rehearsal: nothing is done, and choices get recorded responses. */
  rehearsed (recorded: readonly RecordedAnswer[]): Rehearsal
}

/** Carries out nothing, and records choices and their arguments. */
export type Rehearsal = Pick<Acting, 'offered' | 'act'> & {
  readonly chosen: ReadonlyArray<{ name: string, arguments: Arguments }>
}

/**
 * The answer an action is for: of a regenerated one the original, so that it is not done twice. `begunIn`: the epoch in
 * which it began.
 */
export interface AnswerRef { conversation: string, message: string, begunIn: number }

/** An earlier message: by whom, its text, and whether it is unfinished. */
export type HistoryMessage = Pick<MessageRecord, 'role' | 'text' | 'status'> & Partial<Pick<MessageRecord, 'guarded'>>

/** The input of a turn. */
export interface Turn {
  agent: AgentRecord
  /** The history before the visitor's last messages, oldest first. */
  history: readonly HistoryMessage[]
  /** The visitor's messages to answer, as one text. */
  message: string
  /** The language of the conversation so far. */
  language: string | null
  /** Nothing was answered yet, nor shown that an AI answers: the answer says so first. */
  isFirst: boolean
  /** It was passed on to people as a ticket. */
  isPassedOn?: boolean
  /** The page the visitor is on; null or left out: unknown. */
  page?: Page | null
  /** What came before the history, in one line; null if nothing. */
  before?: string | null
  /** Other agents that the conversation may be passed on to. */
  peers?: readonly Peer[]
  /** Names of rules that decided about the question when it was sent. */
  decided?: readonly string[]
  /** The answer's identity; undefined if it is not stored, and no action is possible. */
  place?: AnswerRef
  /** It is not stored, so nobody can be called to it. */
  isAside?: boolean
}

/** Another agent, as described to a model. */
export type Peer = Pick<AgentRecord, 'id' | 'name' | 'description'>
