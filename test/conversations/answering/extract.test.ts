import t from 'tap'
import { alternatives, extract, type Scored } from '../../../src/conversations/answering/extract.ts'
import { asked } from '../../../src/search/coverage.ts'

const passage = (text: string, score = 9): Scored =>
  ({ source: 4, title: 'Shop', url: null, page: null, heading: null, text, start: 100, score })

/** What is quoted to answer a question; every word is worth the same. */
async function quotedFor (question: string, ...passages: Scored[]) {
  const weigh = async (words: Iterable<string>) => new Map([...words].map((word) => [word, 1]))
  const about = await asked(question, 'en', weigh)
  const quotations = extract(passages, () => about)
  for (const { passage, text, start, end } of quotations) {
    t.equal(passage.text.slice(start, end), text, 'it stands where it is said to stand')
  }
  return quotations.map(({ text }) => text)
}

t.test('the second sentence is the one that says what the first leaves out, wherever it stands', async (t) => {
  // Was wrong: only a neighbour was ever quoted with the best sentence, here the one about the counter.
  const text = 'The blue bicycle was painted by Ada Novak. Our counter is on the left. Tea is free. Novak lives in Brno.'
  t.strictSame(await quotedFor('Where does Novak, who painted the blue bicycle, live?', passage(text)), [
    'The blue bicycle was painted by Ada Novak.', 'Novak lives in Brno.'
  ])
})

t.test('sentences that stand side by side are one quotation, in their order', async (t) => {
  const text = 'Tea is free. The warranty lasts two years. It begins with the delivery. Write to us.'
  t.strictSame(await quotedFor('How long does the warranty last from the delivery on?', passage(text)), [
    'The warranty lasts two years. It begins with the delivery.'
  ])
})

t.test('of two that are worth the same what follows is quoted', async (t) => {
  const text = 'We bake at night. Rolls are sold at six. Cake comes later.'
  t.strictSame(await quotedFor('When are rolls sold?', passage(text)), ['Rolls are sold at six. Cake comes later.'])
})

t.test('what repeats the question is answered by what follows, and no other question is quoted', async (t) => {
  const text = 'How long do returns take? Ten days. What do returns cost? Nothing.'
  t.strictSame(await quotedFor('How long do returns take?', passage(text)), ['Ten days.'])
  t.strictSame(
    await quotedFor('How long do returns take?', passage('How long do returns take? Ten days. Less in May.')),
    ['Ten days. Less in May.']
  )
  t.strictSame(await quotedFor('How long do returns take?', passage('How long do returns take?')), [
    'How long do returns take?'
  ])
})

t.test('a heading is answered by what stands below it, and is never quoted beside it', async (t) => {
  // Was wrong: "When do I get my money back?" and "Refunds" were answers.
  const headed = (heading: string, text: string) => ({ ...passage(text), heading })
  t.strictSame(
    await quotedFor('When are refunds paid?', headed('Returns › Refunds', 'Returns\n\nRefunds\n\nWithin five days. By card.')),
    ['Within five days. By card.']
  )
  t.strictSame(await quotedFor('Is postage paid?', headed('Postage', 'Postage\n\nIt is paid by us.')), ['It is paid by us.'])
  t.strictSame(await quotedFor('Refunds?', headed('Refunds', 'Refunds')), ['Refunds'], 'where there is nothing else')
})

t.test('a passage that matched far better is quoted, whichever place the others have', async (t) => {
  // Was wrong: the place counted and not the score, so that a chance sentence of the second passage won.
  const right = passage('The museum opens at nine. Groups come at ten.', 20)
  const chance = passage('The museum opens for groups.', 2)
  t.strictSame(await quotedFor('When does the museum open for groups?', right, chance), [
    'The museum opens at nine. Groups come at ten.'
  ])
  t.strictSame(await quotedFor('When does the museum open for groups?', { ...right, score: 0 }, { ...chance, score: 0 }), [
    'The museum opens for groups.'
  ], 'where no score says anything, the sentence does')
})

t.test('no quotation is longer than 600 characters, and none is made of nothing', async (t) => {
  const long = `${'word '.repeat(200)}returns.`
  t.ok((await quotedFor('What about returns?', passage(`${long} Returns end.`)))[0]!.length <= 600)
  const halves = `${'first '.repeat(70)}returns. ${'second '.repeat(60)}refund.`
  t.equal((await quotedFor('What about returns and a refund?', passage(halves))).length, 1, 'one of two that are long')
  t.strictSame(await quotedFor('What?'), [])
  t.strictSame(await quotedFor('What?', passage('…')), [])
})

t.test('an answer that is not sure does not say the same once more in languages that nobody asked in', (t) => {
  // Was wrong: of a shop that knows its delivery in three languages, visitors read it in all three.
  const fitting = (text: string, language: string): Scored =>
    ({ ...passage(text), fit: 1, quotes: [[0, text.length]], language })
  const [en, fr, de] = [fitting('Delivery costs 29 euros.', 'en'), fitting('La livraison coûte 29 euros.', 'fr'),
    fitting('Die Lieferung kostet 29 Euro.', 'de')]
  const beside = (spoken: string | null, ...found: Scored[]) => alternatives(found, spoken).map(({ text }) => text)
  t.strictSame(beside('en', en, fr, de), [])
  t.strictSame(beside(null, en, fr, en), [en.text])
  t.strictSame(beside('fr', de, en, fr), [fr.text], 'what was found in another language hides none in theirs')
  t.end()
})
