import t from 'tap'
import { inPostgres } from '../../src/platform/storage/postgres/dialect.ts'
import { openPostgres } from '../../src/platform/storage/postgres/open.ts'
import { everyRead } from '../platform/storage/reads.ts'
import { recordStatements } from '../platform/storage/statements.ts'
import { connected, emptyDatabase } from './database.ts'

const statements = recordStatements()
const { site } = await import('../widget/helper.ts')

/** What is about a SQLite file, or about the index that only older ones have. */
const OF_FILES = /^\s*(?:pragma|begin|commit|rollback|savepoint|release|drop|explain)\b|total_changes|sqlite_|pragma_|passage_index/i

t.test('whatever is asked of SQLite is understood by PostgreSQL', async (t) => {
  const { visit, begin, me, id, settled } = await site(t)
  statements.clear()
  const page = await visit()
  const { conversation, say } = await begin(page)
  t.equal((await say('How many days do I have for returns?')).statusCode, 201)
  const names = { id, visitor: page.session.visitor.id, conversation, ticket: 'tkt_none' }
  for (const address of everyRead(names)) await me.get(address)
  await settled()
  const asked = [...statements.keys()].filter((one) => !OF_FILES.test(one))
  t.ok(asked.length > 300, `${asked.length} statements`)

  const address = await emptyDatabase(t)
  await openPostgres({ address, directory: t.testdir({}) }, ({ close }) => close())
  const client = await connected(address)
  t.teardown(() => client.end())
  const faults: string[] = []
  for (const one of asked) {
    await client.query(`prepare asked as ${inPostgres(one).text}`)
      .then(() => client.query('deallocate asked'), ({ message }: Error) => faults.push(`${message} in ${one}`))
  }
  t.strictSame(faults, [])
})

t.test('a statement in words that SQLite alone knows is said as PostgreSQL says it', async (t) => {
  for (const [said, wanted] of [
    ['select a from t where b = ? and c = ?', 'select a from t where b = $1 and c = $2'],
    ["select '?' from t where b = :b or c = :b", "select '?' from t where b = $1 or c = $1"],
    ['select rowid from `t` limit -1', 'select ctid from "t" limit all'],
    ['select a from t indexed by t_by_a where not is_on', 'select a from t where is_on = 0'],
    ['select a from t where b is :b', 'select a from t where b is not distinct from $1'],
    ['insert or ignore into t (a) values (?) returning a', 'insert into t (a) values ($1)  on conflict do nothing returning a'],
    ["select cast(m ->> 'size' as integer) from t", "select whole_number(m ->> 'size') from t"],
    ['select a from t where email = ? collate nocase', 'select a from t where lower(email) = lower($1)'],
    ['select isMade from t', 'select "isMade" from t']
  ]) t.equal(inPostgres(said!).text.replaceAll(/ +/g, ' '), wanted!.replaceAll(/ +/g, ' '))
  t.strictSame(inPostgres('values (:b, :a, :b)').names, ['b', 'a'])
})
