import type { Scores } from './scores.ts'

type Numbered = readonly [id: number, score: number, ...unknown[]]

/** The order of what is ranked, each an id and its score: the highest score first, equal ones by id. */
export function byScore ([a, one]: Numbered, [b, other]: Numbered): number {
  return other - one || a - b
}

/** A passage's id, its score, and the bits of the words it holds. */
export type Scored = [id: number, score: number, held: number]

/**
 * The highest scores, highest first, equal ones by id, without those in hidden ranges (from, to; in order, not touching
 * each other). Sorts only what may still be among them: a query may score tens of thousands of passages to show ten.
 */
export function best (scores: Scores, limit: number, hidden: [number, number][]): Scored[] {
  let kept: Scored[] = []
  let least = 0
  for (let place = 0; place < scores.size; place++) {
    const score = scores.sum(place)
    const id = scores.id(place)
    if (score < least || isWithin(hidden, id)) continue
    kept.push([id, score, scores.held(place)])
    if (kept.length < limit * 2 + 64) continue
    kept = kept.sort(byScore).slice(0, limit)
    least = kept.at(-1)?.[1] ?? Infinity
  }
  return kept.sort(byScore).slice(0, limit)
}

/** Whether an id is in one of these ranges (from, to), which come in order. */
export function isWithin (ranges: [number, number][], id: number): boolean {
  let [low, high] = [0, ranges.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (ranges[middle]![1] <= id) low = middle + 1
    else high = middle
  }
  return low < ranges.length && ranges[low]![0] <= id
}
