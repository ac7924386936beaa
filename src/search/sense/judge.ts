import type { Language } from '../words/languages.ts'
import { concepts as known } from './lexicon.ts'
import { ofPlaceItself } from './of-place.ts'
import type { Question, Unit } from './question.ts'
import { piecesOf, type Piece } from './sentences.ts'
import { creditsOf, OTHER_WORD, satisfies, sight, type Sight } from './sight.ts'

/**
 * How well a passage answers a question, from 0 to 1; what that is worth among others beside their scores; how sure it
 * is that it helps, and that it is right, as logarithms of the odds before it is known how well others fit; and where
 * its words stand that answer.
 */
export interface Judged {
  fit: number
  worth: number
  helps: number
  right: number
  quotes: [start: number, end: number][]
}

/** What a passage is judged by. */
export interface Judgeable { text: string, heading: string | null, language: Language | null }

/** What a unit counts where it stands elsewhere than in the sentence itself. */
const [IN_HEADING, IN_PATH, IN_TITLE, NEARBY] = [0.97, 0.85, 0.8, 0.75]
/** What the words of a sentence itself count beside what stands around it, and that it has what was asked for. */
const [ITSELF, HAS] = [0.3, 0.2]
/** What counts against a sentence for each that stands before it, and one that leans on them. */
const [LATER, LEANS] = [0.004, 0.1]
const LEANING = /^(?:it|this|that|these|they|es|dies\p{L}*|sie|ellos?|ellas?|esto|cela|ce|ils?|elles?|questo|questa|essi|isto|dit|deze|ze)\s/iu
/** What is quoted has at most so many characters; a section up to the second is quoted whole. */
const [LONGEST, SHORT] = [600, 400]
/** What speaks for a passage, and how much more each says as a logarithm of the odds. */
interface Evidence {
  /** How sure the words alone are. */
  words: number
  /** The shares of the question that its heading and the sentence itself hold, and how many units the latter holds. */
  heading: number
  sentence: number
  held: number
  /** How many concepts the passage holds. */
  concepts: number
  /** How far it has the kind of thing that was asked for. */
  kind: number
  /** How well it fits, by how much better than any other, `FAR` at most. */
  lead: number
}

/**
 * Two logistic regressions on 840 questions to 23 places, each place judged by what the others teach: that a passage is
 * right, which an answer that is sure needs, and that it is among the three best. Moved so that 0.65 and 0.35 are where
 * less than one answer in a hundred is wrong and sure, and one in ten of what nobody can know is offered something.
 */
const RIGHT: Evidence = { words: 1.64, heading: 2.9, sentence: 0, held: 0.67, concepts: 0, kind: 2.15, lead: 6.93 }
const HELPS: Evidence = { words: 2.31, heading: 2.99, sentence: 1.36, held: 0, concepts: 0.45, kind: 1.92, lead: 4.17 }
const [RIGHT_EVEN, HELPS_EVEN] = [-6.44, -5.03]
const FAR = 0.5
/**
 * What speaks for a passage among the others that were found, beside its share of the best score: a linear order,
 * learnt by pairs on 983 questions to 27 places, each place ordered by what the others teach. A longer passage says
 * more; its length counts by the logarithm of its characters.
 */
const AMONG_OTHERS = { fit: 0.78, heading: 0.9, sentence: 0.41, kind: 0.45, isRow: 0.19, length: 0.11 }
/** As sure as something is at most that may only help: just below where answers are. */
const MAY_HELP = 0.64
/** As good as what was asked for: days and months without times of day. */
const NEARLY = 0.9
/** A unit is held from this credit on. */
const HELD = 0.3
/**
 * What a row keeps that lacks a thing asked for, as it is another thing's row, and what that says against it as a
 * logarithm of the odds: its other words may well be those of the question.
 */
