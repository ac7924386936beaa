import type { Id } from '../../schema/common.ts'
import type { CandidateKind } from '../../schema/people/learning.ts'
import type { Once } from '../platform/storage/contract.ts'

declare module '../platform/work/announcements.ts' {
  interface Happenings {
    /** A person had an agent learn what is suggested by these; refused as what is dismissed is. */
    'suggestion.approved': { candidates: readonly Id[] }
  }
}

/** Where something came up; its words are in the conversation. `at`: microseconds since 1970. */
export interface Found {
  id: Id, conversation: string, seq: number, kind: CandidateKind, state: 'open' | 'approved' | 'dismissed', at: number
}

/** Of one agent so many are kept, the newest: more than a person will look through. */
export const KEPT = 500

/** Where it rests what agents could learn. */
export interface LearningStore {
  /** What came up, newest first: with one agent or with all; of one kind or of all. */
  found (owner: Id, wanted: { agent?: Id | undefined, kind?: CandidateKind }, limit: number): Promise<Found[]>
  /**
   * Says that some of it is not wanted. Refuses with `not_found` what somebody has decided about meanwhile, and
   * nothing. A repeat of `once` is answered as the first time. What is learnt is announced, with the source made of it.
   */
  dismiss (owner: Id, ids: readonly Id[], once?: Once): Promise<{ replayed: boolean }>
}
