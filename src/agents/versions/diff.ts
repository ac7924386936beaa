import { isDeepStrictEqual } from 'node:util'
import type { DiffLine, FieldChange } from '../../../schema/versions.ts'

/*
 * What differs between two states of a thing, as pure functions.
 */

/** Comparisons of lines at most; a text that needs more is shown as removed and added as a whole. */
const MAX_COMPARISONS = 400_000

/** Every field in which the two differ, in the order of the fields; long texts by line. */
export function diffOf (from: object, to: object): FieldChange[] {
  return changesIn('', from, to)
}

function changesIn (field: string, from: unknown, to: unknown): FieldChange[] {
  if (isDeepStrictEqual(from, to)) return []
  if (isObject(from) && isObject(to)) {
    const names = new Set([...Object.keys(from), ...Object.keys(to)])
    return [...names].flatMap((name) => changesIn(field === '' ? name : `${field}.${name}`, own(from, name), own(to, name)))
  }
  const isText = typeof from === 'string' && typeof to === 'string'
  return [{
    field,
    from,
    to,
    ...(isText && (from.includes('\n') || to.includes('\n')) && { lines: lineDiff(from.split('\n'), to.split('\n')) })
  }]
}

const own = (of: Record<string, unknown>, name: string) => Object.hasOwn(of, name) ? of[name] : undefined

function isObject (value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What becomes of the lines of a text: those that stay, those that go, and those that come. */
export function lineDiff (from: readonly string[], to: readonly string[]): DiffLine[] {
  let head = 0
  while (head < from.length && head < to.length && from[head] === to[head]) head++
  let tail = 0
  while (tail < from.length - head && tail < to.length - head && from.at(-1 - tail) === to.at(-1 - tail)) tail++
  return [
    ...from.slice(0, head).map(line('same')),
    ...middleOf(from.slice(head, from.length - tail), to.slice(head, to.length - tail)),
    ...from.slice(from.length - tail).map(line('same'))
  ]
}

const line = (is: DiffLine['is']) => (text: string): DiffLine => ({ is, text })

/** The same by the longest common subsequence, as long as that is soon found. */
function middleOf (from: readonly string[], to: readonly string[]): DiffLine[] {
  const width = to.length + 1
  if (from.length * to.length > MAX_COMPARISONS) return [...from.map(line('removed')), ...to.map(line('added'))]
  const longest = new Uint32Array((from.length + 1) * width)
  for (let i = from.length - 1; i >= 0; i--) {
    for (let j = to.length - 1; j >= 0; j--) {
      longest[i * width + j] = from[i] === to[j]
        ? longest[(i + 1) * width + j + 1]! + 1
        : Math.max(longest[(i + 1) * width + j]!, longest[i * width + j + 1]!)
    }
  }
  const lines: DiffLine[] = []
  let [i, j] = [0, 0]
  while (i < from.length || j < to.length) {
    if (i < from.length && j < to.length && from[i] === to[j]) {
      lines.push(line('same')(from[i]!))
      i++
      j++
    } else if (j >= to.length || (i < from.length && longest[(i + 1) * width + j]! >= longest[i * width + j + 1]!)) {
      lines.push(line('removed')(from[i++]!))
    } else lines.push(line('added')(to[j++]!))
  }
  return lines
}
