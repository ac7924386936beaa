import t, { type Test } from 'tap'
import { systemClock } from '../../src/platform/clock.ts'
import { alone } from '../../src/platform/neighbours/alone.ts'
import { openPostgres } from '../../src/platform/storage/postgres/open.ts'
import type { Database } from '../../src/platform/storage/sqlite/database.ts'
import { jobsIn } from '../../src/platform/storage/sqlite/jobs.ts'
import { IN_A_PAGE, secretsIn } from '../../src/platform/storage/sqlite/secrets.ts'
import type { OpenTables } from '../../src/platform/storage/tables.ts'
import { pausing, type Work } from '../../src/platform/storage/work.ts'
import { connected, emptyDatabase, skip } from '../postgres/database.ts'

/** The same tables, as two processes have them, with two accounts: 1 and 2. */
async function tables (t: Test) {
  const address = await emptyDatabase(t)
  const open = async (): Promise<Database> => {
    const opened = await openPostgres({ address, directory: t.testdir({}) }, (tables) => tables) as OpenTables
    t.teardown(() => opened.close())
    return opened.db
  }
  const [db, other] = [await open(), await open()]
  const add = db.objects("insert into users (name, tier, revision, created_at, updated_at) values (?, 'free', 1, 'x', 'x')")
  await db.atomically(function * () {
    yield * add.run('Ada')
    yield * add.run('Bob')
  })
  const client = await connected(address)
  t.teardown(() => client.end())
  const locking = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
  return { db, other, client, isLocking: async () => (await client.query(locking)).rowCount! > 0 }
}

/** Work that is written only once `goOn` was called; `begun` resolves when it has its locks. */
function held () {
  const begun = Promise.withResolvers<void>()
  const state = { isHeld: true }
  return {
    begun: begun.promise,
    goOn: () => { state.isHeld = false },
    * work (): Work<string> {
      begun.resolve()
      while (state.isHeld) yield * pausing()
      return 'held'
    }
  }
}

const TURNS = 20

/** Whether something is written while another writes: otherwise it waits until that has ended. */
async function isWrittenMeanwhile (
  { isLocking }: { isLocking: () => Promise<boolean> },
  [db, of]: [Database, number | undefined], [other, ofOther]: [Database, number | undefined]
): Promise<boolean> {
  const { begun, goOn, work } = held()
  const ends: string[] = []
  const first = db.atomically(work, { of: of! })
  await begun
  const second = other.atomically(function * () { yield * pausing() }, { of: ofOther! }).then(() => ends.push('second'))
  // It waits for a lock, or in its own process: there everything waits for the turn's end.
  for (let i = 0; ends.length === 0 && (db.waiting() === 0 || i < TURNS) && !(await isLocking()); i++);
  const isWritten = ends.length > 0
  goOn()
  await Promise.all([first, second])
  return isWritten
}

t.test('writers of several accounts do not wait for one another, whichever process they are in', { skip }, async (t) => {
  // Was wrong: every writer held the one lock of the database, so that a thousand accounts wrote as fast as one.
  const { db, other, isLocking } = await tables(t)
  const meanwhile = (one: [Database, number | undefined], two: [Database, number | undefined]) =>
    isWrittenMeanwhile({ isLocking }, one, two)
  for (const [name, from] of [['the same process', db], ['another', other]] as const) {
    t.ok(await meanwhile([db, 1], [from, 2]), `two accounts, ${name}`)
    t.notOk(await meanwhile([db, 1], [from, 1]), `one account, ${name}`)
    t.notOk(await meanwhile([db, 1], [from, undefined]), `what is of no account waits for one, ${name}`)
    t.notOk(await meanwhile([db, undefined], [from, 1]), `an account waits for what is of none, ${name}`)
  }
})

