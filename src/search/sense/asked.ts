import type { Work } from '../../platform/storage/work.ts'
import { holdersOf, type Postings, type Terms } from '../index/blocks.ts'
import type { QueryWord } from '../words/query.ts'
import { conceptKey } from './held.ts'
import { certaintyOf, mostOf, RIVALS, type Beside, type Taught } from './certainty.ts'
import { judge, type Judgeable, type Judged } from './judge.ts'
import { weigh, type Holding, type Question, type Unit } from './question.ts'

/** In an agent with this many passages a question's own words count as much as what they say among these. */
const SMALL = 200
/** Passages beyond which rarity says enough: nothing is judged there. */
const LARGE = 1800
/** What a concept counts beside a word when passages are looked for, and where its own words stand somewhere. */
const [CONCEPT, THERE] = [0.5, 0.6]
/** What the concepts beside the one that was named count, as a text may hold several of them. */
const BESIDE = 0.4
/** From this credit on a concept may well answer another. */
const NEAR = 0.5
/** Passages that are judged. */
export const JUDGED = 12
/** In larger agents, sentences are chosen as before. */
const QUOTED = 0.4
/** What being in the question's language counts beside the score. */
const SAME_LANGUAGE = 0.14

/** How much more a judgement says than the counts of this many passages: all in few, nothing from `LARGE` on. */
export function weightOf (passages: number): number {
  const least = SMALL / (LARGE + SMALL)
  return Math.max(0, (SMALL / (passages + SMALL) - least) / (1 - least))
}

/** From how many units on a question is a paragraph, of which no passage has all. */
const PARAGRAPH = 12

/** The same for a question: where rarity tells, the words of a paragraph say more than what it means. */
function weightFor ({ units }: Question, passages: number): number {
  const weight = weightOf(passages)
  return weight < QUOTED ? weight * Math.min(1, PARAGRAPH / units.length) : weight
}

/** A concept as something to be looked for beside the words. */
interface Sought { word: QueryWord, concept: string, worth: number, held: Terms }

/** What a question means in an agent. */
export interface Sense {
  question: Question
  /** From 0 to 1: see `weightOf`. */
  weight: number
  sought: Sought[]
  /** What a passage in any language may gain by concepts at most. */
  most: number
  /** The bits of the concepts, as of words. */
  bits: Map<string, number>
}

/** What a question means in an agent with this many passages. `held`: how many of them hold its words. */
export function * senseOf (
  question: Question, passages: number, terms: Postings['terms'], held: Omit<Holding, 'holdingConcept'>
): Work<Sense> {
  const weight = weightFor(question, passages)
  question.isOfFew = weight >= QUOTED
  const sense: Sense = { question, weight, sought: [], most: 0, bits: new Map() }
  if (weight === 0 && !question.isOwn) return sense
  const known = new Map<string, Terms>()
  function * termsOf (concept: string): Work<Terms> {
    const found = known.get(concept) ?? (yield * terms(conceptKey(concept)))
    known.set(concept, found)
    return found
  }
  for (const { primary, age } of question.units) {
    const concept = age === null ? primary : 'age'
    if (concept !== null) yield * termsOf(concept)
  }
  weigh(question, passages, { ...held, holdingConcept: (concept) => holdersOf(known.get(concept)!) })
  if (weight === 0) return sense
  for (const unit of question.units) {
    if (unit.concepts.size === 0) continue
    const isThere = unit.words.some((word) => held.holdingItself(word) > 0)
    let isHeld = isThere || unit.words.some((word) => held.holding(word) > 0)
    const much = unit.weight * CONCEPT * Math.min(1, 2 * weight) * (isThere ? THERE : 1)
    sense.most += much
    for (const [concept, credit] of unit.concepts) {
      const held = yield * termsOf(concept)
      const word = { plain: '', forms: new Map(), places: [], weight: credit }
      const worth = much * credit * (concept === unit.primary ? 1 : BESIDE)
      if (held.length > 0) sense.sought.push({ word, concept, worth, held })
      isHeld ||= held.length > 0 && credit >= NEAR
    }
    unit.isNowhere = !isHeld
  }
  return sense
}

