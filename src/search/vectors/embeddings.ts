import type { Id } from '../../../schema/common.ts'
import type { Log } from '../../kernel/index.ts'
import type { Kernel } from '../../kernel/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Work } from '../../platform/storage/work.ts'
import { inSteps } from '../../platform/work/slices.ts'
import { egress, EgressError } from '../../platform/net/egress.ts'
import { Refusal } from '../../platform/errors.ts'
import { embed, type Embedder } from './embed.ts'
import type { Ranked } from '../search.sqlite.ts'
import { sqliteVectors } from './vectors.sqlite.ts'

/** The passages' embeddings, made by a service and kept beside the index of words. */
export interface Embeddings {
  /** What creates them. */
  readonly model: string
  /**
   * The passages nearest to a query in meaning; none while the service does not answer, so that search goes on by
   * words.
   */
  nearest (agent: Id, query: string, limit: number): Promise<Ranked[]>
  /**
   * Embeds what of a training has no embedding yet, for as long as that is wanted, which is asked inside each
   * transaction. Throws `unavailable` when the service does not answer.
   */
  embed (training: Id, options: { signal: AbortSignal, isWanted: () => Work<boolean> }): Promise<void>
  /** Sources with passages that have no embedding of this model, in order, those after a number, at most `limit`. */
  sourcesWithout (after: Id, limit: number): Promise<Id[]>
  /** Whether there are embeddings of another model, which are not used. */
  hasOthers (): Promise<boolean>
  close (): Promise<void>
}

/** Groups of passages embedded with one request and written with one commit. */
const BATCH = 4
const QUERY_PATIENCE_MS = 2000
const ANSWER_BYTES = 64 * 2 ** 20
/** How long a service that did not answer is not asked again: searches would wait for it, one after the other. */
const REST_MS = 5000

/**
 * Embeddings from an OpenAI-compatible service. `log` is called once when it stops answering, and once when it does
 * again; `sliceMs`: how long a search may hold the event loop before it lets others in.
 */
export function embeddingsFrom (
  embedder: Embedder, { db, clock, secrets, userAgent, log, sliceMs }:
  Pick<Kernel, 'db' | 'clock' | 'secrets' | 'userAgent' | 'log'> & { sliceMs?: number }
): Embeddings {
  // The operator has named this host, so it may be in the operator's own network.
  const out = egress({ allowedHosts: [new URL(embedder.url).host], userAgent })
  const vectors = sqliteVectors(db, secrets, embedder, { sliceMs })
  const guard = circuit(clock, log)

  const ask = (texts: string[], signal: AbortSignal) =>
    guard(
      () =>
        embed(
          texts,
          embedder,
          async (url, { method, headers, body }) =>
            await out.fetch(url, {
              method: method as 'POST', headers, body, maxBytes: ANSWER_BYTES, anyStatus: true, signal
            })
        ),
      signal
    )

  return {
    model: embedder.model,
    async nearest (agent, query, limit) {
      const [vector] = await ask([query], AbortSignal.timeout(QUERY_PATIENCE_MS)).catch((): [] => [])
      if (vector === undefined) return []
      return await inSteps(db, vectors.nearest(agent, vector, limit))
    },
    async embed (training, { signal, isWanted }) {
      for (;;) {
        const groups = await db.read(() => vectors.without(training, BATCH))
        if (groups.length === 0) return
        const made = await ask(groups.flatMap(({ texts }) => texts), signal)
        const isKept = await db.atomically(function * () {
          // Deleted while the service was asked: an embedding added now would never leave the file.
          if (!(yield * isWanted())) return false
          let at = 0
          for (const { first, texts } of groups) yield * vectors.add(first, made.slice(at, at += texts.length))
          return true
        })
        if (!isKept) return
      }
    },
    sourcesWithout: async (after, limit) => db.read(() => vectors.sourcesWithout(after, limit)),
    hasOthers: async () => db.read(() => vectors.hasOthers()),
    close: () => out.close()
  }
}

/**
 * Asks a service, unless it has just not answered. Whatever goes wrong is thrown as `unavailable`; the log hears of the
 * first failure, not of each, and of the first answer after it.
 */
function circuit (clock: Clock, log: Log) {
  let failedAt: number | undefined
  return async function ask<T> (work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    if (failedAt !== undefined && clock.monotonic() < failedAt + REST_MS) throw unavailable()
    try {
      const answer = await work()
      if (failedAt !== undefined) log.info({}, 'the embeddings service answers again')
      failedAt = undefined
      return answer
    } catch (error) {
      // A server that stops says nothing about the service; a query that ran out of patience does.
      if (signal.aborted && signal.reason?.name !== 'TimeoutError') throw error
      if (failedAt === undefined) {
        const why = error instanceof Refusal || error instanceof EgressError ? error.message : String(error)
        log.warn({ err: error }, `search continues with words alone, and missing embeddings are added later: ${why} ` +
          'Check the service that AGENTHALL_EMBEDDINGS_URL names, or leave it empty to do without.')
      }
      failedAt = clock.monotonic()
      throw unavailable(error)
    }
  }
}

function unavailable (cause?: unknown): Refusal {
  return new Refusal('unavailable', 'The embeddings service does not answer.', { cause })
}
