import type { Language } from '../words/languages.ts'
import { broader, concepts as known, writtenIn } from './lexicon.ts'
import { ofPlaceItself } from './of-place.ts'
import { OTHER_DAYS, type Question, type Unit, type Want } from './question.ts'
import { isHeadOf, piecesOf, valuesOfRow, type Piece } from './sentences.ts'
import type { Evidence } from './certainty.ts'
import { creditsOf, isOfWork, OTHER_WORD, satisfies, SIBLING, sight, WORK, type Sight } from './sight.ts'
import {
  HELD, isFreeFrom, isInOtherWord, isOfOtherCount, isOfOtherModel, isThing, isUntold, ITEM, lacksAThing, rowsAlike,
  satisfaction, type Seen, tellsNoTime, tellsOf, type Telling
} from './told.ts'
import { isOfOwnCase } from './talk/own-case.ts'

/**
 * How well a passage answers a question, from 0 to 1; what that is worth among others beside their scores; the evidence
 * in the passage itself, if any; and where the words are that answer.
 */
export interface Judged {
  fit: number
  worth: number
  evidence?: Evidence
  quotes: [start: number, end: number][]
}

/** The input for judging a passage. */
export interface Judgeable { text: string, heading: string | null, language: Language | null }

/** What a unit counts if it occurs elsewhere than in the sentence itself. */
const [IN_HEADING, IN_PATH, IN_TITLE, NEARBY] = [0.97, 0.85, 0.8, 0.75]
/** Weight of a sentence's own words relative to its surroundings, and of holding what was asked for. */
const [ITSELF, HAS] = [0.3, 0.2]
/** What counts against a sentence for each one before it, and against one that depends on those. */
const [LATER, LEANS] = [0.004, 0.1]
const LEANING = /^(?:it|this|that|these|they|es|dies\p{L}*|sie|ellos?|ellas?|esto|cela|ce|ils?|elles?|questo|questa|essi|isto|dit|deze|ze)\s/iu
/** Maximum characters of a quote; a section up to the second length is quoted whole. */
const [LONGEST_QUOTE, SHORT] = [600, 400]
/**
 * What speaks for a passage among the others that were found, beside its share of the best score: a linear order,
 * learnt by pairs on 983 questions to 27 places, each place ordered by what the others teach. A longer passage says
 * more; its length counts by the logarithm of its characters.
 */
const AMONG_OTHERS = { fit: 0.78, heading: 0.9, sentence: 0.41, kind: 0.45, isRow: 0.19, length: 0.11 }
/** As good as what was asked for: days and months without times of day. */
const NEARLY = 0.9
/** What a row keeps that lacks a thing asked for, as it is another thing's row. */
const OTHER_ROW = 0.5
/** What the others of a list count beside an item of it. */
const AMONG = 0.6
/** What speaks for a row of the very thing whose price is asked for. */
const NAMED_ROW = 1.12

/**
 * `held`: how well the title, of which only the index knows, holds a unit; `before`: how sure the words alone are. What
 * they are sure of may be another thing of the same words, so they only add to what fits: what is in another language
 * than the question has none of them.
 */
