import type { Database } from 'better-sqlite3'
import { loadVectorsBy } from '../platform/process/assets.ts'
import type { Ranked } from './search.sqlite.ts'

/** Vectors stored together per agent: small enough that a small agent wastes little, large enough to be read quickly. */
const CHUNK = 256
/** The most neighbours that sqlite-vec looks for. */
const MOST = 4096

/**
 * Lets SQLite search vectors. The entry point of sqlite-vec is named, since SQLite would otherwise guess it from the name of the file, and the
 * executable unpacks it under another name.
 */
export function loadVectors (db: Database): void {
  // The types of better-sqlite3 lack the second argument that it takes.
  const load: (file: string, entryPoint: string) => void = db.loadExtension.bind(db)
  loadVectorsBy((file) => load(file, 'sqlite3_vec_init'))
}

/**
 * The passages' embeddings, of so many dimensions, each agent's apart. Like the index of words: methods run inside the caller's transaction. `loadVectors`
 * comes before. Vectors of another dimension, from another model, are dropped: they cannot be compared, and their passages are to be embedded anew.
 */
export function sqliteVectors (db: Database, dimensions: number) {
  const declared = db.prepare<[], string>("SELECT sql FROM sqlite_schema WHERE name = 'passage_vectors'").pluck().get()
  if (declared !== undefined && !declared.includes(`float[${dimensions}]`)) db.exec('DROP TABLE passage_vectors')
  db.exec(`CREATE VIRTUAL TABLE IF NOT EXISTS passage_vectors USING vec0(
    agent integer partition key, embedding float[${dimensions}] distance_metric=cosine, chunk_size=${CHUNK})`)
  const insert = db.prepare('INSERT INTO passage_vectors (rowid, agent, embedding) VALUES (?, ?, ?)')
  const drop = db.prepare('DELETE FROM passage_vectors WHERE rowid = ?')
  const nearest = db.prepare<[Float32Array, bigint, number], [number, number]>(
    'SELECT rowid, distance FROM passage_vectors WHERE embedding MATCH ? AND agent = ? AND k = ?').raw()
  const isUsed = db.prepare<[number, number]>(`
    SELECT 1 FROM passage_groups g JOIN trainings t ON t.id = g.training
    WHERE g.first = (SELECT max(first) FROM passage_groups WHERE first <= ?) AND t.agent = ? AND t.state = 'live' AND t.selected = 1`)
  const without = db.prepare<[number, number], { id: number, text: string }>(`
    SELECT g.first + p.key AS id, p.value ->> 'text' AS text FROM trainings t
    JOIN passage_groups g ON g.first BETWEEN t.first AND t.first + t.passages - 1 JOIN json_each(g.data) p
    WHERE t.id = ? AND g.first + p.key NOT IN (SELECT rowid FROM passage_vectors) LIMIT ?`)

  return {
    /** Keeps the embedding of a passage. */
    add (agent: number, passage: number, vector: Float32Array): void {
      // vec0 takes integers only as bigint.
      insert.run(BigInt(passage), BigInt(agent), vector)
    },

    /** Wipes the embedding of a passage, if it has one. */
    drop (passage: number): void {
      drop.run(BigInt(passage))
    },

    /** Passages of a training that have no embedding yet, at most `limit`. */
    without: (training: number, limit: number) => without.all(training, limit),

    /** The passages nearest to a vector, nearest first, of the sources the agent uses. The score is their cosine similarity. */
    nearest (agent: number, vector: Float32Array, limit: number): Ranked[] {
      for (let k = Math.min(limit * 2, MOST); ; k = Math.min(k * 4, MOST)) {
        const found = nearest.all(vector, BigInt(agent), k)
        const used = found.filter(([id]) => isUsed.get(id, agent) !== undefined).slice(0, limit)
        if (used.length === limit || found.length < k || k === MOST) return used.map(([id, distance]) => [id, 1 - distance])
      }
    }
  }
}
