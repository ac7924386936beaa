import t from 'tap'
import { asked, coverage } from '../../src/search/confidence.ts'

const alike = async (words: Iterable<string>) => new Map([...words].map((word) => [word, 1]))

t.test('coverage is the weighed share of a question that a text is about', async (t) => {
  const question = await asked('refund shipping costs abroad', 'en', alike)
  t.equal(coverage(question, 'We refund the costs of shipping.'), 0.75)
  t.equal(coverage(question, 'Nothing of the kind.'), 0)
  t.equal(coverage(await asked('???', 'en', alike), 'anything'), 0, 'a question without words')
})

t.test('words of questions that say little about their subject do not keep a text from answering', async (t) => {
  const text = 'Returns are accepted within 30 days of delivery.'
  for (const question of ['How long can I return something?', 'Can you please tell me how many days returns take?']) {
    t.ok(coverage(await asked(question, 'en', alike), text) > 0.5, question)
  }
  t.ok(
    coverage(
      await asked('Wie lange kann ich etwas zurückgeben?', 'de', alike), 'Sie können alles 30 Tage lang zurückgeben.'
    ) > 0.5
  )
  t.ok(
    coverage(await asked('How long is the warranty of the battery?', 'en', alike), text) < 0.35,
    'another subject stays another'
  )
  t.ok(coverage(await asked('long something', null, alike), text) === 0)
})

t.test('a long German question is covered by its words that were weighed, whichever of its compounds were not', async (t) => {
  // Was wrong: the share was not a number, so an agent said that it did not know what its search had clearly found.
  const atMost = (words: Iterable<string>) => alike([...words].slice(0, 64))
  const numbers = Array.from({ length: 70 }, (_, at) => 100 + at).join(' ')
  const question = await asked(`Rückgabefrist ${numbers} Versandkosten`, 'de', atMost)
  t.equal(question.total, 64)
  t.equal(coverage(question, 'Die Rückgabefrist beträgt 100 Tage.'), 2 / 64)
})
