import { sentencesByWeight, type QueryWord } from '../words/query.ts'
import { isUnspaced } from '../words/words.ts'
import { isNumber, numberOf } from './kinds.ts'
import { isAsking, languageOfQuestion } from './talk/asking.ts'
import { isForWhom, MY } from './talk/for-whom.ts'
import { ageAt, isClock, isCount, isOfModel, isOld, SPAN } from './talk/numbers.ts'
import { isEveryday } from './talk/ordinary.ts'
import { isOfOwnCase } from './talk/own-case.ts'
import { AMOUNT, ARTICLE, HOW_MANY, HOW_MUCH_LAST, isBehind, WHAT_DAY, WHAT_NAME, WHAT_TIME } from './talk/wordings.ts'
import { broader, conceptsIn, concepts as known, kindsOfDays, namesDay, tokensOf, tonguesOf, type Match, type Token } from './lexicon.ts'
import { wordSet } from '../words/fold.ts'

/** What a question is about: a concept and the words for it, or a word. */
export interface Unit {
  words: QueryWord[]
  /** Concepts whose text answers it, and how well. */
  concepts: Map<string, number>
  /** What it was made of; null of a word. */
  primary: string | null
  /** How much of its weight counts: less of what the customer owns. */
  share: number
  weight: number
  /** A word beside a service word: where no passage holds it, the answer need not either. */
  isObject: boolean
  /** Of how many words the phrase was made, those of asking too: a single one of them says less. */
  size: number
  /** Whether several words that each mean its concept stand side by side in it, as in `silver ring`. */
  isJoined: boolean
  /** How old somebody is, whom the question is about. */
  age: number | null
  /** The number that it is: a text may have it in digits, or by its name. */
  number: number | undefined
  /** Of a number in the name of a thing the word before it: the iPhone of `iPhone 15`. */
  modelOf: string | null
  /** Whether it is the customer's own measure, or of ordinary talk: where no passage holds it, that says little. */
  isTalk: boolean
  /** Whether it was written as a name: where the agent has none such, it is mostly another thing. */
  isName: boolean
  /** Whether the agent has its words: then other words of the same concept may be another thing. */
  isThere: boolean
  /** Whether no passage has its words or anything that answers it: mostly, the place has no such thing. */
  isNowhere: boolean
}

/** A kind of thing that is asked for. */
export type Want = 'price' | 'duration' | 'time' | 'clock' | 'phone' | 'email' | 'address' | 'when' | 'count' | 'sale'

/**
 * A question, as its units; `ofPlace`: of the place itself, when it is open and where, and of no part of it; `isOwn`:
 * it names what the agent's own vocabulary has; `isOfOwnCase`: it is about a case of the customer's own;
 * `isOfFew`: it is put to few passages, as of a small place, whose text goes from one thing to the next; `asksName`:
 * what something is called.
 */
export interface Question {
  language: string | null
  units: Unit[]
  wants: Set<Want>
  total: number
  ofPlace: boolean
  isOwn: boolean
  isOfOwnCase: boolean
  isOfFew: boolean
  asksName: boolean
}

/** Concepts that are people: for whom something is asked for says little of what is asked. */
const PEOPLE = wordSet('children parents senior men women guest')
/** Words by which a question says where to, and asks where and when; folded, of all languages. */
const TO = wordSet('to nach a in en nach au aux ins para naar do till til na в на')
const WHERE = wordSet('where wo donde ou wohin dove onde waar gdzie var hvor kde где де nerede どこ 哪里 哪儿 哪 어디 어디에 어디예요 어디에요 어디인가요')
const WHEN = wordSet('when wann cuando quand quando wanneer kiedy nar hvornar kdy когда коли')
const OFFICE = wordSet('shop company hotel')
const PLACE = wordSet('start hours phone email address contact shop company hotel holidays vacation season daily')
const OF_PLACE = wordSet('hours phone email address contact shop')

/** Of a part of a longer phrase, and of a broader concept by each step. */
const [PART, ABOVE, STEP] = [0.6, 0.8, 0.1]
/** Of a text that names other days, or other months: it says when, if not this one. */
export const OTHER_DAYS = 0.6
/** What single words ask for that also occur in phrases for something else. */
const REACHED = wordSet('phone email')
/** What an address counts for what is asked for by a word that no table knows: `Where is the bothy?` */
const THE_PLACE = 0.9
const [OWNED, WHITHER, TALK, HELD_TALK] = [0.3, 0.4, 0.12, 0.5]
/** What a unit counts of which only sentences beside the question speak: they tell why it is asked. */
const BESIDE_QUESTION = 0.4

