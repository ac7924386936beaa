import type { ArchiveParts } from '../archive.ts'
import { find, parseXml, type XmlElement } from '../xml.ts'

/** Counts the items of a Word document's lists. */
export interface Numbers {
  /** The marker of the next item of a list, by its number and level or those of its style; empty if it has none. */
  markOf (item: { style: string, list: string, level: string }): string
}

/** How Word's lists count, as HTML says it. */
const COUNTINGS: Record<string, string> = {
  decimal: '1', lowerLetter: 'a', upperLetter: 'A', lowerRoman: 'i', upperRoman: 'I'
}
/** Levels that a list may have. */
const LEVELS = 9
/** Around a mark: characters that no text has. */
const [BEFORE, BEHIND] = ['\uE0F0', '\uE0F1']
const MARK = new RegExp(`<li>((?:<[^<>]*>){0,20})${BEFORE}(.)(\\d+)${BEHIND}`, 'g')
const STRAY = new RegExp(`${BEFORE}.\\d+${BEHIND}`, 'g')

interface Level { counting: string | undefined, start: number }
/** A list: the counters that it shares with others, and its levels. */
interface List { counters: number[], levels: Level[] }

/** How the lists of a Word document count; undefined where it has none. */
export function countedIn (parts: ArchiveParts): Numbers | undefined {
  const numbering = parts.get('word/numbering.xml')
  if (!numbering) return undefined
  const lists = listsIn(parseXml(numbering))
  const styles = listStyles(parts.get('word/styles.xml'))
  return {
    markOf ({ style, list, level }) {
      const its = list ? { list, level } : styles.get(style)
      const { counters, levels } = lists.get(its?.list ?? '') ?? {}
      const depth = Math.min(Number(its?.level) || 0, LEVELS - 1)
      const found = levels?.[depth]
      if (!counters || !found) return ''
      counters[depth] = (counters[depth] ?? found.start - 1) + 1
      // Deeper levels start again.
      counters.length = depth + 1
      return found.counting ? `${BEFORE}${found.counting}${counters[depth]}${BEHIND}` : ''
    }
  }
}

/** HTML in which what was made of these marks says how its items are counted. */
export function withNumbers (html: string): string {
  return html
    .replace(MARK, (_all, tags: string, counting: string, number: string) =>
      `<li type="${counting}" value="${number}">${tags}`)
    .replace(STRAY, '')
}

function listsIn (numbering: XmlElement): Map<string, List> {
  const shapes = new Map([...find(numbering, 'abstractNum')].map((shape): [string, List] => [
    shape.attributes.abstractNumId ?? '', { counters: [], levels: levelsOf(shape) }
  ]))
  return new Map([...find(numbering, 'num')].flatMap((list): [string, List][] => {
    const shape = shapes.get(valueOf(list, 'abstractNumId'))
    if (!shape) return []
    const starts = [...find(list, 'lvlOverride')].filter((override) => valueOf(override, 'startOverride') !== '')
    if (starts.length === 0) return [[list.attributes.numId ?? '', shape]]
    const levels = [...shape.levels]
    for (const override of starts) {
      const depth = Number(override.attributes.ilvl)
      const level = levels[depth]
      if (level) levels[depth] = { ...level, start: numberOf(valueOf(override, 'startOverride')) }
    }
    return [[list.attributes.numId ?? '', { counters: [], levels }]]
  }))
}

function levelsOf (shape: XmlElement): Level[] {
  const levels: Level[] = []
  for (const level of find(shape, 'lvl')) {
    const depth = Number(level.attributes.ilvl)
    if (!(depth < LEVELS)) continue
    levels[depth] = { counting: COUNTINGS[valueOf(level, 'numFmt')], start: numberOf(valueOf(level, 'start')) }
  }
  return levels
}

/** The list that paragraphs of a style are items of. */
function listStyles (part: Uint8Array | undefined): Map<string, { list: string, level: string }> {
  const styles = part ? [...find(parseXml(part), 'style')] : []
  return new Map(styles.flatMap((style) => {
    const [numbers] = find(style, 'numPr')
    const list = numbers ? valueOf(numbers, 'numId') : ''
    return list && numbers ? [[style.attributes.styleId ?? '', { list, level: valueOf(numbers, 'ilvl') }]] : []
  }))
}

function valueOf (element: XmlElement, name: string): string {
  const [found] = find(element, name)
  return found?.attributes.val ?? ''
}

function numberOf (text: string): number {
  const number = Number(text || 1)
  return Number.isSafeInteger(number) && number >= 0 ? number : 1
}
