import type { Document } from '../document.ts'
import type { ArchiveParts } from './archive.ts'
import { decode } from '../decode.ts'
import { Draft } from '../draft.ts'
import { ExtractError } from '../error.ts'
import { addHtml, parse, titleOf } from './markup/html.ts'
import { removeHidden } from './markup/hidden.ts'
import { find, parseXml, resolve, textOfXml } from './xml.ts'

/** A book in reading order, without its table of contents. Throws `encrypted`, `no_text` or `damaged`. */
export function readEpub (parts: ArchiveParts): Document {
  const draft = new Draft('epub')
  const [rootfile] = find(parseXml(parts.get('META-INF/container.xml')), 'rootfile')
  const opf = rootfile?.attributes['full-path'] ?? ''
  const book = parseXml(parts.get(opf))
  const [title] = find(book, 'title')
  draft.title = title ? textOfXml(title) : null
  const locked = lockedParts(parts)
  for (const chapter of spine(book)) {
    const part = resolve(opf, chapter)
    if (locked.has(part)) {
      throw new ExtractError('encrypted', 'The book is protected against copying and cannot be read.')
    }
    const content = parts.get(part)
    if (!content) throw new ExtractError('damaged')
    addChapter(draft, decode(content))
  }
  return draft.finish('The book holds no text, only pictures.')
}

function spine (book: ReturnType<typeof parseXml>): string[] {
  const items = new Map([...find(book, 'item')].map(({ attributes }) => [attributes.id, attributes]))
  return [...find(book, 'itemref')].map(({ attributes }) => items.get(attributes.idref))
    .filter((item) => item && /html/i.test(item['media-type'] ?? '') && !/\bnav\b/.test(item.properties ?? ''))
    .map((item) => item!.href ?? '')
}

/** A chapter without a heading of its own is put under its title. */
function addChapter (draft: Draft, xhtml: string) {
  const chapter = parse(xhtml)
  draft.hide(removeHidden(chapter))
  const hasHeading = ['h1', 'h2', 'h3'].some((name) => chapter.getElementsByTagName(name).length > 0)
  const title = hasHeading ? null : titleOf(chapter)
  if (title && title !== draft.title) draft.heading(1, title)
  addHtml(draft, chapter)
}

/** Parts that are encrypted; fonts often are, a little, which hides no text. */
function lockedParts (parts: ArchiveParts): Set<string> {
  const encryption = parts.get('META-INF/encryption.xml')
  if (!encryption) return new Set()
  return new Set(
    [...find(parseXml(encryption), 'CipherReference')].map(({ attributes }) => resolve('', attributes.URI ?? ''))
  )
}
