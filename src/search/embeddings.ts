import type { Id } from '../../schema/common.ts'
import type { Database } from '../platform/storage/sqlite/database.ts'
import { egress } from '../platform/net/egress.ts'
import { embed, type Embedder } from './embed.ts'
import type { Ranked } from './search.sqlite.ts'
import { loadVectors, sqliteVectors } from './vectors.sqlite.ts'

/** The passages' embeddings, made by a service and kept beside the index of words. */
export interface Embeddings {
  /** The passages nearest to a query in meaning; none when the service does not answer, so that search goes on by words. */
  nearest (agent: Id, query: string, limit: number): Promise<Ranked[]>
  /**
   * Embeds what of a training has no embedding yet, for as long as that is wanted, which is asked inside each transaction.
   * Throws `unavailable` when the service does not answer.
   */
  embed (agent: Id, training: Id, options: { signal: AbortSignal, isWanted: () => boolean }): Promise<void>
  /** Wipes the embedding of a passage; inside the caller's transaction. */
  drop (passage: number): void
  close (): Promise<void>
}

/** Passages embedded with one request and written with one commit. */
const BATCH = 32
const QUERY_PATIENCE_MS = 2000
const ANSWER_BYTES = 64 * 2 ** 20

/** Embeddings from an OpenAI-compatible service. `onFault` hears why a search went on without. */
export function embeddingsFrom (embedder: Embedder, { db, userAgent, onFault }: {
  db: Database, userAgent: string, onFault: (error: unknown) => void
}): Embeddings {
  // The operator has named this host, so it may be in the operator's own network.
  const out = egress({ allowedHosts: [new URL(embedder.url).host], userAgent })
  loadVectors(db.raw)
  const vectors = sqliteVectors(db.raw, embedder.dimensions)

  const send = (signal: AbortSignal): Parameters<typeof embed>[2] => async (url, { method, headers, body }) =>
    await out.fetch(url, { method: method as 'POST', headers, body, maxBytes: ANSWER_BYTES, anyStatus: true, signal })

  return {
    async nearest (agent, query, limit) {
      try {
        const [vector] = await embed([query], embedder, send(AbortSignal.timeout(QUERY_PATIENCE_MS)))
        return db.read(() => vectors.nearest(agent, vector!, limit))
      } catch (error) {
        onFault(error)
        return []
      }
    },
    async embed (agent, training, { signal, isWanted }) {
      for (;;) {
        const passages = db.read(() => vectors.without(training, BATCH))
        if (passages.length === 0) return
        const made = await embed(passages.map(({ text }) => text), embedder, send(signal))
        const isKept = await db.atomically(() => {
          // Deleted while the service was asked: an embedding added now would never leave the file.
          if (isWanted()) passages.forEach(({ id }, i) => vectors.add(agent, id, made[i]!))
          return isWanted()
        })
        if (!isKept) return
      }
    },
    drop: (passage) => vectors.drop(passage),
    close: () => out.close()
  }
}
