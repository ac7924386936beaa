import fc from 'fast-check'
import t from 'tap'
import { chunk } from '../../src/reading/chunk.ts'
import type { Block } from '../../src/reading/document.ts'
import { textOf } from '../../src/reading/document.ts'

const block = (text: string, place: Partial<Block> = {}): Block => ({
  text, heading: null, page: null, row: null, ...place
})
const sentences = (count: number) =>
  Array.from({ length: count }, (_, at) => `This is sentence number ${at} of a long paragraph about returns.`).join(' ')
const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' })

const text = fc.oneof(
  fc.lorem({ maxCount: 12, mode: 'sentences' }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.constantFrom('', ' ', '\n\n', 'a\n\nb'),
  fc
    .tuple(
      fc.constantFrom('x', '👩‍👩‍👧‍👦', '中。', 'e\u0301', 'word ', 'End. ', '\r\n', '𝒳'),
      fc.integer({ min: 1, max: 3000 })
    )
    .map(([one, times]) => one.repeat(times))
)
const blocks = fc.array(
  fc.record({
    text,
    heading: fc.constantFrom(null, 'A', 'A › B'),
    page: fc.constantFrom(null, 1, 2),
    row: fc.option(fc.integer({ min: 1, max: 4 }))
  }),
  { maxLength: 12 }
)

t.test('whatever the blocks: nothing is lost, nothing is there twice but the overlap, no grapheme is cut', async () => {
  fc.assert(fc.property(blocks, (blocks) => {
    const full = textOf({ format: 'text', title: null, pages: null, rows: null, hidden: 0, blocks })
    const edges = new Set([...graphemes.segment(full)].map(({ index }) => index)).add(full.length)
    let end = 0
    for (const passage of chunk(blocks)) {
      if (passage.text !== full.slice(passage.start, passage.end)) throw new Error('text is not where it says')
      if (passage.text.length > 1000 || passage.text === '') throw new Error(`length ${passage.text.length}`)
      if (full.slice(end, passage.start).trim() !== '') throw new Error('text was lost')
      if (passage.start < end - 100 || passage.end <= end) throw new Error('too much overlap')
      // Blocks are split separately, so where two meet a mark at the start of the second is not an edge of the first.
      if (!edges.has(passage.start) && !full.slice(0, passage.start).endsWith('\n\n')) {
        throw new Error('a grapheme was cut')
      }
      end = passage.end
    }
    if (full.slice(end).trim() !== '') throw new Error('the end was lost')
  }), { numRuns: 300 })
})

t.test('short neighbours under one heading and on one page are put together, others are not', async (t) => {
  const found = chunk([
    block('one', { heading: 'A' }),
    block('two', { heading: 'A' }),
    block('three', { heading: 'B' }),
    block('four', { heading: 'B', page: 2 }),
    block('x'.repeat(995), { heading: 'B', page: 2 })
  ])
  t.same(found.map(({ text, heading, page }) => [text.slice(0, 10), heading, page]),
    [['one\n\ntwo', 'A', null], ['three', 'B', null], ['four', 'B', 2], ['xxxxxxxxxx', 'B', 2]])
})

t.test('a heading goes with the first text below it, and headings that follow each other with the last of them', async (t) => {
  // Was wrong: every third passage was a heading alone, and was quoted as an answer.
  const found = chunk([
    block('A', { heading: 'A' }),
    block('B', { heading: 'A › B' }),
    block('one', { heading: 'A › B' }),
    block('C', { heading: 'A › C' }),
    block('two', { heading: 'A › C' }),
    block('D', { heading: 'D' }),
    block('three', { heading: 'E' })
  ])
  t.same(found.map(({ text, heading }) => [text, heading]),
    [['A\n\nB\n\none', 'A › B'], ['C\n\ntwo', 'A › C'], ['D', 'D'], ['three', 'E']])
})

t.test('a long paragraph is cut between sentences into even pieces that overlap by a sentence', async (t) => {
  const found = chunk([block(sentences(40))])
  t.ok(found.length >= 3)
  for (const [at, { text, start }] of found.entries()) {
    t.match(text, /^This is sentence/)
    t.match(text, /returns\.\s?$/)
    t.ok(text.length > 400 && text.length <= 1000)
    if (at > 0) t.ok(found[at - 1]!.end > start && found[at - 1]!.end - start <= 100)
  }
})

t.test('short table rows are put together and say from which row to which; long ones stay alone', async (t) => {
  const found = chunk([
    block('a'.repeat(100), { row: 1 }),
    block('b'.repeat(100), { row: 2 }),
    block('c'.repeat(300), { row: 3 }),
    block('d', { row: 5 }),
    block('a gap\n\nof its own', { row: 6 }),
    block('e', { row: 7 }),
    block('prose'),
    block('f'.repeat(2500), { row: 9 })
  ])
  t.same(
    found.map(({ row, lastRow }) => [row, lastRow]),
    [
      [1, 2], [3, 3], [5, 5], [6, 6], [7, 7], [null, null], [9, 9], [9, 9], [9, 9], [9, 9]
    ]
  )
})

t.test('a grapheme longer than a passage is cut, but no surrogate pair is', async (t) => {
  for (const text of ['e' + '\u0301'.repeat(3000), '👩' + '\u200d👩'.repeat(1500), '𝒳' + '\u{1d165}'.repeat(1500)]) {
    const found = chunk([block(text)])
    t.ok(found.every(({ text }) => text.isWellFormed() && text.length <= 1000))
    t.equal(found.at(-1)!.end, text.length)
  }
})

t.test('a megabyte of anything is cut into passages that hold all of it', async (t) => {
  for (const one of ['a', 'a.', '\n', '中', '👩‍👩‍👧‍👦', 'word. ']) {
    const text = one.repeat(1_000_000 / one.length)
    const found = chunk([block(text)])
    t.equal(found.at(-1)?.end ?? 0, text.trim() ? text.length : 0, JSON.stringify(one))
  }
})
