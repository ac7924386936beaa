import type { Standing } from '../platform/storage/sqlite/revisions.ts'
import type { AgentRecord } from '../../schema/agents.ts'
import type { Id } from '../../schema/common.ts'
import type { KnowledgeSourceRecord } from '../../schema/knowledge.ts'
import type { Refusal } from '../platform/errors.ts'
import type { Once, Outcome } from '../platform/storage/contract.ts'
import type { Work } from '../platform/storage/work.ts'
import type { VersionStore } from './versions/store.ts'
import type { VocabularyStore } from './vocabulary.sqlite.ts'
import type { Keeps } from '../personal-data/contract.ts'

/** What a new agent is, before the store gives it an id. */
export type NewAgent = Omit<
  AgentRecord,
  'id' | 'owner' | 'created_at' | 'updated_at' | 'conversations' |
  'total_training_usage_bytes' | 'revision' | 'version' |
  'live_version' | 'draft'
>

/**
 * An agent with what it knows, in order of id: SOURCES_AT_ONCE at most, or in a list LISTED_SOURCES; of one that was
 * just made all. `total` counts all.
 */
export interface AgentWithSources { agent: AgentRecord, sources: KnowledgeSourceRecord[], total: number }

/** Which agents of an owner a list holds. Types are compared in their snake_case form; `search` in folded case. */
export interface AgentFilter { status?: string, agent_type?: string, agent_category?: string, search?: string }

/** Sources that are read and written at one stretch: with texts of 1 KB each some 3 ms. */
export const SOURCES_AT_ONCE = 50

/** Where agents rest. Every method is one transaction; an agent that is missing, or somebody else's, is `undefined`. */
export interface AgentStore extends VocabularyStore, VersionStore {
  /**
   * Makes an agent with its root folder. A Refusal in its place is thrown, and `feature_unavailable` where the owner's
   * tier allows no more agents, unless `once` is a repeat: that is answered as it was the first time.
   */
  create (owner: Id, agent: NewAgent | Refusal, once?: Once): Promise<Outcome<AgentWithSources>>
  /** The agent as its draft is: what those see who change it. */
  get (owner: Id, id: Id): Promise<AgentWithSources | undefined>
  /** What an agent knows, in order of id: what comes after a source, SOURCES_AT_ONCE at most. */
  sources (owner: Id, id: Id, after: Id): Promise<KnowledgeSourceRecord[]>
  /** The agent as visitors are answered by it. */
  live (owner: Id, id: Id): Promise<AgentRecord | undefined>
  /** Up to `limit` agents that answer, as visitors are answered by them, in order of id. */
  active (owner: Id, limit: number): Promise<AgentRecord[]>
  /**
   * Replaces the agent's draft by what `change` makes of it, and publishes it where the agent wants that. What `change`
   * throws undoes the update; the same agent back changes nothing. `isKept`: nothing is published, whatever it wants.
   */
  update (
    owner: Id, id: Id, change: (agent: AgentRecord) => AgentRecord, options?: { isKept?: boolean }
  ): Promise<AgentWithSources | undefined>
  /**
   * Names a ticketing provider anew in all agents that name it, inside the transaction that renames it. Each is
   * changed by that, live and draft: whoever has read one before and writes it back with If-Match is told so.
   */
  renameProvider (owner: Id, from: string, to: string): Work<void>
  /**
   * Deletes the agent, unless `check` throws: nobody sees it or anything that belongs to it from then on, and a job
   * removes it in slices. False when it is not there.
   */
  delete (owner: Id, id: Id, check: (agent: AgentRecord) => void): Promise<boolean>
  /** Up to `limit` agents whose id is greater than `after`, in order of id. */
  slice (owner: Id, filter: AgentFilter, after: Id, limit: number): Promise<AgentWithSources[]>
  /** The agents from `offset` on, in order of id. */
  page (owner: Id, filter: AgentFilter, offset: number, limit: number): Promise<AgentWithSources[]>
  /** How many agents the filter lets through. */
  count (owner: Id, filter: AgentFilter): Promise<number>
  /** How many agents an owner has and how many bytes they are trained on. */
  usage (owner: Id): Promise<{ agents: number, training_bytes: number }>
  /** Whose agent it is: for the operator's command line, which names agents alone. */
  ownerOf (id: Id): Promise<Id | undefined>
  /** The number that moves with everything an owner's lists show; undefined when there is no such owner. */
  revision (owner: Id): Promise<number | undefined>
  /** The number that moves with the counts of conversations that an owner's lists show. */
  tally (owner: Id): Promise<number | undefined>
  /** Both, where they are remembered. At once: every request asks it. */
  standing (owner: Id): Standing | undefined
  /** How many conversations these agents have, in their order. */
  conversations (owner: Id, ids: readonly Id[]): Promise<number[]>
}

/** The kind of the job that removes everything of an agent that was deleted; its subject is the agent. */
export const REMOVE_AGENT = 'agents.remove'

/** The topic under which those are woken whose work ends with an agent: it was deleted. */
export function goneTopic (agent: Id): string {
  return `agents/${agent}/gone`
}

/** What goes with an agent, a user or an account. */
export const agentsKept: Keeps = {
  ofAgent: [{ table: 'agent_versions', of: 'agent_id = ?', order: 'number desc' }]
}
