import type { Document } from '../document.ts'
import { clean, Draft } from '../draft.ts'

/** Plain text, cut at its empty lines. Throws `no_text`. */
export function readText (text: string): Document {
  const draft = new Draft('text')
  for (const paragraph of clean(text).split(/\n(?:[ \t]*\n)+/)) draft.add(paragraph)
  return draft.finish()
}
