import { lazily } from '../../../platform/lazily.ts'
import { withoutCourtesies } from '../../../search/sense/talk/courtesies.ts'
import { analyse } from '../../../search/sense/question.ts'
import { foldedWords } from '../../../search/words/fold.ts'
import { isKnown } from '../../../search/words/languages.ts'
import { lookedForIn, queryWords } from '../../../search/words/query.ts'
import table from './place.json' with { type: 'json' }

/** Nobody asks where a business is in a longer message. */
const LONGEST_ASKING_PLACE = 160

/** Whole wordings that the search's concepts do not cover; maintained by hand in `place.json`. */
const wordings = lazily(() => new Map(Object.entries(table).reverse().flatMap(([language, all]) =>
  all.split('|').map((one) => [foldedWords(one), language]))))

/**
 * The language in which a message asks where the business itself is, and nothing else: not for a parcel, a part of it,
 * or an e-mail address; null if the language is unclear, undefined if nobody asks. `language`: the visitor's, as far as
 * known.
 */
export function placeAskedIn (text: string, language: string | null): string | null | undefined {
  if (text.length > LONGEST_ASKING_PLACE) return undefined
  const asked = withoutCourtesies(lookedForIn(text))
  const told = wordings().get(foldedWords(asked)) ?? wordings().get(foldedWords(text))
  if (told !== undefined) return told
  const spoken = [[isKnown(language) ? language : null, 1]] as const
  const { ofPlace, wants, language: written } = analyse(asked, queryWords(asked, spoken), spoken)
  return ofPlace && wants.has('address') && !wants.has('email') ? written : undefined
}

/** A multi-line address as a sentence has it. */
export const inOneLine = (address: string): string => address.replaceAll(/,?\n/g, ', ')
