import { lazily } from '../../../platform/lazily.ts'

/* For people of what age something is: from one to another, from or up to one. */

const OF_AGE = String.raw`(?:the age of |age |los |las |dem alter von )?(\d{1,3})(?!\d)`
const AGES = lazily(() => ({
  between: /(?<!\d)(\d{1,3})\s?(?:[–-]|to|and|bis|und|a|y|à|et|e|tot|en|do|i|till|og|až|до|и|та|ile)\s?(\d{1,3})(?!\d)/giu,
  from: new RegExp(String.raw`(?<!\p{L})(?:from|over|above|minimum age(?: is)?|ab|über|mindestens|desde|mayores de|a partir d[eo]s?|à partir de|dès|plus de|da|dai|vanaf|boven|od|powyżej|från|över|fra|over|starší|с|от|від)\s${OF_AGE}`, 'giu'),
  under: new RegExp(String.raw`(?<!\p{L})(?:up to|under|below|unter|bis|menores de|hasta|moins de|jusqu’?'?à|sotto i|fino a|menos de|até|onder|tot|poniżej|do|upp till|under|op til|mladší|do|до|младше)\s${OF_AGE}`, 'giu')
}))

/** Years that somebody is old, a bound before them or behind. */
const YEARS = 'years?|yrs|jahren?|jährigen?|ans|años|anni|anos|jaar|lat|roku|år|let|лет|года|років|yaş\\p{L}*'
const BOUNDS = [
  'from|over|above|under|below|until|at least|ab|über|unter|bis|mindestens|desde|(?:mayores|menores|partir|más|menos) de|hasta|dès|(?:plus|moins) de|à partir de|jusqu’?\'?à',
  'sopra i|sotto i|oltre i|(?:più|meno) di|dai?|fino a|mais de|menos de|partir dos?|até|vanaf|onder|boven|tot|minstens|od|powyżej|poniżej|do|från|över|under|fra|over|op til|nad|pod|от|до|старше|младше|від'
].join('|')
const BEYOND = '(?:or|and|oder|und|ou|et|o|e|y|en|of|i|och|og) (?:over|older|above|under|younger|up|älter|jünger|plus|más|menos|più|meno|mais|ouder|jonger|äldre|yngre|ældre)'
const LASTING = 'for|since|warrant|guarantee|experience|seit|garantie|erfahrung|depuis|expérience|hace|garantía|experiencia|da oltre|da più|garanzia|esperienza|há|garantia|sinds|al meer|ervaring|gwarancj|doświadczen|garanti|erfarenhet'
export const anAge = lazily(() => new RegExp(
  // Not the years that a business or a guarantee is old.
  `(?<!\\p{L}|(?:${LASTING})[^.\\n]{0,20})(?:${BOUNDS})\\s(?:the age of |los |las )?(?:[3-9]|1\\d|2[01]|[5-9]\\d)\\s?(?:${YEARS})(?!\\p{L})|` +
  `(?<!\\d)\\d{1,2}(?:\\s?(?:${YEARS}))?\\s${BEYOND}(?!\\p{L})|(?<!\\d)\\d{1,2}[ -]year[ -]olds?(?!\\p{L})`, 'iu'
))

/** Whether a text says from or up to what age something is for people, in whichever words. */
export const boundsAge = (text: string): boolean => /\d/.test(text) && anAge().test(text)

/** Whether a text is about people of an age: it names it, or a range that it lies in. */
export function holdsAge (text: string, age: number): boolean {
  const { between, from, under } = AGES()
  const some = (pattern: RegExp, holds: (one: number, other: number) => boolean) =>
    [...text.matchAll(pattern)].some(([, one, other]) => holds(Number(one), Number(other)))
  return some(between, (one, other) => one <= age && age <= other) || some(from, (one) => age >= one) ||
    some(under, (one) => age < one)
}
