import type { Term } from '../../../schema/agents.ts'
import type { Statements } from '../../platform/storage/sqlite/database.ts'
import { mapped, type Sliced, type Work } from '../../platform/storage/work.ts'
import { OwnPhrases } from './phrases.ts'
import type { QueryWord } from '../words/query.ts'
import { holdersOf, type Terms } from '../index/blocks.ts'

/** Phrases of all agents kept in memory, as each language has them; the agent asked longest ago is forgotten first. */
const PHRASES_IN_MEMORY = 200_000

/**
 * The vocabularies of agents as a search uses them. They are read when they have changed, step by step, so that what is
 * set counts for the next question.
 */
export function sqliteOwnWords (db: Statements, { most = PHRASES_IN_MEMORY } = {}) {
  const versionOf = db.column<[number], number>('SELECT version FROM vocabularies WHERE agent_id = ?')
  const termsOf = db.column<[number], string>('SELECT terms FROM vocabularies WHERE agent_id = ?')
  const agents = new Map<number, { version: number, own: OwnPhrases }>()

  function forgetSome (): void {
    let sum = 0
    for (const [agent, { own }] of [...agents].reverse()) {
      sum += own.size
      if (sum > most) agents.delete(agent)
    }
  }

  return {
    /** The vocabulary of an agent's business; undefined if none is set. */
    * of (agent: number): Sliced<OwnPhrases | undefined> {
      const version = yield * versionOf.get(agent)
      const known = agents.get(agent)
      agents.delete(agent)
      if (version === undefined) return undefined
      if (known?.version === version) {
        agents.set(agent, known)
        return known.own
      }
      const terms = JSON.parse((yield * termsOf.get(agent))!) as Term[]
      const own = yield * OwnPhrases.of(terms)
      if (terms.length === 0) return undefined
      agents.set(agent, { version, own })
      forgetSome()
      return own
    }
  }
}

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
