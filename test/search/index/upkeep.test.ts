import t from 'tap'
import { changesOf } from '../../../src/platform/storage/changes.ts'
import { inSteps } from '../../../src/platform/work/slices.ts'
import { secretsIn } from '../../../src/platform/storage/sqlite/secrets.ts'
import { sqlitePassages } from '../../../src/search/passages.sqlite.ts'
import { sqliteVocabulary } from '../../../src/search/vocabulary.sqlite.ts'
import { FORM, wordKeyOf } from '../../../src/search/words/key.ts'
import { passagesOf } from '../../../scripts/bench/collection.ts'
import { build } from '../../helper.ts'
import { inMemory } from '../../scale/in-memory.ts'
import { hall, postingsAtOnce } from '../helper.ts'

// Was wrong: it looked for full levels after its own trainings alone, so that the index grew slower until a restart.
t.test('the process that keeps the index in order hears of what others add to it, once that is committed', async (t) => {
  const { stores: { db }, settled } = await build(t)
  // A new file has the tables of older programs until then.
  await settled()
  const { join } = inMemory()
  const [leading, other] = [0, 1].map((at) =>
    sqlitePassages(db, secretsIn(db), changesOf(db, join(at), 'segments'))) as [ReturnType<typeof sqlitePassages>, ReturnType<typeof sqlitePassages>]
  const isUntidy = async () => {
    const untidy = leading.isUntidy()
    return await db.read(() => untidy)
  }
  const train = async (source: number, fault?: Error) => await db.atomically(function * () {
    const text = `Text ${source} with quokkas${source}z`
    yield * other.replace({ agent: 1, source, language: 'en' }, '', passagesOf({ text, title: '' }))
    if (fault) throw fault
  })
  for (let source = 1; source < 8; source++) await train(source)
  t.equal(await isUntidy(), false)
  const before = leading.isUntidy()
  await train(8)
  await db.read(() => before)
  t.equal(await isUntidy(), true, 'eight are to be put together')
})

// Was wrong: an agent's words counted as read as soon as reading them began.
t.test('words whose reading failed are read again by the next question', async (t) => {
  const { stores: { db } } = await build(t)
  const secrets = secretsIn(db)
  const index = sqlitePassages(db, secrets)
  await db.atomically(() => index.replace(
    { agent: 1, source: 1, language: 'en' }, '', passagesOf({ text: 'The quokkas of Perth', title: '' })))
  let isCut = true
  const vocabulary = sqliteVocabulary(db, {
    ...secrets,
    * seal (secret) {
      if (isCut) throw new Error('The database does not answer')
      return yield * secrets.seal(secret)
    }
  })
  await t.rejects(inSteps(db, vocabulary.of(1)), { message: /does not answer/ })
  isCut = false
  t.ok((await inSteps(db, vocabulary.of(1))).size > 0)
})

// Was wrong: what an older question had counted was taken for the count after a training.
t.test('what a question counts that was begun before a training does not count afterwards', async (t) => {
  const { tables, train } = hall(t)
  const postings = postingsAtOnce(tables, { many: 1 })
  const count = (of: ReturnType<typeof postings>, word: string) =>
    of.terms(wordKeyOf(word, { language: 'en', form: FORM })).reduce((sum, [, many]) => sum + many, 0)
  train(1, 1, 'The lamp of number one is in the house')
  const old = postings(1)
  train(1, 2, 'The lamp of number two is in the garden with the quokkas')
  const next = postings(1)
  t.strictSame([count(next, 'number'), count(old, 'lamp'), count(next, 'garden')], [2, 1, 1])
  t.equal(count(postings(1), 'lamp'), 2)
})
