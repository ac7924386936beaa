import fc from 'fast-check'
import t from 'tap'
import { lineDiff } from '../../src/platform/line-diff.ts'
import { longestTurn } from '../linear/turns.ts'

const lines = fc.array(fc.constantFrom('', 'a', 'b', 'c', 'Be kind.'), { maxLength: 30 })

const longLines = fc.array(fc.nat({ max: 2000 }).map(String), { minLength: 640, maxLength: 700 })

t.test('a diff by line makes either text again, and calls the same what is the same', async () => {
  fc.assert(fc.property(fc.oneof(fc.tuple(lines, lines), fc.tuple(longLines, longLines)), ([from, to]) => {
    const diff = lineDiff(from, to)
    const textOf = (...kinds: string[]) => diff.filter(({ is }) => kinds.includes(is)).map(({ text }) => text)
    return JSON.stringify(textOf('same', 'removed')) === JSON.stringify(from) &&
      JSON.stringify(textOf('same', 'added')) === JSON.stringify(to) &&
      (JSON.stringify(from) !== JSON.stringify(to) || diff.every(({ is }) => is === 'same'))
  }))
})

t.test('a diff of the longest texts holds nobody up', async (t) => {
  const text = (word: string) => Array.from({ length: 50_000 }, (_, i) => `${word}${i}`)
  const [from, to] = [['x', ...text('a'), 'y'], ['x', ...text('b'), 'y']]
  const longest = await longestTurn(200, async () => lineDiff(from, to))
  t.ok(longest <= 200, `${longest} ms`)
  const diff = lineDiff(from, to)
  t.equal(diff.length, 100_002)
  t.strictSame([diff[0], diff.at(-1)], [{ is: 'same', text: 'x' }, { is: 'same', text: 'y' }])
})

// Was wrong: without the lines that divide long texts, all 4,000 were shown as removed and added.
t.test('of long texts that differ at both ends only what differs is told', async (t) => {
  const table = Array.from({ length: 2000 }, (_, i) => `Part ${i}`)
  const diff = lineDiff(['Prices of May', ...table, '20 parts'], ['Prices of June', ...table.slice(0, 1000), 'Part 999a', ...table.slice(1000), '21 parts'])
  t.strictSame(diff.filter(({ is }) => is !== 'same'), [
    { is: 'removed', text: 'Prices of May' }, { is: 'added', text: 'Prices of June' }, { is: 'added', text: 'Part 999a' },
    { is: 'removed', text: '20 parts' }, { is: 'added', text: '21 parts' }
  ])
})

t.test('long lines that are alike to near their ends are compared as quickly as short ones', async (t) => {
  const text = (word: string) => Array.from({ length: 600 }, (_, i) => `${'a'.repeat(2000)}${word}${i}`)
  const [from, to] = [text('x'), text('y')]
  t.ok(await longestTurn(100, async () => lineDiff(from, to)) <= 100)
})