const [OTHER_ROW, OTHERS] = [0.5, 1.5]
/** An item of a list, and what the others count beside it. */
const ITEM = /^(?:[-•*–]|\d{1,3}[.)])\s/
const AMONG = 0.6
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
  if (total === 0) return { fit: 0, worth: 0, helps: -Infinity, right: -Infinity, quotes: [] }
  const headings = heading?.split(' › ') ?? []
  const credits = (text: string, most: number) =>
    text === '' ? units.map(() => 0) : creditsOf(question, sight(text, language, question.language), language).map((one) => one * most)
  const all = look(question, passage, headings)
  const inHeading = credits(headings.at(-1) ?? '', IN_HEADING)
  const above = credits(headings.slice(0, -1).join('. '), IN_PATH).map((one, u) => Math.max(one, inHeading[u]!))
  priceOfShipping(question, all, above)
  const around = units.map((unit, u) => {
    const own = Math.max(0, ...all.map(({ own }) => own[u]!))
    return own === 0 && above[u] === 0 ? held(unit) * IN_TITLE : above[u]!
  })
  const nearby = units.map((_, u) => Math.max(0, ...all.map(({ own, isRow }) => (isRow ? 0 : own[u]! * NEARBY))))
  const beside = (one: Seen) => one.isRow ? 0 : besideItem(one)
  const share = (of: (unit: number) => number) => units.reduce((sum, { weight }, u) => sum + weight * of(u), 0) / total
  const creditAt = (at: number, u: number) => {
    const one = all[at]!
    return Math.max(one.own[u]!, one.under?.[u] ?? 0, around[u]!, nearby[u]! * beside(one))
  }
  const isHeaded = inHeading.some((credit) => credit > 0)
  const first = all.findIndex(({ isBody }) => isBody)
  const ofPlace = question.ofPlace ? ofPlaceItself(question, all, headings, language) : 1
  let [best, most, fit, has] = [-1, -Infinity, 0, 1]
  for (const [at, one] of all.entries()) {
    if (!one.isBody) continue
    const credit = (u: number) => creditAt(at, u)
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
  if (best < 0) return { fit: 0, worth: 0, helps: -Infinity, right: -Infinity, quotes: [] }
  const { own, isRow } = all[best]!
  const evidence = {
    words: before,
    // The hours, the number or the address of the place itself need no heading.
    heading: question.ofPlace && ofPlace === 1 && has >= NEARLY ? 1 : share((u) => inHeading[u]!),
    sentence: share((u) => own[u]!),
    held: own.filter((credit) => credit > HELD).length,
    concepts: units.filter(({ primary }, u) => primary !== null && creditAt(best, u) > HELD).length,
    kind: has
  }
  const against = isOfOther(question, all[best]!, (u) => creditAt(best, u)) ? OTHERS : 0
  const [helps, right] = [HELPS_EVEN + sum(evidence, HELPS) - against, RIGHT_EVEN + sum(evidence, RIGHT) - against]
  const worth = worthOf(fit, evidence, isRow, passage.text)
  return { fit, worth, helps, right, quotes: quotesWithOther(question, all, best, share) }
}

const besideItem = ({ text }: Seen) => ITEM.test(text) ? AMONG : 1

function worthOf (
  fit: number, { heading, sentence, kind }: Omit<Evidence, 'lead'>, isRow: boolean, { length }: string
): number {
  return AMONG_OTHERS.fit * fit + AMONG_OTHERS.heading * heading + AMONG_OTHERS.sentence * sentence +
    AMONG_OTHERS.kind * kind + (isRow ? AMONG_OTHERS.isRow : 0) + AMONG_OTHERS.length * Math.log(1 + length)
}

const sum = (evidence: Omit<Evidence, 'lead'>, says: Evidence) =>
  (Object.keys(evidence) as (keyof typeof evidence)[]).reduce((all, one) => all + evidence[one] * says[one], 0)

/** How sure it is, from 0 to 1, that a passage is right, or may help, which fits so much better than any other. */
export function confidenceOf ({ fit, helps, right }: Pick<Judged, 'fit' | 'helps' | 'right'>, lead: number): number {
  const alone = fit * Math.min(FAR, Math.max(0, lead))
  return Math.max(chance(right + RIGHT.lead * alone), Math.min(MAY_HELP, chance(helps + HELPS.lead * alone)))
}

const chance = (logOdds: number) => 1 / (1 + Math.exp(-logOdds))

/** A price under a heading about shipping is what shipping costs. */
function priceOfShipping ({ units }: Question, all: readonly Seen[], above: readonly number[]): void {
  for (const [u, { primary }] of units.entries()) {
    if (primary !== 'shippingcost' || above[u] === 0) continue
    for (const one of all) if (one.seen.kinds.has('price')) one.own[u] = 1
  }
}

