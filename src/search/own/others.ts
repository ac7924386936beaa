import { mapped, type Work } from '../../platform/storage/work.ts'
import type { QueryWord } from '../words/query.ts'
import { holdersOf, type Terms } from '../index/blocks.ts'

/** A word of another phrase, the passages that hold it, and what it adds. */
interface Part { word: QueryWord, held: Terms, worth: number }

/** What another phrase counts relative to the word itself, and one that says less if passages hold the word. */
const [SAME, LESS] = [0.9, 0.6]

/** What else is said for the words of one question in the agent's business, as something to be looked for. */
export function otherPhrases (rowsOf: (word: QueryWord) => Work<Terms>) {
  const parts = new Map<string, Part>()
  const phrases: { word: QueryWord, isLess: boolean, parts: Part[] }[] = []

  function * partAt (at: number, forms: QueryWord['forms']): Work<Part> {
    const here = new Map([...forms].flatMap(([language, all]) => all[at] === undefined ? [] : [[language, [all[at]]]]))
    const key = JSON.stringify([...here])
    const word: QueryWord = { plain: '', forms: here, places: [], weight: 1 }
    const part = parts.get(key) ?? { word, held: yield * rowsOf(word), worth: 0 }
    parts.set(key, part)
    return part
  }

  return {
    /** How many passages hold the other phrases for a word, as far as can be known without reading them. */
    * look (word: QueryWord): Work<number> {
      let sum = 0
      for (const { forms, isLess } of word.also ?? []) {
        const length = Math.max(0, ...[...forms.values()].map(({ length }) => length))
        const parts = yield * mapped(Array(length).keys(), (at) => partAt(at, forms))
        const holding = Math.min(...parts.map(({ held }) => holdersOf(held)))
        if (parts.length === 0 || holding === 0) continue
        phrases.push({ word, isLess, parts })
        sum += holding
      }
      return sum
    },
    /** The terms to search for. `isHeld`: whether passages hold the word itself. */
    found (worths: Map<QueryWord, number>, isHeld: (word: QueryWord) => boolean): Part[] {
      for (const { word, isLess, parts } of phrases) {
        const share = isLess && isHeld(word) ? LESS : SAME
        for (const part of parts) part.worth += (worths.get(word) ?? 0) * share / parts.length
      }
      return [...parts.values()].filter(({ worth, held }) => worth > 0 && held.length > 0)
    },
    /** The bits which mark that a passage holds another phrase for a word. */
    bits (bitOf: Map<QueryWord, number>): Map<QueryWord, number[]> {
      const masks = new Map<QueryWord, number[]>()
      for (const { word, parts } of phrases) {
        const bits = parts.map(({ word }) => bitOf.get(word) ?? 0)
        if (bits.includes(0)) continue
        masks.set(word, [...(masks.get(word) ?? []), bits.reduce((all, bit) => all | bit, 0)])
      }
      return masks
    }
  }
}
