import { lazily } from '../../platform/lazily.ts'
import { wordsIn } from '../words/words.ts'
import type { Language } from '../words/languages.ts'
import { holdsAge, isNumber, kindsIn, type Kind } from './kinds.ts'
import { broader, concepts as known, conceptsIn, namesDay, tokensOf, tonguesOf, type Match, type Token } from './lexicon.ts'
import type { Question, Unit, Want } from './question.ts'
import { isRow, piecesOf, type Piece } from './sentences.ts'

/** How well a passage answers a question, from 0 to 1, how sure that is, and where its words stand that do. */
export interface Judged { fit: number, confidence: number, quotes: [start: number, end: number][] }

/** What a passage is judged by. */
export interface Judgeable { text: string, heading: string | null, language: Language | null }

/** What can be seen in a stretch of text. */
interface Sight {
  text: string
  words: ReadonlySet<string>
  concepts: ReadonlySet<string>
  kinds: ReadonlySet<Kind>
  tokens: readonly Token[]
  matches: readonly Match[]
  language: Language | null
}

/** What a unit counts where it stands elsewhere than in the sentence itself. */
const [IN_HEADING, IN_PATH, IN_TITLE, NEARBY] = [0.97, 0.85, 0.8, 0.75]
/** A long word that begins as one in another language does, and from how many letters on. */
const [COGNATE, LONG] = [0.9, 6]
/** What the words of a sentence itself count beside what stands around it, and that it has what was asked for. */
const [ITSELF, HAS] = [0.3, 0.2]
/** What counts against a sentence for each that stands before it, and one that leans on them. */
const [LATER, LEANS] = [0.004, 0.1]
const LEANING = /^(?:it|this|that|these|they|es|dies\p{L}*|sie|ellos?|ellas?|esto|cela|ce|ils?|elles?|questo|questa|essi|isto|dit|deze|ze)\s/iu
/** Words that deny, by language: in Portuguese `no` is another word. */
const NO = lazily(() => new Map(Object.entries({
  en: 'no|not|don[’\']t|cannot|never|without', de: 'kein\\p{L}*|nicht|nie|ohne', es: 'no|sin|nunca', fr: 'aucun\\p{L}*|pas|non|sans|jamais',
  it: 'non|no|nessun\\p{L}*|senza', pt: 'não|sem|nunca', nl: 'niet|geen|nooit|zonder', pl: 'nie|bez|brak', sv: 'inte|ingen|inga|utan', da: 'ikke|ingen|uden',
  cs: 'ne|není|bez', ru: 'не|нет|без', uk: 'не|немає|без', tr: 'yok|değil'
}).map(([language, words]) => [language, new RegExp(`(?<!\\p{L})(?:${words})(?!\\p{L})`, 'iu')])))
const denies = (text: string, language: Language | null) => NO().get(language ?? 'en')?.test(text) ?? false
/** What is quoted has at most so many characters; a section up to the second is quoted whole. */
const [LONGEST, SHORT] = [600, 280]
/** The odds that a passage which fits so well is right: fitted on places of other trades than are measured. */
const [STEEPNESS, EVEN, PER_UNIT] = [3.54, 0.725, 0.04]
/** What it speaks for that beside that the words alone are surer than the first, up to certain. */
const [SURER, SPEAKS] = [0.6, 1.3]
/** What holds less of what is asked for lacks it. */
const LACKS = 0.85
/** What a row keeps that lacks a thing asked for: it is another thing's row. */
const OTHER_ROW = 0.5
/** An item of a list, and what the others count beside it. */
const ITEM = /^(?:[-•*–]|\d{1,3}[.)])\s/
const AMONG = 0.6
/** What of a concept is left in a row that says it in another word than the one asked for, which the agent has. */
const OTHER_WORD = 0.5
/** The same of a sentence, which may well say the same in another. */
const OTHER_SAID = 0.92
/** What speaks for a row of the very thing whose price is asked for. */
const NAMED_ROW = 1.12

/** A piece with what is seen in it, how far it holds each unit, and the question above it, if any. */
interface Seen extends Piece { seen: Sight, own: number[], under: number[] | undefined, isBody: boolean }

/**
 * `held`: how well the title, of which only the index knows, holds a unit; `before`: how sure the words alone are. What
 * they are sure of may be another thing of the same words, so they only add to what fits: what is in another language
 * than the question has none of them.
 */
