import type { Id } from '../../schema/common.ts'
import type {
  Feed, FeedDraft, FeedLook, FeedPatch, FeedRecord, KnowledgeGaps, StaleSource
} from '../../schema/feeds.ts'
import type { Fetched } from '../../schema/knowledge.ts'
import type { Match, Once, Outcome } from '../platform/storage/contract.ts'
import type { Job, JobRequest } from '../platform/work/jobs.ts'
import type { Brought, FedSource, Moved } from '../sources/index.ts'
import type { Fault, Gone, Need } from './rules.ts'

declare module '../platform/work/announcements.ts' {
  interface Happenings {
    /** A look has found something new, changed or gone. */
    'knowledge.changed': { feed: Feed, sources: readonly Id[], questions_affected: readonly Id[] }
    /** A feed could not be looked at, and was well before. */
    'feed.broken': { feed: Feed }
    /** A week is over in which an agent was asked what it did not know; `gaps`: the agent. */
    'knowledge.gaps': { gaps: Id }
  }
}

/**
 * Where feeds rest. Every method is one transaction; an agent or a feed that is missing, or somebody else's, is
 * `undefined`.
 */
export interface FeedStore {
  /** Feeds of an agent, oldest first. */
  list (owner: Id, agent: Id): Promise<Feed[] | undefined>
  get (owner: Id, agent: Id, feed: Id): Promise<Feed | undefined>
  /**
   * Makes one and asks for its first look. Refuses with VALIDATION_ERROR what does not go with its kind, with
   * `limit_reached` one too many.
   */
  add (owner: Id, agent: Id, draft: FeedDraft, once?: Once): Promise<Outcome<Feed> | undefined>
  /** Refuses as `add` does, and to send a secret that is kept to a host that it was not entered for. */
  change (owner: Id, agent: Id, feed: Id, patch: FeedPatch, match?: Match<Feed>): Promise<Feed | undefined>
  /** Removes one; its sources stay as sources of the agent's own, or go with it. */
  remove (owner: Id, agent: Id, feed: Id, becomes: 'kept' | 'removed', match?: Match<Feed>): Promise<boolean>
  /** Asks for a look now. Refuses with `conflict` one that is paused. */
  look (owner: Id, agent: Id, feed: Id): Promise<Feed | undefined>
  /** Lets what is gone be removed by a look that follows now. Refuses with `conflict` where nothing waits for it. */
  approveRemoval (owner: Id, agent: Id, feed: Id): Promise<Feed | undefined>
}

/** A feed as a look finds it. */
export interface Begun {
  feed: FeedRecord
  /** Opens its secret. Refuses where that was sealed with a key that was given up. */
  opened (): string | null
  known: FedSource[]
  needs: Map<Id, Need>
}

/** How a look ended. */
export interface Ended {
  gone: Gone
  /** What was found to be as it was. */
  checked: Array<{ id: Id, changedAt: string | null, fetched?: Fetched }>
  /** What could not be read. */
  missed: Id[]
  look: Omit<FeedLook, 'at' | 'gone' | 'found_at'>
  /** Sources that were made or have changed. */
  sources: Id[]
  cursor: string | null
  /** When there is more to do at once: milliseconds until then, and what that look is told. */
  again: { inMs: number, payload: unknown } | null
  /** What stood against some of it, such as a limit. */
  fault: Fault | null
}

/** The part of it that looks work through. What a look found is written only while somebody still wants it. */
export interface LookStore {
  /** The feed that a job is about, marked as being looked at; undefined when it is gone or paused. */
  begin (job: Job): Promise<Begun | undefined>
  /**
   * Keeps one thing as a source. `excluded`: a person removed it; `unwanted`: nobody wants the look any more. Its file
   * is then still the caller's to give up.
   */
  keep (job: Job, item: Brought): Promise<{ id: Id, isNew: boolean } | 'excluded' | 'unwanted'>
  /** Gives a source the name that it has in its place from now on. */
  move (job: Job, moved: Moved): Promise<'moved' | 'excluded' | 'unwanted'>
  /** Writes how the look ended, with what follows, and asks for the next. */
  ended (job: Job, outcome: Ended): Promise<void>
  /** Writes that the feed could not be looked at. */
  failed (job: Job, fault: Fault): Promise<void>
  /** Folders that are watched: paths by feed. */
  folders (): Promise<Array<{ feed: Id, owner: Id, path: string }>>
  /** Asks for a look now; false while one is under way. */
  hint (owner: Id, feed: Id): Promise<boolean>
}

/** How fresh agents' sources are, and what they lack. */
export interface FreshnessStore {
  /** Agents after this one, in the order of their ids. */
  agentsAfter (after: Id, most: number): Promise<Array<{ id: Id, owner: Id }>>
  /** Sources that may not hold any more, oldest first, 500 at most. */
  stale (owner: Id, agent: Id): Promise<StaleSource[] | undefined>
  /** What was answered in the last seven days, and what knows nobody asks for. */
  week (owner: Id, agent: Id): Promise<
    Pick<KnowledgeGaps, 'answers' | 'unknown' | 'known_share' | 'known_share_before' | 'never_cited'> | undefined
  >
  /** Asks for reports to be told. */
  askReports (reports: readonly JobRequest[]): Promise<void>
  /** Tells that there is a report of an agent. */
  tellGaps (owner: Id, agent: Id): Promise<void>
  /**
   * Judges so many of an agent's sources after this one; the last of them, undefined where there is none. `found`: what
   * says other figures than a source, by its id.
   */
  judge (owner: Id, agent: Id, after: Id, most: number, found: ReadonlyMap<Id, Id>): Promise<Id | undefined>
}
