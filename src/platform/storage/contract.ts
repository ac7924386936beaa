/** A request with an Idempotency-Key. */
export interface IdempotencyKey {
  /** Digest of the route and the Idempotency-Key. */
  slot: string
  /** Digest of the request. */
  fingerprint: string
  /**
   * 32 bytes that seal the stored answer. They come from the Idempotency-Key, which is not stored, so that what is
   * deleted meanwhile cannot be read from here, and for a secret also from what only the caller knows.
   */
  seal: Buffer
}

/** The result of an action, now or at the first request. */
export interface IdempotentResult<T> { answer: T, replayed: boolean }

/**
 * Called inside the transaction that changes or removes a thing: throws `precondition_failed` if its current state is
 * not the one that is meant.
 */
export type Match<T> = (now: T) => void