export function judge (
  question: Question, passage: Judgeable, held: (unit: Unit) => number, before: number
): Judged {
  const { units, total } = question
  const { heading, language } = passage
  if (total === 0) return { fit: 0, confidence: 0, quotes: [] }
  const headings = heading?.split(' › ') ?? []
  const credits = (text: string, most: number) =>
    text === '' ? units.map(() => 0) : creditsOf(question, sight(text, language), language).map((one) => one * most)
  const all = look(question, passage, headings)
  const inHeading = credits(headings.at(-1) ?? '', IN_HEADING)
  const above = credits(headings.slice(0, -1).join('. '), IN_PATH).map((one, u) => Math.max(one, inHeading[u]!))
  // A price under a heading about shipping is what shipping costs.
  for (const [u, { primary }] of units.entries()) {
    if (primary !== 'shippingcost' || above[u] === 0) continue
    for (const one of all) if (one.seen.kinds.has('price')) one.own[u] = 1
  }
  const around = units.map((unit, u) => {
    const own = Math.max(0, ...all.map(({ own }) => own[u]!))
    return own === 0 && above[u] === 0 ? held(unit) * IN_TITLE : above[u]!
  })
  const nearby = units.map((_, u) => Math.max(0, ...all.map(({ own, isRow }) => (isRow ? 0 : own[u]! * NEARBY))))
  const beside = (one: Seen) => (one.isRow ? 0 : ITEM.test(one.text) ? AMONG : 1)
  const share = (of: (unit: number) => number) => units.reduce((sum, { weight }, u) => sum + weight * of(u), 0) / total
  const isHeaded = inHeading.some((credit) => credit > 0)
  const first = all.findIndex(({ isBody }) => isBody)
  const ofPlace = question.ofPlace ? ofPlaceItself(question, all, headings, language) : 1
  let [best, most, fit, has] = [-1, -Infinity, 0, 1]
  for (const [at, one] of all.entries()) {
    if (!one.isBody) continue
    const credit = (u: number) =>
      Math.max(one.own[u]!, one.under?.[u] ?? 0, around[u]!, nearby[u]! * beside(one))
    const covered = share(credit) * ofPlace * (isAnothersRow(question, one, credit) ? OTHER_ROW : 1)
    const satisfied = satisfaction(question, one, all[at + 1])
    const answers = covered * satisfied
    const leans = LEANING.test(one.text) ? LEANS : 0
    const worth = answers + ITSELF * share((u) => one.own[u]!) + HAS * satisfaction(question, one) - at * LATER - leans
    if (worth <= most) continue
    [best, most, has] = [at, worth, satisfied]
    const isNamed = one.isRow && question.wants.has('price') && isRowOf(question, one, language)
    fit = answers * (isNamed ? NAMED_ROW : 1) * (leans > 0 && at === first && !isHeaded ? 1 - 2 * leans : 1) - leans / 2
  }
  if (best < 0) return { fit: 0, confidence: 0, quotes: [] }
  // Surer words say nothing of a passage that lacks what is asked for.
  const said = ofPlace < 1 || has < LACKS ? 0 : SPEAKS * Math.max(0, (before - SURER) / (1 - SURER))
  const even = EVEN - PER_UNIT * Math.min(6, Math.max(0, units.length - 3))
  return {
    fit,
    confidence: 1 / (1 + Math.exp(-STEEPNESS * (fit - even) - said)),
    quotes: quotesOf(question, all, best, share)
  }
}

/** Concepts of headings under which a place speaks of itself, and how many days it names that it is open. */
const ITSELF_ALSO = ['hours', 'contact', 'phone', 'email', 'address', 'shop', 'company', 'hotel', 'holidays', 'welcome', 'faq']
const MANY_DAYS = 5
/** What is left of what a part of a place says of itself, where the place was asked about. */
const [A_PART, UNTOLD] = [0.5, 0.95]

/** How far a passage speaks of the place itself, and not of a club or a counter in it. */
function ofPlaceItself (
  { units }: Question, all: readonly Seen[], headings: string[], language: Language | null
): number {
  if (headings.length === 0) return 1
  const { concepts } = sight(headings.at(-1)!, language)
  if (ITSELF_ALSO.some((one) => concepts.has(one))) return 1
  const isOther = [...concepts].some((one) =>
    known.get(one)?.is !== 'light' && !namesDay(one) && !ITSELF_ALSO.includes(one) && !units.some((unit) => unit.concepts.has(one)))
  const days = new Set(all.flatMap(({ seen }) => (seen.kinds.has('time') ? [...seen.concepts].filter(namesDay) : [])))
  if (!isOther && (days.size >= MANY_DAYS || days.has('daily'))) return 1
  return isOther || headings.length > 1 ? A_PART : UNTOLD
}