t.test('what comes after a commit is of that commit, also while others write', { skip }, async (t) => {
  const { db } = await tables(t)
  const done: string[] = []
  const { begun, goOn, work } = held()
  const first = db.atomically(function * () {
    yield * db.afterwards(() => done.push('Ada'))
    yield * work()
    throw new Error('no')
  }, { of: 1 })
  await begun
  await db.atomically(() => db.afterwards(() => done.push('Bob')), { of: 2 })
  t.strictSame(done, ['Bob'])
  goOn()
  await t.rejects(first, { message: 'no' })
  t.strictSame(done, ['Bob'], 'nothing comes after what was not committed')
})

t.test('two that wait for each other are both written, one of them again from its beginning', { skip }, async (t) => {
  const { db, other } = await tables(t)
  const revise = (of: Database, user: number) => of.objects('update users set revision = revision + 1 where id = ?').run(user)
  let runs = 0
  const begun = { first: false, second: false }
  type Name = keyof typeof begun
  const crossed = (of: Database, [mine, theirs]: [number, number], own: Name, others: Name) =>
    of.atomically(function * () {
      runs += 1
      yield * revise(of, mine)
      begun[own] = true
      while (!begun[others]) yield * pausing()
      yield * revise(of, theirs)
    }, { of: mine })
  await Promise.all([crossed(db, [1, 2], 'first', 'second'), crossed(other, [2, 1], 'second', 'first')])
  t.equal(runs, 3)
  t.strictSame(await db.read(() => db.column('select revision from users order by id').all()), [3, 3])
})

t.test('a row that another account has just added is found when the work is done again', { skip }, async (t) => {
  const { db, other } = await tables(t)
  const add = (of: Database, user: number) => of.atomically(function * () {
    const isThere = (yield * of.column('select 1 from jobs where kind = ? and subject = 1').get('same')) === 1
    if (isThere) return 'was there'
    yield * of.objects("insert into jobs (kind, subject, owner, lane, asked, due) values ('same', 1, ?, 'here', 0, 0)").run(user)
    yield * pausing()
    return 'added'
  }, { of: user })
  const rounds = await Promise.all([[db, 1], [other, 2]].map(([of, user]) => add(of as Database, user as number)))
  t.strictSame(rounds.sort(), ['added', 'was there'])
})

t.test('no secret is handed out twice, and none that is destroyed comes back, however many accounts write', { skip }, async (t) => {
  const { db, other } = await tables(t)
  const all = [db, other].map((of) => ({ of, secrets: secretsIn(of) }))
  const made = (await Promise.all(Array.from({ length: 2 * IN_A_PAGE }, async (_none, i) => {
    const { of, secrets } = all[i % 2]!
    return await of.atomically(function * () {
      const one = yield * secrets.create()
      yield * pausing()
      return [one, ...(yield * secrets.createMany(2)).map(({ secret }) => secret)]
    }, { of: 1 + i % 7 })
  }))).flat()
  t.equal(new Set(made).size, 6 * IN_A_PAGE)
  const [gone, kept] = [made.filter((_one, i) => i % 3 === 0), made.filter((_one, i) => i % 3 > 0)]
  await Promise.all(gone.map(async (secret, i) => {
    const { of, secrets } = all[i % 2]!
    await of.atomically(() => secrets.destroy(secret), { of: 1 + i % 7 })
  }))
  const seals = (of: readonly number[]) => db.read(function * () {
    let there = 0
    for (const secret of of) if (yield * secretsIn(db).seal(secret)) there += 1
    return there
  })
  t.strictSame([await seals(gone), await seals(kept)], [0, kept.length])
})

t.test('a job that an account drops while it is being claimed is claimed by nobody', { skip }, async (t) => {
  const { db, client, isLocking } = await tables(t)
  const jobs = jobsIn(db, systemClock(), alone(systemClock()))
  await db.atomically(() => jobs.ask({ kind: 'some', subject: 1, owner: 1 }))
  await client.query("begin; delete from jobs where kind = 'some'")
  const claim = jobs.queue.claim({ kinds: ['some'], lane: 'here', perOwner: 1 })
  while (!(await isLocking()));
  await client.query('commit')
  t.equal(await claim, undefined)
})
