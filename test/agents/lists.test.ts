import t from 'tap'
import { build, draft, routesOf } from '../helper.ts'

type Shown = { id: number, name: string }
const names = (answer: { json: () => { data: Shown[] } }) => answer.json().data.map(({ name }) => name)

t.test('a list has these keys: message, data, features, status and permissions', async (t) => {
  const { user, stores, withKey } = await build(t)
  const as = await user({ tier: 'pro' })
  const made = (await as.post('/v1/agents', draft)).json().data
  t.strictSame((await as.get('/v1/agents/')).json(), {
    status: 'success',
    message: 'Agents retrieved successfully',
    data: [made],
    features: { WHITE_LABELING: false, PREMIUM_MODELS: true, AUTO_TICKET_RESPONSE: true, ADD_ON_AGENT: false },
    permissions: [
      'REPLY_CONVERSATION', 'MANAGE_AGENTS', 'MANAGE_KNOWLEDGE_BASE', 'CONFIGURE_BUSINESS', 'CREATE_TICKET',
      'MANAGE_AGENT_SETTINGS', 'SEND_INVITE', 'MANAGE_API_KEY', 'VIEW_ANALYTICS', 'MANAGE_BILLING'
    ]
  })
  const { answer } = await stores.access.createKey(as.id, () => ({
    name: 'x', permissions: ['VIEW_ANALYTICS'], expires_at: null
  }))
  t.strictSame(
    (await withKey(answer.key).get('/v1/agents')).json().permissions,
    ['VIEW_ANALYTICS'],
    'the permissions are those of the key'
  )
})

t.test('read, update and delete answer in the same envelope, with the tag of what they show', async (t) => {
  const { user } = await build(t)
  const as = await user()
  const made = await as.post('/v1/agents/', draft)
  t.equal(made.headers.location, '/v1/agents/1')
  const read = await as.get(made.headers.location as string)
  t.strictSame(read.json(), { status: 'success', message: 'Agent retrieved successfully', data: made.json().data })
  t.equal(read.headers.etag, made.headers.etag)
  const updated = await as.put('/api/v1/agents/1', { name: 'B' })
  t.match(updated.json(), { status: 'success', message: 'Agent updated successfully', data: { name: 'B' } })
  t.not(updated.headers.etag, made.headers.etag)
  t.equal(updated.headers['content-type'], 'application/json; charset=utf-8')
  const deleted = await as.delete('/v1/agents/1')
  t.strictSame(
    [deleted.statusCode, deleted.json()],
    [200, { status: 'success', message: 'Agent deleted successfully', data: { id: 1 } }]
  )
  t.equal((await as.delete('/v1/agents/1')).statusCode, 404)
  t.equal((await as.post('/v1/agents', draft)).json().data.id, 2, 'an id is never given twice')
})

t.test('deleting an agent deletes what belongs to it', async (t) => {
  const { user, stores: { db }, settled } = await build(t)
  const as = await user()
  await as.post('/v1/agents', draft)
  const source = [
    '1',
    as.id,
    '[]',
    '',
    '"f"',
    't',
    'Success',
    'Success',
    'docs',
    1,
    JSON.stringify({
      format: 'txt',
      file_size: '3B',
      no_of_rows: null,
      no_of_chars: 3,
      no_of_pages: null,
      upload_date: '2026-01-01T00:00:00.000000+00:00'
    }),
    1,
    3,
    'x',
    'x'
  ]
  await db.atomically(function * () {
    db.raw
      .prepare(
        "insert into knowledge_folders (agent_id, owner_id, name, created_at, updated_at) values (1, ?, 'root', 'x', 'x')"
      )
      .run(as.id)
    db.raw
      .prepare(
        'insert into knowledge_sources (agent_id, owner_id, urls, file_path, google_drive_file_id, title, status, training_status, type, folder_id, metadata, is_selected, total_training_usage_bytes, created_at, updated_at) values (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)'
      )
      .run(source)
  })
  await as.put('/v1/agents/1', { name: 'B' })
  const [shown] = (await as.get('/v1/agents')).json().data[0].knowledge_sources
  t.match(shown, { id: 1, owner: as.id, file: '', plain_text: null, title: 't', max_training_usage_bytes: 31457280 })
  t.notOk('agent' in shown || 'file_path' in shown, 'what answers do not name never leaves')
  await db.atomically(function * () { db.raw.exec("update knowledge_sources set file_path = 'a/b.txt'") })
  t.equal((await as.get('/v1/agents/1')).json().data.knowledge_sources[0].file, 'http://127.0.0.1:8080/media/a/b.txt')
  await as.delete('/v1/agents/1')
  await settled()
  t.strictSame(
    db.raw
      .prepare('select (select count(*) from knowledge_sources) + (select count(*) from knowledge_folders)')
      .pluck()
      .get(),
    0
  )
})

