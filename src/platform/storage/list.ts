import type { Database } from './sqlite/database.ts'

/** Weight at which a part of a list is full. */
const HEAVY = 1000

/** Lists of values for statements that take a fixed number of them at once, in `column in (…)`. */
export interface List {
  /** Question marks for a full part, so that one statement serves lists of any length. */
  marks: string
  /** A value for each of them: unused ones repeat the first. */
  values<T> (some: readonly T[]): T[]
  /**
   * Splits a list into parts for such a statement. `weigh`: the cost of each value; heavy ones come in smaller parts.
   */
  parts<T> (list: Iterable<T>, weigh?: (one: T) => number): Iterable<T[]>
}

/** See List. */
export function listOf ({ portion: { rows } }: Pick<Database, 'portion'>): List {
  return {
    marks: Array(rows).fill('?').join(', '),
    values: (some) => Array.from({ length: rows }, (_, at) => some[at < some.length ? at : 0]!),
    * parts<T> (list: Iterable<T>, weigh: (one: T) => number = () => 0) {
      let part: T[] = []
      let weight = 0
      for (const one of list) {
        part.push(one)
        weight += weigh(one)
        if (part.length < rows && weight < HEAVY) continue
        yield part
        part = []
        weight = 0
      }
      if (part.length > 0) yield part
    }
  }
}
