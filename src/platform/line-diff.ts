/*
 * Line diff of texts, as pure functions.
 */

/** A line, and whether it stays, goes or is new. */
export interface DiffLine { is: 'same' | 'removed' | 'added', text: string }

/** Maximum comparisons of lines; where more would be needed, lines that occur once in either text split them first. */
const MAX_COMPARISONS = 400_000
/** Maximum lines of both that are compared at all: beyond, nothing counts as the same. */
const MOST_LINES = 20_000

/** Lines of two texts as numbers, the same number for equal lines, so that comparing them is fast. */
interface Numbered { from: Int32Array, to: Int32Array }

/** What is the same in both: positions of lines in each, ascending in either. */
type Pair = readonly [from: number, to: number]

/** How many lines two texts have in common at the start, and how many of the others at the end. */
export function alikeEnds (from: readonly string[], to: readonly string[]): { head: number, tail: number } {
  const most = Math.min(from.length, to.length)
  let head = 0
  while (head < most && from[head] === to[head]) head++
  let tail = 0
  while (tail < most - head && from.at(-1 - tail) === to.at(-1 - tail)) tail++
  return { head, tail }
}

/** Diff of the lines of two texts: those that stay, those removed, and those added. */
export function lineDiff (from: readonly string[], to: readonly string[]): DiffLine[] {
  const { head, tail } = alikeEnds(from, to)
  const middle = { from: from.slice(head, from.length - tail), to: to.slice(head, to.length - tail) }
  const isTooMuch = middle.from.length + middle.to.length > MOST_LINES
  return [
    ...from.slice(0, head).map(line('same')),
    ...written(middle.from, middle.to, isTooMuch ? [] : pairsOf(numbered(middle.from, middle.to))),
    ...from.slice(from.length - tail).map(line('same'))
  ]
}

const line = (is: DiffLine['is']) => (text: string): DiffLine => ({ is, text })

function numbered (from: readonly string[], to: readonly string[]): Numbered {
  const numbers = new Map<string, number>()
  const of = (lines: readonly string[]) => Int32Array.from(lines, (text) => {
    const known = numbers.get(text)
    if (known !== undefined) return known
    numbers.set(text, numbers.size)
    return numbers.size - 1
  })
  return { from: of(from), to: of(to) }
}

function written (from: readonly string[], to: readonly string[], pairs: readonly Pair[]): DiffLine[] {
  const lines: DiffLine[] = []
  let [i, j] = [0, 0]
  for (const [inFrom, inTo] of [...pairs, [from.length, to.length] as const]) {
    while (i < inFrom) lines.push(line('removed')(from[i++]!))
    while (j < inTo) lines.push(line('added')(to[j++]!))
    if (i < from.length && j < to.length) lines.push(line('same')(from[i]!))
    i++
    j++
  }
  return lines
}

/**
 * What both have in common, in order: by the longest common subsequence, as long as that is fast. Larger parts are
 * split at lines that occur once in either, and what is between them is compared in the same way, all of it within the
 * same number of comparisons; of what is still too much nothing counts as the same.
 */
function pairsOf ({ from, to }: Numbered): Pair[] {
  if (from.length * to.length <= MAX_COMPARISONS) return longest(from, to)
  let left = MAX_COMPARISONS
  const pairs: Pair[] = []
  let [i, j] = [0, 0]
  for (const [inFrom, inTo] of [...anchors(from, to), [from.length, to.length] as const]) {
    const between = { from: from.subarray(i, inFrom), to: to.subarray(j, inTo) }
    const needed = between.from.length * between.to.length
    if (needed > 0 && needed <= left) {
      left -= needed
      for (const [a, b] of longest(between.from, between.to)) pairs.push([i + a, j + b])
    }
    if (inFrom < from.length && inTo < to.length) pairs.push([inFrom, inTo])
    i = inFrom + 1
    j = inTo + 1
  }
  return pairs
}

function longest (from: Int32Array, to: Int32Array): Pair[] {
  const width = to.length + 1
  const lengths = new Uint32Array((from.length + 1) * width)
  for (let i = from.length - 1; i >= 0; i--) {
    for (let j = to.length - 1; j >= 0; j--) {
      lengths[i * width + j] = from[i] === to[j]
        ? lengths[(i + 1) * width + j + 1]! + 1
        : Math.max(lengths[(i + 1) * width + j]!, lengths[i * width + j + 1]!)
    }
  }
  const pairs: Pair[] = []
  let [i, j] = [0, 0]
  while (i < from.length && j < to.length) {
    if (from[i] === to[j]) pairs.push([i++, j++])
    else if (lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!) i++
    else j++
  }
  return pairs
}

/** Lines that occur once in either text, as many of them as are in the same order in both. */
function anchors (from: Int32Array, to: Int32Array): Pair[] {
  const there = singles(to, Math.max(from.length, to.length) * 2)
  const here = singles(from, there.length)
  const common: Pair[] = []
  from.forEach((number, at) => {
    if (here[number] === at + 1 && there[number]! > 0) common.push([at, there[number]! - 1])
  })
  return rising(common)
}

/** The position of each line's number, counted from 1: 0 if it does not occur, -1 if it occurs again. */
function singles (lines: Int32Array, numbers: number): Int32Array {
  const places = new Int32Array(numbers)
  lines.forEach((number, at) => { places[number] = places[number] === 0 ? at + 1 : -1 })
  return places
}

/** The longest sequence of pairs that ascend in the second text too; those given ascend in the first. */
function rising (pairs: readonly Pair[]): Pair[] {
  const ends: number[] = []
  const before: number[] = []
  pairs.forEach(([, inTo], at) => {
    let [low, high] = [0, ends.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (pairs[ends[middle]!]![1] < inTo) low = middle + 1
      else high = middle
    }
    before.push(low === 0 ? -1 : ends[low - 1]!)
    ends[low] = at
  })
  const run: Pair[] = []
  for (let at = ends.at(-1) ?? -1; at >= 0; at = before[at]!) run.push(pairs[at]!)
  return run.reverse()
}
