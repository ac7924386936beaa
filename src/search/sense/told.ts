import { wordsIn } from '../words/words.ts'
import { isNumber, numberOf, spansTime } from './kinds.ts'
import { concepts as known, namesDay } from './lexicon.ts'
import type { Question, Unit, Want } from './question.ts'
import type { Piece } from './sentences.ts'
import { isOfService, JOINED, OTHER_WORD, satisfies, WORK, type Sight } from './sight.ts'
/*
 * What a passage tells of what was asked about: a price beside a thing is not that of another in the same text.
 */

/** A piece with what is seen in it, how far it holds each unit, and the question above it, if any. */
export interface Seen extends Piece { seen: Sight, own: number[], under: number[] | undefined, isBody: boolean }

/** A unit is held from this credit on. */
export const HELD = 0.3
/** An item of a list. */
export const ITEM = /^(?:[-•*–]|\d{1,3}[.)])\s/
/** What is left of an amount or a time that is told of another thing, and of one that the next sentence tells. */
const [OF_ANOTHER, LATER] = [0.6, 0.95]
/** As good as when something is, of what names no time. */
const NO_TIME = 0.7
/** Words by which a sentence says after what something is so, which is when. */
const AFTER_WHAT = new RegExp(`(?<!\\p{L})(?:${[
  'after|once|as soon as|before', 'nachdem|sobald|nach|bevor', 'après|dès que|lorsque|avant', 'después|cuando|tras|antes',
  'dopo|quando|prima', 'nadat|zodra|wanneer|voordat', 'depois|assim que|após', 'po|gdy|zanim', 'efter|när|innan|når|før'
].join('|')})(?!\\p{L})`, 'iu')
/** Kinds of which a text mostly holds several, each told of one thing. */
const TOLD: readonly Want[] = ['price', 'duration', 'time', 'clock', 'when', 'sale']

const asksToBeTold = (wants: ReadonlySet<Want>) => TOLD.some((want) => wants.has(want))

/** Whether a unit is what is asked about, and not what is asked of it. */
export function isThing ({ primary, share, isTalk }: Unit): boolean {
  const { is, asks } = known().get(primary ?? '') ?? {}
  return share === 1 && !isTalk && is !== 'light' && asks === undefined
}

/** From which share of its weight on one thing tells as much as another. */
const AS_TELLING = 0.9

/** What a passage tells of the things that were asked about. */
export interface Telling {
  /** Whether the thing is only named in the text, and no heading or title is about it. */
  isOnlyNamed: boolean
  /** How far a piece may have what was asked for at most: another thing's price is none of this one. */
  most: (at: number) => number
}

/**
 * Whether what a piece tells is of the thing that was asked about, where neither heading nor title names that: it names
 * it itself, or the one before does. Behind that the text has gone on to another thing.
 */
export function tellsOf (
  question: Question, all: readonly Seen[], around: (unit: number) => number
): Telling {
  const { units, wants, isOfFew } = question
  if (!isOfFew || !asksToBeTold(wants)) return { isOnlyNamed: false, most: () => 1 }
  const names = ({ own, under }: Seen, u: number) => own[u]! > HELD || (under?.[u] ?? 0) > HELD
  const things = [...units.keys()].filter((u) =>
    isThing(units[u]!) && around(u) <= HELD && all.some((one) => names(one, u)))
  const isNear = (at: number, u: number) => names(all[at]!, u) ||
    (at > 0 && names(all[at - 1]!, u) && goesOn(question, all[at - 1]!, all[at]!))
  // A list of what a place does names the work in some of its rows: to wash a quilt is what a quilt costs.
  const isWork = (u: number) => WORK.has(units[u]!.primary ?? '')
  const isOfThing = (at: number) => all[at]!.isRow && things.some((u) => !isWork(u) && isNear(at, u))
  // A sentence that names one of the things tells how long it takes for those around it, though not what they cost.
  const isOfOne = (at: number, u: number) => !wants.has('price') && !wants.has('sale') &&
    things.some((v) => v !== u && units[v]!.weight >= AS_TELLING * units[u]!.weight && all[at]!.own[v]! > HELD)
  const isTold = (at: number) =>
    things.every((u) => isNear(at, u) || isOfOne(at, u) || (isWork(u) && isOfThing(at)))
  return { isOnlyNamed: things.length > 0, most: (at) => (isTold(at) ? 1 : OF_ANOTHER) }
}

