import t from 'tap'
import { build, draft } from '../helper.ts'
import { longestTurn } from '../linear/turns.ts'
import { columnsOf } from '../postgres/looking.ts'

/** Milliseconds of CPU time at a stretch, on a machine with other load; 160 when all was done at once. */
const MOST_MS = 50

// Was wrong when an agent was read and written with all of its sources at a stretch: 400 ms with 10,000.
t.test('an agent of thousands of sources is read, changed and exported whole, and holds nobody up', async (t) => {
  const { user, stores: { db }, settled } = await build(t)
  const as = await user()
  const id = (await as.post('/v1/agents', draft)).json().data.id as number
  const path = `/v1/agents/${id}`
  await as.post(`${path}/knowledge_sources`, { title: 'Returns', plain_text: 'Returns are accepted within 30 days. '.repeat(20) })
  await settled()
  const columns = columnsOf(db.raw, 'knowledge_sources', ['id', 'key', 'title']).join()
  db.raw.prepare(`with recursive n(i) as (select 1 union all select i + 1 from n where i < 4000)
    insert into knowledge_sources (key, title, ${columns}) select 'k' || i, 'Source ' || i, ${columns} from n, knowledge_sources`).run()
  const listed = async (asked: () => ReturnType<typeof as.get>) => {
    let answer: Awaited<ReturnType<typeof as.get>>
    const longest = await longestTurn(MOST_MS, async () => { answer = await asked() })
    t.ok(longest <= MOST_MS, `${longest} ms`)
    const { status, message, data } = answer!.json()
    t.equal(status, 'success')
    t.equal(data.knowledge_sources_total, 4001)
    t.equal(data.knowledge_sources.length, 4001)
    const ids = data.knowledge_sources.map((one: { id: number }) => one.id)
    t.same(ids, ids.map((_id: number, i: number) => i + 1))
    t.type(data.knowledge_sources[4000].plain_text, 'string')
    return { message, data, headers: answer!.headers }
  }
  // What is compiled for the first of them is prepared in advance on a server.
  await as.get(path)
  await as.put(path, { description: 'x' })
  const { data, headers } = await listed(() => as.get(path))
  t.equal(data.max_training_usage_bytes > 0, true)
  t.equal(headers.etag, (await as.get(path)).headers.etag)
  t.equal((await as.get(path, undefined, { 'if-none-match': String(headers.etag) })).statusCode, 304)
  const changed = await listed(async () => {
    const { headers: { etag } } = await as.get(path)
    return await as.put(path, { description: 'Answers' }, { 'if-match': String(etag) })
  })
  t.equal(changed.message, 'Agent updated successfully')
  t.equal(changed.data.description, 'Answers')
  t.equal(changed.headers.etag, (await as.get(path)).headers.etag)

  const keys = await as.get('/v1/keys')
  t.equal(keys.json().data.length, 4002)
  let files: Array<{ path: string, text: string }> = []
  await as.get('/v1/config')
  const longest = await longestTurn(3 * MOST_MS, async () => { files = (await as.get('/v1/config')).json().data.files })
  t.ok(longest <= 3 * MOST_MS, `${longest} ms, some of it for reading the answer`)
  t.equal(files.filter(({ path }) => path.endsWith('.md') && path.includes('/knowledge/')).length, 4001)
  t.equal(files.find(({ path }) => path.endsWith('/sources.yaml'))!.text.match(/^- key: /gm)!.length, 4001)
})

t.test('sources that follow are those of an agent of the owner alone', async (t) => {
  const { user, stores: { agents } } = await build(t)
  const [as, other] = [await user(), await user()]
  const id = (await as.post('/v1/agents', { ...draft, knowledge_sources: [{ plain_text: 'a' }, { plain_text: 'b' }] })).json().data.id as number
  const mine = await agents.sources(1, id, 0)
  t.equal(mine.length, 2)
  t.equal((await agents.sources(1, id, mine[0]!.id)).length, 1)
  t.same(await agents.sources(2, id, 0), [])
  t.equal((await other.get(`/v1/agents/${id}`)).statusCode, 404)
  await as.delete(`/v1/agents/${id}`)
  t.same(await agents.sources(1, id, 0), [], 'nor of one that was deleted')
})

// Was wrong: an agent that files changed was read with a hundred of its sources, which nobody looked at, while
// everybody else's writes waited.
t.test('an agent that is changed without being published is returned without what it knows', async (t) => {
  const { user, stores: { agents } } = await build(t)
  const as = await user()
  const knows = { knowledge_sources: [{ plain_text: 'Zebras eat grass.' }] }
  const { id } = (await as.post('/v1/agents', { ...draft, ...knows })).json().data
  const change = async (name: string, isKept: boolean) =>
    await agents.update(as.id, id, (kept) => ({ ...kept, name }), { isKept })
  t.match(await change('Bea', true), { agent: { name: 'Bea' }, sources: [], total: 1 })
  t.strictSame((await change('Bea', true))!.sources, [], 'nor where nothing changes')
  t.match(await change('Cleo', false), { agent: { name: 'Cleo' }, sources: [{}], total: 1 })
})
