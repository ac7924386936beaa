import t from 'tap'
import { keptAnswers } from '../../src/agents/kept.ts'
import { AgentAnswer } from '../../src/agents/routes/shapes.ts'
import { withoutGuesses } from '../../src/platform/http/on-first-use.ts'
import { openDatabase } from '../../src/platform/storage/sqlite/database.ts'
import { dataFile } from '../../src/data-file.ts'
import { keptBy } from '../linear/turns.ts'
import { build, draft } from '../helper.ts'
import { fileAlone } from '../postgres/database.ts'

t.test('an agent that is read again costs no query, and every change shows on the next reading', { skip: fileAlone }, async (t) => {
  const { stores, user, directory, withKey } = await build(t)
  const as = await user()
  const { id } = (await as.post('/v1/agents', draft)).json().data
  const at = `/v1/agents/${id}`
  let queries = 0
  const { get } = stores.agents
  stores.agents.get = (owner, agent) => { queries++; return get(owner, agent) }
  const read = async (client = as) => (await client.get(at)).json().data
  const first = await as.get(at)
  for (let i = 0; i < 3; i++) {
    t.strictSame([(await as.get(at)).body, (await as.head(at)).headers.etag], [first.body, first.headers.etag])
  }
  t.equal((await as.get(at, undefined, { 'if-none-match': String(first.headers.etag) })).statusCode, 304)
  t.equal(queries, 1)

  await as.put(at, { description: 'New' })
  t.equal((await read()).description, 'New')
  t.not((await as.get(at)).headers.etag, first.headers.etag)
  await as.post(`${at}/knowledge_sources`, { plain_text: 'Zebra', title: 'Animal' })
  t.match((await read()).knowledge_sources, [{ title: 'Animal' }])
  const other = openDatabase({ file: dataFile(directory) })
  t.teardown(() => other.close())
  other.raw.exec("update agents set name = 'From elsewhere'; update users set revision = revision + 1")
  t.equal((await read()).name, 'From elsewhere', 'whoever changed it')
  t.equal(queries, 4)

  const stranger = await user()
  t.equal((await stranger.get(at)).statusCode, 404, 'what is kept is kept for its account')
  t.equal((await withKey('x').get(at)).statusCode, 401)
  await as.delete(at)
  t.equal((await as.get(at)).statusCode, 404)
})

t.test('what changes while an agent is read is not kept under the revision from before it', async (t) => {
  const { stores, user } = await build(t)
  const as = await user()
  const { id } = (await as.post('/v1/agents', draft)).json().data
  const { get } = stores.agents
  stores.agents.get = async (owner, agent) => {
    stores.agents.get = get
    const found = await get(owner, agent)
    await stores.agents.update(owner, agent, (current) => ({ ...current, name: 'Meanwhile' }))
    return found
  }
  await as.get(`/v1/agents/${id}`)
  t.equal((await as.get(`/v1/agents/${id}`)).json().data.name, 'Meanwhile')
})

t.test('answers are kept under a budget of bytes: what was not asked for longest goes first, and none takes more than an eighth', async (t) => {
  const kept = keptAnswers(16 * 1024)
  const answer = (bytes: number) => ({ tag: '"x"', body: Buffer.alloc(bytes), tally: 0, ids: [], tagWith: () => '"x"' })
  const names = () => ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'].filter((name) => kept.recall(name, 1)).join('')
  for (const name of 'abcdefgh') kept.keep(name, 1, answer(1536))
  t.equal(names(), 'abcdefgh')
  kept.recall('a', 1)
  kept.keep('i', 1, answer(1536))
  t.equal(names(), 'acdefghi')
  t.equal(kept.recall('a', 2), undefined, 'of another revision')
  kept.keep('a', 2, answer(1537))
  t.strictSame([names(), kept.recall('a', 2)], ['cdefghi', undefined], 'too large, and the old one is gone')
  kept.keep('c', 2, answer(10))
  t.equal(kept.recall('c', 2)?.body.length, 10)
})

// Was wrong: the first list after a start made a validator to tell an error from null: 36 to 55 ms at one stretch.
t.test('an answer with agents is written without finding out what its fields are of', async (t) => {
  const plain = withoutGuesses(AgentAnswer)
  t.notMatch(JSON.stringify(plain), /anyOf/)
  t.match(JSON.stringify(AgentAnswer), /anyOf/)
  const { user, stores: { db } } = await build(t)
  const as = await user()
  await as.post('/v1/agents', { ...draft, knowledge_sources: [{ plain_text: 'a' }, { plain_text: 'b' }] })
  const error = { code: 'timeout', message: 'Too slow.', retryable: true }
  db.raw.prepare('update knowledge_sources set error = ? where id = 2').run(JSON.stringify(error))
  const errors = (await as.get('/v1/agents/1')).json().data.knowledge_sources.map((one: { error: unknown }) => one.error)
  t.strictSame(errors, [null, error])
  const kept = { anyOf: [{ type: 'string' }, { type: 'integer' }] }
  t.strictSame(withoutGuesses(kept), kept, 'what is one of several things is looked at')
})

// Was wrong: beside the bytes of an answer the whole agent was kept, which counted for nothing: as much again.
t.test('of an agent that was read only its answer is kept', { skip: fileAlone }, async (t) => {
  const { user } = await build(t)
  const as = await user()
  const ids: number[] = []
  for (let i = 0; i < 20; i++) {
    ids.push((await as.post('/v1/agents', { ...draft, systemPrompt: `${i}`.repeat(40_000) })).json().data.id)
  }
  await as.get('/v1/agents/1')
  const kept = await keptBy(async () => { for (const id of ids) await as.get(`/v1/agents/${id}`) })
  t.ok(kept < 500_000, `${kept} bytes of the heap`)
})
