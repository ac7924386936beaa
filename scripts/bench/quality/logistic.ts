/*
 * Logistic regression by Newton's method, with an L2 penalty.
 */

/** What is seen of something, and whether it is so. */
export interface Example { seen: readonly number[], is: boolean }

/** What was learnt: how much each figure says as a logarithm of the odds, and where none says anything. */
export interface Learnt { weights: number[], even: number }

/** Steps until nothing changes; Newton's method needs some ten. */
const STEPS = 60
const SAME = 1e-7

/** Fits what is seen to what is so. `penalty`: of the square of each weight, had its figure a deviation of 1. */
export function fit (examples: readonly Example[], penalty: number): Learnt {
  const size = examples[0]?.seen.length ?? 0
  const spread = Array.from({ length: size }, (_, at) => deviation(examples.map(({ seen }) => seen[at]!)))
  // The last one is the constant, which is not penalised.
  const penalties = [...spread.map((one) => penalty * one ** 2 + SAME), SAME]
  let weights = new Array<number>(size + 1).fill(0)
  for (let step = 0; step < STEPS; step++) {
    const { slope, curve } = slopeAt(examples, weights, penalties)
    const change = solve(curve, slope)
    weights = weights.map((one, at) => one + change[at]!)
    if (Math.max(...change.map(Math.abs)) < SAME) break
  }
  return { weights: weights.slice(0, size), even: weights[size]! }
}

function deviation (figures: readonly number[]): number {
  const mean = figures.reduce((sum, one) => sum + one, 0) / figures.length
  return Math.sqrt(figures.reduce((sum, one) => sum + (one - mean) ** 2, 0) / figures.length)
}

/** How likely it is by what was learnt. */
export function likelihood ({ weights, even }: Learnt, seen: readonly number[]): number {
  return 1 / (1 + Math.exp(-weights.reduce((sum, one, at) => sum + one * seen[at]!, even)))
}

/** Where the likelihood of the examples goes up, and how it bends. */
function slopeAt (examples: readonly Example[], weights: readonly number[], penalties: readonly number[]) {
  const size = weights.length - 1
  const slope = weights.map((one, at) => -penalties[at]! * one)
  const curve = weights.map((_, a) => weights.map((_, b) => a === b ? penalties[a]! : 0))
  for (const { seen, is } of examples) {
    const all = [...seen, 1]
    const p = likelihood({ weights: weights.slice(0, size), even: weights[size]! }, seen)
    const bend = Math.max(SAME, p * (1 - p))
    for (const [a, one] of all.entries()) {
      slope[a]! += ((is ? 1 : 0) - p) * one
      for (const [b, other] of all.entries()) curve[a]![b]! += bend * one * other
    }
  }
  return { slope, curve }
}

/** Solves linear equations by elimination, with the largest of each column as its pivot. */
function solve (given: readonly (readonly number[])[], right: readonly number[]): number[] {
  const rows = given.map((row, at) => [...row, right[at]!])
  const size = rows.length
  for (let at = 0; at < size; at++) {
    const pivot = rows.slice(at).reduce((best, row) => Math.abs(row[at]!) > Math.abs(best[at]!) ? row : best)
    rows[rows.indexOf(pivot)] = rows[at]!
    rows[at] = pivot
    for (const row of rows) {
      if (row === pivot || row[at] === 0) continue
      const share = row[at]! / pivot[at]!
      for (let column = at; column <= size; column++) row[column]! -= share * pivot[column]!
    }
  }
  return rows.map((row, at) => row[size]! / row[at]!)
}