export function judge (question: Question, passage: Judgeable, held: (unit: Unit) => number, before: number): Judged {
  const [{ units, total }, { heading, language }] = [question, passage]
  if (total === 0) return { fit: 0, worth: 0, quotes: [] }
  const headings = heading?.split(' › ') ?? []
  const creditsIn = (text: string, most: number) =>
    text === '' ? units.map(() => 0) : creditsOf(question, sight(text, language, question.language), language).map((one) => one * most)
  const all = look(question, passage, headings)
  const inHeading = creditsIn(headings.at(-1) ?? '', IN_HEADING)
  const above = creditsIn(headings.slice(0, -1).join('. '), IN_PATH).map((one, u) => Math.max(one, inHeading[u]!))
  priceOfShipping(question, all, above)
  const around = units.map((unit, u) => {
    const own = Math.max(0, ...all.map(({ own }) => own[u]!))
    return own === 0 && above[u] === 0 ? held(unit) * IN_TITLE : above[u]!
  })
  const nearby = units.map((_, u) => Math.max(0, ...all.map(({ own, isRow }) => (isRow ? 0 : own[u]! * NEARBY))))
  const share = (of: (unit: number) => number) => units.reduce((sum, { weight }, u) => sum + weight * of(u), 0) / total
  const creditAt = (at: number, u: number) => {
    const one = all[at]!
    return Math.max(one.own[u]!, one.under?.[u] ?? 0, around[u]!, nearby[u]! * beside(one))
  }
  const [isHeaded, first] = [inHeading.some((credit) => credit > 0), all.findIndex(({ isBody }) => isBody)]
  const ofPlace = question.ofPlace ? ofPlaceItself(question, all, headings, language) : 1
  const told = tellsOf(question, all, (u) => around[u]!)
  let [best, most, fit, has] = [-1, -Infinity, 0, 1]
  for (const [at, one] of all.entries()) {
    if (!one.isBody) continue
    const credit = (u: number) => creditAt(at, u)
    const covered = share(credit) * ofPlace * (isAnothersRow(question, one, credit) ? OTHER_ROW : 1)
    const satisfied = Math.min(satisfaction(question, one, all[at + 1]), told.most(at))
    const answers = covered * satisfied
    const leans = LEANING.test(one.text) ? LEANS : 0
    const worth = answers + ITSELF * share((u) => one.own[u]!) + HAS * satisfaction(question, one) - at * LATER - leans
    if (worth <= most) continue
    [best, most, has] = [at, worth, satisfied]
    const isNamed = one.isRow && question.wants.has('price') && isRowOf(question, one, language)
    fit = answers * (isNamed ? NAMED_ROW : 1) * (leans > 0 && at === first && !isHeaded ? 1 - 2 * leans : 1) - leans / 2
  }
  if (best < 0) return { fit: 0, worth: 0, quotes: [] }
  const [said, credit] = [all[best]!, (u: number) => creditAt(best, u)]
  const itself = share((u) => said.own[u]!)
  // The hours, the number or the address of the place itself need no heading.
  const headed = question.ofPlace && ofPlace === 1 && has >= NEARLY ? 1 : share((u) => inHeading[u]!)
  // Where there is none, it says for itself what it is about.
  const asHeading = headings.length === 0 ? itself : share((u) => Math.max(inHeading[u]!, said.under?.[u] ?? 0))
  const evidence: Evidence = {
    words: before,
    heading: Math.max(headed, asHeading),
    sentence: itself,
    partly: share((u) => isPart(credit(u)) ? 1 : 0),
    kind: has,
    ...wantsOf(question),
    isForeign: language === question.language ? 0 : 1,
    ...boundsOf(question, all, best, { told, credit, heading, language, isOfPart: ofPlace < 1, fit, before }),
    isGeneral: isGeneral(question, passage, headings.at(-1))
  }
  const quotes = quotesWithOther(question, all, best, share)
  return { fit, worth: worthOf(fit, { ...evidence, heading: headed }, said.isRow, passage.text), evidence, quotes }
}

/** Between these credits a unit is held in part only. */
const isPart = (credit: number): boolean => credit >= 0.6 && credit < NEARLY

/** What kinds of thing were asked for. */
function wantsOf ({ wants, ofPlace }: Question): Pick<Evidence, 'price' | 'sale' | 'time' | 'count' | 'ofPlace'> {
  const asks = (...kinds: Want[]) => kinds.some((one) => wants.has(one)) ? 1 : 0
  return {
    price: asks('price'),
    sale: asks('sale'),
    time: asks('time', 'clock', 'when', 'duration'),
    count: asks('count'),
    ofPlace: ofPlace ? 1 : 0
  }
}

/**
 * Whether a row is for work on a thing whose price was asked, in none of the words that were asked: what it costs to
 * repair a charger is not what one costs.
 */
const isOfWorkOnly = (question: Question, { seen, own }: Seen): boolean =>
  question.wants.has('price') && question.language === seen.language && isOfWork(question, seen) &&
  question.units.some((unit, u) => unit.primary !== null && !unit.isThere && isThing(unit) && own[u]! > HELD)

/**
 * How sure the words alone are where they stand for a sentence although something of the question is nowhere, and for a
 * row that lacks something: it may help then, though it is not surely the answer.
 */
const [OWN_WORDS, OWN_ROW] = [0.7, 0.8]

