/** Characters that are read at one stretch: less than a millisecond. */
const AT_ONCE = 16_384
/** What a cell without quotes holds, and how a line ends. */
const [PLAIN, END] = [/[^",\r\n]*/y, /\r\n|\r|\n|$/y]

/** What was found so far, in a table that is being read. */
interface Reading { csv: string, at: number }

/**
 * Hands `take` the lines of a table (CSV) one after the other, without those that are empty, and stops now and then
 * between two cells. Throws SyntaxError where quotes are not as they should be, and what `take` throws.
 */
export function * readCsv (csv: string, take: (cells: string[]) => void): Generator<void, void> {
  const reading: Reading = { csv, at: csv.startsWith('\uFEFF') ? 1 : 0 }
  let paused = reading.at
  while (reading.at < csv.length) {
    const cells: string[] = []
    for (;;) {
      cells.push(cellAt(reading))
      if (reading.at - paused > AT_ONCE) {
        paused = reading.at
        yield
      }
      if (csv[reading.at] !== ',') break
      reading.at++
    }
    const end = matchAt(END, reading)
    if (end === undefined) throw new SyntaxError('A quote stands where none may be.')
    if (cells.length > 1 || cells[0] !== '') take(cells)
  }
}

function cellAt (reading: Reading): string {
  if (reading.csv[reading.at] !== '"') return matchAt(PLAIN, reading)!
  const pieces: string[] = []
  for (let from = reading.at + 1; ;) {
    const quote = reading.csv.indexOf('"', from)
    if (quote === -1) throw new SyntaxError('A quote is opened and never closed.')
    pieces.push(reading.csv.slice(from, quote))
    reading.at = quote + 1
    if (reading.csv[quote + 1] !== '"') return pieces.join('"')
    from = quote + 2
  }
}

/** What matches here, which is then read. */
function matchAt (like: RegExp, reading: Reading): string | undefined {
  like.lastIndex = reading.at
  const found = like.exec(reading.csv)?.[0]
  if (found !== undefined) reading.at += found.length
  return found
}
