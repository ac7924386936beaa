import type { Id } from '../../schema/common.ts'
import type { CandidateKind } from '../../schema/people/learning.ts'
import type { Once } from '../platform/storage/contract.ts'
import type { Noted, Times } from './group.ts'
import type { Keeps } from '../personal-data/contract.ts'

declare module '../platform/work/announcements.ts' {
  interface Happenings {
    /** A person had an agent learn what is suggested by these; refused as what is dismissed is. */
    'suggestion.approved': { candidates: readonly Id[] }
  }
}

/** Where something came up: `seq` is the answer that was none, or that a person gave. */
export interface Found { conversation: string, seq: number, kind: CandidateKind }

/** Something that came up; `group`: what it shares with those that ask the same. `at`: microseconds since 1970. */
export interface Candidate {
  id: Id
  group: Id
  kind: CandidateKind
  state: 'open' | 'approved' | 'dismissed'
  language: string | null
  at: number
}

/** Of one agent so many are kept, the newest: more than a person will look through. */
export const KEPT = 500

/** Where it rests what agents could learn. */
export interface LearningStore {
  /** Where this came up, while nothing is kept of its words; undefined where there is no such thing. */
  unread (owner: Id, id: Id): Promise<Found | undefined>
  /** Keeps what was asked, sealed with its conversation, and which others of its agent ask the same. */
  keep (owner: Id, id: Id, noted: Noted): Promise<void>
  /** What was asked and not known, of one agent or of all: the groups of those most often asked. */
  unknown (owner: Id, agent: Id | undefined, limit: number): Promise<Times[]>
  /** What an agent could learn or could have learnt, newest first. */
  candidates (owner: Id, agent: Id): Promise<Candidate[]>
  /** What is kept of some of them; of what is gone, nothing. */
  words (owner: Id, ids: readonly Id[]): Promise<Map<Id, Noted>>
  /**
   * Says that some of it is not wanted. Refuses with `not_found` what somebody has decided about meanwhile, and
   * nothing. A repeat of `once` is answered as the first time. What is learnt is announced, with the source made of it.
   */
  dismiss (owner: Id, ids: readonly Id[], once?: Once): Promise<{ replayed: boolean }>
}

/** What goes with an agent, a user or an account. */
export const learningKept: Keeps = {
  ofAgent: [{ table: 'candidates', of: 'agent_id = ?' }]
}
