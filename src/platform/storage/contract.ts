/** A request that asked to be done only once. */
export interface Once {
  /** The route and the Idempotency-Key, digested. */
  slot: string
  /** What was asked, digested. */
  fingerprint: string
  /**
   * 32 bytes that seal the kept answer. They come from the Idempotency-Key, which is not stored, so that what is
   * deleted meanwhile cannot be read from here, and for a secret from what only the caller knows too.
   */
  seal: Buffer
}

/** What a verb did, or had done before. */
export interface Outcome<T> { answer: T, replayed: boolean }

/**
 * Asked inside the transaction that changes or removes a thing: throws `precondition_failed` where it is not, as it is
 * now, the one that is meant.
 */
export type Match<T> = (now: T) => void
