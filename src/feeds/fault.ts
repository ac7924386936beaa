import type { FaultCode } from './contract.ts'

/**
 * A feed cannot be looked at. The message is a sentence for a person and holds no secret. `againInMs`: after how long
 * its place asks to retry.
 */
export class FeedFault extends Error {
  readonly code: FaultCode
  readonly againInMs: number | null

  constructor (code: FaultCode, message: string, againInMs: number | null = null) {
    super(message)
    this.name = 'FeedFault'
    this.code = code
    this.againInMs = againInMs
  }
}

/** The place no longer knows the cursor: the list is read from the start. */
export class CursorExpired extends Error {
  override readonly name = 'CursorExpired'
}
