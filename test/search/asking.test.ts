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
  const weightOf = (query: string, word: string) => queryWords(query, [null]).get(word)
  for (const [query, asked, beside] of [
    ['Good morning team! Where is parcel seven', 'parcel', 'morning'], ['Guten Morgen. Wann kommt mein Paket', 'paket', 'guten'], ['您好。什么时候到货？谢谢。', '时候', '谢谢'],
    ['شكرا لكم جميعا. متى يصل الطرد؟', 'الطرد', 'شكرا'], ['Καλημέρα σας. Πότε φτάνει το δέμα;', 'δεμα', 'καλημερα'], ['I love it. (Is it waterproof?) Bye.', 'waterproof', 'love']
  ] as const) t.same([weightOf(query, asked), weightOf(query, beside)], [1, 0.3], query)
  t.same([weightOf('Parcel lost. Money back please.', 'parcel'), weightOf('Parcel lost? Money back?', 'money')], [1, 1], 'nothing is set back where nothing or everything asks')
  t.equal(weightOf('Howard wrote. The parcel is lost.', 'parcel'), 1)
  t.end()
})
