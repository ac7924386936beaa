import type { Ranked } from '../../src/search/search.sqlite.ts'
import { random } from './perturb.ts'

/** A way to rank all passages besides by words: the vector of a text decides what it is near to. */
export type Meaning = (text: string) => Float32Array

const DIMENSIONS = 1024

/** Meaningless vectors: a model that does not fit the texts. */
export function meaningless (): Meaning {
  const draw = random(1)
  return () => unit(Float32Array.from({ length: 64 }, () => draw() - 0.5))
}

/** Letter vectors: texts that share trigrams are near each other, which is a weak model. */
export const letters: Meaning = (text) => {
  const vector = new Float32Array(DIMENSIONS)
  const plain = text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ')
  for (let at = 0; at + 3 <= plain.length; at++) vector[hashOf(plain.slice(at, at + 3)) % DIMENSIONS]! += 1
  return unit(vector)
}

/** The passages nearest to a query, as the store ranks them. */
export function nearestTo (
  passages: Map<number, string>, meaning: Meaning, limit: number
): (query: string) => Ranked[] {
  const vectors = [...passages].map(([id, text]): [number, Float32Array] => [id, meaning(text)])
  return (query) => {
    const asked = meaning(query)
    return vectors
      .map(([id, vector]): Ranked => [id, vector.reduce((sum, one, i) => sum + one * asked[i]!, 0)])
      .sort(([, one], [, other]) => other - one)
      .slice(0, limit)
  }
}

function unit (vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector)
  return length === 0 ? vector : vector.map((one) => one / length)
}

function hashOf (text: string): number {
  let hash = 0
  for (const letter of text) hash = (Math.imul(hash, 31) + letter.codePointAt(0)!) >>> 0
  return hash
}
