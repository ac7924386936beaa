import t from 'tap'
import { queryWords } from '../../src/search/words/query.ts'
import { hall } from './helper.ts'

t.test('words of a query that no passage holds take no place from those that lead somewhere', async (t) => {
  // Seen red: 40 unknown words, the most telling ones there are, left no place for the one that finds anything.
  const { train, found } = hall(t)
  train(1, 1, 'Refunds are paid within a week.')
  for (let source = 2; source < 30; source++) train(1, source, `Another refund of ours, number ${source}`)
  const unknown = Array.from({ length: 40 }, (_, at) => `quokka${at}x`).join(' ')
  t.same(found(1, `${unknown} week`), [1])
})

t.test('politeness around a question does not outrank it', async (t) => {
  // Seen red: the opening hours were found, of which nobody had asked.
  const { train, found } = hall(t)
  train(1, 1, 'We hope to help you today: our team is here from nine to five, every day. Have a wonderful day!')
  train(1, 2, 'You have thirty days to send goods back.')
  for (let source = 3; source < 20; source++) train(1, source, `Product ${source} comes in a box with a manual.`)
  const question = 'How many days do I have to send goods back?'
  t.equal(found(1, question)[0], 2)
  t.equal(found(1, `Hello, I hope you can help me today. ${question} Thank you for your help and have a wonderful day!`)[0], 2)
})

t.test('the sentence that asks counts most, by its mark or by how it begins, in any language', (t) => {
  const weightOf = (query: string, word: string) => queryWords(query, [[null, 1]]).find(({ plain }) => plain === word)?.weight
  for (const [query, asked, beside] of [
    ['Good morning team! Where is parcel seven', 'parcel', 'morning'], ['Guten Morgen. Wann kommt mein Paket', 'paket', 'guten'], ['您好。什么时候到货？谢谢。', '时候', '谢谢'],
    ['شكرا لكم جميعا. متى يصل الطرد؟', 'الطرد', 'شكرا'], ['Καλημέρα σας. Πότε φτάνει το δέμα;', 'δεμα', 'καλημερα'], ['I love it. (Is it waterproof?) Bye.', 'waterproof', 'love']
  ] as const) t.same([weightOf(query, asked), weightOf(query, beside)], [1, 0.3], query)
  t.same([weightOf('Parcel lost. Money back please.', 'parcel'), weightOf('Parcel lost? Money back?', 'money')], [1, 1], 'nothing is set back where nothing or everything asks')
  t.equal(weightOf('Howard wrote. The parcel is lost.', 'parcel'), 1)
  t.end()
})

t.test('stems meet only within their own language, and one text of another language costs nothing', async (t) => {
  // Seen red: every stem of every language joined every query. `generalise` and `general` are one in English alone, as are
  // `nacion` and `naciones` in Spanish alone.
  const { train, found } = hall(t)
  train(1, 1, 'The universities of the country are old, and there are many of them')
  train(1, 2, 'La universidad de la ciudad es una de las más antiguas que hay en el país')
  t.same(found(1, 'university'), [1])
  t.same(found(1, 'universidades'), [2])
  for (let source = 3; source < 20; source++) train(1, source, `The son of the house number ${source}, and what he did there`)
  train(1, 20, 'It is a sin, and he was sorry for it')
  t.same(found(1, 'sin'), [20], 'a Spanish text does not make it a word too common to look for')
})

t.test('a word is as rare as it is in all languages together', async (t) => {
  // Seen red: each of its stems was as rare as that stem, so the word of many German texts outweighed the English one.
  const { train, found } = hall(t)
  for (let source = 1; source < 12; source++) train(1, source, `Die Information Nummer ${source} ist in dem Regal und wird nicht verkauft`)
  train(1, 20, 'The information is in the room over there')
  for (let source = 21; source < 24; source++) train(1, source, `The manual number ${source} is in the drawer over there`)
  t.same(found(1, 'information or manuals', 1), [21])
})
