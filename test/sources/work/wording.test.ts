import fc from 'fast-check'
import t from 'tap'
import type { KnowledgeSourceRecord } from '../../../schema/knowledge.ts'
import { Refusal } from '../../../src/platform/errors.ts'
import type { Blobs } from '../../../src/platform/storage/sqlite/blobs.ts'
import { comparing } from '../../../src/sources/work/learn.ts'
import { Lines, linesOf, wordingOf } from '../../../src/sources/work/wording.ts'

async function * pieces (text: string, size: number) {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size)
}

const lines = (text: string) => {
  const all = new Lines()
  all.add(text)
  return all.end()
}

const wording = (from: string, to: string) => wordingOf(lines(from), lines(to))

t.test('a text is the same lines however it comes', async () => {
  await fc.assert(fc.asyncProperty(
    fc.array(fc.constantFrom('a', 'b\n', '\n', 'Line. ')), fc.integer({ min: 1, max: 9 }),
    async (parts, size) => {
      const text = parts.join('')
      const { all } = await linesOf(pieces(text, size))
      return all.join('\n') === (text.endsWith('\n') ? text.slice(0, -1) : text)
    }
  ))
})

t.test('whatever changes: lines are told with their numbers, what is around them stands in both, and the sums are right', async () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c', 'd', ''), { maxLength: 40 })
  fc.assert(fc.property(text, text, (from, to) => {
    const found = wording(from.join('\n'), to.join('\n'))
    const [before, after] = [lines(from.join('\n')).all, lines(to.join('\n')).all]
    if (!found) return JSON.stringify(before) === JSON.stringify(after)
    return found.added - found.removed === after.length - before.length && !found.is_cut &&
      found.hunks.every(({ from_line: a, to_line: b, lines }) => {
        const textOf = (is: string) => lines.filter((one) => one.is === 'same' || one.is === is).map(({ text }) => text)
        const [gone, come] = [textOf('removed'), textOf('added')]
        return JSON.stringify(before.slice(a - 1, a - 1 + gone.length)) === JSON.stringify(gone) &&
          JSON.stringify(after.slice(b - 1, b - 1 + come.length)) === JSON.stringify(come)
      }) &&
      found.hunks.flatMap(({ lines }) => lines).filter(({ is }) => is !== 'same').length === found.added + found.removed
  }))
})

t.test('of a long line that which differs is told, and never half a letter', async (t) => {
  const long = `${'😀'.repeat(400)}The price is 20 €.${'x'.repeat(2000)}`
  const { hunks } = wording(long, long.replace('20 €', '25 €'))!
  const told = hunks[0]!.lines.map(({ text }) => text)
  t.match(told, [/….*20 €.*…$/, /….*25 €.*…$/])
  t.ok(told.every((text) => text.length <= 502 && text.isWellFormed()))
})

t.test('much that has changed is told up to a size, and its sums are whole', async (t) => {
  const text = (word: string, n: number) => Array.from({ length: n }, (_, i) => `${word} ${i}`).join('\n')
  const found = wording('', text('new', 1000))!
  t.match(found, { added: 1000, removed: 0, is_cut: true })
  t.equal(found.hunks.flatMap(({ lines }) => lines).length, 300)
  t.match(wording(text('a', 9000), text('b', 9000)), { added: 9000, removed: 9000, is_cut: true, hunks: [] })
  t.match(wording('x'.repeat(3 * 1024 * 1024), 'y'), { is_cut: true })
  const size = JSON.stringify(wording(text('x'.repeat(400), 200), text('y'.repeat(400), 200))).length
  t.ok(size < 40_000, `${size}`)
})

// Without bounds on what is compared this takes seconds.
t.test('the longest texts hold nobody up', async (t) => {
  const from = Array.from({ length: 60_000 }, (_, i) => `Line ${i} of a long text.`)
  const to = from.map((line, i) => i % 100 === 50 ? `${line} Changed.` : line)
  const [before, after] = [lines(from.join('\n')), lines(to.join('\n'))]
  const times = [0, 1, 2, 3].map(() => {
    const began = performance.now()
    wordingOf(before, after)
    return performance.now() - began
  })
  t.ok(Math.min(...times) < 20, `${times}`)
})

t.test('a text that is damaged is compared with nothing, and a fault of ours is none of its', async (t) => {
  const source = { feed: 1, text_blob: 1, changed_at: null } as unknown as KnowledgeSourceRecord
  const comparedWith = (error: Error) => comparing({
    async * readText () {
      yield 'Within '
      throw error
    }
  } as unknown as Blobs, source)!
  t.equal(await comparedWith(new Refusal('not_found', 'It is gone.')).staged(), null)
  await t.rejects(comparedWith(new TypeError('of ours')).staged(), TypeError)
})
