import t from 'tap'
import { hall } from './helper.ts'

t.test('a German text makes nobody less sure of texts in other languages', async (t) => {
  // Was wrong: `newsletter` was split like a German compound, and English texts lacked its parts.
  const { train, search } = hall(t)
  train(1, 1, 'Our newsletter comes once a month, and there is a handbook with it')
  const sure = (query: string) => search(1, query, 1).map(({ source, confidence }) => [source, confidence.toFixed(1)])
  const questions = ['Is there a newsletter?', 'handbook newsletter', 'What about the warehouse and its handbook?']
  const before = questions.map(sure)
  train(1, 2, 'Die Katze liegt auf dem Sofa und schläft, weil sie nicht nach draußen darf und es regnet')
  t.same(questions.map(sure), before)
})
