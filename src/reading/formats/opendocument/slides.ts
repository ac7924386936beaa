import type { Document } from '../../document.ts'
import { Draft } from '../../draft.ts'
import type { ArchiveParts } from '../archive.ts'
import { find, textOfXml } from '../xml.ts'
import { openDocument, shownText } from './package.ts'
import { Writer } from './text.ts'

/** Frames that repeat on every slide. */
const FURNITURE = /^(?:page-number|date-time|footer|header|page)$/

/**
 * A presentation, a slide a page: its title as heading, its texts, tables and notes. Hidden slides are left out. Throws
 * `encrypted`, `no_text` or `damaged`.
 */
export function readOdp (parts: ArchiveParts): Document {
  const draft = new Draft('odp')
  const document = openDocument(parts, 'presentation')
  const writer = new Writer(draft, document)
  draft.title = document.title
  const slides = [...find(document.body, 'page')]
  draft.pages = slides.length
  for (const [i, slide] of slides.entries()) {
    if (document.hidingStyles.has(slide.attributes['style-name'] ?? '')) {
      draft.hide(textOfXml(slide).trim().length)
      continue
    }
    draft.page = i + 1
    draft.leave(1)
    const [notes] = find(slide, 'notes')
    for (const shape of slide.children) {
      if (typeof shape === 'string' || shape === notes) continue
      const kind = shape.attributes.class ?? ''
      if (FURNITURE.test(kind)) continue
      if (kind === 'title') draft.heading(1, shownText(shape, document.hidingStyles, draft))
      else writer.add({ ...shape, name: '', children: [shape] })
    }
    for (const shape of notes ? find(notes, 'frame') : []) if (shape.attributes.class === 'notes') writer.add(shape)
  }
  return draft.finish('The presentation holds no text, only pictures.')
}
