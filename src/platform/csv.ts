/** Characters that are read without a pause: less than a millisecond. */
const CHARACTERS_AT_ONCE = 16_384
/** The content of a cell without quotes, and how a line ends. */
const [PLAIN, END] = [/[^",\r\n]*/y, /\r\n|\r|\n|$/y]

/** State of reading a table. */
interface Reading { csv: string, at: number, paused: number }

/**
 * Passes `take` the lines of a table (CSV) one after the other, except empty ones, and pauses now and then between two
 * cells and in long ones. Throws SyntaxError where quotes are wrong, and what `take` throws.
 */
export function * readCsv (csv: string, take: (cells: string[]) => void): Generator<void, void> {
  const start = csv.startsWith('\uFEFF') ? 1 : 0
  const reading: Reading = { csv, at: start, paused: start }
  while (reading.at < csv.length) {
    const cells: string[] = []
    for (;;) {
      cells.push(csv[reading.at] === '"' ? yield * quotedAt(reading) : matchAt(PLAIN, reading)!)
      if (isToPause(reading)) yield
      if (csv[reading.at] !== ',') break
      reading.at++
    }
    const end = matchAt(END, reading)
    if (end === undefined) throw new SyntaxError('There is a quote where none is allowed.')
    if (cells.length > 1 || cells[0] !== '') take(cells)
  }
}

/** Whether enough was read since the last pause to take another. */
function isToPause (reading: Reading): boolean {
  if (reading.at - reading.paused <= CHARACTERS_AT_ONCE) return false
  reading.paused = reading.at
  return true
}

/** A cell in quotes, in which two quotes stand for one. */
function * quotedAt (reading: Reading): Generator<void, string> {
  const { csv } = reading
  let text = ''
  let from = ++reading.at
  for (;;) {
    const quote = csv.indexOf('"', reading.at)
    if (quote === -1) throw new SyntaxError('A quote is opened and never closed.')
    const isLast = csv[quote + 1] !== '"'
    reading.at = isLast ? quote : quote + 2
    const isPause = isToPause(reading)
    if (isLast || isPause) {
      text += csv.slice(from, reading.at).replaceAll('""', '"')
      from = reading.at
    }
    if (isPause) yield
    if (!isLast) continue
    reading.at++
    return text
  }
}

/** Reads and returns what matches here. */
function matchAt (like: RegExp, reading: Reading): string | undefined {
  like.lastIndex = reading.at
  const found = like.exec(reading.csv)?.[0]
  if (found !== undefined) reading.at += found.length
  return found
}
