import { step } from '../../../src/platform/storage/work.ts'
import { finish } from '../../../src/platform/storage/sqlite/database.ts'
import fc from 'fast-check'
import t from 'tap'
import { blocksOf, BlockWriter, keyOf, merging, termOf, without, type Block } from '../../../src/search/index/blocks.ts'
import { termsIn } from './helper.ts'

/** Words of few keys, so that many passages share them, and of many. */
const word = fc.tuple(fc.oneof(fc.nat(5), fc.nat(2 ** 41)), fc.nat(15))
  .map(([key, weight]) => `${keyOf(key * 16)}_${weight.toString(16)}`)
const passage = fc.array(word, { maxLength: 60 }).map((words) => words.join(' '))

/** The passages that contain each term, computed from the words themselves. */
function said (first: number, passages: readonly string[], terms = new Map<number, number[]>()): Map<number, number[]> {
  for (const [at, words] of passages.entries()) {
    for (const one of new Set(words.split(' ').filter(Boolean))) {
      const term = termOf(one.slice(0, 8)) + parseInt(one[9]!, 16)
      terms.set(term, [...terms.get(term) ?? [], first + at])
    }
  }
  return terms
}
const sorted = (terms: Map<number, number[]>) => [...terms].sort(([a], [b]) => a - b)

/** A reader of blocks, one by one. */
function inTurn (blocks: readonly Block[]) {
  const rest = blocks.values()
  return function * () { return rest.next().value }
}

/** Segments merged, at a stretch. */
function merged (segments: Array<{ low: number, blocks: Block[] }>): Block[] {
  const writer = new BlockWriter(segments[0]!.low)
  const steps = merging(segments.map(({ low, blocks }) => ({ low, next: inTurn(blocks) })), writer)
  while (!finish(step(steps)).done);
  return writer.rest()
}

t.test('blocks hold what the words of passages say, once each, in the order of terms', async (t) => {
  fc.assert(fc.property(fc.nat(2 ** 40), fc.array(passage, { maxLength: 128 }), (first, passages) => {
    const blocks = blocksOf(first, passages)
    t.strictSame([...termsIn(blocks, first)], sorted(said(first, passages)))
    t.ok(blocks.every(({ data }) => data.length <= 4000), 'two of them fit on a page, mostly')
  }), { numRuns: 200 })
})

t.test('segments put together hold what each of them held, also of passages that were trained between others', async (t) => {
  fc.assert(fc.property(
    fc.array(fc.tuple(fc.integer({ min: 1, max: 30 }), fc.array(passage, { minLength: 1, maxLength: 40 })), {
      minLength: 1, maxLength: 8
    }), fc.nat(1000), (slices, seed) => {
      let first = seed
      const terms = new Map<number, number[]>()
      const segments = slices.map(([gap, passages]) => {
        first += gap
        const segment = { low: first, blocks: blocksOf(first, passages) }
        said(first, passages, terms)
        first += passages.length
        return segment
      })
      t.strictSame([...termsIn(merged(segments), segments[0]!.low)], sorted(terms))
      // Two that interleave: the odd ones and the even ones, merged one after another.
      if (segments.length < 4) return
      const [odd, even] = [1, 0].map((rest) => segments.filter((_, at) => at % 2 === rest))
      const both = [even!, odd!].map((some) => ({ low: some[0]!.low, blocks: merged(some) }))
      t.strictSame([...termsIn(merged(both), segments[0]!.low)], sorted(terms))
    }
  ), { numRuns: 100 })
})

t.test('a term that thousands of passages hold goes on from block to block', async (t) => {
  const ids = Array.from({ length: 40_000 }, (_, at) => 7 + at * 3)
  const writer = new BlockWriter(7)
  writer.add(16, [9])
  writer.add(33, ids)
  writer.add(2 ** 45, ids)
  const blocks = writer.rest()
  t.ok(blocks.length > 40)
  t.strictSame([...termsIn(blocks, 7)], [[16, [9]], [33, ids], [2 ** 45, ids]])
  t.equal(new Set(blocks.map(({ term, first }) => `${term} ${first}`)).size, blocks.length, 'each begins elsewhere')
})

t.test('what is gone is in no block, and blocks without any of it stay as they are', async (t) => {
  fc.assert(fc.property(fc.nat(10_000), fc.array(passage, { maxLength: 100 }), fc.nat(7), (first, passages, rest) => {
    const isGone = (id: number) => id % 8 === rest
    const left = blocksOf(first, passages).flatMap((block) => without(block, first, isGone) ?? [block])
    const expected = sorted(said(first, passages))
      .map(([term, ids]): [number, number[]] => [term, ids.filter((id) => !isGone(id))])
      .filter(([, ids]) => ids.length > 0)
    t.strictSame([...termsIn(left, first)], expected)
  }), { numRuns: 100 })
  const [block] = blocksOf(1, [`${keyOf(16)}_1`])
  t.equal(without(block!, 1, () => false), undefined)
  t.strictSame(without(block!, 1, () => true), [])
})

t.test('a block that a disk has changed is read to its end, whatever it says', async (t) => {
  // Was wrong without the bounds: a count of thousands of millions was read endlessly.
  const [block] = blocksOf(1, Array.from({ length: 100 }, (_, at) => `${keyOf(16 * (at % 9))}_1 ${keyOf(16 * at)}_2`))
  for (let at = 0; at < block!.data.length; at++) {
    const data = Buffer.from(block!.data)
    data.fill(255, at, Math.min(at + 6, data.length))
    const terms = termsIn([{ ...block!, data }], 1)
    if ([...terms.values()].flat().length > block!.data.length) t.fail(`more than there can be, from ${at}`)
    without({ ...block!, data }, 1, () => false)
  }
  t.pass()
})
