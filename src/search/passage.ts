import type { Id } from '../../schema/common.ts'
import { damaged, type Seal } from '../platform/storage/secrets.ts'

/** A stretch of a document's text that is found and shown as one. */
export interface Passage {
  /** `textOf(document).slice(start, end)`. */
  text: string
  /** Its position in the document's text, in UTF-16 units. */
  start: number
  end: number
  heading: string | null
  page: number | null
  /** The table row it begins with, from 1, and the one it ends with; null outside of tables. */
  row: number | null
  lastRow: number | null
}

/** The parts of a passage stored for display. */
export type Kept = Omit<Passage, 'end'>

/** Neighbouring passages, sealed; `first` is the number of the first of them. */
export function sealGroup (seal: Seal, first: Id, passages: Kept[]): Buffer {
  return seal.close(`passages ${first}`, JSON.stringify(passages))
}

/**
 * The passages of a group, sealed or, as 0.3 kept them, open between blanks. Refuses with `internal_error` what is
 * damaged or was destroyed.
 */
export function openGroup (seal: Seal | undefined, first: Id, data: Buffer | string): Kept[] {
  if (typeof data === 'string') return JSON.parse(data) as Kept[]
  if (!seal) throw damaged()
  return JSON.parse(seal.open(`passages ${first}`, data).toString()) as Kept[]
}
