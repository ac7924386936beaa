import type { Id } from '../../schema/common.ts'
import type { Fetched, FolderPatch, FolderRecord, KnowledgeSourceRecord, Progress, Stale } from '../../schema/knowledge.ts'
import type { Match, IdempotencyKey, IdempotentResult } from '../platform/storage/contract.ts'
import type { Work } from '../platform/storage/work.ts'
import type { DomainEvent } from '../platform/work/event-bus.ts'
import type { Job } from '../platform/work/jobs.ts'
import type { AgentWithSources, NewAgent } from '../agents/index.ts'
import type { Refusal } from '../platform/errors.ts'
import type {
  AccountRoom, BringingFeed, Brought, Child, FedSource, Moved, JobEvent, NewSource, SourceChange
} from './contract.ts'
import type { Keeps } from '../personal-data/contract.ts'

/**
 * Which sources of an agent a list holds. `parent`: the site whose pages, null: what is no page of one; `after`: only
 * those that were added after this one.
 */
export interface SourceFilter {
  status?: Progress, training_status?: Progress, folder?: Id, parent?: Id | null, after?: Id
}

/** The notifier's topic of all that happens to an agent's sources, and to the agent itself. */
export const topicOf = (agent: Id) => `agents/${agent}`

/** An event of a source, as watchers receive it. */
export interface KnowledgeEvent { id: number, data: string }

/**
 * Stores agents' knowledge. Every method is one transaction; an agent, source or folder that is missing, or somebody
 * else's, is `undefined`. Changes of text or selection keep the agent's byte count the exact sum over its selected
 * sources. Refuses with `training_limit_exceeded` above the agent's limit, with `storage_limit_exceeded` above the
 * account's, with `limit_reached` more than MOST_SOURCES; then nothing has changed.
 */
export interface KnowledgeStore {
  /**
   * Adds sources and asks for their training. Refuses an unknown folder with VALIDATION_ERROR. Announces what
   * else has happened with it, in the same transaction; what a listener throws undoes everything.
   */
  add (
    owner: Id, agent: Id, sources: NewSource[], once?: IdempotencyKey, domainEvents?: readonly DomainEvent[]
  ): Promise<IdempotentResult<KnowledgeSourceRecord[]> | undefined>
  /**
   * Creates an agent with its first sources, all or nothing: many in several transactions, and nobody sees it before
   * the last. `agent` as in AgentStore.create.
   */
  addAgent (
    owner: Id, agent: NewAgent | Refusal, sources: NewSource[], once?: IdempotencyKey
  ): Promise<IdempotentResult<AgentWithSources>>
  /** Inside the transaction that hides a new agent: its sources wait for `trainAll`. */
  postpone (owner: Id, agent: Id, sources: readonly Id[]): Work<void>
  /** Inside the transaction that shows agents: asks for the training of their sources, in slices. */
  trainAll (owner: Id, agents: readonly Id[]): Work<void>
  get (owner: Id, agent: Id, source: Id): Promise<KnowledgeSourceRecord | undefined>
  list (
    owner: Id, agent: Id, filter: SourceFilter, offset: number, limit: number
  ): Promise<{ items: KnowledgeSourceRecord[], total: number } | undefined>
  /**
   * Changes a source. `wanted`: the tags of If-Match; refuses with `precondition_failed` when they name another
   * version.
   */
  update (
    owner: Id, agent: Id, source: Id, change: SourceChange, wanted?: string[]
  ): Promise<KnowledgeSourceRecord | undefined>
  /**
   * Removes a source and its pages: unreadable and unfindable at once, overwritten soon after. `wanted` as for
   * `update`.
   */
  remove (owner: Id, agent: Id, source: Id, wanted?: string[]): Promise<boolean>
  /** How much of the text a source is being trained on is in the index by now, from 0 to 1. */
  progress (owner: Id, agent: Id, source: Id): Promise<number>
  /** Asks for training again. */
  retrain (
    owner: Id, agent: Id, source: Id, once?: IdempotencyKey
  ): Promise<IdempotentResult<KnowledgeSourceRecord> | undefined>
  /** Bytes of text that the agent uses and may have. */
  room (owner: Id, agent: Id): Promise<AccountRoom | undefined>
  /** Bytes that the account keeps in files and texts, over all its agents, and may keep. */
  storage (owner: Id): Promise<AccountRoom>
  /** How many of the agent's selected sources wait to be trained or are being trained. */
  training (owner: Id, agent: Id): Promise<number>
  /** The source whose file is at this path below the media address. */
  byFile (path: string): Promise<KnowledgeSourceRecord | undefined>