/** What a passage may not be sure of, whatever its words are, by the piece that answers best. */
function boundsOf (
  question: Question, all: readonly Seen[], best: number,
  { told, credit, heading, language, isOfPart, fit, before }: {
    told: Telling
    heading: string | null
    credit: (unit: number) => number
    language: Language | null
    isOfPart: boolean
    fit: number
    before: number
  }
): Pick<Evidence, 'isRefused' | 'isPartial' | 'isOfOtherDays'> {
  const [said, isForeign] = [all[best]!, language !== null && language !== question.language]
  const mayLack = !isForeign && !said.isRow
  const isRow = isAnothersRow(question, said, credit)
  const isScarce = fit < SCARCELY && isElsewhere(question, credit, isForeign)
  const isOtherDays = isOfOtherDays(question, credit)
  const isPartial = isRow || isScarce || isInOtherWord(question, all, best, heading) || isOfWorkOnly(question, said) ||
    isOfSibling(question, said.seen, credit) || isOtherDays || isFreeFrom(question, said.seen) ||
    (mayLack && lacksAThing(question, credit)) || tellsNoTime(question, said, all[best + 1]) ||
    isOfOtherCount(question, said.seen) || isOfPart || question.asksName
  return {
    isRefused: isUntold(question, all, best, told) || (isRow && before <= OWN_ROW) ||
      isOfOtherModel(question, said.seen) || (isScarce && before <= OWN_WORDS) ||
      (mayLack && lacksAThing(question, credit, true)),
    isPartial: isPartial ? 1 : 0,
    isOfOtherDays: isOtherDays ? 1 : 0
  }
}

/** Whether a case of the customer's own was asked about, and no heading or question of a list asks the same. */
function isGeneral ({ isOfOwnCase: isAsked }: Question, { text, language }: Judgeable, heading = ''): boolean {
  return isAsked && !isOfOwnCase(`${heading}\n${text}`, language)
}

/**
 * From which share of a question on that stands nowhere in the agent it is about something that the place does not
 * have, unless what is there fits as well as this.
 */
const [MUCH, SCARCELY] = [0.4, 0.62]

/** Names of languages and countries, which are understood in any language. */
const NAME_OF = /^(?:(?:language|country):|english$)/

/** Whether a passage lacks much of a question as every other one does; of one in another language only names tell. */
function isElsewhere ({ units, total }: Question, credit: (unit: number) => number, isForeign: boolean): boolean {
  const lacks = ({ isNowhere, share, primary }: Unit, u: number) =>
    isNowhere && share === 1 && credit(u) <= HELD && (!isForeign || NAME_OF.test(primary ?? ''))
  return units.reduce((sum, unit, u) => sum + (lacks(unit, u) ? unit.weight : 0), 0) >= total * MUCH
}

/** What the sentences around it count for a piece: nothing for a row. */
function beside ({ text, isRow }: Seen): number {
  if (isRow) return 0
  return ITEM.test(text) ? AMONG : 1
}

function worthOf (
  fit: number, { heading, sentence, kind }: Evidence, isRow: boolean, { length }: string
): number {
  return AMONG_OTHERS.fit * fit + AMONG_OTHERS.heading * heading + AMONG_OTHERS.sentence * sentence +
    AMONG_OTHERS.kind * kind + (isRow ? AMONG_OTHERS.isRow : 0) + AMONG_OTHERS.length * Math.log(1 + length)
}

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
  const written = language === null ? writtenIn(text) : undefined
  let under: number[] | undefined
  let until = Infinity
  const all = pieces.map((piece, at): Seen => {
    const seen = sight(piece.text, language, question.language, written)
    const own = creditsOf(question, seen, language, piece.isRow)
    const next = pieces[at + 1]
    const isHeading = headings.includes(lineAt(text, piece))
    const isAbove = (piece.asks || (piece.isLabel && !isHeading)) && next !== undefined
    if (isAbove) {
      under = own.map((credit) => credit * IN_HEADING)
      until = piece.isLabel && !piece.asks ? endOfBlock(text, next.start) : Infinity
    } else if (piece.start > until) under = undefined
    const isBody = !isAbove && !isMenu(piece.text) && !isHeading && !(next?.isRow && isHeadOf(piece.text, next.text))
    return { ...piece, seen, own, under: isBody ? under : undefined, isBody }
  })
  lessenByColumns(question, all)
  return all
}

/** What a row holds by the name of a column alone counts this much where another row has it as a value. */
const BY_COLUMN = 0.3

