import type { Arguments } from '../../schema/actions.ts'
import type { AgentRecord } from '../../schema/agents.ts'
import type { RecordedAnswer } from '../../schema/checks.ts'
import type { Id } from '../../schema/common.ts'
import type {
  Attachment, ConversationEventType, ConversationRecord, MessageRecord, MessageStatus, Outcome, Page
} from '../../schema/conversations.ts'
import type { GuardRule } from '../../schema/guards.ts'
import type { HandoffReason } from '../../schema/handoff.ts'
import type { Happenings } from '../platform/work/announcements.ts'
import type { JobRequest } from '../platform/work/jobs.ts'
import type { Address } from './hands/address.ts'

/*
 * Who speaks in a conversation is decided elsewhere, in handoff/. Here is what it is told, and what it answers.
 */

/** An agent, as far as it matters to who speaks. */
export interface Speaker {
  id: Id
  status: 'Active' | 'Inactive'
  /** The version that it answers as; null: of a draft, which has none. */
  version: number | null
  /** As visitors know it. */
  name: string
  expertHandoff: boolean
  aiToAiHandoff: boolean
  agentHandoffPrompt: string
  /** Where its mail goes, which is no visitor's address. */
  contact: string | null
  /** Its tickets have somewhere to go. */
  hasTickets: boolean
  /** What it does not answer itself, and what nobody is to read. */
  guardRules: readonly GuardRule[]
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
 * message the visitor waited. `assigned`: `by` somebody gives it `to` another one, where need be `from` who holds it.
 * `abandoned`: who held it is no member any more. `free`: somebody has a hand free. `passed`: who it was offered `to`
 * has not taken it. `relayed`: a person has written elsewhere. `late`: nobody replied `until` then.
 */
export type HandsEvent =
  | { type: 'said', seq: number, wantsPerson: boolean, isThanks: boolean, address?: Address | undefined }
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

type OfHands =
  | 'handoff.requested' | 'handoff.offered' | 'handoff.assigned' | 'handoff.taken' | 'handoff.released'
  | 'handoff.transferred' | 'handoff.ticketed' | 'handoff.overdue'
export type HandsHappening = {
  [Type in OfHands]: { type: Type, data: Omit<Happenings[Type], 'conversation'> }
}[OfHands]

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

/** What a decision about a conversation is told beside how it stands. */
export interface Loaded extends Standing {
  /** The agent that answers in it. */
  speaker: Speaker
  /** Another agent of the owner; asked only where a decision is made. */
  agent: (id: Id) => Speaker | undefined
  /** Whether an e-mail address of the visitor is known; asked only where a decision is made. */
  hasAddress: () => boolean
  /** The message that was sent under the same `client_id` before, if one was asked for. */
  repeated: MessageRecord | undefined
  /** The message asked for by id, if one was. */
  message: MessageRecord | undefined
  /** The files asked for by id that the conversation has. */
  attachments: Attachment[]
}

/** A conversation as it stands, and the messages that a decision looks at. */
export interface Standing {
  conversation: ConversationRecord
  /** The answer that is being written, if there is one. */
  generating: MessageRecord | undefined
}

/*
 * What is done in other systems is decided elsewhere, in actions/. Here is what it is told, and what it answers.
 */

/** An action as a model may choose it. The texts are the business's own; `parameters` is a JSON schema. */
export interface Offered {
  id: Id
  name: string
  /** As visitors are told while it is done. */
  title: string
  when: string
  parameters: { type: 'object' } & Record<string, unknown>
}

/** What is to be done for an answer. `given`: as a model chose it; nothing of it is believed. */
interface Act { action: Id, given: Record<string, unknown>, place: Place, language: string | null }

/**
 * What became of it: something that the answer tells (`text` may be a stranger's words), something that was wrong with
 * what was chosen, in our own words, or a fixed text with which somebody is asked to confirm it.
 */
export type Acted =
  | { type: 'told', title: string, text: string }
  | { type: 'wrong', title: string, text: string }
  | { type: 'asked', text: string }

/** Who does it. */
export interface Acting {
  /** What an agent may do now. */
  offered (agent: AgentRecord): Promise<Offered[]>
  act (owner: Id, act: Act): Promise<Acted>
  /** The same for a rehearsal: nothing is done, and what is chosen answers with what was recorded. */
  rehearsed (recorded: readonly RecordedAnswer[]): Rehearsal
}

/** Who does nothing, and remembers what was chosen and with which arguments. */
export type Rehearsal = Pick<Acting, 'offered' | 'act'> & {
  readonly chosen: ReadonlyArray<{ name: string, arguments: Arguments }>
}

/**
 * For which answer something is done: of one that is written anew for the first of them, so that it is not done twice.
 * `begunIn`: the epoch that it was begun in.
 */
export interface Place { conversation: string, message: string, begunIn: number }

/** What was said before: by whom, what, and whether it is still being written. */
export type Remark = Pick<MessageRecord, 'role' | 'text' | 'status'> & Partial<Pick<MessageRecord, 'guarded'>>

/** What a turn is about. */
export interface Turn {
  agent: AgentRecord
  /** What was said before the visitor's last messages, oldest first. */
  history: readonly Remark[]
  /** The visitor's messages that are to be answered, as one text. */
  message: string
  /** The language of the conversation so far. */
  language: string | null
  /** Nothing has been answered yet, nor shown that an AI answers: the answer says it first. */
  isFirst: boolean
  /** The page that the visitor is on; null or left out: not known. */
  page?: Page | null
  /** What came before the history, in one line; null where nothing did. */
  before?: string | null
  /** Other agents that the conversation may be passed on to. */
  peers?: readonly Peer[]
  /** Names of the rules that have decided about what is asked, when it was said. */
  decided?: readonly string[]
  /** The answer that it is; undefined where it is kept nowhere, and nothing can be done for it. */
  place?: Place
  /** It is nowhere kept, so nobody can be called to it. */
  isAside?: boolean
}

/** Another agent, as far as a model is told of it. */
export type Peer = Pick<AgentRecord, 'id' | 'name' | 'description'>
