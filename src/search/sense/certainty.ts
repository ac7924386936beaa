/*
 * How sure an answer is: what is seen of a passage, and of the others beside it, weighed by what places taught.
 */

/** Evidence in a passage for what was asked. Shares are of what the question weighs, from 0 to 1. */
export interface Evidence {
  /** How sure the words alone are. */
  words: number
  /** The shares of the question that its heading and the sentence itself hold, which is its own where there is none. */
  heading: number
  sentence: number
  /** The share that it holds in part only, as a word of a longer phrase, or something near. */
  partly: number
  /** How far it has the kind of thing that was asked for. */
  kind: number
  /** 1 where a price, whether something is sold, a time or a number was asked for, and where the place itself was. */
  price: number
  sale: number
  time: number
  count: number
  ofPlace: number
  /** 1 where it is in another language than the question: no words speak for it. */
  isForeign: number
  /** 1 where only other days than the one that was asked about are named. */
  isOfOtherDays: number
  /** 1 where it may be of another thing: of what was asked it lacks something, or another's row says it. */
  isPartial: number
  /** Whether it is no answer, whatever else speaks for it: what was asked about is another thing, or nowhere. */
  isRefused: boolean
  /** Whether it says what is so for everybody, where a case of the customer's own was asked about. */
  isGeneral: boolean
}

/** What stands beside a passage among those that were found. */
export interface Beside {
  /** By how much it fits better than any other. */
  lead: number
  /** How many others fit nearly as well, up to `RIVALS`. */
  rivals: number
  /** How sure the words alone are of another. */
  elsewhere: number
}

/** A passage as it is weighed; `fit`: how well it answers, as `judge` has it. */
export interface Weighed { fit: number, evidence?: Evidence | undefined }

/** What the regressions see of a passage: its words count more where it fits, and where its heading does. */
type Seen = Omit<Evidence, 'kind' | 'isRefused' | 'isGeneral'> & Beside &
  { fit: number, wordsThatFit: number, wordsUnderHeading: number }
/** How much more each says as a logarithm of the odds. */
export type Weights = Record<keyof Seen, number>

/**
 * Two logistic regressions on 2,120 questions to 48 places in eleven languages: that a passage is right, which a sure
 * answer needs, and that it or one that is offered beside it is. Moved so that 0.65 and 0.35 are where one answer
 * in 190 is wrong and sure, and one in thirteen of what nobody can know is offered something. Learnt by
 * `npm run fit:certainty` (BENCHMARK.md).
 */
const RIGHT: Weights = {
  words: 0.79,
  heading: 0.82,
  sentence: 0.24,
  partly: -1.02,
  price: -0.4,
  sale: -0.95,
  time: 0.53,
  count: 1.65,
  ofPlace: 0.34,
  isForeign: 0.74,
  isOfOtherDays: -1.11,
  isPartial: -0.74,
  fit: 1.83,
  wordsThatFit: 1.3,
  wordsUnderHeading: 1.59,
  lead: 3.51,
  rivals: -0.22,
  elsewhere: -1.95
}
const HELPS: Weights = {
  words: 0.24,
  heading: 0.62,
  sentence: 0.4,
  partly: -0.91,
  price: -0.6,
  sale: -1.42,
  time: 0.6,
  count: 1.58,
  ofPlace: 0.78,
  isForeign: 0.8,
  isOfOtherDays: -1.54,
  isPartial: -0.81,
  fit: 2.03,
  wordsThatFit: 1.7,
  wordsUnderHeading: 1.75,
  lead: 2.14,
  rivals: -0.11,
  elsewhere: -1.6
}

/** The regressions, with what they say of a passage for which nothing speaks. */
export interface Taught { right: Weights, helps: Weights, rightEven: number, helpsEven: number }

/** Those in use. */
export const TAUGHT: Taught = { right: RIGHT, helps: HELPS, rightEven: -3.42, helpsEven: -2.73 }
/** A larger lead adds nothing, and further rivals take nothing. */
const FAR = 0.5
export const RIVALS = 3
/** What has no more of the kind of thing that was asked for, as a price, is not surely the answer. */
const OF_ANOTHER_KIND = 0.6
/** Maximum certainty of what is refused: just below that of what may help. */
const REFUSED = 0.34
/** Maximum certainty of what is only offered as help: just below that of answers. */
const MAY_HELP = 0.64

/**
 * How sure it is, from 0 to 1, that a passage is right, or may help, beside the others; `mixed`: with what each chance
 * is mixed, as with that of the words alone. What may help only is never as sure as an answer. `mostOf` bounds it.
 */
export function certaintyOf (
  { fit, evidence }: Weighed, beside: Beside,
  { by = TAUGHT, mixed = (one) => one }: { by?: Taught | undefined, mixed?: (chance: number) => number } = {}
): number {
  if (evidence === undefined) return mixed(0)
  const seen = seenOf({ fit, evidence }, beside)
  const chanceBy = (says: Weights, even: number) =>
    chance((Object.keys(says) as (keyof Weights)[]).reduce((sum, one) => sum + says[one] * seen[one], even))
  return Math.max(mixed(chanceBy(by.right, by.rightEven)), Math.min(MAY_HELP, mixed(chanceBy(by.helps, by.helpsEven))))
}

/** What the regressions see of a passage. */
export function seenOf (
  { fit, evidence }: Weighed & { evidence: Evidence }, { lead, rivals, elsewhere }: Beside
): Seen {
  const { kind, isRefused, isGeneral, ...seen } = evidence
  return {
    ...seen,
    fit,
    wordsThatFit: seen.words * fit,
    wordsUnderHeading: seen.words * seen.heading,
    lead: fit * Math.min(FAR, Math.max(0, lead)),
    rivals,
    elsewhere
  }
}

/** How sure a passage may be at most, whatever else speaks for it. */
export function mostOf (evidence: Evidence | undefined): number {
  if (evidence?.isRefused) return REFUSED
  const isUnsure = evidence !== undefined &&
    (evidence.isGeneral || evidence.isPartial === 1 || evidence.kind <= OF_ANOTHER_KIND)
  return isUnsure ? MAY_HELP : 1
}

const chance = (logOdds: number) => 1 / (1 + Math.exp(-logOdds))