/** How far a piece, or the one behind it, has what was asked for. */
export function satisfaction (question: Question, one: Seen, next?: Seen): number {
  let all = 1
  for (const want of question.wants) all *= satisfiedBy(question, want, one, next)
  return all
}

/** The same of one of the kinds. */
function satisfiedBy (question: Question, want: Want, one: Seen, next: Seen | undefined): number {
  const later = next && goesOn(question, one, next) ? LATER * satisfies(question, want, next.seen) : 0
  return Math.max(satisfies(question, want, one.seen), later)
}

/** Whether what follows a sentence may tell more of it: no row or item of a list does, nor what else is free. */
function goesOn (question: Question, one: Seen, { isBody, isRow, text, seen }: Seen): boolean {
  if (!isBody || one.isRow || isRow || (ITEM.test(one.text) && ITEM.test(text))) return false
  if (seen.kinds.has('price')) return !isOfService(question, seen)
  return !['free', 'included'].some((one) => seen.concepts.has(one)) || !seen.matches.some(({ concept }) =>
    known().get(concept)?.is !== 'light' && !namesDay(concept) && !question.units.some(({ concepts }) => concepts.has(concept)))
}

/**
 * Whether the price that was asked for, or the time, is not there: no amount that is told of the thing, and nothing
 * that says what it hangs on. What the text then has is that there is such a thing, which was not asked.
 */
export function isUntold (question: Question, all: readonly Seen[], at: number, told: Telling): boolean {
  const { wants } = question
  const [one, next] = [all[at]!, all[at + 1]]
  const has = (want: Want) => Math.min(told.most(at), satisfiedBy(question, want, one, next))
  if (wants.has('price')) {
    const said = [one, ...(next && goesOn(question, one, next) ? [next] : [])].map(({ seen }) => seen)
    const hangs = said.some(({ concepts }) => concepts.has('named') || concepts.has('quote'))
    return has('price') <= OF_ANOTHER && (!hangs || said.some(({ kinds }) => kinds.has('price')))
  }
  if (wants.has('sale')) return has('sale') <= OF_ANOTHER
  if (wants.has('count')) return false
  const lacking = (['duration', 'time', 'clock', 'when'] as const).filter((want) =>
    wants.has(want) && has(want) <= (want === 'when' ? NO_TIME : OF_ANOTHER))
  const isWhen = wants.has('when')
  if (lacking.length === 0 || (isWhen && (!told.isOnlyNamed || AFTER_WHAT.test(one.text)))) return false
  return [one, next].every((piece) => !piece || (!/\d/.test(piece.text) && !spansTime(piece.text)))
}

/** From which weight on a thing that a text lacks may be the very one that was asked about. */
const TELLING = 2

/**
 * Whether one of the things of which a price or a time was asked for is nowhere in a passage; `isThere`: although the
 * agent speaks of it elsewhere, so that the price here is surely another's.
 */
export function lacksAThing (
  { units, wants }: Question, credit: (unit: number) => number, isThere = false
): boolean {
  if (isThere ? !wants.has('price') : !asksToBeTold(wants)) return false
  return units.some((unit, u) =>
    isThing(unit) && unit.weight > TELLING && credit(u) <= HELD && (unit.isThere || !isThere))
}

