import { overlap, type Drawn } from './marks.ts'
import { ownProperty } from '../../../platform/objects.ts'

const RIGHT_TO_LEFT = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC]/
const FOREIGN = /(?![\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC])\p{L}/u
const DIGIT = /\p{Nd}/u
const MARK = /^\p{M}+$/u
/** Signs between the digits of one number, and signs next to them. */
const WITHIN_NUMBER = /^[.,:/+\-\u066B\u066C]$/
const BESIDE_NUMBER = /^[%$€£¥#°₪\u066A]$/

/** Whether letters of a text run from right to left. */
export function runsFromRight (text: string): boolean {
  return RIGHT_TO_LEFT.test(text)
}

/** Whether they run from left to right, as numbers do everywhere. */
export function runsFromLeft (text: string): boolean {
  return FOREIGN.test(text) || DIGIT.test(text)
}

/**
 * A line with letters that run from right to left as it is read: a PDF keeps it as it is seen. Numbers and words of
 * other scripts in it run from left to right, as the Unicode Bidirectional Algorithm has placed them.
 */
export function inReadingOrder (letters: Drawn[]): string {
  const seen = seenFromTheLeft(letters)
  const rightward = seen.filter((text) => RIGHT_TO_LEFT.test(text)).length
  const leftward = seen.filter((text) => FOREIGN.test(text)).length
  return rightward >= leftward ? fromRight(seen) : fromLeft(seen)
}

/** The letters as they are seen, from the left, marks with the letter that they belong to. */
function seenFromTheLeft (letters: Drawn[]): string[] {
  const bases = letters
    .filter(({ text }) => !MARK.test(text))
    .map((letter) => ({ ...letter }))
    .sort((a, b) => a.at - b.at)
  const withText = bases.filter(({ text }) => text.trim())
  for (const mark of letters.filter(({ text }) => MARK.test(text))) {
    // Most of it over or under its letter; else the one that is nearest.
    const distance = (base: Drawn) => -overlap(base.reach, mark.reach) || Math.abs(base.at - mark.at)
    const base = withText.reduce((best, one) => best && distance(best) <= distance(one) ? best : one, withText[0])
    if (base) base.text += mark.text
  }
  return bases.map(({ text }) => text.trim() ? text : ' ')
}

/** A line that runs from right to left as a whole. */
function fromRight (seen: string[]): string {
  const runs: { isForeign: boolean, text: string }[] = []
  for (let at = 0; at < seen.length;) {
    const end = endOfForeign(seen, at)
    runs.push({ isForeign: end > at, text: seen.slice(at, Math.max(end, at + 1)).join('') })
    at = Math.max(end, at + 1)
  }
  return withBrackets(runs.reverse())
}

/** A line of another script with words in it that run from right to left. */
function fromLeft (seen: string[]): string {
  let text = ''
  for (let at = 0; at < seen.length;) {
    let end = at
    for (let i = at; i < seen.length && !FOREIGN.test(seen[i] ?? ''); i++) {
      if (RIGHT_TO_LEFT.test(seen[i] ?? '')) end = i + 1
    }
    const starts = RIGHT_TO_LEFT.test(seen[at] ?? '')
    text += starts ? fromRight(seen.slice(at, end)) : seen[at]
    at = starts ? end : at + 1
  }
  return text
}

/** Where a run of letters and digits that are read from left to right ends; `at` where none begins there. */
function endOfForeign (seen: string[], at: number): number {
  const is = (pattern: RegExp, i: number) => pattern.test(seen[i] ?? '')
  let start = at
  while (is(BESIDE_NUMBER, start)) start++
  if (!is(FOREIGN, start) && !is(DIGIT, start)) return at
  let end = start
  let hasWord = false
  for (let i = start; i < seen.length && !is(RIGHT_TO_LEFT, i); i++) {
    const isWord = is(FOREIGN, i)
    const isDigit = is(DIGIT, i)
    if (!isWord && !isDigit) continue
    const between = seen.slice(end, i)
    const joins =
      between.length === 0 || hasWord || (isDigit && between.length === 1 && WITHIN_NUMBER.test(between[0] ?? ''))
    if (!joins) break
    hasWord ||= isWord
    end = i + 1
  }
  while (is(BESIDE_NUMBER, end)) end++
  return end
}

const OPENING: Record<string, string> = { ')': '(', ']': '[', '}': '{', '»': '«' }
const CLOSING = Object.fromEntries(Object.entries(OPENING).map(([closing, opening]) => [opening, closing]))
const CLOSED_BY = /^(?:[\s.,:;!?\u060C\u061B\u061F]|$)/

/**
 * Brackets face the other way from right to left, and files and PDFium differ in which they name. What is next to
 * one tells whether it opens or closes.
 */
function withBrackets (runs: { isForeign: boolean, text: string }[]): string {
  return runs.map(({ isForeign, text }, i) => {
    const before = runs[i - 1]?.text ?? ''
    const after = runs[i + 1]?.text ?? ''
    if (isForeign || (ownProperty(OPENING, text) ?? ownProperty(CLOSING, text)) === undefined) return text
    if (!before.trim() && after.trim()) return ownProperty(OPENING, text) ?? text
    return before.trim() && CLOSED_BY.test(after) ? ownProperty(CLOSING, text) ?? text : text
  }).join('')
}