/** What a word counts that only another language than the pages' has. */
const FOREIGN = 0.4

const kindOf = (unit: Unit) => (unit.primary === null ? undefined : known().get(unit.primary)?.is)

/** Of a question before anything is known of it. */
const NOTHING = { total: 0, ofPlace: false, isOwn: false, isOfFew: true }

/**
 * Takes a question apart. `words`: those that are looked for; `spoken`: how many passages are in each language;
 * `told`: its language according to `languageOfQuestion`.
 */
export function analyse (
  query: string, words: readonly QueryWord[], spoken: readonly (readonly [string | null, number])[],
  told?: string | null
): Question {
  const tokens = tokensOf(query)
  const language = told === undefined ? languageOfQuestion(query, tokens, spoken) : told
  const languages = language === null ? [...spoken.map(([one]) => one ?? 'en'), 'en'] : [language]
  const [isOfOwn, asksName] = [isOfOwnCase(query, language), WHAT_NAME.test(query)]
  const question: Question = { ...NOTHING, language, units: [], wants: new Set(), isOfOwnCase: isOfOwn, asksName }
  const matches = conceptsIn(query, tokens, tonguesOf(language, languages), true)
  const looked = lookedFor(words)
  const wordsAt = (at: number) => {
    const { word } = tokens[at]!
    if (isAsking(word, languages)) return []
    const found = looked.get(word)
    if (found !== undefined || !isUnspaced(word)) return found === undefined ? [] : [found]
    // Where the index holds pairs of letters, a word is all of its pairs.
    return piecesOf(word).flatMap((piece) => isAsking(piece, languages) ? [] : looked.get(piece) ?? [])
  }
  const taken = unitsOfConcepts(question, tokens, matches, wordsAt)
  const about = new Set(question.units.flatMap(({ primary, concepts }) => [primary, ...concepts.keys()]))
  const isOfHours = question.units.some(({ primary }) => primary === 'hours')
  const used = new Set(question.units.flatMap((unit) => unit.words))
  for (const [at, { word }] of tokens.entries()) {
    if (taken.has(at) || isAsking(word, languages)) continue
    const found = wordsAt(at).filter((one) => !used.has(one))
    if (found.length === 0 || isClock(isOfHours, tokens, at)) continue
    for (const one of found) used.add(one)
    const isSpan = isNumber(tokens[at - 1]?.word ?? '') && SPAN.has(word)
    const isOfNext = isCount(tokens, at)
    const age = ageAt(about, word, isOfNext || isOld(tokens, at))
    const model = isOfModel(tokens, at, languages) ? tokens[at - 1]!.word : null
    const unit = newUnit(question, null, found, { age, number: numberOf(word), modelOf: age === null ? model : null })
    unit.isTalk = isEveryday(word, languages) || (isNumber(word) && model === null)
    unit.isName = !unit.isTalk && isNamed(query, tokens, at, language)
    const isCounting = isNumber(word) && /^\p{L}/u.test(word)
    if (isOfNext || isSpan || isCounting || age !== null || MY.has(tokens[at - 1]?.word ?? '')) unit.share = OWNED
    else if (TO.has(tokens[at - 1]?.word ?? '') && about.has('shipping')) {
      unit.share = WHITHER
    }
  }
  if (language !== null && !spoken.some(([one]) => one === language)) lessenForeign(question)
  const isAmount = AMOUNT.test(query)
  if (isAmount) question.wants.delete('price')
  question.units = question.units.filter(({ words, primary }) =>
    (words.length > 0 || primary !== null) && !(isAmount && primary === 'price'))
  lessenBeside(question, query, tokens, taken)
  understand(question, tokens)
  wantsByWording(question, query, tokens)
  // What is counted is asked for: how many there are says nothing else.
  const isCounted = (['count', 'duration', 'price'] as const).some((want) => question.wants.has(want))
  const isAmountOnly = ({ primary, words }: Unit) => primary === 'quantity' && words.length === 0
  if (isCounted && question.units.some((unit) => !isAmountOnly(unit))) {
    question.units = question.units.filter((unit) => !isAmountOnly(unit))
  }
  return question
}

