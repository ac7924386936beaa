/** From where to where something is drawn, in points from the left. */
export type Reach = [left: number, right: number]

/** A letter, or several that one glyph stands for: where it begins in its line, and where it is drawn. */
export interface Drawn { text: string, at: number, reach: Reach }

/** Marks above and below letters, which take no room of their own. */
const ABOVE_OR_BELOW = /^\p{Mn}+$/u
/** Of several marks at one letter these are written last: tones, and what nasalises. */
const LAST = /[\u0E48-\u0E4E\u0900-\u0903]/
/** How nearly as well a mark may fit the letter before it in the file as the one that it fits best. */
const AS_WELL = 0.9
/** Points by which letters may stand before the one that they follow. */
const NEAR = 0.2

/**
 * A line that runs from left to right, as it is read: some programs draw the marks that they take from another font,
 * and spaces, behind all the rest of a line. A mark goes with the letter over or under which most of it is drawn.
 */
export function fromTheLeft (drawn: Drawn[]): string {
  const text = (parts: { text: string }[]) => parts.map(({ text }) => text).join('')
  if (drawn.every(({ at }, i) => at >= (drawn[i - 1]?.at ?? at) - NEAR)) return text(drawn)
  const letters: (Drawn & { marks: string[] })[] = []
  const marks: { mark: Drawn, follows: number }[] = []
  for (const one of drawn) {
    if (ABOVE_OR_BELOW.test(one.text)) marks.push({ mark: one, follows: letters.length - 1 })
    else letters.push({ ...one, marks: [] })
  }
  for (const { mark, follows } of marks) {
    const shared = letters.map(({ text, reach }) => text.trim() ? overlap(reach, mark.reach) : 0)
    const most = Math.max(...shared)
    const fits = (shared[follows] ?? 0) >= most * AS_WELL ? follows : shared.indexOf(most)
    letters[Math.max(fits, 0)]?.marks.push(mark.text)
  }
  const inOrder = letters.toSorted((a, b) => a.at - b.at).flatMap(({ text, marks }) => [
    { text }, { text: marks.toSorted((a, b) => Number(LAST.test(a)) - Number(LAST.test(b))).join('') }
  ])
  return text(inOrder).replace(/ {2,}/g, ' ')
}

/** How much of two reaches is common to both, in points. */
export function overlap ([left, right]: Reach, [from, to]: Reach): number {
  return Math.max(Math.min(right, to) - Math.max(left, from), 0)
}
