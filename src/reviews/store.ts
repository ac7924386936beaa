import type { Id } from '../../schema/common.ts'
import type { Review, Verdict } from '../../schema/people/reviews.ts'
import type { Slice } from '../conversations/index.ts'

declare module '../platform/work/event-bus.ts' {
  interface DomainEvents {
    /** A reviewer judged an answer to be wrong or incomplete. */
    'answer.faulted': { answer: { conversation: string, seq: number }, verdict: Verdict }
  }
}

/** A review without question and answer, which are looked up. */
export type ReviewRow = Omit<Review, 'message' | 'question' | 'answer' | 'citations' | 'agent_version'>

/** Answers to review. What is missing, or another account's, is `undefined`. */
export interface ReviewStore {
  /** Those not reviewed yet, newest first. */
  list (owner: Id, filter: { agent?: Id }, cursor: string | undefined, limit: number): Promise<Slice<ReviewRow>>
  get (owner: Id, id: Id): Promise<ReviewRow | undefined>
  /** Stores a judgement, replacing an earlier one. */
  decide (owner: Id, id: Id, verdict: Verdict, person: Id): Promise<ReviewRow | undefined>
  /** Answers that cite a source which has changed since. */
  note (owner: Id, conversation: string, seqs: readonly number[]): Promise<void>
}
