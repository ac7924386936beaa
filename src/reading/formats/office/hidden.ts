import { Parser } from 'htmlparser2'
import { charactersIn } from '../../document.ts'
import { decode } from '../../decode.ts'
import type { ArchiveParts } from '../archive.ts'
import { find, parseXml } from '../xml.ts'

/** Half points below which letters cannot be read: 1 point. */
const TINY = 2

/**
 * The parts of a Word document without the runs that are formatted as hidden, are too small to read or white on white;
 * how many characters were removed.
 */
export function withoutHiddenRuns (parts: ArchiveParts): { parts: ArchiveParts, hidden: number } {
  const hiddenStyles = stylesThatHide(parts.get('word/styles.xml'))
  let hidden = 0
  const shown = new Map([...parts].map(([name, content]): [string, Uint8Array] => {
    if (!/^word\/[^/]*\.xml$/.test(name) || /\/(?:styles|numbering|settings|fontTable|webSettings)\.xml$/.test(name)) {
      return [name, content]
    }
    const cut = withoutRuns(decode(content), hiddenStyles)
    hidden += cut.hidden
    return [name, cut.hidden === 0 ? content : Buffer.from(cut.xml)]
  }))
  return { parts: shown, hidden }
}

/** A run of text being read: what its own properties say, and how much is in it. */
interface Run {
  from: number, isHidden: boolean | undefined, isSmall: boolean, isWhite: boolean, isShaded: boolean, chars: number
}
/** What a paragraph's style says: whether it hides what is in it, whether it is shaded. */
interface Paragraph { isHidden: boolean, isShaded: boolean }
interface Cut { from: number, to: number, chars: number }

/** Cuts hidden runs out of a part, one pass over its tags. */
function withoutRuns (xml: string, hiddenStyles: Set<string>): { xml: string, hidden: number } {
  const path: string[] = []
  const runs: Run[] = []
  const cuts: Cut[] = []
  /** Those that are open. */
  const paragraphs: Paragraph[] = []
  // In tables and drawings a style elsewhere may colour what is behind.
  let coloured = 0

  const parser = new Parser({
    onopentag (tag, attributes) {
      const name = local(tag)
      const value = attributes['w:val'] ?? attributes.val
      const [above, within] = [path.at(-1), path.at(-2)]
      if (name === 'r') {
        runs.push({
          from: parser.startIndex, isHidden: undefined, isSmall: false, isWhite: false, isShaded: false, chars: 0
        })
      } else if (name === 'p') paragraphs.push({ isHidden: false, isShaded: false })
      else if (name === 'tbl' || name === 'txbxContent') coloured++
      else if (above === 'rPr' && within === 'r' && runs.length) format(runs.at(-1)!, name, value, hiddenStyles)
      else if (above === 'pPr' && paragraphs.length) {
        if (name === 'pStyle') paragraphs.at(-1)!.isHidden = hiddenStyles.has(value ?? '')
        if (name === 'shd') paragraphs.at(-1)!.isShaded = true
      }
      path.push(name)
    },
    ontext (text) {
      if (path.at(-1) === 't' && runs.length) runs.at(-1)!.chars += charactersIn(text)
    },
    onclosetag (tag) {
      path.pop()
      const name = local(tag)
      if (name === 'p') paragraphs.pop()
      else if (name === 'tbl' || name === 'txbxContent') coloured--
      else if (name === 'r') close(runs.pop()!)
    }
  }, { xmlMode: true })

  const close = (run: Run) => {
    if (!isUnseen(run, paragraphs.at(-1), coloured > 0)) return
    let { chars } = run
    // What was cut inside goes with the whole.
    while (cuts.length && cuts.at(-1)!.from > run.from) chars += cuts.pop()!.chars
    cuts.push({ from: run.from, to: parser.endIndex + 1, chars })
  }

  parser.end(xml)
  return { xml: without(xml, cuts), hidden: cuts.reduce((sum, { chars }) => sum + chars, 0) }
}

/** Notes what a property of a run says about whether it is seen. */
function format (run: Run, property: string, value: string | undefined, hiddenStyles: Set<string>) {
  if (property === 'vanish' || property === 'specVanish') run.isHidden = !isOff(value)
  else if (property === 'rStyle') run.isHidden ??= hiddenStyles.has(value ?? '') || undefined
  else if (property === 'sz') run.isSmall = Number(value) <= TINY
  else if (property === 'color') run.isWhite = /^f{6}$/i.test(value ?? '')
  else if (property === 'shd' || property === 'highlight') run.isShaded = true
}

function isUnseen (
  { isHidden, isSmall, isWhite, isShaded }: Run, paragraph: Paragraph | undefined, isColoured: boolean
): boolean {
  const isWhiteOnWhite = isWhite && !isShaded && !isColoured && !paragraph?.isShaded
  return (isHidden ?? paragraph?.isHidden ?? false) || isSmall || isWhiteOnWhite
}

function without (xml: string, cuts: Cut[]): string {
  let shown = ''
  let at = 0
  for (const { from, to } of cuts) {
    shown += xml.slice(at, from)
    at = to
  }
  return shown + xml.slice(at)
}

/** The ids of styles that hide what has them, by their own or by that of a style they are based on. */
function stylesThatHide (part: Uint8Array | undefined): Set<string> {
  const styles = part ? [...find(parseXml(part), 'style')] : []
  const ids = new Set<string>()
  const basis = new Map<string, string>()
  for (const style of styles) {
    const id = style.attributes.styleId ?? ''
    const [based] = find(style, 'basedOn')
    const vanish = style.children.flatMap((child) =>
      typeof child !== 'string' && child.name === 'rPr' ? [...find(child, 'vanish')] : []
    )[0]
    if (vanish ? !isOff(vanish.attributes.val) : false) ids.add(id)
    else if (!vanish && based) basis.set(id, based.attributes.val ?? '')
  }
  // Styles are based on others that may follow them; more steps than there are styles is a circle.
  for (let steps = 0, grew = true; grew && steps < styles.length; steps++) {
    const before = ids.size
    for (const [id, based] of basis) if (ids.has(based)) ids.add(id)
    grew = ids.size > before
  }
  return ids
}

function isOff (value: string | undefined): boolean {
  return value !== undefined && /^(?:0|false|off)$/i.test(value)
}

/** A tag without its namespace. */
export function local (tag: string): string {
  return tag.slice(tag.indexOf(':') + 1)
}

/** Which rows and columns of a sheet are hidden, counted from 0 as its cells are. */
export function hiddenIn (sheet: Uint8Array | undefined): {
  rows: Set<number>, columns: [first: number, last: number][]
} {
  const rows = new Set<number>()
  const columns: [number, number][] = []
  const xml = sheet ? decode(sheet) : ''
  let row = 0
  const parser = new Parser(
    {
      onopentag (tag, { r, hidden, ht, width, min, max }) {
        const name = local(tag)
        if (name === 'row') {
          row = Number(r ?? row + 1)
          if (isOn(hidden) || (ht !== undefined && Number(ht) === 0)) rows.add(row - 1)
        } else if (name === 'col' && (isOn(hidden) || (width !== undefined && Number(width) === 0))) {
          columns.push([Number(min) - 1, Number(max) - 1])
        }
      }
    },
    { xmlMode: true }
  )
  // Most sheets hide nothing, and have a million cells.
  if (/\s(?:hidden|ht|width)=/.test(xml)) parser.end(xml)
  return { rows, columns }
}

function isOn (value: string | undefined): boolean {
  return value === '1' || value === 'true'
}