/** Adds what is asked for by words of asking alone: how many, how much, on which day and at what time. */
function wantsByWording ({ units, wants }: Question, query: string, tokens: readonly Token[]): void {
  if (HOW_MUCH_LAST.test(query) && units.length > 0) wants.add('price')
  if (WHAT_DAY.test(query)) wants.add('when')
  if (WHAT_TIME.test(query)) {
    wants.add('time').add('clock')
    // What time something is, is not when the place is open.
    const isElse = units.some((unit) => unit.primary !== 'hours' && kindOf(unit) !== 'light' && unit.share === 1)
    for (const unit of units) if (isElse && unit.primary === 'hours' && unit.words.length === 0) unit.share = OWNED
  }
  if (HOW_MANY.test(query) && !wants.has('price') && !wants.has('duration')) {
    // How many days is how long.
    wants.add(tokens.some(({ word }) => SPAN.has(word)) ? 'duration' : 'count')
  }
}

/** Lessens words of a language that no page is in: none could hold them, but as names. */
function lessenForeign ({ units }: Question): void {
  const words = units.filter(({ primary, isName, number }) => primary === null && !isName && number === undefined)
  for (const unit of words) unit.share *= FOREIGN
}

/** Lessens what only sentences beside the question speak of. */
function lessenBeside (
  { units }: Question, query: string, tokens: readonly Token[], taken: ReadonlyMap<number, Unit>
): void {
  const sentences = sentencesByWeight(query)
  if (sentences.length < 2) return
  const asked = new Set<Unit>()
  const words = new Set<string>()
  let [to, at] = [0, 0]
  for (const { text, weight } of sentences) {
    to = query.indexOf(text, to) + text.length
    for (; at < tokens.length && tokens[at]!.start < to; at++) {
      const unit = taken.get(at)
      if (weight < 1) continue
      if (unit) asked.add(unit)
      words.add(tokens[at]!.word)
    }
  }
  const isAsked = (unit: Unit) => asked.has(unit) || unit.words.some(({ plain }) => words.has(plain))
  if (!units.some(isAsked)) return
  for (const unit of units) if (!isAsked(unit)) unit.share *= BESIDE_QUESTION
}

/** The words that are looked for, by how they were typed. */
function lookedFor (words: readonly QueryWord[]): ReadonlyMap<string, QueryWord> {
  const found = new Map<string, QueryWord>()
  for (const word of words) if (!found.has(word.plain)) found.set(word.plain, word)
  return found
}

/** As many letters as the pieces have by which the index holds what has no spaces. */
const PIECE = 2

/** The pieces of a word without spaces that the index may hold, each once, in the order in which they stand. */
function piecesOf (word: string): string[] {
  const letters = [...word]
  return [...new Set(letters.flatMap((letter, at) => [letter, letters.slice(at, at + PIECE).join('')]))]
}

/** A capital letter behind a word in small ones makes a name, but in German. */
function isNamed (query: string, tokens: readonly Token[], at: number, language: string | null): boolean {
  const [before, { start, end }] = [tokens[at - 1], tokens[at]!]
  if (language === 'de' || before === undefined || end - start < 3) return false
  return /^\p{Lu}\p{Ll}/u.test(query.slice(start, end)) && /^\p{Ll}/u.test(query.slice(before.start)) &&
    query.slice(before.end, start) === ' '
}

/** Adds a unit to a question. */
export function newUnit (
  { units }: Question, primary: string | null, words: QueryWord[] = [],
  numbered: Partial<Pick<Unit, 'age' | 'number' | 'modelOf'>> = {}
): Unit {
  const unit: Unit = {
    words,
    concepts: new Map(),
    primary,
    share: 1,
    weight: 0,
    isObject: false,
    isTalk: false,
    isName: false,
    isThere: false,
    isNowhere: false,
    isJoined: false,
    size: words.length,
    age: null,
    number: undefined,
    modelOf: null,
    ...numbered
  }
  units.push(unit)
  return unit
}

