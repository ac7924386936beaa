import type { Work } from '../../platform/storage/work.ts'

/** The terms of a word in the index, one for each weight that it has in some passage, and how many hold it. */
export type Terms = [term: number, passages: number][]

/** How many passages hold these terms. */
export function holdersOf (terms: Terms): number {
  return terms.reduce((sum, [, passages]) => sum + passages, 0)
}

/** The postings of words in an agent's passages, hidden ones included. Valid for one question. */
export interface Postings {
  /** The terms of a word, given by its key. */
  terms (key: string): Work<Terms>
  /** The passages that hold a term, in order, `most` at most. */
  holders (term: number, most: number): Work<number[]>
}
