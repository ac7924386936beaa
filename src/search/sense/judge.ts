import type { Language } from '../words/languages.ts'
import { concepts as known } from './lexicon.ts'
import { ofPlaceItself } from './of-place.ts'
import type { Question, Unit } from './question.ts'
import { piecesOf, type Piece } from './sentences.ts'
import { creditsOf, OTHER_WORD, satisfies, sight, type Sight } from './sight.ts'

/** How well a passage answers a question, from 0 to 1, how sure that is, and where its words stand that do. */
export interface Judged { fit: number, confidence: number, quotes: [start: number, end: number][] }

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
const [LONGEST, SHORT] = [600, 280]
/** The odds that a passage which fits so well is right: fitted on places of other trades than are measured. */
const [STEEPNESS, EVEN, PER_UNIT] = [3.54, 0.725, 0.04]
/** What it speaks for that beside that the words alone are surer than the first, up to certain. */
const [SURER, SPEAKS] = [0.6, 1.3]
/** What holds less of what is asked for lacks it. */
const LACKS = 0.6
/** What a row keeps that lacks a thing asked for: it is another thing's row. */
const OTHER_ROW = 0.5
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
  if (total === 0) return { fit: 0, confidence: 0, quotes: [] }
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
  return { fit, confidence: confidenceOf(question, fit, said), quotes: quotesOf(question, all, best, share) }
}

/** How sure it is that what fits so well is right; of many units, some may miss. */
function confidenceOf ({ units }: Question, fit: number, said: number): number {
  const even = EVEN - PER_UNIT * Math.min(6, Math.max(0, units.length - 3))
  return 1 / (1 + Math.exp(-STEEPNESS * (fit - even) - said))
}

/** A price under a heading about shipping is what shipping costs. */
function priceOfShipping ({ units }: Question, all: readonly Seen[], above: readonly number[]): void {
  for (const [u, { primary }] of units.entries()) {
    if (primary !== 'shippingcost' || above[u] === 0) continue
    for (const one of all) if (one.seen.kinds.has('price')) one.own[u] = 1
  }
}

/** The pieces of a passage, each as it is seen. Headings, menus and heads of tables are not its body. */
function look (question: Question, { text, language }: Judgeable, headings: string[]): Seen[] {
  const pieces = piecesOf(text, language)
  let under: number[] | undefined
  return pieces.map((piece, at) => {
    const seen = sight(piece.text, language, question.language)
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

/** Whether a row lacks a thing that was asked for: then its values are another's. */
function isAnothersRow ({ units }: Question, { isRow }: Seen, credit: (unit: number) => number): boolean {
  return isRow && units.some(({ share, weight, isObject }, u) =>
    share === 1 && !isObject && weight > 2 && credit(u) === 0)
}

/** Whether the first cell of a row names all that is asked about. */
function isRowOf (question: Question, { text }: Seen, language: Language | null): boolean {
  const named = creditsOf(question, sight(text.split('\n', 1)[0]!, language, question.language), language, true)
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