/** Makes units of the longest phrases; those within them are further concepts of these. Which tokens they took. */
function unitsOfConcepts (
  question: Question, tokens: readonly Token[], matches: Match[], wordsAt: (at: number) => QueryWord[]
): Map<number, Unit> {
  const taken = new Map<number, Unit>()
  /** The first unit that a concept, or one under it, was made. */
  const made = new Map<string, Unit>()
  // Of what is as long, the narrower concept: wine is said of wine, and a drink beside.
  const ordered = matches.toSorted((a, b) =>
    b.at.length - a.at.length || a.at[0]! - b.at[0]! || broader(b.concept).length - broader(a.concept).length)
  for (const { concept, at } of ordered) {
    const inside = at.map((one) => taken.get(one)).find((one) => one !== undefined)
    const again = inside ? undefined : made.get(concept)
    const unit = inside ?? again ?? newUnit(question, concept)
    const isOf = unit.primary === concept ? [concept, ...broader(concept)] : []
    for (const one of isOf) if (!made.has(one)) made.set(one, unit)
    // What is said twice, in phrases that overlap, is said once.
    const isSame = inside?.primary === concept
    const size = at.filter((one) => !ARTICLE.test(tokens[one]!.word)).length
    const isNext = again?.size === 1 && size === 1
    if (isNext) unit.isJoined ||= isBehind(tokens, at[0]!, (one) => taken.get(one) === again)
    if (!inside) unit.size = Math.max(again?.size ?? 0, size)
    for (const one of inside && !isSame ? [] : at) {
      if (taken.has(one)) continue
      taken.set(one, unit)
      for (const word of wordsAt(one)) if (!unit.words.includes(word)) unit.words.push(word)
    }
    // How much something is says nothing of what it is: it is only wanted.
    const isLight = inside !== undefined && inside.primary !== concept && known().get(concept)?.is === 'light'
    const isWithin = at.every((one) => taken.get(one) === unit)
    const most = Math.min(
      inside ? creditWithin({ isWithin, isSame, words: at.length }) : 1, creditAbove(unit.primary, concept)
    )
    const put = (name: string, credit: number) => {
      if ((unit.concepts.get(name) ?? 0) < credit) unit.concepts.set(name, credit)
    }
    if (!isLight) {
      put(concept, most)
      for (const [other, credit] of nearTo(concept)) put(other, credit * most)
      for (const kind of kindsOfDays(concept)) put(kind, OTHER_DAYS * most)
      for (const [step, above] of broader(concept).entries()) put(above, (ABOVE - STEP * step) * most)
    }
    const { asks } = known().get(concept) ?? {}
    const isMine = MY.has(tokens[at[0]! - 1]?.word ?? '')
    // To call off is no call.
    const isOther = isWithin && inside !== undefined && at.length < inside.size && REACHED.has(asks ?? '')
    if (asks && !isMine && !isOther) question.wants.add(asks as Want)
  }
  return taken
}

/** What a concept counts that was found in the words of another: one word of a phrase says less than the phrase. */
function creditWithin ({ isWithin, isSame, words }: { isWithin: boolean, isSame: boolean, words: number }): number {
  if (!isWithin) return 0.5
  return !isSame && words < 2 ? PART : 1
}

/** What a concept counts for one that it is broader than: how to pay says less of cards than cards do. */
function creditAbove (narrow: string | null, concept: string): number {
  const steps = narrow === null ? -1 : broader(narrow).indexOf(concept)
  return steps < 0 ? 1 : ABOVE - STEP * steps
}

function nearTo (concept: string): [concept: string, credit: number][] {
  return (known().get(concept)?.near ?? '').split(', ').filter(Boolean).map((one) => {
    const [name, credit] = one.split(' ')
    return [name!, Number(credit)]
  })
}

/** Whether a word is spelt as it was meant: the table of concepts has it, or the agent's vocabulary. */
export function isKnown ({ units }: Question, word: QueryWord): boolean {
  return word.also !== undefined || units.some(({ primary, words }) => primary !== null && words.includes(word))
}

/** Whether a word was written as a name: the table does not know how it is spelt. */
export function isOfName ({ units }: Question, word: QueryWord): boolean {
  return units.some(({ isName, words }) => isName && words.includes(word))
}

/** Puts what a mistyped word may have meant in its place. */
export function meant ({ units }: Question, typed: QueryWord, word: QueryWord): void {
  for (const unit of units) unit.words = unit.words.map((one) => (one === typed ? word : one))
}

