/*
 * How sure an answer is: what is seen of a passage, and of the others beside it, weighed by what places taught.
 */

/** Evidence in a passage for what was asked. Shares are of what the question weighs, from 0 to 1. */
export interface Evidence {
  /** How sure the words alone are. */
  words: number
  /** The shares of the question that its heading and the sentence itself hold. */
  heading: number
  sentence: number
  /** 1 where it stands under no heading, which then says nothing of it. */
  isBare: number
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
 * Two logistic regressions on 2,120 questions to 48 places in eight languages: that a passage is right, which an answer
 * that is sure needs, and that it or one that is offered beside it is. Moved so that 0.65 and 0.35 are where one answer
 * in 150 is wrong and sure, and one in thirteen of what nobody can know is offered something. Learnt by
 * `npm run fit:certainty` (BENCHMARK.md).
 */
const RIGHT: Weights = {
  words: 0.67,
  heading: 1,
  sentence: 0.45,
  isBare: 0.5,
  partly: -0.96,
  price: -0.29,
  sale: -0.96,
  time: 0.51,
  count: 1.68,
  ofPlace: -0.06,
  isForeign: 0.76,
  isOfOtherDays: -0.97,
  isPartial: -0.74,
  fit: 1.61,
  wordsThatFit: 1.35,
  wordsUnderHeading: 2.23,
  lead: 3.59,
  rivals: -0.25,
  elsewhere: -1.92
}
const HELPS: Weights = {
  words: 0.2,
  heading: 0.71,
  sentence: 0.52,
  isBare: 0.46,
  partly: -0.94,
  price: -0.48,
  sale: -1.42,
  time: 0.56,
  count: 1.59,
  ofPlace: 0.46,
  isForeign: 0.81,
  isOfOtherDays: -1.36,
  isPartial: -0.76,
  fit: 1.96,
  wordsThatFit: 1.77,
  wordsUnderHeading: 1.93,
  lead: 2.18,
  rivals: -0.1,
  elsewhere: -1.4
}

/** The regressions, with what they say of a passage for which nothing speaks. */
export interface Taught { right: Weights, helps: Weights, rightEven: number, helpsEven: number }

/** Those in use. */
export const TAUGHT: Taught = { right: RIGHT, helps: HELPS, rightEven: -3.56, helpsEven: -2.79 }
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
 * How sure it is, from 0 to 1, that a passage is right, or may help, beside the others. `mostOf` bounds it.
 */
export function certaintyOf (
  { fit, evidence }: Weighed, beside: Beside, { right, helps, rightEven, helpsEven } = TAUGHT
): number {
  if (evidence === undefined) return 0
  const seen = seenOf({ fit, evidence }, beside)
  const chanceBy = (says: Weights, even: number) =>
    chance((Object.keys(says) as (keyof Weights)[]).reduce((sum, one) => sum + says[one] * seen[one], even))
  return Math.max(chanceBy(right, rightEven), Math.min(MAY_HELP, chanceBy(helps, helpsEven)))
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
