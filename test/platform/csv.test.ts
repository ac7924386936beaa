import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import t from 'tap'
import { readCsv } from '../../src/platform/csv.ts'
import { atOnce } from '../../src/platform/work/slices.ts'
import { longestTurn } from '../linear/turns.ts'

function read (csv: string): string[][] {
  const rows: string[][] = []
  atOnce(readCsv(csv, (cells) => { rows.push(cells) }))
  return rows
}

t.test('a table is read as the library for files reads it', (t) => {
  const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', ' ', '漢', '\\') })
  const written = (value: string) => `"${value.replaceAll('"', '""')}"`
  fc.assert(fc.property(fc.array(fc.array(cell, { minLength: 1 })), fc.constantFrom('\n', '\r\n'), (rows, end) => {
    const csv = rows.map((row) => row.map(written).join()).join(end)
    t.strictSame(read(csv), rows.filter((row) => row.length > 1 || row[0] !== ''))
  }))
  for (const csv of ['a,b\nc,d\n', '\uFEFFa,b', 'a,,\n,\n\n\nx', 'a\r\nb\r\n', '"a","b"\n"c ""d""",e', ' a , b ', '']) {
    t.strictSame(read(csv), parse(csv, { bom: true, relax_column_count: true, skip_empty_lines: true }))
  }
  for (const csv of ['"a', '"a"b', 'a"b', 'a,"b\n']) t.throws(() => read(csv), SyntaxError)
  t.end()
})

// Was wrong: 140 ms for 80,000 Chinese characters in one line.
t.test('any table is read in pieces, each in little time', async (t) => {
  for (const csv of ['漢'.repeat(200_000), 'a,'.repeat(300_000), `"${'""'.repeat(300_000)}"`, 'a\n'.repeat(300_000)]) {
    const longest = await longestTurn(20, async () => {
      const reading = readCsv(csv, () => {})
      while (!reading.next().done) await new Promise(setImmediate)
    })
    t.ok(longest <= 20, `${longest} ms`)
  }
})
