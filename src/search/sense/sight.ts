import { lazily } from '../../platform/lazily.ts'
import type { Language } from '../words/languages.ts'
import { isThere as isSaid } from '../words/query.ts'
import { wordsIn } from '../words/words.ts'
import { boundsAge, holdsAge, isNumber, kindsIn, numberOf, type Kind } from './kinds.ts'
import { broader, concepts as known, conceptsIn, kindsOfDays, namesDay, tokensOf, tonguesOf, writtenIn, type Match, type Token } from './lexicon.ts'
import type { Question, Want } from './question.ts'
import { isRow as isRowText } from './sentences.ts'

/** What a stretch of text contains. */
export interface Sight {
  text: string
  words: ReadonlySet<string>
  concepts: ReadonlySet<string>
  /** Those that are only the broader ones of what it names: the drinks of a text about wine. */
  implied: ReadonlySet<string>
  kinds: ReadonlySet<Kind>
  /** Whether it says for which ages something is. */
  isForAges: boolean
  tokens: readonly Token[]
  matches: readonly Match[]
  language: Language | null
}

/** A long word that begins as one in another language does, and from how many letters on. */
const [COGNATE, LONG] = [0.9, 6]
/** Words that deny, by language: in Portuguese `no` is another word. */
const NO = lazily(() => new Map(Object.entries({
  en: 'no|not|don[’\']t|cannot|never|without',
  de: 'kein\\p{L}*|nicht|nie|ohne',
  es: 'no|sin|nunca',
  fr: 'aucun\\p{L}*|pas|non|sans|jamais',
  it: 'non|no|nessun\\p{L}*|senza',
  pt: 'não|sem|nunca',
  nl: 'niet|geen|nooit|zonder',
  pl: 'nie|bez|brak',
  sv: 'inte|ingen|inga|utan',
  da: 'ikke|ingen|uden',
  cs: 'ne|není|bez',
  ru: 'не|нет|без',
  uk: 'не|немає|без',
  tr: 'yok|değil'
}).map(([language, words]) => [language, new RegExp(`(?<!\\p{L})(?:${words})(?!\\p{L})`, 'iu')] as [string, RegExp]).concat([
  ['ja', /ません|ない|なし|不可|休/u], ['zh', /不|没|无|勿|休息/u], ['ko', /않|없|불가|안 |휴무/u], ['th', /ไม่|งด|หยุด/u]
])))
const denies = (text: string, language: Language | null) => NO().get(language ?? writtenIn(text) ?? 'en')?.test(text) ?? false
/** What is left of a share of a phrase's words, where the phrase means what none of them does. */
const OF_PHRASE = 0.6
/** What a word counts for which the text says another phrase of the agent's vocabulary. */
const ALSO = 0.97
/** What of a concept is left in a row that says it in another word than the one asked for, which the agent has. */
export const OTHER_WORD = 0.5
/** The same of a row that has one of two words only, which are both of that kind. */
export const JOINED = 0.75
/** The same of a sentence, which may well say the same in another. */
const OTHER_SAID = 0.92
/** What a sentence that says for which ages something is counts for somebody of another age. */
const OTHER_AGE = 0.8
/** What another of the same kind counts of what a broader thing does. */
export const SIBLING = 0.4
const PRICES = /\d/

/**
 * What is seen in a stretch of text. `written`: the language that the letters around it tell, where its own may tell
 * another: a Japanese line may hold no kana.
 */
export function sight (text: string, language: Language | null, asked: string | null, written?: string): Sight {
  const tokens = tokensOf(text)
  const concepts = new Set<string>()
  const implied = new Set<string>()
  const matches = outermost(conceptsIn(text, tokens, tonguesOf(language, [asked, written].filter((one) => typeof one === 'string'), text)))
  for (const { concept } of matches) {
    concepts.add(concept)
    if (!concept.startsWith('country:')) for (const above of broader(concept)) implied.add(above)
  }
  for (const concept of implied) {
    if (concepts.has(concept)) implied.delete(concept)
    else concepts.add(concept)
  }
  for (const concept of [...concepts]) for (const kind of kindsOfDays(concept)) concepts.add(kind)
  if (denies(text, language)) concepts.add('no')
  // What is said of shipping and its price is what shipping costs.
  if (concepts.has('shipping') && concepts.has('price') && PRICES.test(text)) concepts.add('shippingcost')
  if (concepts.has('price') || concepts.has('shippingcost')) concepts.add('named')
  const kinds = kindsIn(text)
  if (isOfHours(kinds, concepts)) concepts.add('hours')
  const isForAges = boundsAge(text)
  if (isForAges) concepts.add('age')
  for (const kind of kinds) if (kind !== 'time') concepts.add(kind)
  return { text, words: wordsIn(text, language), concepts, implied, kinds, isForAges, tokens, matches, language }
}