/** How well a passage that holds these bits answers; `before`: how sure the words alone are, which it stays so far. */
export function judgedBy (
  { sense: { question, weight, bits }, bits: bitsOfWords, alsoBits }:
  { sense: Sense, bits: Map<QueryWord, number>, alsoBits: Map<QueryWord, number[]> },
  passage: Judgeable, held: number, before: number
): Omit<Judged, 'quotes'> & { confidence: number, quotes?: Judged['quotes'] } {
  const has = (bit: number) => (held & bit) !== 0
  const { quotes, ...rest } = judge(question, passage, ({ concepts, words, size }: Unit) => {
    const isHeld = (word: QueryWord) => has(bitsOfWords.get(word) ?? 0) ||
      alsoBits.get(word)?.some((all) => (held & all) === all)
    let credit = words.filter(isHeld).length / Math.max(1, size, words.length)
    for (const [concept, worth] of concepts) if (worth > credit && has(bits.get(concept) ?? 0)) credit = worth
    return credit
  }, before)
  return {
    ...rest,
    confidence: before,
    ...((weight >= QUOTED || question.isOwn) && { quotes })
  }
}

/** A found passage, as it was judged. */
interface Judging extends Partial<Judged> { text: string, score: number, confidence: number, language: string | null }

/** From which share of a passage's fit on another is its rival. */
const NEARLY = 0.9

/** A passage among others: how well it fits, how sure its words alone are, and what it is quoted with. */
interface Said { fit: number, words: number, quoted: string }

const saidBy = ({ fit = 0, confidence, text, quotes = [] }: Judging): Said =>
  ({ fit, words: confidence, quoted: quotes.map(([start, end]) => text.slice(start, end)).join('\n') })

/** What stands beside each of some passages that nothing was compared of yet. Who says the very same is no other. */
export function besidesOf (hits: readonly Judging[]): Beside[] {
  const all = hits.map(saidBy)
  return all.map((one) => {
    const others = all.filter((other) => other !== one && (other.quoted === '' || other.quoted !== one.quoted))
    return {
      lead: one.fit - Math.max(0, ...others.map(({ fit }) => fit)),
      rivals: Math.min(RIVALS, others.filter(({ fit }) => fit >= NEARLY * one.fit).length),
      elsewhere: Math.max(0, ...others.map(({ words }) => words))
    }
  })
}

/** Says of found passages how sure each is beside the others: what fits no better than another is less so. */
export function compare<Hit extends Judging> (
  { weight }: Pick<Sense, 'weight'>, hits: Hit[], by?: Taught
): Hit[] {
  const besides = besidesOf(hits)
  for (const [at, hit] of hits.entries()) {
    const { fit, evidence, confidence: before } = hit
    if (fit === undefined) continue
    const mixed = (chance: number) => weight * chance + (1 - weight) * before
    const confidence = certaintyOf({ fit, evidence }, besides[at]!, { by, mixed })
    // The words alone would speak for what is refused, as they are the same.
    const isBound = weight >= QUOTED || evidence?.isGeneral === true
    hit.confidence = isBound ? Math.min(mostOf(evidence), confidence) : confidence
  }
  return hits
}

/**
 * What comes first although it is less sure than `UNLIKELY` gives way to one of the next `NEXT` that is `LIKELY`: else
 * the question would not be answered at all.
 */
const [UNLIKELY, LIKELY, NEXT] = [0.35, 0.45, 2]

/** Found passages in the order in which they answer. Each has to be compared before. */
export function inOrder<Hit extends Judging> (
  { question, weight }: { question: Pick<Question, 'language'>, weight: number }, hits: Hit[]
): Hit[] {
  if (weight === 0) return hits
  const top = Math.max(1e-9, ...hits.map(({ score }) => score))
  const worthOf = ({ score, worth = 0, language }: Hit) =>
    score / top + weight * (worth + (language === question.language ? SAME_LANGUAGE : 0))
  const ordered = hits.map((hit) => ({ hit, worth: worthOf(hit) })).sort((a, b) => b.worth - a.worth)
  return surerFirst(ordered.map(({ hit }) => hit))
}

function surerFirst<Hit extends Judging> (hits: Hit[]): Hit[] {
  const [first, ...next] = hits.slice(0, 1 + NEXT)
  if (first === undefined || first.confidence >= UNLIKELY) return hits
  const surest = next.reduce((best, one) => one.confidence > best.confidence ? one : best, first)
  return surest.confidence < LIKELY ? hits : [surest, ...hits.filter((one) => one !== surest)]
}
