import type { FeedConfig, FeedError } from '../../schema/feeds.ts'
import type { Fetched, Visit } from '../../schema/knowledge.ts'

/** An item that a feed lists. */
export interface Item {
  /** Its key, unique within the feed. */
  key: string
  title: string
  /** The address for people to open; null if there is none. */
  url: string | null
  /** When it was last changed, or its version; null if the place does not say. */
  changedAt: string | null
  /** `changedAt` is only a hint to look, not proof of a change: pages lie about it. */
  isHint?: boolean
  /** Hash of the content, if listed: tells without reading that it is unchanged. */
  digest?: string
  /** The content, if the list includes it. */
  content?: Content
  /** Its key is its path, which changes when it is moved: a new item may be one that is missing elsewhere. */
  isPath?: boolean
  /** What is needed to read it besides its key. */
  place?: unknown
}

/** An item's content: bytes, and a file name that tells their format. */
export interface Content { bytes: Uint8Array, name: string, title?: string }

/** The result of reading one item. `unsettled`: it is being written right now, and is checked again soon. */
export type Read =
  | { content: Content }
  | { page: { bytes: Uint8Array | null, visit: Visit, fetched: Fetched } }
  | { failed: Pick<FeedError, 'code' | 'message'> }
  | 'unsettled'

/** How a list ended. */
export interface Listed {
  /** The list was complete: what is not in it was removed. */
  isWhole: boolean
  /** Only what has changed since the cursor was listed; everything else is as it was. */
  isDelta?: boolean
  /** Where the next list begins; null: at the start. */
  cursor: string | null
}

/** Input of a look at a feed. */
export interface LookAt {
  config: FeedConfig
  secret: string | null
  cursor: string | null
  /** What is stored about an item, by its key. */
  visitOf (key: string): Visit | null
  signal: AbortSignal
}

/** Runs the CPU-bound part of a job, which waits for nobody else. */
export type Here = <T>(work: () => Promise<T>) => Promise<T>

/** Reads feeds of one kind. Throws FeedFault for what a person has to know. */
export interface FeedReader {
  /** All items, in batches, and how the list ended. Throws CursorExpired if the cursor is no longer valid. */
  list (look: LookAt): AsyncGenerator<Item[], Listed, undefined>
  /** The content of an item, if the list did not include it. Throws only what ends the whole look. */
  read (item: Item, look: LookAt): Promise<Read>
}

/** Why feeds cannot be looked at. */
export type FaultCode =
  | 'denied' | 'not_found' | 'unavailable' | 'rate_limited' | 'unreadable' | 'too_large' | 'not_allowed' | 'not_configured'
