import type { Line } from './letters.ts'

/** The height of a drop cap relative to its lines, at least. */
const HIGHER = 1.8
/** How far right of it its first line begins, at most, by its own height. */
const BESIDE = 1.5

/** Lines in which large first letters, which a page shows as separate lines, precede the words they begin. */
export function withDropCaps (lines: Line[]): Line[] {
  const caps = new Map<Line, Line>()
  for (const cap of lines.filter(({ text }) => /^\p{P}?\p{Lu}\p{M}*$/u.test(text))) {
    const beside = lines.filter((line) => isBeside(cap, line)).sort((a, b) => b.y - a.y)
    // An other hangs there already: then these are no first letters, but a drawing or a formula.
    if (beside[0] && !caps.has(beside[0])) caps.set(beside[0], cap)
  }
  const joined = new Set(caps.values())
  return lines.filter((line) => !joined.has(line)).map((line) => {
    const cap = caps.get(line)
    return cap ? { ...line, text: cap.text + line.text } : line
  })
}

function isBeside (cap: Line, { text, x, y, height }: Line): boolean {
  return (
    /^\p{L}/u.test(text) &&
    cap.height >= height * HIGHER &&
    y >= cap.y - height * 0.2 &&
    y <= cap.y + cap.height &&
    x > cap.x &&
    x - cap.x <= cap.height * BESIDE
  )
}
