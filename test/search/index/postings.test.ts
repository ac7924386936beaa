import t from 'tap'
import { FORM, wordKeyOf } from '../../../src/search/words/key.ts'
import { hall, postingsAtOnce } from '../helper.ts'

t.test('what does not fit into memory is read again, and found alike', async (t) => {
  const { tables, index, train, wipe } = hall(t)
  for (let source = 1; source <= 20; source++) train(1, source, `The lamp of number ${source} and quokkas${source}z`)
  const key = (word: string) => wordKeyOf(word, { language: 'en', form: FORM })
  const read = (postings: ReturnType<typeof postingsAtOnce>, word: string) => {
    const { terms, holders } = postings(1)
    return terms(key(word)).flatMap(([term, passages]) => [passages, ...holders(term, 100)])
  }
  const small = postingsAtOnce(tables, { blocks: 1, beginnings: 2, many: 5, counts: 2 })
  const large = postingsAtOnce(tables)
  const words = ['lamp', 'number', 'quokkas3z', 'quokkas17z', 'nothing', 'lamp']
  for (const word of words) t.strictSame(read(small, word), read(large, word), word)
  t.equal(read(small, 'lamp').length, 21)
  // Some blocks were replaced: what is in memory of their segments does not count.
  index.remove(3)
  wipe()
  for (const word of words) t.strictSame(read(small, word), read(large, word), word)
  t.strictSame([read(large, 'quokkas3z').length, read(large, 'lamp').length], [0, 20])
})

t.test('a question that was begun before segments were put together reads what has taken their place', async (t) => {
  // Was wrong without re-reading the list of segments: a missing block ended the query.
  const { tables, train, wipe } = hall(t)
  for (let source = 1; source <= 20; source++) train(1, source, `The lamp of number ${source}`)
  const lamp = wordKeyOf('lamp', { language: 'en', form: FORM })
  const postings = postingsAtOnce(tables, { blocks: 1, many: 1 })
  const before = postings(1).terms(lamp)
  const begun = postings(1)
  const terms = begun.terms(lamp)
  t.strictSame(terms, before, 'as it was counted then')
  wipe()
  t.equal(terms.flatMap(([term]) => begun.holders(term, 100)).length, 20)
})
