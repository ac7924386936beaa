import '../bare-children.ts'
import { zipSync } from 'fflate'
import t, { type Test } from 'tap'
import type { Import, ImportItem } from '../../schema/imports.ts'
import { system } from '../feeds/helper.ts'
import { build } from '../helper.ts'

const captain = {
  assistant: {
    id: 7,
    name: 'Shop helper',
    config: { instructions: 'Be brief.', welcome_message: 'Hello!', product_name: 'Shop' },
    response_guidelines: ['Use short sentences']
  },
  documents: [{ id: 1, name: 'Returns', content: 'Returns are accepted within 30 days.' }],
  responses: [{ id: 1, question: 'How long can I return?', answer: '30 days.', status: 'approved' }],
  custom_tools: [{
    slug: 'custom_get_order',
    title: 'Get order',
    description: 'Looks an order up',
    http_method: 'GET',
    endpoint_url: 'https://api.shop.example.com/orders/{{ order_id }}?lang=en',
    param_schema: [{ name: 'order_id', type: 'string', description: 'number', required: true }]
  }]
}

type Files = Record<string, string | Buffer | object>

/** A form with files. */
function formOf (files: Files, fields: Record<string, string> = {}) {
  const boundary = 'b0undary'
  const head = (said: string) => `--${boundary}\r\nContent-Disposition: form-data; ${said}\r\n\r\n`
  const parts = [
    ...Object.entries(fields).map(([name, value]) => Buffer.from(`${head(`name="${name}"`)}${value}\r\n`)),
    ...Object.entries(files).flatMap(([name, content]) => [
      Buffer.from(head(`name="file"; filename="${name}"`)),
      Buffer.isBuffer(content) ? content : Buffer.from(typeof content === 'string' ? content : JSON.stringify(content)),
      Buffer.from('\r\n')
    ])
  ]
  return {
    payload: Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]),
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` }
  }
}

async function importing (t: Test, env: Record<string, string> = {}) {
  const built = await build(t, env)
  const me = await built.user()
  const { settled } = built
  async function upload (files: Files, fields?: Record<string, string>): Promise<Import> {
    const { payload, headers } = formOf(files, fields)
    const answer = await me.post('/v1/imports', payload, headers)
    if (answer.statusCode !== 201) throw new Error(answer.body)
    await settled()
    return (await me.get(`/v1/imports/${answer.json().data.id}`)).json().data
  }
  const apply = async (id: number, body: object = {}) => await me.post(`/v1/imports/${id}/apply`, body)
  async function applied (id: number, body?: object): Promise<Import> {
    const answer = await apply(id, body)
    if (answer.statusCode !== 200) throw new Error(answer.body)
    await settled()
    return answer.json().data
  }
  const listed = async (url: string) => (await me.get(url)).json().data
  return { ...built, me, upload, apply, applied, listed }
}

t.test('an export is uploaded, planned, applied and applied again: once there are an agent, sources, questions and an action that is off', async (t) => {
  const { me, upload, applied, listed } = await importing(t)
  const planned = await upload({ 'captain.json': captain })
  t.match(planned, {
    state: 'planned',
    kind: 'captain',
    from: null,
    files: ['captain.json'],
    plan: {
      agents: [{
        name: 'Shop helper',
        agent: null,
        source_count: 2,
        question_count: 1,
        actions: ['Get order'],
        sources: [{ title: 'Returns', type: 'text', folder: [] }, { type: 'faq' }]
      }]
    }
  })
  t.equal(planned.report[0]!.outcome, 'not_carried', 'what somebody has to do comes first')
  t.equal((await listed('/v1/agents')).length, 0, 'nothing is made yet')

  const done = await applied(planned.id)
  t.match(done, { state: 'applied', agents: [1], plan: { agents: [{ agent: 1 }] } })
  t.match(await listed('/v1/agents/1'), { status: 'Inactive', systemPrompt: 'Be brief.', behavior: { actionIds: [1] } })
  t.match(await listed('/v1/actions'), [{
    name: 'get_order',
    enabled: false,
    effect: 'read',
    path: '/orders/{order_id}',
    parameters: [{ name: 'order_id', in: 'path' }, { name: 'lang', in: 'query', from: 'constant', value: 'en' }]
  }])
  t.match(await listed('/v1/agents/1/questions'), [{ text: 'How long can I return?', blocking: false, expect: { sources: [2] } }])
  const sources = await listed('/v1/agents/1/knowledge_sources')
  t.equal(sources.length, 2)

  const version = (await me.get('/v1/agents/1')).headers.etag
  t.match(await applied(planned.id), { state: 'applied', agents: [1] })
  t.equal((await me.get('/v1/agents/1')).headers.etag, version, 'applied again it changes nothing')
  t.same(await listed('/v1/agents/1/knowledge_sources'), sources)
  t.equal((await listed('/v1/agents')).length, 1)
})

t.test('a newer export of the same changes what was made of the one before, in the draft, by the keys of its place', async (t) => {
  const { me, upload, applied, listed } = await importing(t)
  await applied((await upload({ 'captain.json': captain })).id)
  const [first, faq] = await listed('/v1/agents/1/knowledge_sources')
  await me.put('/v1/agents/1', { status: 'Active', publish_on_save: false })
  await me.patch('/v1/actions/1', { enabled: true, when: 'Of ours' })

  const next = structuredClone(captain)
  next.assistant.config.instructions = 'Be kind.'
  next.documents[0]!.content = 'Returns are accepted within 60 days.'
  next.documents.push({ id: 2, name: 'Shipping', content: 'Three days.' })
  const planned = await upload({ 'captain.json': next })
  t.match(planned.plan!.agents, [{ agent: 1 }], 'it says which agent it goes into')
  await applied(planned.id)
  t.equal((await listed('/v1/agents')).length, 1)
  t.match(await listed('/v1/agents/1'), { status: 'Active', systemPrompt: 'Be kind.' })
  const live = (await listed('/v1/agents/1/versions')).find((one: { is_live?: boolean }) => one.is_live !== false)
  t.ok(live)
  const sources = await listed('/v1/agents/1/knowledge_sources')
  t.strictSame(sources.map(({ title }: { title: string }) => title).toSorted(), ['Questions and answers', 'Returns', 'Shipping'])
  t.ok(sources.some(({ id }: { id: number }) => id === first.id) && sources.some(({ id }: { id: number }) => id === faq.id), 'sources keep their numbers')
  t.match(await listed('/v1/actions'), [{ enabled: true, when: 'Of ours' }], 'what somebody has set up of an action stays')

  const [other] = (await applied(planned.id, { agent: null })).agents.slice(-1)
  t.not(other, 1, 'null makes another one')
  t.equal((await listed('/v1/agents')).length, 2)
})

t.test('articles go into an agent that is there, with their folders, and leave what it is alone', async (t) => {
  const { me, upload, applied, listed } = await importing(t)
  await me.post('/v1/agents', { name: 'Mine', systemPrompt: 'Mine.' })
  const planned = await upload({
    'articles.json': {
      articles: [{ id: 5, title: 'Returns', body: '<p>In 30 days.</p>', section_id: 2, html_url: 'https://help.example.com/5' }],
      sections: [{ id: 2, name: 'Orders', category_id: 1 }],
      categories: [{ id: 1, name: 'Shop' }]
    }
  }, { kind: 'articles' })
  t.match(planned, { from: 'articles', plan: { agents: [{ sources: [{ title: 'Returns', folder: ['Shop', 'Orders'] }] }] } })
  await applied(planned.id, { agent: 1 })
  await applied(planned.id, { agent: 1 })
  t.match(await listed('/v1/agents/1'), { name: 'Mine', systemPrompt: 'Mine.', status: 'Active' })
  t.strictSame((await listed('/v1/agents/1/knowledge_folders')).map(({ name }: { name: string }) => name).slice(1), ['Shop', 'Orders'])
  t.equal((await listed('/v1/agents/1/knowledge_sources')).length, 1)
})

t.test('what is no export, or makes no agent, fails with a sentence; what cannot be applied says why', async (t) => {
  const { me, upload, apply, settled, clock, listed, applied } = await importing(t)
  const failed = await upload({ 'x.json': '{}' })
  t.match(failed, { state: 'failed', error: { code: 'VALIDATION_ERROR', message: /not a known export/ }, plan: null })
  t.match((await apply(failed.id)).json().error, { code: 'not_planned' })
  const empty = await upload({ 'none.yml': 'kind: app\nversion: 0.3.0\napp: { name: x, mode: workflow }' })
  t.match((await apply(empty.id)).json().error, { code: 'VALIDATION_ERROR', message: /No agent can be made/ })

  const { payload, headers } = formOf({ 'captain.json': captain })
  const early = (await me.post('/v1/imports', payload, headers)).json().data
  t.match((await apply(early.id)).json().error, { code: 'not_planned', message: /still being read/ })
  await settled()
  t.match((await apply(early.id, { agent: 99 })).json().error, { code: 'VALIDATION_ERROR' })

  const { id } = await upload({ 'captain.json': captain })
  clock.advance(8 * 86_400_000)
  await settled()
  t.match((await apply(id)).json().error, { code: 'gone' })
  t.match(await listed(`/v1/imports/${id}`), { expires_at: null, state: 'planned' }, 'the report stays')
  t.equal((await me.get(`/v1/imports/${id}/report`)).statusCode, 200)
  t.ok(applied)

  for (const [files, fields, status] of [
    [{}, {}, 400], [{ 'a.json': '{}' }, { kind: 'else' }, 400], [{ 'a.json': '{}' }, { other: 'x' }, 400]
  ] as Array<[Files, Record<string, string>, number]>) {
    const form = formOf(files, fields)
    t.equal((await me.post('/v1/imports', form.payload, form.headers)).statusCode, status)
  }
})

t.test('deleting an import takes its files and its report along; what was made stays', async (t) => {
  const { me, upload, applied, listed, stores, settled } = await importing(t)
  const { id } = await upload({ 'captain.json': captain })
  const report = JSON.parse((await me.get(`/v1/imports/${id}/report`)).body) as { kind: string, report: ImportItem[] }
  t.equal(report.kind, 'captain')
  t.ok(report.report.some(({ at, value }) => at.endsWith('product_name') && value === 'Shop'))
  await applied(id)
  const blobs = () => stores.db.raw.prepare("select count(*) from blobs where state <> 'dropped'").pluck().get()
  const before = blobs() as number
  t.equal((await me.delete(`/v1/imports/${id}`)).statusCode, 200)
  await settled()
  t.equal(blobs(), before - 3)
  t.equal((await me.get(`/v1/imports/${id}`)).statusCode, 404)
  t.equal((await listed('/v1/agents')).length, 1)
})

t.test('an account has as many imports as it may, and keeps no more bytes than it may', async (t) => {
  const { me, stores } = await importing(t)
  const { payload, headers } = formOf({ 'x.json': '{}' })
  const made = await me.post('/v1/imports', payload, { ...headers, 'idempotency-key': 'a' })
  t.match((await me.post('/v1/imports', payload, { ...headers, 'idempotency-key': 'a' })).json().data, { id: made.json().data.id })
  const copy = stores.db.raw.prepare(`insert into imports (owner_id, files, bytes, state, agents, created_at, updated_at)
    select owner_id, '[]', 0, 'failed', '[]', created_at, updated_at from imports where id = 1`)
  await stores.db.atomically(function * () { for (let n = 0; n < 49; n++) copy.run() })
  t.match((await me.post('/v1/imports', payload, headers)).json().error, { code: 'limit_reached' })

  const small = await importing(t, { AGENTHALL_STORAGE_LIMITS: '{"free":10,"pro":10,"enterprise":10}' })
  const form = formOf({ 'x.json': 'x'.repeat(20) })
  t.match((await small.me.post('/v1/imports', form.payload, form.headers)).json().error, { code: 'storage_limit_exceeded' })
})

t.test('a zip of several files comes whole: pages with the folders that they stood in', async (t) => {
  const { upload, applied, listed } = await importing(t)
  const id = 'aaaabbbbccccdddd1111222233334444'
  const zip = Buffer.from(zipSync({
    [`Help ${id.replace('a', '0')}.md`]: Buffer.from('# Help\n\nWhat we know.'),
    [`Help/Orders/Returns ${id}.md`]: Buffer.from('# Returns\n\nIn 30 days.')
  }))
  const planned = await upload({ 'notion.zip': zip })
  t.match(planned, { kind: 'notion', plan: { agents: [{ name: 'Help' }] } })
  await applied(planned.id)
  t.match((await listed('/v1/agents/1/knowledge_folders')).map(({ name }: { name: string }) => name).slice(1), ['Help', 'Orders'])
})

t.test('several agents are not brought into one that is there, and none into an agent of nobody', async (t) => {
  const { me, upload, apply } = await importing(t)
  await me.post('/v1/agents', { name: 'Ada', systemPrompt: 'Help.' })
  const one = { object: 'assistant', name: 'Shop', instructions: 'Help.' }
  const two = await upload({ 'assistants.json': { object: 'list', data: [{ ...one, id: 'asst_1' }, { ...one, id: 'asst_2', name: 'Spa' }] } })
  t.match((await apply(two.id, { agent: 1 })).json(), { error: { details: [{ field: 'agent', message: /There are 2 agents/ }] } })
  t.match((await apply(two.id, { agent: 99 })).json(), { error: { details: [{ field: 'agent', message: /not an agent of this account/ }] } })
})

t.test('who wants to know is told that an import was applied, with what was made of it', async (t) => {
  const told: Array<Record<string, any>> = []
  const { url, env } = await system(t, ({ body }, reply) => {
    told.push(JSON.parse(body))
    reply.end()
  })
  const { me, upload, applied, settled } = await importing(t, env)
  await me.post('/v1/webhooks', { url, events: ['import.applied'] })
  const { id } = await upload({ 'captain.json': captain })
  t.strictSame(told, [], 'not as long as it is only planned')
  await applied(id)
  await settled()
  t.match(told, [{ type: 'import.applied', data: { agent: 1, import: { id, state: 'applied', agents: [1] } } }])
})

t.test('files that were swept away while they were being sent become no import', async (t) => {
  const { me, stores } = await importing(t)
  const { db, imports, knowledge } = stores
  const { add } = imports.store
  // As another process that starts meanwhile does.
  imports.store.add = async (...args) => {
    await db.atomically(function * () { db.raw.exec("update blobs set state = 'dropped' where state = 'staged'") })
    return await add(...args)
  }
  const { payload, headers } = formOf({ 'x.json': '{}' })
  const refused = await me.post('/v1/imports', payload, headers)
  t.match([refused.statusCode, refused.json().error.message], [503, /Send it again/])
  t.strictSame((await me.get('/v1/imports')).json().data, [])
  imports.store.add = add
  t.equal((await me.post('/v1/imports', payload, headers)).statusCode, 201, 'sent again it is taken')
  t.equal(await knowledge.blobs.sweep(1000), false)
})

t.test('an import that is deleted while it is being looked into stays deleted', async (t) => {
  const { me, stores, settled } = await importing(t)
  const { payload, headers } = formOf({ 'captain.json': captain })
  const { id } = (await me.post('/v1/imports', payload, headers)).json().data
  const { store } = stores.imports
  const { looked } = store
  store.looked = async (...args) => {
    t.equal((await me.delete(`/v1/imports/${id}`)).statusCode, 200)
    await looked(...args)
  }
  await settled()
  t.equal((await me.get(`/v1/imports/${id}`)).statusCode, 404)
  t.equal(await stores.knowledge.blobs.sweep(10_000), false)
  t.equal(stores.db.raw.prepare('select count(*) from blobs').pluck().get(), 0, 'with what was found in it')
})
