import type { Document } from '../document.ts'
import { clean, Draft } from '../draft.ts'
import { blocksOf } from './markup/piped.ts'

/** Plain text, cut at its empty lines, and tables in it by their rows. Throws `no_text`. */
export function readText (text: string): Document {
  const draft = new Draft('text')
  for (const paragraph of clean(text).split(/\n(?:[ \t]*\n)+/)) {
    if (paragraph.includes('|')) for (const block of blocksOf(paragraph)) draft.add(block)
    else draft.add(paragraph)
  }
  return draft.finish()
}
