import t from 'tap'
import { WordTable } from '../../src/search/word-table.ts'

const nth = (n: number) => `a-rather-long-word-${n}`
const units = (text: string) => Uint16Array.from(text, (letter) => letter.charCodeAt(0))

t.test('a word is known by its letters, wherever it stands in a text', async (t) => {
  const table = new WordTable()
  const text = units('refund Refund refunds 환불 refund')
  table.add(text, 0, 6, 6)
  table.add(text, 22, 24, 2)
  t.equal(table.get(text, 25, 31), 6)
  t.equal(table.get(units('환불'), 0, 2), 2)
  t.equal(table.get(text, 14, 21), -1)
  t.equal(table.get(text, 7, 13), -1)
})

t.test('of more words than there is room for, what is remembered is right', async (t) => {
  const table = new WordTable()
  let added = 0
  for (; !table.isFull && added < 200_000; added++) {
    const word = units(nth(added))
    table.add(word, 0, word.length, added)
  }
  t.ok(table.isFull)
  const late = units('late')
  table.add(late, 0, late.length, 1)
  t.equal(table.get(late, 0, late.length), -1)
  let known = 0
  let wrong = 0
  for (let number = 0; number < added; number++) {
    const word = units(nth(number))
    const found = table.get(word, 0, word.length)
    if (found === number) known++
    else if (found !== -1) wrong++
  }
  // Planted fault: the letters were not compared.
  t.equal(wrong, 0)
  // A few may have met crowded slots.
  t.ok(known > added * 0.99)
})
