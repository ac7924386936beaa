import { Parser } from 'htmlparser2'
import { decode } from '../../decode.ts'
import type { ArchiveParts } from '../archive.ts'
import { local } from './hidden.ts'
import { countedIn, type Numbers } from './numbers.ts'

/** What may be between two paragraphs without being seen. */
const BETWEEN = /^(?:bookmark|comment|perm|proof)/
const MAIN = 'word/document.xml'

/** An open paragraph: where in the part it and its content begin. */
interface Open { from: number, content: number, isDropCap: boolean, style: string, list: string, level: string }
/** Text that comes in the place of a stretch of a part. */
interface Edit { from: number, to: number, text: string }
/** A drop cap: where its paragraph is, and its content. */
interface DropCap { from: number, to: number, runs: string }

/**
 * The parts of a Word document with its paragraphs prepared for readers that know neither drop caps, which are put
 * before the word that they begin, nor how a list counts: its items begin with marks that `withNumbers` understands.
 */
export function withPlainParagraphs (parts: ArchiveParts): ArchiveParts {
  const part = parts.get(MAIN)
  if (!part) return parts
  const xml = decode(part)
  const numbers = countedIn(parts)
  if (!numbers && !xml.includes('dropCap')) return parts
  return new Map([...parts, [MAIN, Buffer.from(edited(xml, editsOf(xml, numbers)))]])
}

/** What is to be changed in a part, one pass over its tags. */
function editsOf (xml: string, numbers: Numbers | undefined): Edit[] {
  const edits: Edit[] = []
  const path: string[] = []
  const open: Open[] = []
  let dropCap: DropCap | undefined
  const parser = new Parser({
    onopentag (tag, attributes) {
      const name = local(tag)
      const [above, within] = [path.at(-1), path.at(-2)]
      path.push(name)
      const value = attributes['w:val'] ?? ''
      const paragraph = open.at(-1)
      if (name === 'p') {
        open.push({
          from: parser.startIndex, content: parser.endIndex + 1, isDropCap: false, style: '', list: '', level: ''
        })
      } else if (!paragraph) dropCap = BETWEEN.test(name) ? dropCap : undefined
      else if (above === 'pPr' && name === 'framePr') {
        paragraph.isDropCap = /^(?:drop|margin)$/.test(attributes['w:dropCap'] ?? '')
      } else if (above === 'pPr' && name === 'pStyle') paragraph.style = value
      else if (above === 'numPr' && within === 'pPr') paragraph[name === 'numId' ? 'list' : 'level'] = value
    },
    onclosetag (tag) {
      path.pop()
      const name = local(tag)
      const paragraph = open.at(-1)
      if (name === 'pPr' && paragraph && path.at(-1) === 'p') paragraph.content = parser.endIndex + 1
      if (name === 'p' && paragraph) {
        open.pop()
        close(paragraph)
      }
    }
  }, { xmlMode: true })

  const close = ({ from, content, isDropCap, ...item }: Open) => {
    const [inner, end] = [parser.startIndex, parser.endIndex + 1]
    // One that closes itself has nothing in it.
    if (inner < content) return
    if (isDropCap) {
      dropCap = { from, to: end, runs: xml.slice(content, inner) }
      return
    }
    const mark = numbers?.markOf(item) ?? ''
    if (dropCap) edits.push({ from: dropCap.from, to: dropCap.to, text: '' })
    const text = (mark && `<w:r><w:t>${mark}</w:t></w:r>`) + (dropCap?.runs ?? '')
    if (text) edits.push({ from: content, to: content, text })
    dropCap = undefined
  }

  parser.end(xml)
  return edits
}

function edited (xml: string, edits: Edit[]): string {
  let text = ''
  let at = 0
  for (const edit of edits.sort((a, b) => a.from - b.from)) {
    // In what was taken away, with what is in a frame beside a first letter.
    if (edit.from < at) continue
    text += xml.slice(at, edit.from) + edit.text
    at = edit.to
  }
  return text + xml.slice(at)
}
