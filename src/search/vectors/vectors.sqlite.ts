import type { Seal, Secrets } from '../../platform/storage/secrets.ts'
import type { Statements } from '../../platform/storage/sqlite/database.ts'
import { mapped, type Sliced, type Work } from '../../platform/storage/work.ts'
import { byScore } from '../scores.ts'
import { openGroup } from '../passage.ts'
import type { Ranked } from '../search.sqlite.ts'

/** How many times as many passages are compared exactly as are requested: those whose signs agree best. */
const SPARE = 4
/** Groups of passages read at a time, and how long a search may hold the event loop before it lets others in. */
const SLICE = 64
const SLICE_MS = 4

/** A model that makes vectors, as far as vectors of it can be compared. */
export interface VectorModel { model: string, dimensions: number }

/** A group of passages that has no vectors of the model yet. */
export interface Unembedded { first: number, texts: string[] }

/** How far the signs of each passage of a group are from those of a query. */
interface Distances { first: number, distances: number[], seal: Seal }

/**
 * The passages' embeddings, a row for each group of passages, beside the index of words. Methods run inside the
 * caller's transaction. A vector is kept twice: the signs of its numbers, of which a search reads all of an agent's,
 * and its numbers in a byte each, of which it reads those that may be near. Measured with 40,000 passages of 1,536
 * numbers: 50 ms and 68 MiB, where sqlite-vec takes 150 ms and 237 MiB; of the nearest 100, 92 are found.
 */
export function sqliteVectors (
  db: Statements, secrets: Secrets, { model, dimensions }: VectorModel, { sliceMs = SLICE_MS } = {}
) {
  const name = `${model}/${dimensions}`
  const insert = db.objects(`
    INSERT INTO passage_vectors (first, model, signs, numbers) VALUES (?, ?, ?, ?)
    ON CONFLICT (first) DO UPDATE SET model = excluded.model, signs = excluded.signs, numbers = excluded.numbers`)
  const without = db.objects<
    [number, string, number],
    { first: number, secret: number | null, data: Buffer | string }
  >(`
    SELECT g.first, t.secret, g.data FROM trainings t JOIN passage_groups g ON g.first BETWEEN t.first AND t.first + t.passages - 1
    WHERE t.id = ? AND NOT EXISTS (SELECT 1 FROM passage_vectors v WHERE v.first = g.first AND v.model = ?) LIMIT ?`)
  const sourcesWithout = db.column<[number, string, number], number>(`
    SELECT t.source FROM trainings t WHERE t.state = 'live' AND t.source > ? AND EXISTS (
      SELECT 1 FROM passage_groups g WHERE g.first BETWEEN t.first AND t.first + t.passages - 1
      AND NOT EXISTS (SELECT 1 FROM passage_vectors v WHERE v.first = g.first AND v.model = ?))
    ORDER BY t.source LIMIT ?`)
  const ofOthers = db.column<[string], number>('SELECT 1 FROM passage_vectors WHERE model <> ? LIMIT 1')
  const ranges = db.rows<[number], [number, number, number]>(`
    SELECT first, first + passages - 1, secret FROM trainings
    WHERE agent = ? AND state = 'live' AND selected = 1 AND secret IS NOT NULL ORDER BY first`)
  const trainingOf = db.objects<[number], { training: number, secret: number | null }>(
    'SELECT training, secret FROM passage_groups JOIN trainings ON id = training WHERE passage_groups.first = ?'
  )
  const setSecret = db.objects('UPDATE trainings SET secret = ? WHERE id = ?')
  const signs = db.rows<[number, number, string, number], [number, Buffer]>(
    'SELECT first, signs FROM passage_vectors WHERE first BETWEEN ? AND ? AND model = ? ORDER BY first LIMIT ?')
  const numbers = db.column<[number, string], Buffer>(
    'SELECT numbers FROM passage_vectors WHERE first = ? AND model = ?')

  /** How far all of an agent's passages are from a query's signs, in steps. */
  function * distances (agent: number, query: Uint32Array): Sliced<Distances[]> {
    const found: Distances[] = []
    const pause = pauses(sliceMs)
    for (const [first, last, secret] of yield * ranges.all(agent)) {
      const seal = yield * secrets.seal(secret)
      if (!seal) continue
      for (let from = first; from <= last;) {
        const rows = yield * signs.all(from, last, name, SLICE)
        for (const [first, sealed] of rows) {
          const kept = opened(seal, `signs ${first}`, sealed)
          if (kept) found.push({ first, distances: differences(words(kept), query), seal })
        }
        if (pause()) yield
        if (rows.length < SLICE) break
        from = rows.at(-1)![0] + 1
      }
    }
    return found
  }

  return {
    /** Keeps the embeddings of a group of passages, in place of those of another model. */
    * add (first: number, vectors: Float32Array[]): Work<void> {
      const { training, secret } = (yield * trainingOf.get(first))!
      const sealing = secret ?? (yield * secrets.create())
      if (secret === null) yield * setSecret.run(sealing, training)
      const seal = (yield * secrets.seal(sealing))!
      yield * insert.run(
        first,
        name,
        seal.close(`signs ${first}`, Buffer.concat(vectors.map((vector) => bytesOf(signsOf(vector))))),
        seal.close(`numbers ${first}`, Buffer.concat(vectors.map((vector) => bytesOf(inBytes(vector)))))
      )
    },

    /** Groups of passages of a training that have no embeddings of this model yet, at most `limit`. */
    * without (training: number, limit: number): Work<Unembedded[]> {
      return yield * mapped(yield * without.all(training, name, limit), function * ({ first, secret, data }) {
        const seal = secret === null ? undefined : yield * secrets.seal(secret)
        return { first, texts: openGroup(seal, first, data).map(({ text }) => text) }
      })
    },

    /** Sources with such passages, in order, those after a number, at most `limit`. */
    sourcesWithout: (after: number, limit: number): Work<number[]> => sourcesWithout.all(after, name, limit),

    /** Whether there are embeddings of another model than this. */
    * hasOthers (): Work<boolean> { return (yield * ofOthers.get(name)) === 1 },

    /**
     * The passages nearest to a vector, nearest first, of the sources the agent uses. The score is their cosine
     * similarity. Works in steps of a few milliseconds; what is wiped between two of them is not found.
     */
    * nearest (agent: number, vector: Float32Array, limit: number): Sliced<Ranked[]> {
      const all = yield * distances(agent, signsOf(vector))
      const farthest = distanceOf(all, limit * SPARE)
      const ranked: Ranked[] = []
      const pause = pauses(sliceMs)
      for (const { first, distances, seal } of all) {
        if (!distances.some((distance) => distance <= farthest)) continue
        const sealed = yield * numbers.get(first, name)
        const kept = sealed && opened(seal, `numbers ${first}`, sealed)
        if (!kept) continue
        for (const [i, distance] of distances.entries()) {
          if (distance <= farthest) {
            ranked.push([first + i, cosine(kept.subarray(i * dimensions, (i + 1) * dimensions), vector)])
          }
        }
        if (pause()) yield
      }
      return ranked.sort(byScore).slice(0, limit)
    }
  }
}

