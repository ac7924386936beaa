import type { Passage } from '../passage.ts'
import { FORM, wordKeyOf } from '../words/key.ts'
import type { Language } from '../words/languages.ts'
import { boundsAge, kindsIn } from './kinds.ts'
import { broader, conceptsIn, tokensOf, tonguesOf } from './lexicon.ts'
import { isOfHours } from './sight.ts'

/** The index entry of a concept, independent of the text's language. */
export const conceptKey = (concept: string): string => wordKeyOf('#' + concept, { language: null, form: FORM })

/** How often a passage, with the headings and the title above it, holds each concept. */
type ConceptsOf = (passage: Passage, title: string) => Map<string, number>

/** Many passages share a title or heading: their concepts are looked for once. */
export function conceptCounter (language: Language | null): ConceptsOf {
  const known = new Map<string, readonly string[]>()
  const conceptsOf = (text: string) =>
    conceptsIn(text, tokensOf(text), tonguesOf(language, [], text)).flatMap(({ concept }) =>
      concept.startsWith('country:') ? [concept] : [concept, ...broader(concept)])
  const above = (text: string) => {
    const found = known.get(text) ?? conceptsOf(text)
    known.set(text, found)
    return found
  }
  return ({ text, heading }, title) => {
    const counts = new Map<string, number>()
    const add = (concept: string) => counts.set(concept, (counts.get(concept) ?? 0) + 1)
    for (const concepts of [conceptsOf(text), above(heading ?? ''), above(title)]) concepts.forEach(add)
    const kinds = kindsIn(text)
    const isOpen = isOfHours(kinds, counts.keys())
    for (const kind of kinds) if (kind !== 'time') add(kind)
    if (isOpen) add('hours')
    if (boundsAge(text)) add('age')
    return counts
  }
}
