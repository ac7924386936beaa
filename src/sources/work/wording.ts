import type { DiffLine } from '../../../schema/versions.ts'
import type { TextChange } from '../../../schema/feeds.ts'
import { alikeEnds, lineDiff } from '../../platform/line-diff.ts'

/** Characters of a text that are compared at most; what follows them is not looked at. */
const MOST_CHARS = 2 * 1024 * 1024
/**
 * Lines, and characters of them, between what both texts begin and end with: what is more is not compared, as finding
 * what has changed would hold everybody up for longer than 20 ms.
 */
const MOST_LINES = 8000
const MOST_BETWEEN = 400_000
/** Unchanged lines reported around a change. */
const AROUND = 2
/** Maximum reported: lines, characters of a line, and of all of them. */
const MOST_TOLD = 300
const LONGEST_LINE = 500
const MOST_TOLD_CHARS = 16_000
/** Characters of the common beginning of two long lines that are reported before they differ. */
const BEFORE_PARTING = 60

/** What has changed of a text. */
export type Wording = Pick<TextChange, 'added' | 'removed' | 'is_cut' | 'hunks'>
type Hunk = Wording['hunks'][number]

/** The lines of a text that comes in pieces, up to what is compared. */
export class Lines {
  readonly all: string[] = []
  isCut = false
  private chars = 0
  private rest = ''

  /** Takes in what comes next. */
  add (piece: string) {
    const room = MOST_CHARS - this.chars
    if (piece.length > room) this.isCut = true
    if (room <= 0) return
    const lines = (this.rest + piece.slice(0, room)).split('\n')
    this.chars += piece.length
    this.rest = lines.pop()!
    for (const one of lines) this.all.push(one)
  }

  /** Nothing more comes. */
  end (): this {
    if (this.rest !== '') this.all.push(this.rest)
    this.rest = ''
    return this
  }
}

/** The lines of a text that is kept in pieces. */
export async function linesOf (pieces: AsyncIterable<string>): Promise<Lines> {
  const lines = new Lines()
  for await (const piece of pieces) {
    lines.add(piece)
    if (lines.isCut) break
  }
  return lines.end()
}

/** What has changed from one text to another, line by line; undefined where nothing has. */
export function wordingOf (from: Lines, to: Lines): Wording | undefined {
  const [before, after] = [from.all, to.all]
  const { head, tail } = alikeEnds(before, after)
  const gone = before.slice(head, before.length - tail)
  const come = after.slice(head, after.length - tail)
  if (gone.length === 0 && come.length === 0) return undefined
  const isCut = from.isCut || to.isCut
  if (gone.length > 0 && come.length > 0 && isTooMuch(gone, come)) {
    return { added: come.length, removed: gone.length, is_cut: true, hunks: [] }
  }
  const same = (text: string): DiffLine => ({ is: 'same', text })
  const lead = before.slice(Math.max(head - AROUND, 0), head)
  const lines = [
    ...lead.map(same),
    ...lineDiff(gone, come),
    ...before.slice(before.length - tail, before.length - tail + AROUND).map(same)
  ]
  return told(lines, head - lead.length + 1, isCut)
}

function isTooMuch (gone: readonly string[], come: readonly string[]): boolean {
  const chars = (lines: readonly string[]) => lines.reduce((sum, { length }) => sum + length, 0)
  return gone.length + come.length > MOST_LINES || chars(gone) + chars(come) > MOST_BETWEEN
}

/** Cut into the changes with the lines around them, up to the maximum; `at`: the number of the first line. */
function told (lines: readonly DiffLine[], at: number, isCut: boolean): Wording {
  const hunks: Hunk[] = []
  const count = (is: DiffLine['is']) => lines.filter((one) => one.is === is).length
  const near = nearChanges(lines)
  const shortened = shortLines(lines)
  let [fromLine, toLine, left, chars, isOpen] = [at, at, MOST_TOLD, MOST_TOLD_CHARS, false]
  for (const [n, { is }] of lines.entries()) {
    if (near[n] === 1 && left > 0 && chars > 0) {
      if (!isOpen) hunks.push({ from_line: fromLine, to_line: toLine, lines: [] })
      const text = shortened(n)
      hunks.at(-1)!.lines.push({ is, text })
      left--
      chars -= text.length
    }
    isOpen = near[n] === 1
    if (is !== 'added') fromLine++
    if (is !== 'removed') toLine++
  }
  return { added: count('added'), removed: count('removed'), is_cut: isCut || left === 0 || chars <= 0, hunks }
}

/** Which lines are reported: removed and added ones, and those around them. */
function nearChanges (lines: readonly DiffLine[]): Uint8Array {
  const near = new Uint8Array(lines.length)
  for (const [n, { is }] of lines.entries()) if (is !== 'same') near.fill(1, Math.max(n - AROUND, 0), n + AROUND + 1)
  return near
}

/** The line that replaces each: of as many removed as added after them, the first by the first, and so on. */
function shortLines (lines: readonly DiffLine[]): (n: number) => string {
  const other = new Map<number, string>()
  for (let n = 0; n < lines.length;) {
    const end = (is: DiffLine['is'], from: number) => {
      let at = from
      while (lines[at]?.is === is) at++
      return at
    }
    const going = end('removed', n)
    const coming = end('added', going)
    const paired = going - n === coming - going ? going - n : 0
    for (let k = 0; k < paired; k++) {
      other.set(n + k, lines[going + k]!.text)
      other.set(going + k, lines[n + k]!.text)
    }
    n = Math.max(coming, n + 1)
  }
  return (n) => shortLine(lines[n]!.text, other.get(n))
}

/** A long line from where it differs from the one that it replaces. */
function shortLine (text: string, other = ''): string {
  if (text.length <= LONGEST_LINE) return text
  let parting = 0
  while (parting < text.length && text[parting] === other[parting]) parting++
  const begin = wholeFrom(text, Math.max(Math.min(parting - BEFORE_PARTING, text.length - LONGEST_LINE), 0))
  const end = wholeFrom(text, Math.min(begin + LONGEST_LINE, text.length))
  return `${begin > 0 ? '…' : ''}${text.slice(begin, end)}${end < text.length ? '…' : ''}`
}

/** Never between the halves of a surrogate pair. */
const wholeFrom = (text: string, at: number) => (text.charCodeAt(at) & 0xFC00) === 0xDC00 ? at + 1 : at
