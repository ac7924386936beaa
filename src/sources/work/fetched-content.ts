import type { Fetched } from '../../../schema/knowledge.ts'
import type { Task } from '../../reading/apart.ts'

/** Bytes to learn from, and how to read them. `size`: of the file or page. */
export interface FetchedContent {
  bytes: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array>
  task: Omit<Task & { kind: 'learn' }, 'kind'>
  size?: number
  fetched?: Fetched
}

/** What a source turned out to be: new bytes to learn from, nothing new, or a list of others. */
export type Got =
  FetchedContent | { unchanged: Fetched } |
  { keys: string[], title: string | null, fetched: Fetched, isPartial?: boolean }
