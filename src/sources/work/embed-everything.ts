import type { Id } from '../../../schema/common.ts'
import type { Kernel } from '../../kernel/index.ts'
import { mapped } from '../../platform/storage/work.ts'
import type { Embeddings } from '../../search/vectors/embeddings.ts'
import { embedding } from '../life/step.ts'

/** Sources for which embeddings are asked with one commit. */
const SLICE = 200

/**
 * Asks for the embeddings of every source that was trained before the service was set, or with another model. Called at
 * start; what is asked for already is not asked for again, and a log says how much there is to do.
 */
export async function embedEverything (
  { db, jobs, log, embeddings }: Pick<Kernel, 'db' | 'jobs' | 'log'> & { embeddings: Embeddings }
): Promise<void> {
  const owner = db.column<[Id], Id>('select owner_id from knowledge_sources where id = ?')
  const isAnew = await embeddings.hasOthers()
  let sources = 0
  for (let after = 0; ;) {
    const found = await embeddings.sourcesWithout(after, SLICE)
    if (found.length === 0) break
    await db.atomically(function * () {
      yield * jobs.ask(...yield * mapped(found, function * (id) {
        return { ...embedding({ id, owner: (yield * owner.get(id))! }), unlessAsked: true }
      }))
    })
    sources += found.length
    after = found.at(-1)!
  }
  if (sources === 0) return
  log.info(
    { sources, model: embeddings.model },
    isAnew
      ? 'the embeddings model or its dimensions have changed: what was embedded is embedded again, until then searches use words only'
      : 'what was trained without embeddings is embedded now'
  )
}
