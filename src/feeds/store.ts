import type { Id } from '../../schema/common.ts'
import type {
  Feed, FeedDraft, FeedLook, FeedPatch, FeedRecord, KnowledgeGaps, StaleSource
} from '../../schema/feeds.ts'
import type { Fetched } from '../../schema/knowledge.ts'
import type { Match, IdempotencyKey, IdempotentResult } from '../platform/storage/contract.ts'
import type { Job, JobRequest } from '../platform/work/jobs.ts'
import type { Brought, FedSource, Moved } from '../sources/index.ts'
import type { Fault, Gone, Need } from './rules.ts'

declare module '../platform/work/event-bus.ts' {
  interface DomainEvents {
    /** A look has found something new, changed or removed. */
    'knowledge.changed': { feed: Feed, sources: readonly Id[], questions_affected: readonly Id[] }
    /** A look has failed for a feed that was fine before. */
    'feed.broken': { feed: Feed }
    /** A week has ended in which an agent was asked what it did not know; `gaps`: the agent. */
    'knowledge.gaps': { gaps: Id }
  }
}

/**
 * Stores feeds. Every method is one transaction; an agent or a feed that is missing, or somebody else's, is
 * `undefined`.
 */
export interface FeedStore {
  /** Feeds of an agent, oldest first. */
  list (owner: Id, agent: Id): Promise<Feed[] | undefined>
  get (owner: Id, agent: Id, feed: Id): Promise<Feed | undefined>
  /**
   * Makes one and queues its first look. Refuses with VALIDATION_ERROR what does not go with its kind, with
   * `limit_reached` one too many.
   */
  add (owner: Id, agent: Id, draft: FeedDraft, once?: IdempotencyKey): Promise<IdempotentResult<Feed> | undefined>
  /** Refuses as `add` does, and to send a stored secret to a host that it was not entered for. */
  change (owner: Id, agent: Id, feed: Id, patch: FeedPatch, match?: Match<Feed>): Promise<Feed | undefined>
  /** Removes one; its sources become the agent's own, or are removed too. */
  remove (owner: Id, agent: Id, feed: Id, becomes: 'kept' | 'removed', match?: Match<Feed>): Promise<boolean>
  /** Queues a look now. Refuses with `conflict` if it is paused. */
  look (owner: Id, agent: Id, feed: Id): Promise<Feed | undefined>
  /** Approves pending removals; a look follows now. Refuses with `conflict` if none are pending. */
  approveRemoval (owner: Id, agent: Id, feed: Id): Promise<Feed | undefined>
}

/** A feed as a look finds it. */
export interface Begun {
  feed: FeedRecord
  /** Decrypts its secret. Refuses if that was sealed with a key that was given up. */
  opened (): string | null
  known: FedSource[]
  needs: Map<Id, Need>
}

/** How a look ended. */
export interface Ended {
  gone: Gone
  /** What was found unchanged. */
  checked: Array<{ id: Id, changedAt: string | null, fetched?: Fetched }>
  /** What could not be read. */
  missed: Id[]
  look: Omit<FeedLook, 'at' | 'gone' | 'found_at'>
  /** Sources that were made or have changed. */
  sources: Id[]
  cursor: string | null
  /** If a follow-up look is needed: milliseconds until then, and its input. */
  again: { inMs: number, payload: unknown } | null
  /** What prevented part of it, such as a limit. */
  fault: Fault | null
}

/** The part of it that looks use. A look's findings are written only while it is still wanted. */
export interface LookStore {
  /** The feed that a job is about, marked as being looked at; undefined if removed or paused. */
  begin (job: Job): Promise<Begun | undefined>
  /**
   * Stores one item as a source. `excluded`: a person removed it; `unwanted`: the look is obsolete. The caller must
   * then still discard its file.
   */
  keep (job: Job, item: Brought): Promise<{ id: Id, isNew: boolean } | 'excluded' | 'unwanted'>
  /** Renames a source to its new name at its place. */
  move (job: Job, moved: Moved): Promise<'moved' | 'excluded' | 'unwanted'>
  /** Writes how the look ended, with what follows, and queues the next. */
  ended (job: Job, outcome: Ended): Promise<void>
  /** Writes that the look failed. */
  failed (job: Job, fault: Fault): Promise<void>
  /** Folders that are watched: paths by feed. */
  folders (): Promise<Array<{ feed: Id, owner: Id, path: string }>>
  /** Queues a look now; false while one is running. */
  hint (owner: Id, feed: Id): Promise<boolean>
}

/** How fresh agents' sources are, and what they lack. */
export interface FreshnessStore {
  /** Agents after this one, in the order of their ids. */
  agentsAfter (after: Id, most: number): Promise<Array<{ id: Id, owner: Id }>>
  /** Sources that may not hold any more, oldest first, 500 at most. */
  stale (owner: Id, agent: Id): Promise<StaleSource[] | undefined>
  /** What was answered in the last seven days, and sources that were never cited. */
  week (owner: Id, agent: Id): Promise<
    Pick<KnowledgeGaps, 'answers' | 'unknown' | 'known_share' | 'known_share_before' | 'never_cited'> | undefined
  >
  /** Queues reports. */
  askReports (reports: readonly JobRequest[]): Promise<void>
  /** Publishes an agent's report. */
  tellGaps (owner: Id, agent: Id): Promise<void>
  /**
   * Judges this many of an agent's sources after this one; returns the last, undefined if there is none. `found`:
   * sources with figures that contradict a source, by its id.
   */
  judge (owner: Id, agent: Id, after: Id, most: number, found: ReadonlyMap<Id, Id>): Promise<Id | undefined>
}
