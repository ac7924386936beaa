import { isDeepStrictEqual } from 'node:util'
import { hasOwnText, type Crawl, type KnowledgeSourceRecord, type SourcePatch } from '../../../schema/knowledge.ts'
import { textOfPairs } from '../../reading/pairs.ts'
import { invalid } from '../../platform/errors.ts'
import { dayOf } from '../folders.ts'
import type { SourceChange } from '../contract.ts'

/** What a person asks of a source: the change, but for a new text, which has to be staged first. */
interface AskedChange { change: SourceChange, text?: string }

/**
 * What a patch changes of a source as it is `shown`. What is sent back as it was shown is no change, so that a source
 * can be read, edited and put back whole. Throws VALIDATION_ERROR for what does not go with its type or is fixed once
 * it was added.
 */
export function askedChange (shown: KnowledgeSourceRecord, patch: SourcePatch): AskedChange {
  const { title, agent_knowledge_folder: folder, is_selected: selected, plain_text: text, faq } = patch
  const { review_by: reviewBy } = patch
  for (const field of ['urls', 'google_drive_file_id', 'type'] as const) {
    if (patch[field] === undefined || isDeepStrictEqual(patch[field], shown[field])) continue
    throw invalid({ field, message: `${field} cannot be changed; add a new source and remove this one.` })
  }
  const isNew = typeof text === 'string' && text !== shown.plain_text
  if (isNew && shown.type !== 'text') {
    throw invalid({
      field: 'plain_text',
      message: 'plain_text can be changed for a text source only; add a new source, or train this one again.'
    })
  }
  if (faq && !(shown.type === 'faq' && hasOwnText(shown))) {
    throw invalid({
      field: 'faq',
      message: 'faq can be changed only for a source that was made from it; add a new source and remove this one.'
    })
  }
  const crawl = askedCrawl(shown, patch)
  return {
    change: {
      // The title that its first line gives a text goes with the text.
      ...(title !== undefined && title !== shown.title && { title }),
      ...(folder !== undefined && { folder }),
      ...(selected !== undefined && { is_selected: selected }),
      ...(crawl && { crawl }),
      ...(reviewBy !== undefined && reviewBy !== shown.review_by && { review_by: dayOf(reviewBy) })
    },
    ...(isNew && { text }),
    ...(faq && { text: textOfPairs(faq) })
  }
}

/**
 * What changes of a website's reach; undefined for nothing. Null, as other sources show it, asks for nothing either.
 */
function askedCrawl (
  { type, crawl }: KnowledgeSourceRecord,
  { depth, count, refresh_hours: hours, include, exclude }: SourcePatch
): Partial<Crawl> | undefined {
  const asked: Partial<Crawl> = {
    ...(typeof depth === 'number' && { depth }),
    ...(typeof count === 'number' && { count }),
    ...(hours !== undefined && (hours !== null || crawl !== null) && { refresh_hours: hours }),
    ...(include && { include }),
    ...(exclude && { exclude })
  }
  const kept: Record<string, unknown> = crawl ?? {}
  const changed = Object.entries(asked).filter(([name, value]) => !isDeepStrictEqual(value, kept[name]))
  const [first] = changed
  if (!first) return undefined
  if (type !== 'website' || crawl === null) {
    throw invalid({ field: first[0], message: `${first[0]} goes with a website source only.` })
  }
  return Object.fromEntries(changed)
}
