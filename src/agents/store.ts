import type { CallerGeneration } from '../platform/storage/sqlite/revisions.ts'
import type { AgentRecord } from '../../schema/agents.ts'
import type { Id } from '../../schema/common.ts'
import type { KnowledgeSourceRecord } from '../../schema/knowledge.ts'
import type { Refusal } from '../platform/errors.ts'
import type { IdempotencyKey, IdempotentResult } from '../platform/storage/contract.ts'
import type { Work } from '../platform/storage/work.ts'
import type { VersionStore } from './versions/store.ts'
import type { VocabularyStore } from './vocabulary.sqlite.ts'
import type { Keeps } from '../personal-data/contract.ts'

/** Input for a new agent, before the store assigns an id. */
export type NewAgent = Omit<
  AgentRecord,
  'id' | 'owner' | 'created_at' | 'updated_at' | 'conversations' |
  'total_training_usage_bytes' | 'revision' | 'version' |
  'live_version' | 'draft'
>

/**
 * An agent with its sources, in order of id: SOURCES_AT_ONCE at most, or in a list LISTED_SOURCES; all of a newly
 * created one. `total` counts all.
 */
export interface AgentWithSources { agent: AgentRecord, sources: KnowledgeSourceRecord[], total: number }

/** Filter for an owner's list of agents. Types are compared in their snake_case form; `search` in folded case. */
export interface AgentFilter { status?: string, agent_type?: string, agent_category?: string, search?: string }

/** Sources that are read and written in one go: with texts of 1 KB each some 3 ms. */
export const SOURCES_AT_ONCE = 50

/** Stores agents. Every method is one transaction; an agent that is missing, or somebody else's, is `undefined`. */
export interface AgentStore extends VocabularyStore, VersionStore {
  /**
   * Creates an agent with its root folder. A Refusal in its place is thrown, and `feature_unavailable` if the owner's
   * tier allows no more agents, unless `once` is a repeat: that gets the first response.
   */
  create (owner: Id, agent: NewAgent | Refusal, once?: IdempotencyKey): Promise<IdempotentResult<AgentWithSources>>
  /** The agent with its draft: what those see who change it. */
  get (owner: Id, id: Id): Promise<AgentWithSources | undefined>
  /** An agent's sources, in order of id: those after a given one, SOURCES_AT_ONCE at most. */
  sources (owner: Id, id: Id, after: Id): Promise<KnowledgeSourceRecord[]>
  /** The agent as used for answering visitors. */
  live (owner: Id, id: Id): Promise<AgentRecord | undefined>
  /** Up to `limit` active agents, as used for answering visitors, in order of id. */
  active (owner: Id, limit: number): Promise<AgentRecord[]>
  /**
   * Replaces the agent's draft by the result of `change`, and publishes it if the agent is set to. If `change` throws,
   * the update is rolled back; returning the same agent changes nothing. `isKept`: never publish, and return
   * none of its sources.
   */
  update (
    owner: Id, id: Id, change: (agent: AgentRecord) => AgentRecord, options?: { isKept?: boolean }
  ): Promise<AgentWithSources | undefined>
  /**
   * Renames a ticketing provider in all agents that name it, inside the transaction that renames it. Each is changed by
   * that, live and draft: writing back an earlier state with If-Match fails.
   */
  renameProvider (owner: Id, from: string, to: string): Work<void>
  /**
   * Deletes the agent, unless `check` throws: from then on nobody sees it or anything that belongs to it, and a job
   * removes it in slices. False when it does not exist.
   */
  delete (owner: Id, id: Id, check: (agent: AgentRecord) => void): Promise<boolean>
  /**
   * Hides a new agent from everybody inside the transaction that makes it, with a job that removes it: this process
   * claims that until `show`, or until it ends.
   */
  hide (owner: Id, id: Id): Work<void>
  /**
   * Shows hidden ones inside a transaction. Throws `feature_unavailable` if the owner's tier allows no more agents, and
   * `unavailable` if another process has begun to remove one.
   */
  show (owner: Id, ids: readonly Id[]): Work<void>
  /** Has hidden ones removed. */
  giveUp (owner: Id, ids: readonly Id[]): void
  /** Up to `limit` agents whose id is greater than `after`, in order of id. */
  slice (owner: Id, filter: AgentFilter, after: Id, limit: number): Promise<AgentWithSources[]>
  /** The agents from `offset` on, in order of id. */
  page (owner: Id, filter: AgentFilter, offset: number, limit: number): Promise<AgentWithSources[]>
  /** How many agents the filter lets through. */
  count (owner: Id, filter: AgentFilter): Promise<number>
  /** The number of agents of an owner, and the bytes they are trained on. */
  usage (owner: Id): Promise<{ agents: number, training_bytes: number }>
  /** The owner of an agent: for the operator's command line, which names agents alone. */
  ownerOf (id: Id): Promise<Id | undefined>
  /** The revision of everything an owner's lists show; undefined when there is no such owner. */
  revision (owner: Id): Promise<number | undefined>
  /** The revision of the conversation counts that an owner's lists show. */
  tally (owner: Id): Promise<number | undefined>
  /** Both, if in memory. Synchronous: every request needs it. */
  standing (owner: Id): CallerGeneration | undefined
  /** The number of conversations of these agents, in their order. */
  conversations (owner: Id, ids: readonly Id[]): Promise<number[]>
}

/** The kind of the job that removes everything of a deleted agent; its subject is the agent. */
export const REMOVE_AGENT = 'agents.remove'

/** The topic that wakes those whose work ends when an agent is deleted. */
export function goneTopic (agent: Id): string {
  return `agents/${agent}/gone`
}

/** What is deleted with an agent, a user or an account. */
export const agentsKept: Keeps = {
  ofAgent: [{ table: 'agent_versions', of: 'agent_id = ?', order: 'number desc' }]
}