t.test(
  'both prefixes serve every route, the trailing slash is optional, and HEAD answers where GET does',
  async (t) => {
    const { app, user } = await build(t)
    const as = await user()
    await as.post('/v1/agents', draft)
    // A challenge is different each time.
    const bodyOf = ({ body }: { body: string }) => body.replace(/"(?:challenge|checked_at)":"[^"]+"/, '')
    // A stream of the whole account has no end to compare.
    const routes = (await routesOf(app)).filter(
      ({ method, url }) => url.startsWith('/v1') && method !== 'HEAD' && url !== '/v1/events'
    )
    t.ok(routes.length >= 9)
    for (const { method, url } of routes) {
      const call = as[method.toLowerCase() as 'get']
      const target = url.replace(':id', '77')
      const [plain, ...others] = await Promise.all(
        [target, target + '/', '/api' + target, '/api' + target + '/'].map((one) =>
          call(one, method === 'GET' || method === 'DELETE' ? undefined : { x: 1 })
        )
      )
      for (const other of others) {
        t.strictSame([other.statusCode, bodyOf(other)], [plain!.statusCode, bodyOf(plain!)], `${method} ${url}`)
      }
      t.ok(plain!.statusCode < 500 && plain!.statusCode !== 405, 'it is the route that answers')
      t.equal((await call('/api' + url.slice(3))).statusCode, 404, 'and no other prefix')
      if (method !== 'GET') continue
      for (const one of [target, '/api' + target + '/']) {
        const head = await as.head(one)
        t.equal(head.statusCode, plain!.statusCode)
        t.equal(head.body, '')
        t.equal(head.headers.etag, plain!.headers.etag)
      }
    }
  }
)

t.test('a list is in order of id, holds only what the caller owns, and moves with every change', async (t) => {
  const { user, stores } = await build(t)
  const [as, other] = [await user(), await user()]
  await other.post('/v1/agents', { ...draft, name: 'Theirs' })
  for (const name of ['A', 'B', 'C']) await as.post('/v1/agents', { ...draft, name })
  const tags = new Set<unknown>()
  const look = async (...expected: string[]) => {
    const answer = await as.get('/v1/agents')
    t.strictSame(names(answer), expected)
    t.notOk(tags.has(answer.headers.etag), 'a new tag')
    tags.add(answer.headers.etag)
    t.equal((await as.get('/v1/agents', undefined, { 'if-none-match': answer.headers.etag as string })).statusCode, 304)
    const again = await as.get('/v1/agents', undefined, { 'if-none-match': '"old"' })
    t.strictSame([again.body, again.headers.etag], [answer.body, answer.headers.etag], 'asked again it is the same')
  }
  await look('A', 'B', 'C')
  await as.put('/v1/agents/2', { name: 'Z' })
  await look('Z', 'B', 'C')
  await as.delete('/v1/agents/3')
  await look('Z', 'C')
  await stores.access.setTier(as.id, 'free')
  t.equal((await as.get('/v1/agents')).json().features.WHITE_LABELING, false)
  await look('Z', 'C')
  const before = (await as.get('/v1/agents')).headers.etag
  await other.post('/v1/agents', draft)
  t.equal((await as.get('/v1/agents')).headers.etag, before, 'what others do does not move it')
  t.strictSame(names(await other.get('/v1/agents')), ['Theirs', 'Ada'])
})

