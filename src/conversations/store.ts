import type { Id } from '../../schema/common.ts'
import type { ConversationEventType, ConversationRecord, MessagePreview, MessageRecord } from '../../schema/conversations.ts'
import type { IdempotencyKey, IdempotentResult } from '../platform/storage/contract.ts'
import type { Work } from '../platform/storage/work.ts'
import type { DecisionInput } from './contract.ts'
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
  /** Whether they are snoozed. */
  snoozed?: boolean
  overdue?: boolean
  outcome?: string
  since?: string
  search?: string
}

/** A page of a list, newest first, and where the next one begins; null at the end. */
export interface Slice<T> { items: T[], next: string | null }

/** One event of a conversation; `message` in its current state, if it is about one. */
export interface ConversationEvent { seq: number, type: ConversationEventType, message: MessageRecord | null }

/**
 * One event of an account's conversations; the conversation and the message in their current state, null if deleted.
 */
export interface AccountEvent {
  seq: number
  type: ConversationEventType
  id: string
  conversation: ConversationRecord | null
  message: MessageRecord | null
}

/** Input of a decision beyond the conversation itself. */
export interface Wanted { clientId?: string | null, message?: string, attachments?: readonly string[] }

/**
 * Stores conversations. Every method is one transaction; for a missing conversation, or somebody else's, it returns
 * `undefined`. The agent's count of conversations is exact, and changes neither its version nor cached lists.
 */
export interface ConversationStore {
  /** Whether the owner has this agent. */
  hasAgent (owner: Id, agent: Id): Promise<boolean>
  /**
   * Creates a conversation; a retry with the same `once` gets the first one. Undefined if there is no such agent or
   * visitor.
   */
  create (
    owner: Id, conversation: ConversationRecord, once?: IdempotencyKey
  ): Promise<IdempotentResult<ConversationRecord> | undefined>
  /**
   * The id of the conversation that a client calls so; created from `conversation` if there is none. Undefined if there
   * is no such agent.
   */
  named (owner: Id, agent: Id, alias: string, conversation: ConversationRecord | undefined): Promise<string | undefined>
  get (owner: Id, id: string): Promise<ConversationRecord | undefined>
  list (
    owner: Id, filter: ConversationFilter, cursor: string | undefined, limit: number
  ): Promise<Slice<ConversationRecord>>
  /** Writes what `decide` makes of a conversation; if it throws, nothing is written; undefined changes nothing. */
  change<T extends Decision | undefined> (
    owner: Id, id: string, wanted: Wanted, decide: (loaded: DecisionInput) => Work<T>
  ): Promise<{ decision: T, loaded: DecisionInput } | undefined>
  /** Idempotent variant: a retry with the same `once` changes nothing and gets the first conversation. */
  changeIdempotently (
    owner: Id, id: string, once: IdempotencyKey | undefined, decide: (
      loaded: DecisionInput
    ) => Work<Decision | undefined>
  ): Promise<IdempotentResult<ConversationRecord> & { decision: Decision | undefined } | undefined>
  /** Deletes a conversation and all its messages, unless `check` throws. */
  remove (owner: Id, id: string, check: (conversation: ConversationRecord) => void): Promise<boolean>

  /** Messages in order; those after or before a seq, the nearest `limit`. */
  messages (
    owner: Id, id: string, range: { before?: number, after?: number }, limit: number
  ): Promise<MessageRecord[] | undefined>
  /** The last message of each of these, if any; missing conversations are left out. */
  previews (owner: Id, ids: readonly string[]): Promise<MessagePreview[]>
  message (owner: Id, id: string, message: string): Promise<MessageRecord | undefined>

  /** Events after this one, oldest first, 100 at most, and the number of the newest. */
  events (owner: Id, id: string, after: number): Promise<{ events: ConversationEvent[], last: number } | undefined>
  /**
   * Where a watcher who has seen everything starts: the agent, the number of the newest event, 0 if there is none, and
   * the successor of the conversation.
   */
  newest (owner: Id, id: string): Promise<{ agent: Id, event: number, successor: string | null } | undefined>
  /**
   * Whether this is the newest event, as far as known without reading the file; only for a conversation whose answer is
   * being written.
   */
  isNewest (owner: Id, id: string, event: number): boolean
  /** Events of all conversations of the owner after this one, oldest first, 100 at most. */
  happened (owner: Id, after: number): Promise<AccountEvent[]>
  /** The number of the newest of these, 0 if there is none. */
  lastHappened (owner: Id): Promise<number>
  /** Conversations of the owner waiting for a person, longest first. */
  queued (owner: Id): Promise<string[]>
  /** Those of them that are offered to nobody. */
  unoffered (owner: Id): Promise<string[]>
  /** Those held by, offered to or assigned to a user, except closed ones. */
  ofMember (owner: Id, user: Id): Promise<string[]>
  /** All tags of the owner's conversations, in alphabetical order; 1,000 at most. */
  tags (owner: Id): Promise<string[]>
  /** The successor of a conversation closed long ago: `conversation`, if there is none yet. */
  succeed (owner: Id, id: string, conversation: ConversationRecord): Promise<string | undefined>
  /** Answers that were unfinished when the process ended. */
  unfinished (): Promise<Array<{ owner: Id, conversation: string }>>
}

/** The topic for watchers of a conversation. */
export function topicOf (conversation: string): string {
  return `conversations/${conversation}`
}

/** The topic for watchers of all conversations of an account. */
export function inboxOf (owner: Id): string {
  return `accounts/${owner}/conversations`
}

/** What is deleted with an agent, a user or an account. */
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
