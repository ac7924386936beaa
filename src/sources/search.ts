import type { Id } from '../../schema/common.ts'
import { type FoundPassage, type KnowledgeSourceRecord, titleShown } from '../../schema/knowledge.ts'
import type { Kernel } from '../kernel/index.ts'
import { inSteps } from '../platform/work/slices.ts'
import { nextTurn } from '../platform/work/turns.ts'
import type { Language } from '../search/words/languages.ts'
import type { Hit } from '../search/hits.ts'
import { rankBothWays } from '../search/vectors/fuse.ts'
import { inTurn, showBest, sqliteSearch, type Ranked } from '../search/search.sqlite.ts'
import type { Embeddings } from '../search/vectors/embeddings.ts'
import type { KnowledgeStore } from './store.ts'

/** A found passage with what citing it needs: its position in the source's text, in UTF-16 units, and its language. */
interface Findable extends FoundPassage, Pick<Hit, 'fit' | 'quotes'> {
  start: number
  language: Language | null
  /** When it was last found to be as it is where it comes from. */
  checked_at: string | null
  /** The date it is valid for, if a due review is missing. */
  asOf: string | null
}

/** Finds the passages of an agent's selected sources that answer a query best, best first, `limit` at most. */
export type Search = (owner: Id, agent: Id, query: string, limit: number) => Promise<Findable[]>

/** Passages that are ranked by meaning before that order and the one by words are made one. */
const RANKED = 100

/** Search by words, and by meaning too where an embeddings service is configured and answers. */
export function searcher ({
  db, secrets, store, embeddings
}: Pick<Kernel, 'db' | 'secrets'> & { store: KnowledgeStore, embeddings: Embeddings | undefined }): Search {
  const words = sqliteSearch(db, secrets)

  async function byMeaning (agent: Id, query: string): Promise<Ranked[]> {
    return (await embeddings?.nearest(agent, query, RANKED)) ?? []
  }

  return async function search (owner, agent, query, limit) {
    const near = await byMeaning(agent, query)
    const about = await inSteps(db, words.ask(agent, query))
    await nextTurn()
    const hits = await db.read(function * () {
      if (near.length === 0) return yield * showBest(words, about, limit)
      return yield * words.show(about, inTurn(yield * rankBothWays(words, about, near)), limit)
    })
    // Most hits are of a few sources.
    const sources = new Map<Id, KnowledgeSourceRecord | undefined>()
    for (const { source: id } of hits) if (!sources.has(id)) sources.set(id, await store.get(owner, agent, id))
    const found: Findable[] = []
    for (const hit of hits) {
      const { source: id, page, row, heading, text, score, confidence, start, language } = hit
      const source = sources.get(id)
      if (!source) continue
      const { type, urls, checked_at: checked, changed_at: changed, created_at: made, stale } = source
      found.push({
        source: id,
        title: titleShown(source),
        type,
        url: urls[0] ?? null,
        page,
        row,
        heading,
        text,
        score,
        confidence,
        start,
        language,
        checked_at: checked,
        asOf: stale === 'old' ? (checked ?? changed ?? made).slice(0, 10) : null,
        ...(hit.quotes && { quotes: hit.quotes }),
        ...(hit.fit !== undefined && { fit: hit.fit }),
        get highlight () {
          return hit.highlight
        }
      })
    }
    return found
  }
}