/** What may stand between numbers behind a name: `12, 13 and 14`, `11 to 13`; the latter takes in what is between. */
const BETWEEN_NUMBERS = /^\s?(?:[,/&+]|[-–—~〜]|\p{L}{1,3})?\s?$/u
const SPANS_NUMBERS = /[-–—~〜\p{L}]/u

/** The numbers right behind a word of a text, as the least and the largest of each. */
function numbersBehind ({ text, tokens }: Sight, at: number): [least: number, most: number][] {
  const found: [number, number][] = []
  let [end, isSpan] = [tokens[at]!.end, false]
  for (const { word, start, end: next } of tokens.slice(at + 1)) {
    if (!BETWEEN_NUMBERS.test(text.slice(end, start))) break
    if (/^\d{1,4}$/.test(word)) {
      const [number, before] = [Number(word), found.at(-1)?.[1] ?? Infinity]
      found.push([isSpan && before < number ? before : number, number])
      isSpan = SPANS_NUMBERS.test(text.slice(next, next + 2))
    } else if (found.length === 0 || !/^\p{L}{1,3}$/u.test(word)) break
    else isSpan = true
    end = next
  }
  return found
}

/** Whether a text names the thing that was asked about with other numbers only: an iPhone 13 is no iPhone 15. */
export const isOfOtherModel = ({ units }: Question, seen: Sight): boolean => units.some(({ modelOf, number }) => {
  if (modelOf === null || number === undefined) return false
  const named = seen.tokens.flatMap(({ word }, at) => word === modelOf ? [numbersBehind(seen, at)] : [])
  return named.length > 0 && named.every((numbers) =>
    numbers.length > 0 && numbers.every(([least, most]) => number < least || number > most))
})

/** Letters from which on two words are forms of one, and what before a number says that it is a bound. */
const ALIKE = 4
const BOUND = /(?:[-–—~<>≤≥]|(?<!\p{L})(?:up to|to|from|max\.?|min\.?|ab|bis|à|de|dès|desde|hasta|da|fino a|van|vanaf|tot|do|od|från|till|fra|til|от|до|від))\s?$/iu

/** Whether all that a text counts of what was asked about is another number: an office for 4 people is none for 10. */
export function isOfOtherCount ({ units }: Question, { text, tokens }: Sight): boolean {
  const words = units.flatMap((unit) => unit.words)
  return units.some(({ number, words: [counted] }) => {
    if (number === undefined || counted === undefined) return false
    const next = words.find(({ plain, places }) =>
      plain.length >= ALIKE && !/\d/.test(plain) && places.some((at) => counted.places.includes(at - 1)))
    if (next === undefined) return false
    const begins = next.plain.slice(0, Math.max(ALIKE, next.plain.length - 2))
    const numbers = tokens.filter(({ word }, at) => isNumber(word) && tokens[at + 1]?.word.startsWith(begins))
    return numbers.length > 0 && numbers.every(({ word, start }) =>
      numberOf(word) !== number && !BOUND.test(text.slice(Math.max(0, start - BEFORE_SUM), start)))
  })
}

/** Words before an amount from which on something is so. */
const FROM_AMOUNT = new RegExp(`(?:${[
  'over|above|exceeding|more than|at least|from', 'ab|über|von', 'plus de|partir de|dès|supérieures? à', 'más de|superior(?:es)? a|partir de|desde',
  'oltre(?: i)?|sopra(?: i)?|superior[ei] a|partire da', 'vanaf|boven|meer dan', 'acima de|mais de|superior(?:es)? a', 'powyżej|od|ponad', 'över|från',
  'over|fra', 'nad|od', 'от|свыше|від|понад', 'üzeri'
].join('|')})\\s?$`, 'iu')
const SUM = /(?:[€£$¥₽₴₺]\s?)?\d[\d.,]{0,12}(?:\s?(?:[€£$¥₽₴₺円원元]|zł|kč|kr|euros?|EUR|CHF|USD|GBP))?/giu
const IS_MONEY = /[€£$¥₽₴₺円원元]|zł|kč|kr|euro|EUR|CHF|USD|GBP/iu
/** Letters beside an amount that may say so, and what says so behind it. */
const BEFORE_SUM = 24
const FROM_HERE = /^(?:以上|から|이상)/u