/** The pieces of a passage, each as it is seen. Headings, labels, menus and heads of tables are not its body. */
function look (question: Question, { text, language }: Judgeable, headings: string[]): Seen[] {
  const pieces = piecesOf(text, language)
  let under: number[] | undefined
  let until = Infinity
  return pieces.map((piece, at) => {
    const seen = sight(piece.text, language, question.language)
    const own = creditsOf(question, seen, language, piece.isRow)
    const next = pieces[at + 1]
    const isHeading = headings.includes(lineAt(text, piece))
    const isAbove = (piece.asks || (piece.isLabel && !isHeading)) && next !== undefined
    if (isAbove) {
      under = own.map((credit) => credit * IN_HEADING)
      until = piece.isLabel && !piece.asks ? endOfBlock(text, next.start) : Infinity
    } else if (piece.start > until) under = undefined
    const isBody = !isAbove && !isMenu(piece.text) && !isHeading
    return { ...piece, seen, own, under: isBody ? under : undefined, isBody }
  })
}

/** The line that a piece stands in: a heading may be of several sentences. */
function lineAt (text: string, { start, end }: Piece): string {
  const last = text.indexOf('\n', end)
  return text.slice(text.lastIndexOf('\n', start - 1) + 1, last < 0 ? text.length : last).trim()
}

function endOfBlock (text: string, from: number): number {
  const end = text.indexOf('\n\n', from)
  return end < 0 ? text.length : end
}

/** Names side by side, none of which says anything. */
function isMenu (text: string): boolean {
  if (/^[^|]+(?: \| [^|]+)+$/.test(text) && !/\d/.test(text)) return true
  const words = text.split(' ')
  return text.length < 100 && words.length > 2 && !/[.!?:;,\d]|^[-•*]/.test(text) && words.every((word) => /^\p{Lu}/u.test(word))
}

/** Whether a row lacks a thing that was asked for: then its values are another's. */
function isAnothersRow ({ units }: Question, { isRow }: Seen, credit: (unit: number) => number): boolean {
  return isRow && units.some(({ share, weight, isObject }, u) =>
    share === 1 && !isObject && weight > 2 && credit(u) === 0)
}

/** Whether a piece is about another thing: it is a row of it, or what was asked about by name is nowhere. */
function isOfOther (question: Question, piece: Seen, credit: (unit: number) => number): boolean {
  return isAnothersRow(question, piece, credit) ||
    question.units.some(({ isName, share, isThere }, u) => isName && !isThere && share === 1 && credit(u) === 0)
}

/** Whether the first cell of a row names all that is asked about. */
function isRowOf (question: Question, { text }: Seen, language: Language | null): boolean {
  const named = creditsOf(question, sight(text.split('\n', 1)[0]!, language, question.language), language, true)
  const told = question.units.map(({ primary, share }, u) =>
    share < 1 || (primary !== null && known().get(primary)?.is === 'light') ? null : named[u]!)
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

/** How much of the question a sentence beside a table holds, or a row beside a sentence, that is quoted with it. */
const [AS_MUCH, ENOUGH] = [0.8, 0.4]

/** What is quoted, with what says as much in the other form: the exception below a table, or the row above a remark. */
function quotesWithOther (
  question: Question, all: Seen[], best: number, share: (of: (unit: number) => number) => number
): Judged['quotes'] {
  const quotes = quotesOf(question, all, best, share)
  const { isRow, own } = all[best]!
  const least = Math.max(ENOUGH, AS_MUCH * share((u) => own[u]!))
  const held = (piece: Seen) => share((u) => piece.own[u]!)
  const other = all.filter((piece) => piece.isBody && piece.isRow !== isRow && held(piece) >= least)
    .reduce<Seen | undefined>((most, piece) => (most && held(most) >= held(piece) ? most : piece), undefined)
  const isApart = other && quotes.every(([start, end]) => other.end <= start || other.start >= end)
  const length = quotes.reduce((sum, [start, end]) => sum + end - start, 0)
  if (!isApart || length + other.end - other.start > LONGEST) return quotes
  return [...quotes, [other.start, other.end]]
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
    for (const want of question.wants) {
      wanted += Math.max(0, satisfies(question, want, other.seen) - satisfies(question, want, first.seen))
    }
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
