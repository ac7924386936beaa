import type { Ranked } from '../search.sqlite.ts'

/** How slowly the worth of a place falls, as Cormack, Clarke and Büttcher found it best. */
const K = 60

/**
 * Reciprocal rank fusion: one order of several, by places alone, since scores of words and of vectors cannot be
 * compared.
 */
export function fuse (lists: Ranked[][]): Ranked[] {
  const sums = new Map<number, number>()
  for (const list of lists) {
    for (const [place, [id]] of list.entries()) sums.set(id, (sums.get(id) ?? 0) + 1 / (K + place + 1))
  }
  return [...sums].sort(([a, one], [b, other]) => other - one || a - b)
}
