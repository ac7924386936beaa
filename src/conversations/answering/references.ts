/*
 * How models cite sources, though told to write [1]: [Source 1], 【1†source】, [^1], [1-3], (Quelle 2).
 */

/** Words for sources before a number, folded to lower case. */
const SOURCE = new Set(
  ('source sources src passage passages document documents doc docs ref refs reference references citation cite cit ' +
  'quelle quellen fuente fuentes fonte fonti fontes bron bronnen källa källor kilde kilder lähde lähteet źródło źródła ' +
  'zdroj zdroje sursa surse forrás források πηγή πηγές kaynak kaynaklar источник источники источника джерело джерела ' +
  'المصدر مصدر المصادر מקור מקורות منبع منابع 来源 來源 資料 资料 出典 ソース 出处 出處 출처 nguồn sumber แหล่งที่มา स्रोत').split(' ')
)
const AND = new Set('and und et y e og och en ve и і та ja și a és 和 及 と 및 và dan'.split(' '))
/** No list of numbers is longer. */
export const LONGEST_REFERENCE = 64
const MOST_IN_RANGE = 20
const TOKEN = /[\p{L}\p{M}]+|\d+|[^\p{L}\p{M}\d\s]/gu

/** The numbers of sources, and whether a word marks them as such. */
export interface References { numbers: number[], isNamed: boolean }

/** Whether a word means a source. */
export function isSourceWord (word: string): boolean {
  return SOURCE.has(word.toLowerCase())
}

/** The sources in brackets, in any notation; undefined if the brackets contain anything else. */
export function referencesIn (label: string): References | undefined {
  // 【4:0†source】: the rest says where, not which.
  const [which = '', where] = label.length > LONGEST_REFERENCE ? [] : label.split('†', 2)
  const numbers: number[] = []
  let isNamed = false
  let expects: 'number' | 'range' | 'next' = 'number'
  for (const token of (where === undefined ? which : which.split(':')[0]!).match(TOKEN) ?? []) {
    if (/^\d/.test(token)) {
      const added = expects === 'next' ? undefined : numbersOf(token, expects === 'range' ? numbers.at(-1) : undefined)
      if (!added) return undefined
      numbers.push(...added)
      expects = 'next'
    } else if (isSourceWord(token)) {
      if (expects === 'range') return undefined
      isNamed = true
      expects = 'number'
    } else if (expects === 'number') {
      // [^1], [#1], [Source: 1], [No. 1]
      if (!/^[\^#:.№]$/.test(token) && token.toLowerCase() !== 'no') return undefined
    } else if (expects === 'next' && /^[-–—]$/.test(token)) expects = 'range'
    else if (expects === 'next' && (/^[,;&+、،]$/.test(token) || AND.has(token.toLowerCase()))) expects = 'number'
    else return undefined
  }
  return expects === 'next' ? { numbers, isNamed } : undefined
}

/** A number, or those of a range ending with it. Years are not sources, and nobody cites fifty for a sentence. */
function numbersOf (digits: string, from: number | undefined): number[] | undefined {
  const number = Number(digits)
  if (digits.length > 4) return undefined
  if (from === undefined) return [number]
  const length = number - from
  return number <= 99 && length > 0 && length <= MOST_IN_RANGE
    ? Array.from({ length }, (_, i) => from + 1 + i)
    : undefined
}