/** The pieces of a passage, each as it is seen. Headings, menus and heads of tables are not its body. */
function look (question: Question, { text, language }: Judgeable, headings: string[]): Seen[] {
  const pieces = piecesOf(text, language)
  let under: number[] | undefined
  return pieces.map((piece, at) => {
    const seen = sight(piece.text, language)
    const own = creditsOf(question, seen, language, piece.isRow)
    const asks = piece.asks && at + 1 < pieces.length
    if (asks) under = own.map((credit) => credit * IN_HEADING)
    const isBody = !asks && !isMenu(piece.text) && !headings.includes(piece.text)
    return { ...piece, seen, own, under: isBody ? under : undefined, isBody }
  })
}

/** Names side by side, none of which says anything. */
function isMenu (text: string): boolean {
  if (/^[^|]+(?: \| [^|]+)+$/.test(text) && !/\d/.test(text)) return true
  const words = text.split(' ')
  return text.length < 100 && words.length > 2 && !/[.!?:;,\d]|^[-•*]/.test(text) && words.every((word) => /^\p{Lu}/u.test(word))
}

const PRICES = /\d/

function sight (text: string, language: Language | null): Sight {
  const tokens = tokensOf(text)
  const concepts = new Set<string>()
  const matches = conceptsIn(text, tokens, tonguesOf(language))
  for (const { concept } of matches) {
    concepts.add(concept)
    if (!concept.startsWith('country:')) for (const above of broader(concept)) concepts.add(above)
  }
  if (denies(text, language)) concepts.add('no')
  // What is said of shipping and its price is what shipping costs.
  if (concepts.has('shipping') && concepts.has('price') && PRICES.test(text)) concepts.add('shippingcost')
  if (concepts.has('price') || concepts.has('shippingcost')) concepts.add('named')
  const kinds = kindsIn(text)
  if (kinds.has('time') && hasDay(concepts)) concepts.add('hours')
  for (const kind of kinds) if (kind !== 'time') concepts.add(kind)
  return { text, words: wordsIn(text, language), concepts, kinds, tokens, matches, language }
}

const hasDay = (concepts: ReadonlySet<string>) => [...concepts].some(namesDay)

function creditsOf ({ units, language: asked }: Question, seen: Sight, language: Language | null, isRow = false): number[] {
  return units.map(({ concepts, words, primary, size, age, isThere }) => {
    let credit = 0
    if (age !== null && holdsAge(seen.text, age)) return 1
    for (const [name, worth] of concepts) if (worth > credit && seen.concepts.has(name)) credit = worth
    if ((credit === 1 && !isThere) || words.length === 0) return credit
    const there = words.filter(({ forms }) => forms.get(language)?.some((form) => seen.words.has(form))).length
    credit = Math.max(credit, there / Math.max(size, words.length))
    // Where the agent has the very word, a row with another is about another thing.
    if (isThere && there === 0 && credit > 0 && (isRow || asked === language)) return credit * (isRow ? OTHER_WORD : OTHER_SAID)
    if (credit > 0 || primary !== null || asked === language || language === null) return credit
    const { plain } = words[0]!
    const begins = plain.slice(0, Math.max(5, Math.ceil(plain.length * 0.6)))
    return plain.length >= LONG && [...seen.words].some((word) => word.startsWith(begins)) ? COGNATE : 0
  })
}

/** Whether a row lacks a thing that was asked for: then its values are another's. */
function isAnothersRow ({ units }: Question, { isRow }: Seen, credit: (unit: number) => number): boolean {
  return isRow && units.some(({ share, weight, isObject }, u) =>
    share === 1 && !isObject && weight > 2 && credit(u) === 0)
}

/** Whether the first cell of a row names all that is asked about. */
function isRowOf (question: Question, { text }: Seen, language: Language | null): boolean {
  const named = creditsOf(question, sight(text.split('\n', 1)[0]!, language), language, true)
  const told = question.units.map(({ primary, share }, u) =>
    share < 1 || (primary !== null && known.get(primary)?.is === 'light') ? null : named[u]!)
  return told.some((credit) => credit !== null) && told.every((credit) => credit === null || credit > OTHER_WORD)
}

/** How far a piece, or the one behind it, has what was asked for. */
function satisfaction (question: Question, one: Seen, next?: Seen): number {
  let all = 1
  for (const want of question.wants) {
    const later = next?.isBody && !one.isRow && !next.isRow ? 0.95 * satisfies(question, want, next.seen) : 0
    all *= Math.max(satisfies(question, want, one.seen), later)
  }
  return all
}

