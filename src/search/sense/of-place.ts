import type { Language } from '../words/languages.ts'
import { concepts as known, namesDay } from './lexicon.ts'
import type { Question } from './question.ts'
import { sight, type Sight } from './sight.ts'

/** Concepts of headings under which a place speaks of itself, and how many days it names that it is open. */
const ITSELF_ALSO = [
  'hours', 'contact', 'phone', 'email', 'address', 'shop', 'company', 'hotel', 'holidays', 'vacation', 'welcome', 'faq', 'visit'
]
const MANY_DAYS = 5
/** What is left of what a part of a place says of itself, where the place was asked about. */
const [A_PART, UNTOLD, OFTEN_OPEN] = [0.56, 0.95, 0.85]

/** How far a passage speaks of the place itself, and not of a club or a counter in it. */
export function ofPlaceItself (
  { units, wants, language: asked }: Question,
  all: readonly { seen: Sight }[], headings: string[], language: Language | null
): number {
  if (headings.length === 0) return 1
  const { concepts } = sight(headings.at(-1)!, language, asked)
  if (ITSELF_ALSO.some((one) => concepts.has(one))) return 1
  // A number or an address of e-mail that stands under any heading is mostly that of the whole place.
  const isReached = (['phone', 'email'] as const).some((one) => wants.has(one) && all.some(({ seen }) => seen.kinds.has(one)))
  if (isReached) return UNTOLD
  const isOther = [...concepts].some((one) =>
    known().get(one)?.is !== 'light' && !namesDay(one) && !ITSELF_ALSO.includes(one) && !units.some((unit) => unit.concepts.has(one)))
  // Each day on a line of its own, or many in one sentence: days of this and that class are no opening hours.
  const days = new Set(all.flatMap(({ seen }) => {
    const named = seen.kinds.has('time') ? [...seen.concepts].filter(namesDay) : []
    const begins = seen.matches.some(({ concept, at }) => at[0] === 0 && namesDay(concept))
    return begins || named.length >= MANY_DAYS ? named : []
  }))
  if (days.size >= MANY_DAYS || days.has('daily')) return isOther ? OFTEN_OPEN : 1
  // Where the page is called what the place is, it is the place that has an address.
  const isNamedSo = wants.has('address') && headings.length === 1
  return (isOther && !isNamedSo) || (wants.has('time') && headings.length > 1) ? A_PART : UNTOLD
}
