import type { Id } from '../../schema/common.ts'
import type { CandidateKind } from '../../schema/people/learning.ts'
import type { IdempotencyKey } from '../platform/storage/contract.ts'
import type { Noted, Times } from './group.ts'
import type { Keeps } from '../personal-data/contract.ts'

declare module '../platform/work/event-bus.ts' {
  interface DomainEvents {
    /** A person had an agent learn what these suggest; refusals as for dismissing. */
    'suggestion.approved': { candidates: readonly Id[] }
  }
}

/** The place of a candidate: `seq` is the answer that knew nothing, or that a person gave. */
export interface Found { conversation: string, seq: number, kind: CandidateKind }

/** A candidate; `group`: shared with those that ask the same. `at`: microseconds since 1970. */
export interface Candidate {
  id: Id
  group: Id
  kind: CandidateKind
  state: 'open' | 'approved' | 'dismissed'
  language: string | null
  at: number
}

/** Maximum stored for an agent, the newest: more than a person will look through. */
export const MOST_LEARNABLE = 500

/** Stores what agents could learn. */
export interface LearningStore {
  /** The place of a candidate while its texts are not stored yet; undefined if there is no such candidate. */
  unread (owner: Id, id: Id): Promise<Found | undefined>
  /** Stores the question, sealed with its conversation, and the group of those of its agent that ask the same. */
  keep (owner: Id, id: Id, noted: Noted): Promise<void>
  /** Unanswered questions, of one agent or of all: the groups of those most often asked. */
  unknown (owner: Id, agent: Id | undefined, limit: number): Promise<Times[]>
  /** What an agent could learn or could have learnt, newest first. */
  candidates (owner: Id, agent: Id): Promise<Candidate[]>
  /** The stored texts of some of them; none of deleted ones. */
  words (owner: Id, ids: readonly Id[]): Promise<Map<Id, Noted>>
  /**
   * Marks candidates as dismissed or learnt. Refuses with `not_found`, changing nothing, if somebody decided about one
   * meanwhile. A repeat of `once` gets the first response. Learning is announced, with the source made of it.
   */
  dismiss (owner: Id, ids: readonly Id[], once?: IdempotencyKey): Promise<{ replayed: boolean }>
}

/** What is deleted with an agent, a user or an account. */
export const learningKept: Keeps = {
  ofAgent: [{ table: 'candidates', of: 'agent_id = ?' }]
}
