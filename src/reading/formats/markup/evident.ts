/** Characters of a text that are looked at. */
const SAMPLE = 262_144
/** A heading is a separate line, and no longer than this. */
const LONGEST_HEADING = 200
/** Headings of the first level alone are comments of a script where less than so much between them is prose. */
const PROSE = 0.5

/**
 * Whether a text that somebody pasted is evidently Markdown: two headings or more, or one besides lists or links.
 * Comments of scripts and of settings, hashtags and tables are none: a heading follows an empty line or is at the
 * beginning, and where all are of the first level, prose has to be between them.
 */
export function isEvidentlyMarkdown (text: string): boolean {
  if (text.startsWith('#!')) return false
  const lines = text.slice(0, SAMPLE).split('\n')
  const seen = { headings: 0, deeper: 0, marks: 0, prose: 0, others: 0 }
  let isFenced = false
  let isFree: boolean = true
  for (const [n, line] of lines.entries()) {
    const isFence = /^ {0,3}(?:```|~~~)/.test(line)
    if (isFence) isFenced = !isFenced
    const depth: number = isFree && !isFence && !isFenced && !isComment(lines[n + 1]) ? depthOf(line) : 0
    if (!isFence && !isFenced) count(line, depth, seen)
    if (depth > 0) seen.headings++
    if (depth > 1) seen.deeper++
    isFree = line.trim() === '' || depth > 0
  }
  const isMeant = seen.headings > 1 || (seen.headings === 1 && seen.marks > 1)
  return isMeant && (seen.deeper > 0 || seen.prose >= (seen.prose + seen.others) * PROSE)
}

/** The level of a heading; 0 where a line is none. */
function depthOf (line: string): number {
  if (line.length > LONGEST_HEADING || !line.startsWith('#')) return 0
  return /^(#{1,6}) +[\p{L}\p{N}*_[("'“„«¿¡`]/u.exec(line)?.[1]!.length ?? 0
}

/** A line of comment: the line directly above it is one too. */
const isComment = (line: string | undefined) => line !== undefined && /^#(?!#)/.test(line)

/** What a line that is no heading tells: a mark of Markdown, prose, or something else. */
function count (line: string, depth: number, seen: { marks: number, prose: number, others: number }) {
  const said = line.trim()
  if (depth > 0 || said === '') return
  if (/^(?:[-*+]|\d{1,3}[.)]) \S/.test(said) || /\]\(https?:/.test(said)) {
    seen.marks++
    seen.prose++
  } else if (isProse(said)) seen.prose++
  else seen.others++
}

/** Words with the end of a sentence behind them, or many of them. */
function isProse (said: string): boolean {
  const words = said.split(' ', 8)
  if (/^[\p{Ll}_$.\\/-][\w$./\\-]*(?:\s*[=(]| -)/u.test(said) || /[;{}\\]$/.test(said)) return false
  return words.length > 2 && (words.length === 8 || /[.!?:…。！？]["'”’»)\]*_]*$/.test(said))
}