/** Whether all that a sentence says of a price is from which sum on something is free: that is not what it costs. */
export function isFreeFrom ({ units, wants }: Question, { text, kinds, concepts }: Sight): boolean {
  if (!wants.has('price') || !kinds.has('price') || !(concepts.has('free') || concepts.has('freeshipping'))) return false
  if (units.some(({ primary }) => primary === 'freeshipping' || primary === 'free')) return false
  const sums = [...text.matchAll(SUM)].filter(([sum]) => IS_MONEY.test(sum))
  return sums.length > 0 && sums.every(({ 0: { length }, index }) =>
    FROM_AMOUNT.test(text.slice(Math.max(0, index - BEFORE_SUM), index)) ||
    FROM_HERE.test(text.slice(index + length, index + length + BEFORE_SUM)))
}

/** Whether a piece that is to tell when something is names no time, and the one behind it neither. */
export const tellsNoTime = (question: Question, one: Seen, next: Seen | undefined): boolean =>
  question.wants.has('when') && satisfiedBy(question, 'when', one, next) <= NO_TIME && !AFTER_WHAT.test(one.text)

/**
 * The rows that hold as much of the things that were asked about as the best piece does, if that is a row, and that one
 * itself: which of them is meant, nothing tells. That one has a price and another is free of charge parts none.
 */
export function rowsAlike ({ units }: Question, all: readonly Seen[], best: number): readonly Seen[] {
  const { isRow, own } = all[best]!
  if (!isRow) return []
  const things = [...own.keys()].filter((u) => isSubject(units[u]!))
  const told = things.length > 0 ? things : [...own.keys()]
  return all.filter((one) => one.isBody && one.isRow && told.every((u) => one.own[u] === own[u]))
}

/**
 * Whether a row has what was asked about in another word only: several may be meant then (a tetanus shot, where there
 * are others), and in one's own language a thing of another name is mostly another thing (a pedicure is no manicure),
 * also where the agent has the very thing elsewhere, and this row only what it is made of. `heading`: what is above it,
 * which may name the thing.
 */
export function isInOtherWord (
  question: Question, all: readonly Seen[], best: number, heading: string | null
): boolean {
  const { seen, own, isRow } = all[best]!
  if (!isRow) return false
  const isWork = ({ primary }: Unit) => WORK.has(primary ?? '')
  // Beside work that was asked for, the thing that it is done to may have another name, if it is that thing.
  const isOfWork = question.units.some((unit, u) => isWork(unit) && own[u]! > HELD)
  const above = wordsIn(heading ?? '', seen.language)
  const isAbove = ({ words }: Unit) =>
    words.some(({ forms }) => forms.get(seen.language)?.some((form) => above.has(form)))
  const isOtherName = (unit: Unit, u: number) => unit.isThere
    ? !isOfWork && own[u]! <= (unit.isJoined ? JOINED : OTHER_WORD) && !isAbove(unit)
    : !(isOfWork && own[u] === 1)
  const isOther = (unit: Unit, u: number) => isSubject(unit) && unit.primary !== null && own[u]! > HELD &&
    isOtherName(unit, u) &&
    // The agent's vocabulary has other names of the very thing.
    unit.words.every(({ also }) => also === undefined)
  const others = question.units.filter(isOther)
  const isOwnLanguage = seen.language === null || seen.language === question.language
  return isOwnLanguage
    ? others.some((unit) => !isWork(unit) && known().get(unit.primary!)?.is !== 'service')
    : others.length > 0 && rowsAlike(question, all, best).length > 1
}

/** A thing, whatever it weighs here: of what most of the passages speak, it weighs little. */
const isSubject = (unit: Unit): boolean => isThing({ ...unit, share: 1 })
