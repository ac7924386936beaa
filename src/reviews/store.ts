import type { Id } from '../../schema/common.ts'
import type { Review, Verdict } from '../../schema/people/reviews.ts'
import type { Slice } from '../conversations/index.ts'

declare module '../platform/work/announcements.ts' {
  interface Happenings {
    /** Somebody has said of an answer that it is wrong, or lacks something. */
    'answer.faulted': { answer: { conversation: string, seq: number }, verdict: Verdict }
  }
}

/** A review, without what was said, which is looked up. */
export type ReviewRow = Omit<Review, 'message' | 'question' | 'answer' | 'citations' | 'agent_version'>

/** Answers that somebody should look at. What is missing, or another account's, is `undefined`. */
export interface ReviewStore {
  /** Those that nobody has looked at, newest first. */
  list (owner: Id, filter: { agent?: Id }, cursor: string | undefined, limit: number): Promise<Slice<ReviewRow>>
  get (owner: Id, id: Id): Promise<ReviewRow | undefined>
  /** Somebody says what it is; said again, it takes the place of what was said. */
  decide (owner: Id, id: Id, verdict: Verdict, person: Id): Promise<ReviewRow | undefined>
  /** Answers that named a source which is another one now. */
  note (owner: Id, conversation: string, seqs: readonly number[]): Promise<void>
}
