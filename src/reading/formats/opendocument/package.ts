import type { Draft } from '../../draft.ts'
import { ExtractError } from '../../error.ts'
import type { ArchiveParts } from '../archive.ts'
import { find, parseXml, textOfXml, type XmlElement } from '../xml.ts'

/** An OpenDocument file taken apart: what it holds, and which of its styles say that it is not shown. */
export interface OpenDocument {
  body: XmlElement, styles: XmlElement[], hidingStyles: Set<string>, title: string | null, pages: number | null
}

/** Opens the parts of a document of this kind. Throws `encrypted` or `damaged`. */
export function openDocument (parts: ArchiveParts, kind: 'text' | 'spreadsheet' | 'presentation'): OpenDocument {
  const manifest = parts.get('META-INF/manifest.xml')
  if (manifest && !find(parseXml(manifest), 'encryption-data').next().done) throw new ExtractError('encrypted')
  const content = parseXml(parts.get('content.xml'))
  const [body] = [...find(content, 'body')].flatMap((one) => [...find(one, kind)])
  if (!body) throw new ExtractError('damaged')
  const other = parts.get('styles.xml')
  const styles = [content, ...(other ? [parseXml(other)] : [])].flatMap((root) => [
    ...find(root, 'style', 'list-style')
  ])
  const meta = parts.get('meta.xml')
  const about = meta ? parseXml(meta) : undefined
  const [title] = about ? find(about, 'title') : []
  const [counted] = about ? find(about, 'document-statistic') : []
  const pages = Number(counted?.attributes['page-count'])
  return {
    body,
    styles,
    hidingStyles: new Set(styles.filter(hides).map(nameOf)),
    title: title ? textOfXml(title) : null,
    pages: Number.isSafeInteger(pages) && pages > 0 ? pages : null
  }
}

export function nameOf ({ attributes }: XmlElement): string {
  return attributes.name ?? ''
}

/** Whether a style is that of hidden text, of a hidden table, or of a slide that is passed over. */
function hides (style: XmlElement): boolean {
  return [...find(style, 'text-properties', 'table-properties', 'drawing-page-properties')].some(
    ({ attributes }) =>
      attributes.display === 'none' || attributes.display === 'false' || attributes.visibility === 'hidden'
  )
}

/** What is not part of the text: what was deleted, remarks, and tables of contents made of it. */
const BESIDE = new Set([
  'tracked-changes', 'annotation', 'annotation-end', 'table-of-content', 'ruby-text', 'desc', 'title', 'notes',
  'forms', 'sequence-decls'
])
const BLOCKS = new Set(['p', 'h', 'list', 'table', 'section', 'frame', 'text-box', 'list-item'])
/** Spaces that one element may represent: a stranger's count must not fill the memory. */
const MOST_SPACES = 100

/** A footnote or endnote, and what marks it in the text. */
export interface Note { mark: string, body: XmlElement }

/**
 * The text of a paragraph as it is shown; what its styles hide is counted as left out, and its footnotes are put into
 * `notes`.
 */
export function shownText (element: XmlElement, hidingStyles: Set<string>, draft: Draft, notes: Note[] = []): string {
  let text = ''
  for (const child of element.children) {
    if (typeof child === 'string') text += child.replace(/\s+/g, ' ')
    else if (BESIDE.has(child.name)) continue
    else if (child.name === 's') text += ' '.repeat(Math.min(Number(child.attributes.c ?? 1) || 1, MOST_SPACES))
    else if (child.name === 'tab') text += '\t'
    else if (child.name === 'line-break') text += '\n'
    else if (child.name === 'note') text += noted(child, notes)
    else if (child.name === 'hidden-text' || hidingStyles.has(child.attributes['style-name'] ?? '')) { draft.hide(textOfXml(child).length) } else {
      const inner = shownText(child, hidingStyles, draft, notes)
      text += BLOCKS.has(child.name) ? `\n${inner}\n` : inner
    }
  }
  return text
}

/** The mark of a footnote, whose text is put into `notes`. */
function noted (note: XmlElement, notes: Note[]): string {
  const [citation] = find(note, 'note-citation')
  const mark = citation ? textOfXml(citation).trim() : ''
  for (const body of find(note, 'note-body')) notes.push({ mark, body })
  return `[${mark}]`
}

/** Whether an element is left out because it is beside the text or its style hides it, which is then counted. */
export function isLeftOut (element: XmlElement, hidingStyles: Set<string>, draft: Draft): boolean {
  if (BESIDE.has(element.name)) return true
  if (!hidingStyles.has(element.attributes['style-name'] ?? '')) return false
  draft.hide(textOfXml(element).trim().length)
  return true
}