/** Every row has the names of its columns: what one of them says itself, it says for the others too. */
function lessenByColumns (question: Question, all: readonly Seen[]): void {
  const rows = all.filter(({ isRow }) => isRow)
  if (rows.length < 2) return
  const shared = question.units.flatMap((_, u) => rows.every(({ own }) => own[u]! > HELD) ? [u] : [])
  if (shared.length === 0) return
  const values = rows.map(({ text, seen: { language } }) => inCell(question, valuesOfRow(text), language))
  for (const u of shared) {
    if (!values.some((credits) => credits[u]! > SIBLING)) continue
    for (const [at, { own }] of rows.entries()) own[u] = Math.max(values[at]![u]!, BY_COLUMN * own[u]!)
  }
}

/** The line that contains a piece: a heading may have several sentences. */
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
function isAnothersRow (
  { units, language }: Question, { isRow, seen }: Seen, credit: (unit: number) => number
): boolean {
  if (!isRow) return false
  // What is in no table of words is in no row of another language either, but as a name.
  const isForeign = language !== null && seen.language !== null && language !== seen.language
  const isForeignWord = ({ primary, isName, number }: Unit) =>
    isForeign && primary === null && !isName && number === undefined
  const isWork = ({ primary }: Unit) => WORK.has(primary ?? '')
  const hasThing = units.some((unit, u) => !isWork(unit) && unit.weight > 2 && credit(u) > HELD)
  return units.some((unit, u) => unit.share === 1 && !(unit.isObject && !unit.isThere) && unit.weight > 2 &&
    credit(u) === 0 && !(hasThing && isWork(unit)) && !isForeignWord(unit))
}

/** Whether what was asked about, of which the agent speaks elsewhere, is said of another of its kind: cats for dogs. */
function isOfSibling ({ units }: Question, { concepts, implied }: Sight, credit: (unit: number) => number): boolean {
  return units.some(({ primary, isThere, share }, u) => primary !== null && isThere && share === 1 &&
    credit(u) <= SIBLING && !concepts.has(primary) && broader(primary).some((one) => implied.has(one)))
}

/** Whether it is about a day, and only others are named: what is so then may be told elsewhere. */
const isOfOtherDays = ({ units }: Question, credit: (unit: number) => number): boolean =>
  units.some(({ primary }, u) => primary?.startsWith('day:') && credit(u) > 0 && credit(u) <= OTHER_DAYS)

/** How far a row's cell, or several, hold each unit by the very words. */
const inCell = (question: Question, cell: string, language: Language | null) =>
  creditsOf(question, sight(cell, language, question.language), language, true)

/** Whether the first cell of a row names all that is asked about. */
function isRowOf (question: Question, { text }: Seen, language: Language | null): boolean {
  const named = inCell(question, text.split('\n', 1)[0]!, language)
  const told = question.units.map(({ primary, share }, u) =>
    share < 1 || (primary !== null && known().get(primary)?.is === 'light') ? null : named[u]!)
  return told.some((credit) => credit !== null) && told.every((credit) => credit === null || credit > OTHER_WORD)
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
  if (!isApart || length + other.end - other.start > LONGEST_QUOTE) return quotes
  return [...quotes, [other.start, other.end]]
}

/** Whether a question is only for what things cost, of which it names none: `Prices?`. */
const asksForAllPrices = ({ units, wants }: Question): boolean =>
  wants.has('price') && units.every(({ primary }) => primary === 'price')

/** Rows as far as they are quoted. */
function quotesOfRows (rows: readonly Seen[]): Judged['quotes'] {
  const quotes: Judged['quotes'] = []
  let length = 0
  for (const { start, end } of rows) {
    length += end - start
    if (length > LONGEST_QUOTE && quotes.length > 0) break
    quotes.push([start, Math.min(end, start + LONGEST_QUOTE)])
  }
  return quotes
}

/** The rows of a table from one on. */
function rowsFrom (all: readonly Seen[], from: number): readonly Seen[] {
  const end = all.findIndex(({ isRow }, at) => at > from && !isRow)
  return all.slice(from, end < 0 ? all.length : end)
}

/** Where what is quoted stands: a short section whole, else the best piece with the one that says most beside it. */
function quotesOf (
  question: Question, all: Seen[], best: number, share: (of: (unit: number) => number) => number
): Judged['quotes'] {
  const first = all[best]!
  const one: [number, number] = [first.start, Math.min(first.end, first.start + LONGEST_QUOTE)]
  if (first.isRow) {
    return quotesOfRows(asksForAllPrices(question) ? rowsFrom(all, best) : rowsAlike(question, all, best))
  }
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
    if (at === best || !isOfSection(other) || length > LONGEST_QUOTE) continue
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
