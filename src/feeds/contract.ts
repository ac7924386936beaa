import type { FeedConfig, FeedError } from '../../schema/feeds.ts'
import type { Fetched, Visit } from '../../schema/knowledge.ts'

/** One thing that a feed lists. */
export interface Item {
  /** What tells it from all others of the feed. */
  key: string
  title: string
  /** The address that a person opens; null where there is none. */
  url: string | null
  /** When, or as which version, it was last changed; null where the place does not say. */
  changedAt: string | null
  /** `changedAt` says when to look, and not whether anything has changed: pages lie about it. */
  isHint?: boolean
  /** What the content hashes to, where the list says so: it need not be read to be known as it was. */
  digest?: string
  /** The content, where the list holds it. */
  content?: Content
  /** Its key is its path, which changes when it is moved: where it is new, it may be what is gone elsewhere. */
  isPath?: boolean
  /** What reading it takes beside its key. */
  place?: unknown
}

/** What something says: bytes, and the name of a file that tells what they are. */
export interface Content { bytes: Uint8Array, name: string, title?: string }

/** What reading one thing comes to. `unsettled`: it is being written just now, and is looked at again soon. */
export type Read =
  | { content: Content }
  | { page: { bytes: Uint8Array | null, visit: Visit, fetched: Fetched } }
  | { failed: Pick<FeedError, 'code' | 'message'> }
  | 'unsettled'

/** How a list ended. */
export interface Listed {
  /** All of it was seen: what is not in it is gone. */
  isWhole: boolean
  /** Only what has changed since the cursor was listed; everything else is as it was. */
  isDelta?: boolean
  /** Where the next list begins; null: at its beginning. */
  cursor: string | null
}

/** What a look at a feed is told. */
export interface LookAt {
  config: FeedConfig
  secret: string | null
  cursor: string | null
  /** What is remembered of something, by its key. */
  visitOf (key: string): Visit | null
  signal: AbortSignal
}

/** Does our own part of a job, during which nobody else is waited for. */
export type Here = <T>(work: () => Promise<T>) => Promise<T>

/** How feeds of one kind are read. Throws FeedFault for what a person has to know. */
export interface FeedReader {
  /** What there is, some at a time, and how the list ended. Throws CursorExpired where the cursor is of no use. */
  list (look: LookAt): AsyncGenerator<Item[], Listed, undefined>
  /** What one thing says that the list did not hold. Throws only what ends the whole look. */
  read (item: Item, look: LookAt): Promise<Read>
}

/** Why feeds cannot be looked at. */
export type FaultCode =
  | 'denied' | 'not_found' | 'unavailable' | 'rate_limited' | 'unreadable' | 'too_large' | 'not_allowed' | 'not_configured'
