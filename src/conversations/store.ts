import type { Id } from '../../schema/common.ts'
import type { ConversationEventType, ConversationRecord, MessagePreview, MessageRecord } from '../../schema/conversations.ts'
import type { Once, Outcome } from '../platform/storage/contract.ts'
import type { Work } from '../platform/storage/work.ts'
import type { Loaded } from './contract.ts'
import type { Decision } from './life/decision.ts'
import type { Keeps } from '../personal-data/contract.ts'

/** Which conversations a list holds. `since`: those with a message at or after this time. */
export interface ConversationFilter {
  agent?: Id
  status?: string
  handled_by?: string
  visitor?: string
  person?: number
  assignee?: number
  priority?: string
  tag?: string
  /** Whether they are put off. */
  snoozed?: boolean
  overdue?: boolean
  outcome?: string
  since?: string
  search?: string
}

/** A part of a list, newest first, and where the next part begins; null at the end. */
export interface Slice<T> { items: T[], next: string | null }

/** One thing that happened in a conversation; `message` as it stands now, where it is about one. */
export interface ConversationEvent { seq: number, type: ConversationEventType, message: MessageRecord | null }

/**
 * One thing that happened in an account's conversations; the conversation and the message as they stand now, null where
 * they are gone.
 */
export interface AccountEvent {
  seq: number
  type: ConversationEventType
  id: string
  conversation: ConversationRecord | null
  message: MessageRecord | null
}

/** What of a conversation a decision looks at beside how it stands. */
export interface Wanted { clientId?: string | null, message?: string, attachments?: readonly string[] }

/**
 * Where conversations rest. Every method is one transaction; a conversation that is missing, or somebody else's, is
 * `undefined`. The agent's count of conversations is exact, and moves neither its version nor anybody's kept list.
 */
export interface ConversationStore {
  /** Whether the owner has this agent. */
  hasAgent (owner: Id, agent: Id): Promise<boolean>
  /**
   * Makes a conversation; a repeat of `once` is answered with the first one. Undefined when there is no such agent or
   * visitor.
   */
  create (owner: Id, conversation: ConversationRecord, once?: Once): Promise<Outcome<ConversationRecord> | undefined>
  /**
   * The id of the conversation that a client calls so; made from `conversation` where there is none. Undefined when
   * there is no such agent.
   */
  named (owner: Id, agent: Id, alias: string, conversation: ConversationRecord | undefined): Promise<string | undefined>
  get (owner: Id, id: string): Promise<ConversationRecord | undefined>
  list (
    owner: Id, filter: ConversationFilter, cursor: string | undefined, limit: number
  ): Promise<Slice<ConversationRecord>>
  /** Writes what `decide` makes of a conversation; what it throws undoes everything, undefined changes nothing. */
  change<T extends Decision | undefined> (
    owner: Id, id: string, wanted: Wanted, decide: (loaded: Loaded) => Work<T>
  ): Promise<{ decision: T, loaded: Loaded } | undefined>
  /** The same, where a repeat of `once` changes nothing and is answered with the conversation of the first time. */
  changeOnce (
    owner: Id, id: string, once: Once | undefined, decide: (loaded: Loaded) => Work<Decision | undefined>
  ): Promise<Outcome<ConversationRecord> & { decision: Decision | undefined } | undefined>
  /** Deletes a conversation and everything said in it, unless `check` throws. */
  remove (owner: Id, id: string, check: (conversation: ConversationRecord) => void): Promise<boolean>

  /** Messages in order; those after or before a seq, the nearest `limit` of them. */
  messages (
    owner: Id, id: string, range: { before?: number, after?: number }, limit: number
  ): Promise<MessageRecord[] | undefined>
  /** What was said last in these, where anything was; of those that are missing, nothing. */
  previews (owner: Id, ids: readonly string[]): Promise<MessagePreview[]>
  message (owner: Id, id: string, message: string): Promise<MessageRecord | undefined>

  /** What happened after this event, oldest first, 100 at most, and the number of the newest there is. */
  events (owner: Id, id: string, after: number): Promise<{ events: ConversationEvent[], last: number } | undefined>
  /**
   * Where somebody begins to watch who has seen everything: the agent, the number of the newest event, 0 when there is
   * none, and where the conversation goes on.
   */
  newest (owner: Id, id: string): Promise<{ agent: Id, event: number, successor: string | null } | undefined>
  /**
   * Whether this is the newest event, as far as is known without asking the file; only of a conversation in which an
   * answer is being written.
   */
  isNewest (owner: Id, id: string, event: number): boolean
  /** What happened in all conversations of the owner after this event, oldest first, 100 at most. */
  happened (owner: Id, after: number): Promise<AccountEvent[]>
  /** The number of the newest of these, 0 when there is none. */
  lastHappened (owner: Id): Promise<number>
  /** Conversations of the owner that wait for a person, the longest first. */
  queued (owner: Id): Promise<string[]>
  /** Those that somebody holds, is to take or is assigned to, but for what is closed. */
  ofMember (owner: Id, user: Id): Promise<string[]>
  /** All tags that conversations of the owner have, in alphabetical order; 1,000 at most. */
  tags (owner: Id): Promise<string[]>
  /** The conversation in which one that was closed long ago goes on: `conversation`, if there is none yet. */
  succeed (owner: Id, id: string, conversation: ConversationRecord): Promise<string | undefined>
  /** Answers that were being written when the process ended. */
  unfinished (): Promise<Array<{ owner: Id, conversation: string }>>
}

/** The topic under which watchers of a conversation are woken. */
export function topicOf (conversation: string): string {
  return `conversations/${conversation}`
}

/** The topic under which watchers of all conversations of an account are woken. */
export function inboxOf (owner: Id): string {
  return `accounts/${owner}/conversations`
}

/** What goes with an agent, a user or an account. */
export const conversationsKept: Keeps = {
  ofAgent: [
    {
      table: 'conversations',
      of: 'agent_id = ?',
      order: 'number desc',
      along: { tables: ['messages', 'attachments'], by: 'conversation', key: 'number' }
    },
    { table: 'visitors', of: 'agent_id = ?', order: 'number desc' }
  ],
  ofAccount: [{ table: 'model_runs', of: 'owner_id = ?' }, { table: 'model_days', of: 'owner_id = ?' }],
  named: ['conversations', 'visitors']
}