/** Concepts without those that are only a word in the phrase of another: an identity card pays for nothing. */
function outermost (matches: readonly Match[]): readonly Match[] {
  const longest = new Map<number, Match>()
  for (const one of matches) {
    for (const token of one.at) if ((longest.get(token)?.at.length ?? 0) < one.at.length) longest.set(token, one)
  }
  return matches.filter(({ concept, at }) => {
    const around = longest.get(at[0]!)!
    const isWithin = around.at.length > at.length && at.every((one) => around.at.includes(one))
    if (!isWithin || namesDay(around.concept)) return true
    const { is, near = '' } = known().get(concept) ?? {}
    const kin = [around.concept, ...broader(around.concept)]
    const isKin = [concept, ...broader(concept)].some((one) => kin.includes(one))
    return is !== undefined || isKin || near.includes(around.concept) ||
      (known().get(around.concept)?.near ?? '').includes(concept)
  })
}

/** As many months in one text are a part of the year in which something is open. */
const SEASON = 3

/** Whether times are those at which something is open: on a day, from one to another in a month, or in a season. */
export function isOfHours (kinds: ReadonlySet<Kind>, concepts: Iterable<string>): boolean {
  const named = [...concepts].filter(namesDay)
  const months = named.filter((one) => one.startsWith('month:')).length
  return months >= SEASON || (kinds.has('time') && named.some((one) => !one.startsWith('month:') || kinds.has('hours')))
}

const hasDay = (concepts: ReadonlySet<string>) => [...concepts].some(namesDay)

/** Concepts of what is done to a thing: a list of prices for it names the things only. */
export const WORK: ReadonlySet<string> = new Set((
  'alteration repair sewing cleaning wash ironing drycleaning laundry sharpen install treatment rental carrepair bikeservice shoerepair'
).split(' '))
/** People of an age. */
const OF_AGE = new Set(['children', 'adult', 'student', 'senior'])

/** Concepts of how long something takes, and what a row holds of them that has such a time. */
const [HELD_BY_KIND, BY_KIND] = [new Set(['deliverytime', 'readytime', 'waiting', 'duration']), 0.9]

/** How far what is seen holds each unit; of a row, whether it does by the very words. */
export function creditsOf (
  { units, language: asked }: Question, seen: Sight, language: Language | null, isRow = false
): number[] {
  const hasAge = units.some(({ age }) => age !== null && holdsAge(seen.text, age))
  return units.map(({ concepts, words, primary, size, age, number, isThere, isJoined }) => {
    let credit = 0
    // How long it takes stands in a row as a time, which need not say what it is of.
    if (isRow && primary !== null && HELD_BY_KIND.has(primary) && seen.kinds.has('duration')) credit = BY_KIND
    if (hasAge && (age !== null || OF_AGE.has(primary ?? ''))) return 1
    if (number !== undefined && seen.tokens.some(({ word }) => numberOf(word) === number)) return 1
    if (age !== null && !isRow && seen.isForAges) return OTHER_AGE
    for (const [name, worth] of concepts) {
      if (worth <= credit || !seen.concepts.has(name)) continue
      // Another of the same kind, as a beer is for wine.
      const isSibling = primary !== null && seen.implied.has(name) && broader(primary).includes(name)
      credit = Math.max(credit, isSibling ? worth * SIBLING : worth)
    }
    if ((credit === 1 && !isThere) || words.length === 0) return credit
    const has = (form: string) => seen.words.has(form)
    const itself = words.filter(({ forms }) => forms.get(language)?.some(has))
    const there = itself.length
    const said = words.filter((word) => !itself.includes(word) && word.also?.some((one) => isSaid(one, language, has)))
    const share = (there + ALSO * said.length) / Math.max(size, words.length)
    // A card is no gift card: a word of a phrase that is known as a whole is mostly of another thing. Words of asking
    // are none of it: who waits does so for how long.
    credit = Math.max(credit, primary !== null && share < 1 && words.length > 1 ? share * OF_PHRASE : share)
    // Another name of the very thing.
    if (said.some(({ also }) => also!.some((one) => !one.isLess && isSaid(one, language, has)))) return credit
    // Where the agent has the very word, a row with another is about another thing.
    const isLight = primary !== null && known().get(primary)?.is === 'light'
    // So has one with a part of what stands side by side and is of one kind: a silver chain is no silver ring.
    if (isThere && isRow && isJoined && there > 0 && share < 1 && asked === language) return credit * JOINED
    if (isThere && !isLight && there === 0 && credit > 0 && (isRow || asked === language)) {
      // To mend is to repair, whatever it is.
      return credit * (isRow && !WORK.has(primary ?? '') ? OTHER_WORD : OTHER_SAID)
    }
    if (credit > 0 || primary !== null || asked === language || language === null) return credit
    const { plain } = words[0]!
    const begins = plain.slice(0, Math.max(5, Math.ceil(plain.length * 0.6)))
    return plain.length >= LONG && [...seen.words].some((word) => word.startsWith(begins)) ? COGNATE : 0
  })
}

