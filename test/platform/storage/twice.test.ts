import { readFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { systemClock } from '../../../src/platform/clock.ts'
import { step } from '../../../src/platform/storage/work.ts'
import { rewriting } from '../../../src/search/index/rewriting.sqlite.ts'
import { openFileStores } from '../../../src/stores.ts'
import { build, draft } from '../../helper.ts'
import { fileAlone } from '../../postgres/database.ts'
import { keeping } from '../../privacy/helper.ts'
import { serve } from '../../sources/parts.ts'
import { mailServer, SUPPORT } from '../../tickets/helper.ts'
import { runTwice } from './run-twice.ts'

/*
 * What a transaction notes in memory counts once it is committed: a body that was rolled back and is run again, as on a
 * full disk whose ballast is released, comes to the same as one that is run once.
 */
const options = { skip: fileAlone }

// Was wrong: the tickets that the first run had taken up were left there, and the receipt said that all was done.
t.test('an erasure that is run again leaves none of a visitor\'s tickets there', options, async (t) => {
  const { me, id, visitor, stores: { db } } = await keeping(t, null)
  const ada = await visitor({ name: 'Ada', email: 'ada@example.com' })
  for (let i = 0; i < 3; i++) {
    await me.post('/v1/tickets', { agent: id, subject: `No. ${i}`, requester: { email: 'ada@example.com' } })
  }
  runTwice(db)
  t.match((await me.delete(`/v1/visitors/${ada}`)).json().data, { removed: { tickets: 3, visitors: 1 } })
  t.equal(db.raw.prepare('select count(*) from tickets').pluck().get(), 0)
})

// Was wrong: the second run began behind those that the first had found, and they stayed for another day.
t.test('visitors whose time is over go, also when their removal is run again', options, async (t) => {
  const { visitor, clock, stores } = await keeping(t, 30)
  await visitor()
  clock.advance(31 * 24 * 60 * 60_000)
  runTwice(stores.db)
  await stores.privacy.store.retain(new AbortController().signal)
  t.equal(stores.db.raw.prepare('select count(*) from visitors').pluck().get(), 0)
})

// Was wrong: the first run counted the mail, so that the second held it back for a day.
t.test('the last mail that an account may send in a day is sent, also when its beginning is run again', options, async (t) => {
  const mail = await mailServer(t)
  const { user, stores, settled } = await build(t, {
    AGENTHALL_SMTP_URL: mail.url, AGENTHALL_MAIL_FROM: 'Help <help@ours.example>', AGENTHALL_MAIL_LIMITS: '{"enterprise":1}'
  })
  const me = await user()
  const { id } = (await me.post('/v1/agents', { ...draft, behavior: { email: SUPPORT } })).json().data
  runTwice(stores.db)
  for (const subject of ['first', 'second']) await me.post('/v1/tickets', { agent: id, subject })
  await settled()
  t.equal(mail.got.length, 1)
})

/** An agent that was taught this many texts, each with a word of its own, and a search for these. */
async function taught (t: Test, count: number, env: Record<string, string> = {}) {
  const built = await build(t, env)
  const me = await built.user()
  const { id } = (await me.post('/v1/agents', draft)).json().data
  for (let n = 0; n < count; n++) {
    await me.post(`/v1/agents/${id}/knowledge_sources`, { plain_text: `The quokka${n}z of number ${n}`, title: `${n}` })
  }
  const found = async (query: string): Promise<unknown[]> =>
    (await me.post(`/v1/agents/${id}/search`, { query })).json().data
  return { ...built, found }
}

// Was wrong: steps of the first run were not taken again, and words of what was put together were lost.
t.test('what is put together in the index is found, also when steps of that are run again', options, async (t) => {
  const { stores, settled, found } = await taught(t, 20)
  runTwice(stores.db)
  await settled()
  t.equal(stores.db.raw.prepare("select count(*) from segments where level > 0 and state = 'live'").pluck().get(), 2)
  for (let n = 0; n < 20; n++) t.equal((await found(`quokka${n}z`)).length, 1, `${n}`)
})

// Was wrong: the second run kept empty ones, and nothing was found by meaning.
t.test('embeddings are kept, also when that is run again', options, async (t) => {
  const url = await serve(t, async (request, reply) => {
    const { input } = JSON.parse((await request.toArray()).join('')) as { input: string[] }
    reply.end(JSON.stringify({ data: input.map((_text, index) => ({ index, embedding: [1, 0, 0] })) }))
  })
  const { stores, settled, found } = await taught(t, 2, {
    AGENTHALL_EMBEDDINGS_URL: `${url}/v1`, AGENTHALL_EMBEDDINGS_DIMENSIONS: '3', AGENTHALL_EMBEDDINGS_MODEL: 'small'
  })
  runTwice(stores.db)
  await settled()
  t.equal((await found('velocipede')).length, 2)
})

// Was wrong: the key was remembered as known, and what would tell a lost one was never written.
t.test('agenthall.key is known by what is kept of it, also when that is written again', options, async (t) => {
  const { stores, directory } = await build(t)
  runTwice(stores.db)
  await stores.db.atomically(function * () { stores.vault.prepare() })
  t.match(readFileSync(`${directory}/agenthall.key`, 'utf8'), /^[\w-]{43}\n$/)
  t.equal(stores.db.raw.prepare('select count(*) from vault_keys').pluck().get(), 1)
})

// Was wrong: whoever began again, as after a step that was rolled back, did the longest step again, and never got on.
t.test('the table in which older versions searched is given up once, by however many it is dropped', options, async (t) => {
  const stores = await openFileStores({ directory: t.testdir({}), clock: systemClock() })
  t.teardown(stores.close)
  const { db, secrets } = stores
  const { disown } = db
  const disowned: string[] = []
  Object.assign(db, { disown: (table: string) => { disowned.push(table); return disown(table) } })
  const { rewrite } = rewriting(db, secrets)
  for (const steps = rewrite(); disowned.length === 0;) await db.atomically(() => step(steps))
  for (const steps = rewrite(); !(await db.atomically(() => step(steps))).done;);
  t.equal(disowned.length, 1)
  t.notOk(db.raw.prepare("select 1 from sqlite_schema where name like 'passage\\_index%' escape '\\'").pluck().get())
})