/** What its units say of each other, and what its words ask for. */
function understand (question: Question, tokens: readonly Token[]): void {
  const { units, wants } = question
  const says = (words: ReadonlySet<string>) => tokens.some(({ word }) => words.has(word))
  const isService = units.some((unit) => kindOf(unit) === 'service')
  const places = new Map<string, number>()
  for (const [at, { word }] of tokens.entries()) if (!places.has(word)) places.set(word, at)
  for (const unit of units) {
    const at = places.get(unit.words[0]?.plain ?? '') ?? 0
    const isMine = MY.has(tokens[at - 1]?.word ?? '')
    const kind = kindOf(unit)
    const isOwned = kind === 'thing' ? isService || isMine : isService && kind !== 'service' && isMine
    if (units.length > 1 && (isOwned || (PEOPLE.has(unit.primary ?? '') && (isMine || isForWhom(tokens, at))))) {
      unit.share = OWNED
    }
    if (unit.primary === null && isService) unit.isObject = true
  }
  // What was lost may be anything.
  const isLost = units.some(({ primary }) => primary === 'lost')
  for (const unit of units) if (isLost && kindOf(unit) !== 'service') unit.share = Math.min(unit.share, OWNED)
  // Where to it is sent, as a home is too, the answer need not say.
  const isSent = units.some(({ primary }) => primary === 'shipping')
  for (const unit of units) if (isSent && unit.primary === 'homevisit') unit.share = WHITHER
  partFromBroader(units)
  askForAmount(question)
  if (tokens.some((_, at) => asksWhen(question, tokens, at))) wants.add('when')
  if (says(WHERE)) askForPlace(question, says(MY))
  const has = (concept: string) => units.some(({ primary }) => primary === concept)
  if (has('payment') && !has('price')) wants.delete('price')
  // From what amount on, and not when.
  if (has('freeshipping')) for (const want of ['duration', 'when'] as const) wants.delete(want)
  // To mend a telephone takes no number.
  const mended = has('repair') ? units.find(({ primary }) => primary === 'phone') : undefined
  if (mended) {
    wants.delete('phone')
    mended.concepts = new Map([['phonedevice', 1]])
  }
  // How to get there by train asks for a stop, and not for the street.
  if (has('transport')) {
    wants.delete('address')
    for (const unit of units) if (unit.primary === 'address' && unit.words.length === 0) unit.share = OWNED
  }
  askForTimes(question)
  // From what age: no time of day.
  if (has('age') && !has('hours')) wants.delete('time')
  ofPlace(question)
}

/** What a question that says `where` asks for: where the place is, unless it is about something of the customer's. */
function askForPlace (question: Question, isMine: boolean): void {
  const { units, wants } = question
  // Where is it?
  if (units.length === 0) newUnit(question, 'address').concepts.set('address', 1)
  for (const unit of units) {
    if (!OFFICE.has(unit.primary ?? '')) continue
    unit.concepts.set('address', 1)
    wants.add('address')
  }
  // “Where are you” asks for no time, although being there can mean being open.
  if (units.some(({ primary }) => primary === 'address') && !units.some(({ primary }) => primary === 'hours')) {
    wants.delete('time')
  }
  const [only, ...others] = units
  if (only && others.length === 0 && (only.primary === null || only.size === 0) && !isMine) {
    wants.add('address')
    // Whatever it is, which the page may call something else: where that is, the place is.
    if (only.primary === null && only.concepts.size === 0) only.concepts.set('address', THE_PLACE)
  }
}

/** Whether nothing but a day is named, and until when. */
const isOfDays = (units: readonly Unit[]) => units.some(({ primary }) => primary?.startsWith('day:')) &&
  units.every(({ primary }) => primary === 'deadline' || namesDay(primary ?? ''))

/** Parts of a sum are asked for by no time, and until when on a Saturday by opening hours. */
function askForTimes ({ units, wants }: Question): void {
  if (units.some(({ primary }) => primary === 'instalments')) {
    for (const want of ['duration', 'when'] as const) wants.delete(want)
  }
  const until = isOfDays(units) ? units.find(({ primary }) => primary === 'deadline') : undefined
  if (until) asHours(wants, until)
}

function asHours (wants: Set<Want>, unit: Unit): void {
  unit.primary = 'hours'
  unit.concepts = new Map([['hours', 1]])
  wants.delete('when')
  wants.add('time')
}

/** Whether a token asks when, and does not say it: `What do I pay when it is late?`; nor, in French, anyway. */
function asksWhen ({ language }: Question, tokens: readonly Token[], at: number): boolean {
  const { word } = tokens[at]!
  if (!WHEN.has(word) || tokens[at + 1]?.word === 'meme') return false
  return at <= 1 || word === 'wann' || !isAsking(tokens[0]!.word, [language ?? 'en'])
}

/** Concepts whose kinds exclude each other. */
const OF_KINDS = ['paymentmeans', 'payment']

/** Who is paid is not paid by transfer: beside paying, a way to pay is held by itself, and not by what is broader. */
function partFromBroader (units: readonly Unit[]): void {
  if (!units.some(({ primary }) => OF_KINDS.includes(primary ?? ''))) return
  for (const { primary, concepts } of units) {
    if (primary === null || OF_KINDS.includes(primary) || !broader(primary).includes('paymentmeans')) continue
    concepts.delete('payment')
  }
}

