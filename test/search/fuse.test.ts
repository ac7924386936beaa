import t from 'tap'
import { fuse } from '../../src/search/vectors/fuse.ts'
import type { Ranked } from '../../src/search/search.sqlite.ts'

const ranked = (...ids: number[]): Ranked[] => ids.map((id, place) => [id, ids.length - place])
const order = (list: Ranked[]) => list.map(([id]) => id)

// Was wrong: fused by place alone, with a weak second list SQuAD fell from 0.806 to 0.656.
t.test('vectors that agree with the words on nothing leave the order of the words as it is', async (t) => {
  const words = ranked(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)
  const strange = ranked(31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 11)
  t.strictSame(order(fuse(words, strange, 0.1)).slice(0, 11), order(words))
})

t.test('where the words are sure, they decide alone', async (t) => {
  t.strictSame(order(fuse(ranked(1, 2, 3), ranked(3, 2, 1), 0.65)), [1, 2, 3])
  t.strictSame(order(fuse(ranked(1, 2, 3), ranked(3, 2, 1), 0.1)), [1, 2, 3], 'and in doubt they lead')
})

t.test('vectors that agree with unsure words decide what comes first among near equals', async (t) => {
  const words: Ranked[] = [[1, 10], [2, 9.9], [3, 2], [4, 0]]
  t.strictSame(order(fuse(words, ranked(2, 1, 3, 4), 0.1)), [2, 1, 3, 4])
  t.strictSame(order(fuse(words, ranked(2, 1, 3, 4), 0.649)), [1, 2, 3, 4], 'the surer the words, the less')
})

t.test('where words find nothing the vectors decide, and without vectors the words', async (t) => {
  t.strictSame(order(fuse([], ranked(5, 6), 0)), [5, 6])
  t.strictSame(order(fuse(ranked(5, 6), [], 0)), [5, 6])
  t.strictSame(fuse([], [], 0), [])
  t.strictSame(order(fuse([[7, 3]], [[8, 0.4]], 0.2)), [7, 8], 'one of each')
})