/** What is lent is not sold. */
const [LENT, SOLD] = [['rental', 'deposit'], ['sale', 'order', 'stock', 'price']]
/** How many words after a number is what it counts, or before, at most; a price counts nothing. */
const BESIDE = 2
const PRICED = /^\s?(?:[€£$%°]|kr\b|zł|kč|eur)/iu

/** Whether a number stands beside the thing that is counted: `six books`, `a team of 28`. */
function isCounted ({ units }: Question, { text, tokens, matches, words, language }: Sight): boolean {
  const numbers = tokens.flatMap(({ word, end }, at) => (isNumber(word) && !PRICED.test(text.slice(end, end + 4)) ? [at] : []))
  if (numbers.length === 0) return false
  const isNear = (at: number) => numbers.some((one) =>
    one !== at && Math.abs(one - at) <= BESIDE &&
    !/[,.;:\n€£$]/.test(text.slice(tokens[Math.min(one, at)]!.end, tokens[Math.max(one, at)]!.start)))
  return units.some(({ concepts, words: asked }) =>
    matches.some(({ concept, at }) => concepts.has(concept) && at.some(isNear)) ||
    asked.some(({ forms }) => {
      const wanted = forms.get(language)?.filter((form) => words.has(form)) ?? []
      return wanted.length > 0 && tokens.some(({ word }, at) => isNear(at) && wanted.some((form) => word.startsWith(form.slice(0, -1))))
    }))
}

function satisfies (question: Question, want: Want, seen: Sight): number {
  const { kinds, concepts, tokens } = seen
  switch (want) {
    case 'price': return kinds.has('price') ? (concepts.has('named') ? 1 : 0.94) : concepts.has('free') ? 0.88 : concepts.has('no') && concepts.has('named') ? 0.9 : 0.6
    case 'duration': return kinds.has('duration') ? 1 : kinds.has('time') ? 0.8 : 0.6
    case 'time': return kinds.has('time') ? 1 : hasDay(concepts) ? 0.9 : concepts.has('hours') ? 0.7 : 0.5
    case 'when': return kinds.has('time') || kinds.has('duration') || hasDay(concepts) ? 1 : 0.85
    case 'phone': case 'email': return kinds.has(want) || (concepts.has('no') && concepts.has(want)) ? 1 : 0.4
    case 'address': return kinds.has('address') ? 1 : 0.75
    case 'count': return isCounted(question, seen) ? 1 : !isRow(seen.text) && tokens.some(({ word }) => isNumber(word)) ? 0.8 : 0.65
    case 'sale': return SOLD.some((one) => concepts.has(one)) ? 1 : LENT.some((one) => concepts.has(one)) ? 0.5
      : kinds.has('price') ? 1 : 0.7
  }
}

/** Where what is quoted stands: a short section whole, else the best piece with the one that says most beside it. */
function quotesOf (
  question: Question, all: Seen[], best: number, share: (of: (unit: number) => number) => number
): Judged['quotes'] {
  const first = all[best]!
  const one: [number, number] = [first.start, Math.min(first.end, first.start + LONGEST)]
  if (first.isRow) return [one]
  const isOfSection = (piece: Seen | undefined): piece is Seen =>
    piece !== undefined && piece.isBody && !piece.isRow && piece.under === first.under
  let [low, high] = [best, best]
  while (isOfSection(all[low - 1])) low--
  while (isOfSection(all[high + 1])) high++
  if (all[high]!.end - all[low]!.start <= SHORT) return [[all[low]!.start, all[high]!.end]]
  let [companion, gain]: [Seen | undefined, number] = [undefined, -1]
  for (const [at, other] of all.entries()) {
    const isNext = Math.abs(at - best) === 1
    const length = isNext
      ? Math.max(one[1], other.end) - Math.min(one[0], other.start)
      : one[1] - one[0] + other.end - other.start
    if (at === best || !isOfSection(other) || length > LONGEST) continue
    let wanted = 0
    for (const want of question.wants) wanted += Math.max(0, satisfies(question, want, other.seen) - satisfies(question, want, first.seen))
    const more = share((u) => Math.max(0, other.own[u]! - first.own[u]!))
    const near = (isNext ? 0.1 : 0) + (at === best + 1 ? 0.01 : 0)
    const worth = 0.6 * more + 0.4 * share((u) => other.own[u]!) + 0.5 * wanted + near
    if (worth > gain) [companion, gain] = [other, worth]
  }
  if (!companion) return [one]
  return Math.abs(all.indexOf(companion) - best) === 1
    ? [[Math.min(one[0], companion.start), Math.max(one[1], companion.end)]]
    : [one, [companion.start, companion.end]]
}