/** Concepts that are amounts of money: how big one is, it costs. */
const MONEY = wordSet('price shippingcost deposit discount penalty tax citytax copay refund membershipfee salary travelcost minimumorder')

/** How big a deposit is asks for an amount, and not for its size. */
function askForAmount (question: Question): void {
  const { units, wants } = question
  const isSize = ({ primary }: Unit) => primary === 'size'
  if (!units.some(isSize) || !units.some(({ primary }) => MONEY.has(primary ?? ''))) return
  question.units = units.filter((unit) => !isSize(unit))
  wants.add('price')
}

/** Finds out whether the place itself is asked about; what it is, its own pages need not say. */
function ofPlace (question: Question): void {
  const { units } = question
  const isOf = ({ primary, concepts }: Unit) =>
    primary !== null && (PLACE.has(primary) || concepts.has('hours') || namesDay(primary))
  question.ofPlace = units.every(isOf) && units.some(({ primary }) => OF_PLACE.has(primary!))
  if (!question.ofPlace || units.length === 1) return
  for (const unit of units) {
    if (unit.primary === 'start' || OFFICE.has(unit.primary!)) unit.share = Math.min(unit.share, OWNED)
  }
}

/** Whether a number or an address is asked for: that all passages speak of telephones says nothing of it. */
const isReached = ({ primary }: Unit) => REACHED.has(known().get(primary ?? '')?.asks ?? '')

/** As how many passages of the language's own a background counts beside the agent's. */
const BACKGROUND = 300
/** How often a concept and a word occur in an ordinary passage. */
const [OFTEN, RARELY] = [0.015, 0.001]
/** A subject of this many of an agent's passages, or titles, says little: teeth at a dentist's. */
const MOSTLY = 0.6
/** What a word weighs at least and at most, and what a concept that says nothing beside a subject keeps. */
const [LEAST, MOST, LIGHT] = [0.05, 3.8, 0.35]

/** What a question is judged by, at most: of a long message what weighs most. */
const JUDGED_BY = 40

/** How many passages hold a word or what else is said for it, the word itself, and a concept. */
export interface Holding {
  holding: (word: QueryWord) => number
  holdingItself: (word: QueryWord) => number
  holdingConcept: (concept: string) => number
}

/** Weighs the units by how many of all passages hold them. */
export function weigh (
  question: Question, all: number, { holding, holdingItself, holdingConcept }: Holding
): void {
  const idf = (held: number, often: number) => {
    const expected = held + BACKGROUND * often
    return Math.log(1 + (all + BACKGROUND - expected + 0.5) / (expected + 0.5))
  }
  for (const unit of question.units) {
    unit.isThere = unit.words.some((word) => holdingItself(word) > 0)
    // The agent's vocabulary knows it by another name.
    if (unit.words.some(({ also }) => also !== undefined)) unit.isName = false
    const isNowhere = unit.words.every((word) => holding(word) === 0)
    unit.isNowhere = isNowhere
    if (unit.isObject && isNowhere) unit.share = Math.min(unit.share, WHITHER)
    const isBounded = unit.age !== null && holdingConcept('age') > 0
    if (unit.isTalk) unit.share = Math.min(unit.share, isNowhere && !isBounded ? TALK : HELD_TALK)
    const isOfAll = (held: number) => held >= all * MOSTLY
    const isLess = unit.primary !== null && question.units.length > 1 && !isReached(unit)
    if (isLess && isOfAll(holdingConcept(unit.primary!)) &&
      (!unit.isThere || isOfAll(Math.max(...unit.words.map(holding))))) unit.share = Math.min(unit.share, OWNED)
    unit.weight = unit.share * (unit.primary !== null
      ? idf(holdingConcept(unit.primary), OFTEN) * (kindOf(unit) === 'light' ? LIGHT : 1)
      : Math.max(LEAST, Math.min(MOST, idf(Math.max(...unit.words.map(holding)), RARELY))))
  }
  if (question.units.length > JUDGED_BY) {
    const kept = new Set(question.units.toSorted((a, b) => b.weight - a.weight).slice(0, JUDGED_BY))
    question.units = question.units.filter((unit) => kept.has(unit))
  }
  question.total = question.units.reduce((sum, { weight }) => sum + weight, 0)
}