  folders (owner: Id, agent: Id): Promise<FolderRecord[] | undefined>
  /** The same with how many passages the sources of each have. */
  countedFolders (owner: Id, agent: Id): Promise<Array<FolderRecord & { no_of_passages: number }> | undefined>
  addFolder (
    owner: Id, agent: Id, name: string, parent: Id | undefined, once?: IdempotencyKey
  ): Promise<IdempotentResult<FolderRecord> | undefined>
  /**
   * Refuses to move the root folder, a folder into itself, and a name that is taken there, each with a separate code
   * (409); so does `addFolder`.
   */
  updateFolder (
    owner: Id, agent: Id, folder: Id, change: FolderPatch, match?: Match<FolderRecord>
  ): Promise<FolderRecord | undefined>
  /**
   * Removes a folder; what is in it moves to the folder it was in. Refuses the root folder, and what has a name that is
   * taken there.
   */
  removeFolder (owner: Id, agent: Id, folder: Id, match?: Match<FolderRecord>): Promise<boolean>

  /** What happened to the agent's sources after this event, oldest first, 100 at most. */
  events (owner: Id, agent: Id, after: number): Promise<KnowledgeEvent[] | undefined>
  /** The newest event's number, 0 when there is none. */
  lastEvent (owner: Id, agent: Id): Promise<number>
}

/**
 * The part of it that jobs work through. A job was made for one owner's source and identifies both; what a job found is
 * written only while somebody still wants it.
 */
export interface TrainingStore {
  /** The source a job is about, marked as being worked on; undefined when it is gone. */
  begin (job: Job): Promise<KnowledgeSourceRecord | undefined>
  /** The source a job is about. */
  sourceOf (job: Job): Promise<KnowledgeSourceRecord | undefined>
  /** Ends a job without any visible effect. */
  end (job: Job): Promise<void>
  /**
   * Writes the result of a job, with all that follows for the source (see life.ts), and ends the job unless it is
   * postponed. False if it is stale: then nothing is written, and the caller has to discard what was staged.
   */
  happened (job: Job, event: JobEvent): Promise<boolean>
  /** What is remembered of what a source leads to, for the next look to compare with. */
  visits (source: Id): Promise<Fetched>
  /**
   * Keeps one thing that the job's source leads to as a child of it, and asks for its training if it is new or has
   * changed. `removed`: a person took it away, and it stays away; `unwanted`: nobody wants it any more. A file that
   * came with it is then still the caller's to give up.
   */
  keepChild (job: Job, child: Child): Promise<'kept' | 'removed' | 'unwanted'>
}

/**
 * The part of it that feeds work through. Each of these runs inside the transaction of the feed's look, which knows
 * whether anybody still wants what it found.
 */
export interface FedSources {
  /** What a feed has made, oldest first. */
  items (feed: Id): Work<FedSource[]>
  /** Whether a person has removed this of a feed: it stays away. */
  isExcluded (feed: Id, key: string): Work<boolean>
  /**
   * Keeps something that a feed lists, and asks for its training. What is `excluded` a person has removed: its file is
   * still the caller's to give up. Refuses what does not fit as `add` does.
   */
  bring (feed: BringingFeed, item: Brought): Work<{ id: Id, isNew: boolean } | 'excluded'>
  /** Gives a source the name that it has in its place from now on; its text stays as it is trained. */
  move (feed: BringingFeed, moved: Moved): Work<'moved' | 'excluded'>
  /** Marks sources as unchanged at their origin. */
  checked (
    feed: Pick<BringingFeed, 'owner' | 'agent'>,
    found: ReadonlyArray<{ id: Id, changedAt: string | null, fetched?: Fetched }>
  ): Work<void>
  /** Marks sources as failed to check; after `most` consecutive failures they are unreachable. */
  missed (feed: Pick<BringingFeed, 'owner' | 'agent'>, sources: readonly Id[], most: number): Work<void>
  /** Marks sources as deleted at their origin, pending removal. */
  mark (sources: readonly Id[]): Work<void>
  /** Removes sources that were deleted at their origin. */
  gone (sources: readonly Id[]): Work<void>
  /** Marks which of an agent's sources may be out of date, and which contradict other figures. */
  judge (
    of: Pick<BringingFeed, 'owner' | 'agent'>,
    verdicts: ReadonlyArray<{ id: Id, stale: Stale | null, contradicts: Id | null }>
  ): Work<void>
  /** A feed ends: its sources stay as they are, or go with it. */
  release (feed: Pick<BringingFeed, 'id' | 'owner' | 'agent'>, becomes: 'kept' | 'removed'): Work<void>
}

/** What is deleted with an agent, a user or an account. */
export const sourcesKept: Keeps = {
  ofAgent: [
    {
      table: 'knowledge_sources',
      of: 'agent_id = ?',
      order: 'id desc',
      along: { tables: ['site_pages'], by: 'source_id', key: 'id' }
    },
    { table: 'knowledge_folders', of: 'agent_id = ?', order: 'id desc' },
    { table: 'knowledge_events', of: 'agent_id = ?' }
  ]
}