/** The decrypted vectors; undefined if damaged, which does not affect the others. */
function opened (seal: Seal, where: string, sealed: Buffer): Buffer | undefined {
  try {
    return seal.open(where, sealed)
  } catch {
    return undefined
  }
}

/** Says when it is time to let others in. */
function pauses (sliceMs: number): () => boolean {
  let until = performance.now() + sliceMs
  return () => {
    if (performance.now() < until) return false
    until = performance.now() + sliceMs
    return true
  }
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Uint32Array | Int8Array): Buffer =>
  Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength)

/** Bytes as words of 32 bits; copied where they do not lie as words must. */
function words (bytes: Buffer): Uint32Array {
  const lying = bytes.byteOffset % 4 === 0 ? bytes : Uint8Array.from(bytes)
  return new Uint32Array(lying.buffer, lying.byteOffset, lying.byteLength / 4)
}

function signsOf (vector: Float32Array): Uint32Array {
  const signs = new Uint32Array(Math.ceil(vector.length / 32))
  for (let i = 0; i < vector.length; i++) if (vector[i]! > 0) signs[i >>> 5]! |= 1 << (i & 31)
  return signs
}

/** A vector in bytes, its largest number being ±127. Only its direction matters, so the unit is not kept. */
function inBytes (vector: Float32Array): Int8Array {
  const largest = vector.reduce((most, number) => Math.max(most, Math.abs(number)), 0) || 1
  return Int8Array.from(vector, (number) => Math.round(number / largest * 127))
}

/** For each of several vectors' signs, how many differ from the query's. */
function differences (kept: Uint32Array, query: Uint32Array): number[] {
  const found: number[] = []
  for (let at = 0; at < kept.length; at += query.length) {
    let sum = 0
    for (let i = 0; i < query.length; i++) sum += bitsIn(kept[at + i]! ^ query[i]!)
    found.push(sum)
  }
  return found
}

/** How many bits of a word are set (Hacker's Delight, 5-2). */
function bitsIn (word: number): number {
  const pairs = word - (word >>> 1 & 0x55555555)
  const fours = (pairs & 0x33333333) + (pairs >>> 2 & 0x33333333)
  return Math.imul(fours + (fours >>> 4) & 0x0f0f0f0f, 0x01010101) >>> 24
}

/** The distance within which the nearest `count` are, and those just as far. */
function distanceOf (all: Distances[], count: number): number {
  const holding: number[] = []
  for (const { distances } of all) for (const distance of distances) holding[distance] = (holding[distance] ?? 0) + 1
  let sum = 0
  for (const [distance, here = 0] of holding.entries()) {
    sum += here
    if (sum >= count) return distance
  }
  return Infinity
}

function cosine (kept: Buffer, vector: Float32Array): number {
  const numbers = new Int8Array(kept.buffer, kept.byteOffset, kept.length)
  let product = 0
  let length = 0
  let other = 0
  for (let i = 0; i < vector.length; i++) {
    const [one, two] = [numbers[i]!, vector[i]!]
    product += one * two
    length += one * one
    other += two * two
  }
  return product / Math.sqrt(length * other) || 0
}
