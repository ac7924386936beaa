/*
 * How sure an answer is: what is seen of a passage, and of the others beside it, weighed by what places taught.
 */

/** Evidence for a passage. Shares are of what the question weighs, from 0 to 1. */
export interface Evidence {
  /** How sure the words alone are. */
  words: number
  /** The shares of the question that its heading and the sentence itself hold, and how many units the latter holds. */
  heading: number
  sentence: number
  held: number
  /** How much more of it the name of a row holds than the heading above: both apply to what the row says. */
  named: number
  /** How many concepts the passage holds. */
  concepts: number
  /** How far it has the kind of thing that was asked for. */
  kind: number
  /** 1 where it is in another language than the question: no words speak for it, and how well it fits says more. */
  isForeign: number
  foreignFit: number
  /** The share that it says in other words than the question, which may mean another thing of the same kind. */
  otherWords: number
  /**
   * 1 where it is another thing's row, lacks what was asked about by name, or speaks of a part where the place was
   * asked about: its other words may well be right.
   */
  isOfOther: number
  /** Whether it is no answer, whatever else speaks for it: what was asked about is another thing, or nowhere. */
  isRefused: boolean
  /** Whether it lacks one of the things whose price or time was asked for: what it tells may be of another. */
  isPartial: boolean
  /** Whether it says what is so for everybody, where a case of the customer's own was asked about. */
  isGeneral: boolean
}

/** How much more each says as a logarithm of the odds; `lead`: how much better it fits than any other. */
export type Weights = Record<Exclude<keyof Evidence, 'isRefused' | 'isPartial' | 'isGeneral'> | 'lead', number>

/**
 * Two logistic regressions on 1,016 questions to 33 places in six languages, each place judged by what the others
 * teach: that a passage is right, which an answer that is sure needs, and that one of the three best is. Moved so that
 * 0.65 and 0.35 are where one answer in a hundred at most is wrong and sure, and one in twelve of what nobody can know
 * is offered something. The name of a row counts as its heading does, as which it was not known then. Learnt anew by
 * `npm run fit:certainty` from 32 places, the first is no better, and the second trades right answers for honest ones
 * (BENCHMARK.md).
 */
const RIGHT: Weights = {
  words: 2.73,
  heading: 1.97,
  sentence: 0.66,
  held: 0.21,
  named: 1.97,
  concepts: 0.05,
  kind: 0.4,
  isForeign: 0.47,
  foreignFit: 1.21,
  otherWords: 0.36,
  isOfOther: -0.93,
  lead: 5.67
}
const HELPS: Weights = {
  words: 1.65,
  heading: 2.13,
  sentence: 1.31,
  held: 0.15,
  named: 2.13,
  concepts: 0.58,
  kind: 0.75,
  isForeign: 0.13,
  foreignFit: 1.3,
  otherWords: -1.02,
  isOfOther: -0.6,
  lead: 4.65
}

/** The regressions, with what they say of a passage for which nothing speaks. */
export interface Taught { right: Weights, helps: Weights, rightEven: number, helpsEven: number }

/** Those in use. */
export const TAUGHT: Taught = { right: RIGHT, helps: HELPS, rightEven: -4.99, helpsEven: -4.22 }
/** A larger lead adds nothing. */
const FAR = 0.5
/** What has no more of the kind of thing that was asked for, as a price, is not surely the answer. */
const OF_ANOTHER_KIND = 0.6
/** Maximum certainty of what is refused: just below that of what may help. */
const REFUSED = 0.34
/** Maximum certainty of what is only offered as help: just below that of answers. */
const MAY_HELP = 0.64

/**
 * From which fit on a passage has all that was asked, and as sure as it is at least that it may help: others that say
 * as much take the lead from it, and no answer would be given at all where several would do.
 */
const [WHOLE, WHOLE_HELPS] = [0.9, 0.36]

/**
 * How sure it is, from 0 to 1, that a passage is right, or may help; `fit`: how well it answers, as `judge` has it, and
 * `lead`: by how much better than any other. `mostOf` bounds it.
 */
export function certaintyOf (
  { fit, evidence }: { fit: number, evidence?: Evidence | undefined }, lead: number,
  { right, helps, rightEven, helpsEven } = TAUGHT
): number {
  if (evidence === undefined) return 0
  const seen = seenOf({ fit, evidence }, lead)
  const chanceBy = (says: Weights, even: number) =>
    chance((Object.keys(says) as (keyof Weights)[]).reduce((sum, one) => sum + says[one] * seen[one], even))
  const surely = Math.max(leastOf({ fit, evidence }), chanceBy(right, rightEven))
  return Math.max(surely, Math.min(MAY_HELP, chanceBy(helps, helpsEven)))
}

/** How sure it is at least, by what it has of the question alone. */
export function leastOf ({ fit = 0, evidence }: { fit?: number | undefined, evidence?: Evidence | undefined }): number {
  if (evidence === undefined) return 0
  const isSaid = evidence.otherWords === 0 || evidence.heading >= WHOLE
  return fit >= WHOLE && isSaid && evidence.isOfOther === 0 ? WHOLE_HELPS : 0
}

/** What the regressions see of a passage. */
export function seenOf ({ fit, evidence }: { fit: number, evidence: Evidence }, lead: number): Weights {
  return { ...evidence, lead: fit * Math.min(FAR, Math.max(0, lead)) }
}

/** How sure a passage may be at most, whatever else speaks for it. */
export function mostOf (evidence: Evidence | undefined): number {
  if (evidence?.isRefused) return REFUSED
  const isUnsure = evidence !== undefined &&
    (evidence.isGeneral || evidence.isPartial || evidence.kind <= OF_ANOTHER_KIND)
  return isUnsure ? MAY_HELP : 1
}

const chance = (logOdds: number) => 1 / (1 + Math.exp(-logOdds))
