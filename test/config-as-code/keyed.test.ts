import t from 'tap'
import { build } from '../helper.ts'
import { longestTurn } from '../linear/turns.ts'
import { columnsOf } from '../postgres/looking.ts'
import { inFiles } from './helper.ts'

const draft = { name: 'Support', systemPrompt: 'Help.' }

t.test('by its key a thing is made once and changed from then on, and files know it by the same key', async (t) => {
  const { me, exported, planned, settled } = await inFiles(t)
  const put = async (path: string, body: object) => {
    const answer = await me.put(`/v1/keys/agents/${path}`, body)
    t.equal(answer.statusCode, 200, answer.body)
    return answer.json().data
  }
  t.match(await put('support', draft), { kind: 'agent', key: 'support', id: 1, agent: null, created: true })
  t.match(await put('support', { description: 'Orders' }), { id: 1, created: false })
  t.match((await me.get('/v1/agents/1')).json().data, { ...draft, description: 'Orders' })

  const text = { title: 'Returns', folder: ['Shop', 'Orders'], plain_text: 'Within 30 days.' }
  const made = await put('support/sources/returns', text)
  t.match(made, { kind: 'source', key: 'returns', agent: 'support', created: true })
  await settled()
  const tag = (await me.get(`/v1/agents/1/knowledge_sources/${made.id}`)).headers.etag
  t.match(await put('support/sources/returns', text), { id: made.id, created: false })
  t.equal((await me.get(`/v1/agents/1/knowledge_sources/${made.id}`)).headers.etag, tag, 'sent again it changes nothing')
  t.match(await put('support/sources/returns', { plain_text: 'Within 60 days.' }), { id: made.id })
  await settled()
  t.match((await me.get(`/v1/agents/1/knowledge_sources/${made.id}`)).json().data, { title: 'Returns' })
  await put('support/sources/faq', { faq: [{ question: 'How long?', answer: 'Three days.' }] })
  t.match(await put('support/questions/returns', { text: 'How long?', expect: { sources: [made.id] } }), { created: true })
  t.match(await put('support/questions/returns', { text: 'How long is it?', expect: { sources: [made.id] } }), { created: false })

  t.match((await me.get('/v1/keys')).json().data.map(({ kind, key }: Record<string, string>) => `${kind} ${key}`).sort(), [
    'agent support', 'question returns', 'source faq', 'source returns'
  ])
  const files = await exported()
  t.ok(files['agents/support/agent.yaml'] && files['agents/support/knowledge/returns.md'])
  t.strictSame((await planned(files)).changes, [], 'what is exported, applied, changes nothing')
})

t.test('a thing is put by its key in an account of any size without holding anybody up', async (t) => {
  // Was wrong: to put one source the whole account was read and compared, 10,000 sources at a stretch, twice.
  const { me, stores, settled } = await inFiles(t)
  await me.put('/v1/keys/agents/support', draft)
  const text = { title: 'Returns', plain_text: 'Within 30 days.' }
  const { id } = (await me.put('/v1/keys/agents/support/sources/returns', text)).json().data
  const question = { text: 'How long?', expect: { sources: [id] } }
  await me.put('/v1/keys/agents/support/questions/returns', question)
  await settled()
  const { raw } = stores.db
  const columns = columnsOf(raw, 'knowledge_sources', ['id', 'key']).join(', ')
  raw.exec(`with recursive more (n) as (select 1 union all select n + 1 from more where n < 9900)
    insert into knowledge_sources (key, ${columns}) select key || n, ${columns} from knowledge_sources, more`)
  for (const [path, body] of [
    ['sources/returns', { plain_text: 'Within 60 days.' }], ['sources/new', text], ['questions/returns', { ...question, text: 'How many days?' }],
    ['questions/new', question]
  ] as const) {
    let answer: Awaited<ReturnType<typeof me.put>> | undefined
    const longest = await longestTurn(30, async () => { answer = await me.put(`/v1/keys/agents/support/${path}`, body) })
    t.equal(answer?.statusCode, 200, path)
    t.ok(longest <= 30, `${longest} ms at one stretch for ${path}`)
  }
})

t.test('what a key cannot be used for is refused with a sentence', async (t) => {
  const { me, apply, withKey, stores } = await inFiles(t)
  const errorOf = async (path: string, body: object) => (await me.put(`/v1/keys/agents/${path}`, body)).json().error
  t.match(await errorOf('new', { name: 'x' }), { code: 'VALIDATION_ERROR', details: [{ field: 'systemPrompt' }] })
  t.match(await errorOf('UPPER', draft), { code: 'VALIDATION_ERROR' })
  t.match(await errorOf('nobody/sources/x', { plain_text: 'x' }), { code: 'not_found' })
  await me.put('/v1/keys/agents/a', draft)
  t.match(await errorOf('a/sources/x', { plain_text: 'x', urls: ['https://example.com'] }), { code: 'VALIDATION_ERROR' })
  t.match(await errorOf('a/questions/x', { text: 'x', expect: { sources: [99] } }), { code: 'VALIDATION_ERROR' })

  await apply({
    'agenthall.yaml': 'format: 1\nmanage: [agents]\n',
    'agents/kept/agent.yaml': 'key: kept\nlock: true\nname: Kept\n',
    'agents/kept/prompt.md': 'x\n'
  })
  t.match(await errorOf('kept', { name: 'Other' }), { code: 'kept_in_code' })
  t.match(await errorOf('kept/sources/x', { plain_text: 'x' }), { code: 'kept_in_code' })

  const { key } = (await stores.access.createKey(me.id, () => ({
    name: 'x', permissions: ['MANAGE_AGENTS'], expires_at: null
  }))).answer
  const theirs = await (await withKey(key)).put('/v1/keys/agents/a/sources/x', { plain_text: 'x' })
  t.equal(theirs.statusCode, 403)
})

t.test('two who make one agent by its key at once are told apart', async (t) => {
  // Was wrong: the second was answered 500.
  const { user } = await build(t)
  const me = await user()
  const all = await Promise.all(['A', 'B', 'C'].map((name) => me.put('/v1/keys/agents/support', { ...draft, name })))
  const codes = all.map(({ statusCode }) => statusCode).sort()
  t.equal(codes[0], 200, codes.join())
  // A request that comes once it exists changes it, and is told so as well.
  t.ok(codes.every((code) => code === 200 || code === 412), codes.join())
  t.equal((await me.get('/v1/agents')).json().data.length, 1)
})
