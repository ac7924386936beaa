import { charactersIn, type Document } from '../../document.ts'
import type { ArchiveParts } from '../archive.ts'
import { Draft } from '../../draft.ts'
import { ExtractError } from '../../error.ts'
import { titleIn } from './package.ts'
import { find, parseXml, relations, textOfXml, type XmlElement } from '../xml.ts'

/**
 * A presentation, a slide a page: its title as heading, its texts, tables and notes. Hidden slides and shapes are left
 * out. Throws `no_text` or `damaged`.
 */
export function readPptx (parts: ArchiveParts): Document {
  const draft = new Draft('pptx')
  draft.title = titleIn(parts)
  const main = relations(parts, '').find(({ type }) => type === 'officeDocument')?.target ?? 'ppt/presentation.xml'
  const slides = relations(parts, main)
  const ids = [...find(parseXml(parts.get(main)), 'sldId')].map(({ attributes }) => attributes.id)
  draft.pages = ids.length
  for (const [i, id] of ids.entries()) {
    const part = slides.find((relation) => relation.id === id)?.target
    if (!part) throw new ExtractError('damaged')
    const slide = parseXml(parts.get(part))
    if (isHidden(slide)) {
      draft.hide(lengthOf(slide))
      continue
    }
    draft.page = i + 1
    draft.leave(1)
    addShapes(draft, slide)
    const notes = relations(parts, part).find(({ type }) => type === 'notesSlide')
    if (notes) addShapes(draft, parseXml(parts.get(notes.target)), /^body$/)
  }
  return draft.finish('The presentation holds no text, only pictures.')
}

/** The texts of one slide; of its notes only the placeholder that the speaker wrote in. */
function addShapes (draft: Draft, slide: XmlElement, only?: RegExp) {
  for (const shape of find(slide, 'sp', 'tbl')) {
    if ([...find(shape, 'cNvPr')].some(({ attributes }) => isOn(attributes.hidden))) {
      draft.hide(lengthOf(shape))
      continue
    }
    if (shape.name === 'tbl') {
      addSlideTable(draft, shape)
      continue
    }
    const [placeholder] = find(shape, 'ph')
    const kind = placeholder?.attributes.type ?? ''
    if (/^(?:sldNum|dt|ftr|hdr|sldImg)$/.test(kind) || (only && !only.test(kind))) continue
    const text = [...find(shape, 'txBody')].map(paragraphs).join('\n')
    if (/^(?:title|ctrTitle)$/.test(kind)) draft.heading(1, text)
    else draft.add(text)
  }
}

/** Whether a slide is passed over when the presentation is given. */
function isHidden (slide: XmlElement): boolean {
  return [...find(slide, 'sld')].some(({ attributes }) => /^(?:0|false)$/.test(attributes.show ?? ''))
}

function isOn (value: string | undefined): boolean {
  return value === '1' || value === 'true'
}

function lengthOf (element: XmlElement): number {
  return [...find(element, 't')].reduce((sum, run) => sum + charactersIn(textOfXml(run)), 0)
}

function addSlideTable (draft: Draft, table: XmlElement) {
  for (const row of find(table, 'tr')) draft.add([...find(row, 'tc')].map(paragraphs).filter(Boolean).join(' | '))
}

function paragraphs (body: XmlElement): string {
  return [...find(body, 'p')]
    .map((paragraph) =>
      [...find(paragraph, 't', 'br')].map((run) => (run.name === 'br' ? '\n' : textOfXml(run))).join('')
    )
    .filter(Boolean)
    .join('\n')
}