/** What is lent is not sold. */
const [LENT, OF_SALE] = [['rental', 'deposit'], ['sale', 'order', 'stock']]
/** How far a sentence that names a price says that a thing is sold. */
const OF_PRICE = 0.85
/** How many words after a number is what it counts, or before, at most; a price counts nothing. */
const BESIDE = 2
const PRICED = /^\s?(?:[€£$%°]|kr\b|zł|kč|eur)/iu

/** Whether a number that the question has not got itself is next to what it counts: `six books`, `a team of 28`. */
function isCounted ({ units }: Question, { text, tokens, matches, words, language }: Sight): boolean {
  const isGiven = (word: string) => units.some(({ number }) => number !== undefined && number === numberOf(word))
  const numbers = tokens.flatMap(({ word, end }, at) =>
    (isNumber(word) && !isGiven(word) && !PRICED.test(text.slice(end, end + 4)) ? [at] : []))
  if (numbers.length === 0) return false
  const isNear = (at: number) => numbers.some((one) =>
    one !== at && Math.abs(one - at) <= BESIDE &&
    !/[,.;:\n€£$]/.test(text.slice(tokens[Math.min(one, at)]!.end, tokens[Math.max(one, at)]!.start)))
  return units.some(({ concepts, words: asked }) =>
    matches.some(({ concept, at }) => concepts.has(concept) && at.some(isNear)) ||
    asked.some(({ forms }) => {
      const wanted = forms.get(language)?.filter((form) => words.has(form)) ?? []
      const isWanted = (word: string) => wanted.some((form) => word.startsWith(form.slice(0, -1)))
      return wanted.length > 0 && tokens.some(({ word }, at) => isNear(at) && isWanted(word))
    }))
}

/** Whether it is a row for what is done to a thing, of which nothing was asked: `Repair a bicycle: price 20 €`. */
export function isOfWork ({ units }: Question, { text, matches }: Sight): boolean {
  return isRowText(text) && matches.some(({ concept }) => WORK.has(concept)) &&
    !units.some(({ primary }) => WORK.has(primary ?? ''))
}

/** Whether it speaks of a service that was not asked about: what is free of charge is that, and not the thing. */
export function isOfService ({ units }: Question, { matches }: Sight): boolean {
  return matches.some(({ concept }) => known().get(concept)?.is === 'service' &&
    !units.some(({ primary, concepts }) => primary === concept || concepts.has(concept)))
}

/** How far what is seen is of the kind that is asked for. */
export function satisfies (question: Question, want: Want, seen: Sight): number {
  const { kinds, concepts, tokens } = seen
  switch (want) {
    case 'price':
      if (kinds.has('price')) return concepts.has('named') ? 1 : 0.94
      // How much less something costs is mostly a share.
      if (concepts.has('discount') && question.units.some(({ primary }) => primary === 'discount')) return 0.94
      if (concepts.has('free') || concepts.has('included')) return isOfService(question, seen) ? 0.6 : 0.88
      return concepts.has('no') && concepts.has('named') ? 0.9 : 0.6
    case 'clock':
      if (kinds.has('time')) return 1
      return concepts.has('hours') && hasDay(concepts) ? 0.9 : 0.6
    case 'duration':
      if (kinds.has('duration')) return 1
      return kinds.has('time') ? 0.8 : 0.6
    case 'time':
      if (kinds.has('time')) return 1
      if (hasDay(concepts)) return 0.9
      return concepts.has('hours') ? 0.7 : 0.5
    case 'when': return kinds.has('time') || kinds.has('duration') || hasDay(concepts) ? 1 : 0.7
    case 'phone': case 'email': return kinds.has(want) || (concepts.has('no') && concepts.has(want)) ? 1 : 0.4
    case 'address': return kinds.has('address') ? 1 : 0.75
    case 'count':
      if (isCounted(question, seen)) return 1
      return !isRowText(seen.text) && tokens.some(({ word }) => isNumber(word)) ? 0.8 : 0.5
    case 'sale':
      if (isOfWork(question, seen)) return 0.5
      if (OF_SALE.some((one) => concepts.has(one))) return 1
      // A sentence may say what something else costs.
      if (concepts.has('price')) return isRowText(seen.text) ? 1 : OF_PRICE
      if (LENT.some((one) => concepts.has(one))) return 0.5
      if (!kinds.has('price')) return 0.7
      return isRowText(seen.text) ? 1 : OF_PRICE
  }
}