t.test('pages: total and pages are right, links lead on, and together they are the whole list', async (t) => {
  const { user } = await build(t)
  const as = await user()
  const empty = await as.get('/v1/agents?page=1')
  t.strictSame(empty.json().pagination, { page: 1, limit: 20, total: 0, pages: 0 })
  t.equal(empty.headers.link, '</v1/agents/?page=1&limit=20>; rel="first", </v1/agents/?page=1&limit=20>; rel="last"')
  await Promise.all(
    Array.from({ length: 7 }, (_none, i) => as.post('/v1/agents', { ...draft, name: `n${i}`, description: 'd&d' }))
  )
  const whole = (await as.get('/v1/agents')).json()
  t.notOk('pagination' in whole)
  let url: string | undefined = '/v1/agents?limit=3&search=d%26d'
  const walked: unknown[] = []
  for (let page = 1; url; page++) {
    const answer = await as.get(url)
    const { data, pagination, next_cursor: next, ...rest } = answer.json()
    t.strictSame(pagination, { page, limit: 3, total: 7, pages: 3 })
    t.equal(next === null, page === 3, 'a page that is not the last says how the list goes on by cursor too')
    t.strictSame(Object.keys(rest).sort(), ['features', 'message', 'permissions', 'status'])
    walked.push(...data)
    const links = Object.fromEntries(
      [...String(answer.headers.link).matchAll(/<([^>]+)>; rel="(\w+)"/g)].map(([, target, rel]) => [rel, target])
    )
    t.strictSame(Object.keys(links), ['first', ...(page > 1 ? ['prev'] : []), ...(page < 3 ? ['next'] : []), 'last'])
    t.equal(new URL(links.last!, 'http://x').searchParams.get('page'), '3')
    t.equal(new URL(links.first!, 'http://x').searchParams.get('search'), 'd&d', 'links keep the filter')
    if (page > 1) t.equal(new URL(links.prev!, 'http://x').searchParams.get('page'), String(page - 1))
    url = links.next
  }
  t.strictSame(walked, whole.data)
  const beyond = await as.get('/v1/agents?page=9&limit=3')
  t.strictSame(beyond.json().data, [])
  t.match(beyond.headers.link, '</v1/agents/?page=3&limit=3>; rel="prev"', 'from beyond the end, prev leads to the end')
  t.equal((await as.get('/v1/agents?page=1')).json().pagination.limit, 20)
  t.equal((await as.get('/v1/agents?limit=100&page=1000000000')).statusCode, 200)
  t.match((await as.get('/v1/agents?page=1')).headers.etag, /^"/)
})

t.test('a query that is wrong is refused with the name of what is wrong', async (t) => {
  const { user } = await build(t)
  const as = await user()
  const wrong = {
    'page=0': 'page',
    'page=-1': 'page',
    'page=1.5': 'page',
    'page=x': 'page',
    'page=': 'page',
    'page=1e3': 'page',
    'page=0x1': 'page',
    'page=99999999999999999999': 'page',
    'limit=0': 'limit',
    'limit=101': 'limit',
    'limit=1e9': 'limit',
    'page=1&page=2': 'page',
    'status=active': 'status',
    'status=': 'status',
    'serach=x': 'serach',
    '__proto__=x': '__proto__',
    'constructor=x': 'constructor',
    'owner=1': 'owner',
    'sort=id;drop table agents': 'sort',
    [`search=${'x'.repeat(201)}`]: 'search',
    [`agent_type=${'x'.repeat(65)}`]: 'agent_type',
    'search=a&search=b': 'search'
  }
  for (const [query, field] of Object.entries(wrong)) {
    const answer = await as.get(`/v1/agents?${query}`)
    t.equal(answer.statusCode, 400, query)
    t.match(answer.json().error, { code: 'VALIDATION_ERROR', details: [{ field }] })
  }
  t.match((await as.get('/v1/agents?serach=x')).json().error.details[0].message, 'did you mean "search"?')
})

t.test('filters: status, agent_type and agent_category in both spellings, and search in name and description', async (t) => {
  const { user } = await build(t)
  const as = await user()
  const make = async (name: string, rest: object = {}) => await as.post('/v1/agents', { ...draft, name, ...rest })
  await make('one', { agentType: 'Sales Agent', agent_category: 'Shop floor', description: 'Sells ÄPFEL at 100%' })
  await make('two', { agentType: 'sales_agent', status: 'Inactive', description: 'under_score' })
  await make('Three', { agentType: 'SALES-AGENT', description: 'ｆｕｌｌ width ﬁne' })
  await make('four', { agentType: 'Ärzte Agent', description: 'under-score' })
  await make('O\'Five "quoted"', { description: "' or 1=1 --" })
  const found = async (query: Record<string, string>) => names(await as.get(`/v1/agents?${new URLSearchParams(query)}`))
  t.strictSame(await found({ status: 'Active' }), ['one', 'Three', 'four', 'O\'Five "quoted"'])
  t.strictSame(await found({ status: 'Inactive' }), ['two'])
  for (const type of ['Sales Agent', 'sales_agent', 'sales agent', 'SALES_AGENT', 'sales-agent']) {
    t.strictSame(await found({ agent_type: type }), ['one', 'two', 'Three'], type)
  }
  t.strictSame(
    await found({ agent_type: 'general_assistant' }), ['O\'Five "quoted"'], 'the default type in its other spelling'
  )
  // A letter outside ASCII was folded in the query but not in the table, so that a type did not even equal itself.
  for (const type of ['Ärzte Agent', 'Ärzte_agent']) t.strictSame(await found({ agent_type: type }), ['four'], type)
  t.strictSame(await found({ agent_type: '%' }), [])
  for (const category of ['Shop floor', 'shop_floor']) {
    t.strictSame(await found({ agent_category: category }), ['one'], category)
  }
  t.strictSame(await found({ agent_category: 'assistant' }), ['two', 'Three', 'four', 'O\'Five "quoted"'])
  const searches: Record<string, string[]> = {
    ONE: ['one'],
    äpfel: ['one'],
    ÄPFEL: ['one'],
    '%': ['one'],
    '100%': ['one'],
    _: ['two'],
    under_score: ['two'],
    full: ['Three'],
    FINE: ['Three'],
    three: ['Three'],
    "'": ['O\'Five "quoted"'],
    "' or 1=1 --": ['O\'Five "quoted"'],
    '"QUOTED"': ['O\'Five "quoted"'],
    sells: ['one'],
    nothing: [],
    '\\': [],
    '*': [],
    '\0': [],
    '': ['one', 'two', 'Three', 'four', 'O\'Five "quoted"']
  }
  for (const [search, expected] of Object.entries(searches)) t.strictSame(await found({ search }), expected, search)
  t.strictSame(await found({ search: 'o', status: 'Active', agent_type: 'sales_agent' }), ['one'], 'filters add up')
  t.strictSame((await as.get('/v1/agents?search=under&limit=1')).json().pagination, {
    page: 1, limit: 1, total: 2, pages: 2
  })
  await as.put('/v1/agents/1', { name: 'uno', description: '' })
  t.strictSame(
    [await found({ search: 'äpfel' }), await found({ search: 'UNO' })], [[], ['uno']], 'the search follows an update'
  )
})

t.test('a list longer than a slice is streamed, and is the same bytes as its pages', async (t) => {
  const { user } = await build(t)
  const as = await user()
  await Promise.all(Array.from({ length: 100 }, (_none, i) => as.post('/v1/agents', { ...draft, name: `n${i}` })))
  for (const total of [100, 101, 250]) {
    await Promise.all(
      Array.from({ length: total - (await as.get('/v1/agents')).json().data.length }, () =>
        as.post('/v1/agents', { ...draft, name: 'more' })
      )
    )
    const whole = await as.get('/v1/agents')
    const pages = await Promise.all(
      Array.from({ length: Math.ceil(total / 100) }, (_none, i) => as.get(`/v1/agents?limit=100&page=${i + 1}`))
    )
    const inner = (body: string) => /"data":\[(.*)\],"features"/s.exec(body)![1]
    t.equal(inner(whole.body), pages.map(({ body }) => inner(body)).join(), `${total} agents`)
    t.equal(new Set(whole.json().data.map(({ id }: Shown) => id)).size, total)
    t.equal((await as.get('/v1/agents', undefined, { 'if-none-match': whole.headers.etag as string })).statusCode, 304)
    t.equal((await as.head('/v1/agents')).body, '')
  }
})

t.test('kept lists stay within their budget, and a budget of nothing keeps nothing', async (t) => {
  for (const [mib, hits] of [['0', 0], ['1', 1]] as const) {
    const { user, stores } = await build(t, { AGENTHALL_LIST_CACHE_MIB: mib })
    const as = await user()
    await as.post('/v1/agents', { ...draft, systemPrompt: 'x'.repeat(90_000) })
    let asked = 0
    const { page } = stores.agents
    stores.agents.page = (...args) => { asked++; return page(...args) }
    for (let limit = 1; limit <= 20; limit++) t.equal((await as.get(`/v1/agents?limit=${limit}`)).statusCode, 200)
    const first = asked
    await as.get('/v1/agents?limit=20')
    t.equal(asked - first, 1 - hits, 'the newest is kept')
    await as.get('/v1/agents?limit=1')
    t.equal(asked - first, 2 - hits, 'the oldest had to go')
  }
})

t.test('times are UTC with microseconds and never go backwards', async (t) => {
  const { user, clock } = await build(t)
  const as = await user()
  let last = ''
  for (const step of [0, 1, 1000, 86_400_000]) {
    clock.advance(step)
    const { created_at: created } = (await as.post('/v1/agents', draft)).json().data
    t.match(created, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
    t.ok(created > last)
    last = created
  }
})
