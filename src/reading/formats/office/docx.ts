import mammoth from 'mammoth'
import type { Document } from '../../document.ts'
import type { ArchiveParts } from '../archive.ts'
import { Draft } from '../../draft.ts'
import { withoutHiddenRuns } from './hidden.ts'
import { withNumbers } from './numbers.ts'
import { addHtml, parse } from '../markup/html.ts'
import { pagesIn, repacked, titleIn } from './package.ts'
import { withPlainParagraphs } from './paragraphs.ts'

/**
 * A Word document, by way of HTML. Pictures and linked files are never read, hidden text is left out. Throws `no_text`
 * or `damaged`.
 */
export async function readDocx (parts: ArchiveParts): Promise<Document> {
  const draft = new Draft('docx')
  draft.title = titleIn(parts)
  draft.pages = pagesIn(parts)
  const seen = withoutHiddenRuns(parts)
  draft.hide(seen.hidden)
  const { value } = await mammoth.convertToHtml({ buffer: repacked(withPlainParagraphs(seen.parts)) }, {
    externalFileAccess: false,
    includeEmbeddedStyleMap: false,
    convertImage: mammoth.images.imgElement(async () => ({ src: '' }))
  })
  addHtml(draft, parse(withNumbers(value)))
  return draft.finish('The document holds no text, only pictures or drawings.')
}
