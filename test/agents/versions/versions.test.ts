import t from 'tap'
import { openStores } from '../../../src/stores.ts'
import { build, draft } from '../../helper.ts'

type Client = Awaited<ReturnType<Awaited<ReturnType<typeof build>>['user']>>

/** An agent whose changes wait until they are published. */
async function begun (as: Client, more: object = {}) {
  const { data } = (await as.post('/v1/agents', { ...draft, publish_on_save: false, ...more })).json()
  const at = `/v1/agents/${data.id}`
  return { id: data.id as number, at, agent: async () => (await as.get(at)).json().data }
}

/** A visitor's greeting, and the version that says so. */
async function greeting (as: Client, at: string, more: object = {}) {
  const { id } = (await as.post(`${at}/conversations`, more)).json().data
  await as.post(`/v1/conversations/${id}/messages`, { text: 'Hello' }, { prefer: 'wait' })
  for (;;) {
    const answer = (await as.get(`/v1/conversations/${id}/messages`)).json().data[1]
    if (answer?.status === 'complete') return { text: answer.text as string, version: answer.agent_version as number | null }
    await new Promise(setImmediate)
  }
}
const welcome = (text: string) => ({ appearance: { welcomeMessage: text } })

t.test('a change means what it meant: it is live at once, and each is a version of its own', async (t) => {
  const { user } = await build(t)
  const as = await user({ name: 'Ada' })
  const { data } = (await as.post('/v1/agents', draft)).json()
  t.match(data, { publish_on_save: true, live_version: 1, has_unpublished: false })
  const at = `/v1/agents/${data.id}`
  const changed = (await as.put(at, { ...welcome('Good day!'), description: 'New' })).json().data
  t.match(changed, { live_version: 2, has_unpublished: false })
  t.not(changed.draft_etag, data.draft_etag)
  await as.put(at, { description: 'New' })
  const said = await greeting(as, at)
  t.match(said.text, /Good day!/)
  t.equal(said.version, 2)
  t.match((await as.get(`${at}/versions/${said.version}`)).json().data, {
    number: 2, state: 'live', settings: { description: 'New', appearance: { welcomeMessage: 'Good day!' } }
  })
  const list = (await as.get(`${at}/versions`)).json()
  t.match(list.data, [
    { number: 2, state: 'live', note: '', copy_of: null, published_by: { id: as.id, name: 'Ada' }, force_reason: null },
    { number: 1, state: 'previous' }
  ])
  t.notOk('settings' in list.data[0])
  const first = (await as.get(`${at}/versions?limit=1`)).json()
  t.match(first.data, [{ number: 2 }])
  t.match((await as.get(`${at}/versions?limit=1&cursor=${first.next_cursor}`)).json(), {
    data: [{ number: 1 }], next_cursor: null
  })
})

t.test('webhooks are told of each version that visitors are answered with, and of nothing else', async (t) => {
  const { user, stores, settled } = await build(t)
  const as = await user({ name: 'Ada' })
  await as.post('/v1/webhooks', { url: 'https://example.com/hook', events: ['agent.published'] })
  const told = () => stores.db.raw.prepare<[], string>("select payload from outbox where payload ->> '$.type' = 'agent.published' order by id").pluck()
    .all().map((one) => (({ agent, refs }) => [agent, refs.version])(JSON.parse(one)))
  const { at, id } = await begun(as)
  await as.put(at, { description: 'One' })
  await settled()
  t.strictSame(told(), [], 'a draft is nobody\'s answer')
  await as.post(`${at}/publish`, { note: 'First' })
  await as.post(`${at}/publish`, {})
  await as.post(`${at}/versions/1/publish`, {})
  await as.put(at, { publish_on_save: true, description: 'Two' })
  await as.put(at, { description: 'Two' })
  t.strictSame(told(), [[id, 2], [id, 3], [id, 4]])
})

t.test('a long list of versions is opened a few at a time, and others have their turn in between', async (t) => {
  // Was slow: all of them were decrypted at a stretch, each with its prompt, for their notes.
  const { user } = await build(t)
  const as = await user({ name: 'Ada' })
  const { at } = await begun(as, { publish_on_save: true })
  for (let n = 2; n <= 31; n++) await as.put(at, { description: String(n) })
  let turns = 0
  let isOver = false
  const count = () => { if (!isOver) { turns++; setImmediate(count) } }
  const [short, long] = [1, 100].map((limit) => async () => {
    turns = 0
    isOver = false
    count()
    const { data } = (await as.get(`${at}/versions?limit=${limit}`)).json()
    isOver = true
    return { turns, numbers: (data as Array<{ number: number }>).map(({ number }) => number) }
  }) as [() => Promise<{ turns: number, numbers: number[] }>, () => Promise<{ turns: number, numbers: number[] }>]
  // Where the tables are elsewhere, turns pass while they are waited for: how many differs from time to time.
  const fewest = async (read: typeof short) => {
    const all: Array<Awaited<ReturnType<typeof short>>> = []
    for (let i = 0; i < 5; i++) all.push(await read())
    return all.reduce((one, other) => other.turns < one.turns ? other : one)
  }
  const [few, many] = [await fewest(short), await fewest(long)]
  t.strictSame([few.numbers, many.numbers], [[31], Array.from({ length: 31 }, (_none, i) => 31 - i)])
  t.ok(many.turns >= few.turns + 3, `${few.turns} turns for one, ${many.turns} for 31`)
})

t.test('a draft is for those who change it: visitors get what is published, and a try the draft', async (t) => {
  const { user } = await build(t)
  const as = await user()
  const { at, agent } = await begun(as, welcome('Welcome.'))
  const saved = (await as.put(at, { name: 'Berta', ...welcome('Good day!') })).json().data
  t.match(saved, { name: 'Berta', has_unpublished: true, live_version: 1 })
  t.match(await agent(), { name: 'Berta', has_unpublished: true })
  t.match((await as.get('/v1/agents?search=berta')).json().data, [{ name: 'Berta', has_unpublished: true }])
  const live = await greeting(as, at)
  t.match(live, { text: /Welcome\./, version: 1 })
  t.match(await greeting(as, at, { draft: true }), { text: /Good day!/, version: null })

  const { statusCode, headers, ...answer } = await as.post(`${at}/publish`, { note: 'A nicer welcome' })
  t.equal(statusCode, 201)
  t.equal(headers.location, `${at}/versions/2`)
  t.match(answer.json().data, { number: 2, state: 'live', note: 'A nicer welcome', published_by: { id: as.id } })
  t.match(await agent(), { name: 'Berta', has_unpublished: false, live_version: 2 })
  t.match(await greeting(as, at), { text: /Good day!/, version: 2 })
  t.match(await greeting(as, at, { draft: true }), { version: 2 }, 'a draft that is live answers as its version')
  const audit = (await as.get('/v1/audit')).json().data
  t.match(audit[0], { action: 'publishAgent', target: `agents/${saved.id}/publish`, fields: ['note'] })
})

t.test('whether it is active is a setting like others: the draft of an agent that is off can be tried', async (t) => {
  const { user } = await build(t)
  const as = await user()
  const { at } = await begun(as, { status: 'Inactive', ...welcome('Hi.') })
  await as.put(at, { status: 'Active' })
  const { id } = (await as.post(`${at}/conversations`, {})).json().data
  t.equal((await as.post(`/v1/conversations/${id}/messages`, { text: 'Hello' })).json().error.code, 'agent_inactive')
  t.match(await greeting(as, at, { draft: true }), { text: /Hi\./ })
  t.strictSame((await as.get('/v1/agents?status=Active')).json().data.length, 1, 'lists go by the draft')
  t.strictSame((await as.get('/v1/agents?status=Inactive')).json().data.length, 0)
})

t.test('a change back leaves nothing to publish, and of two who publish at once one is told so', async (t) => {
  const { user } = await build(t)
  const as = await user()
  const { at, agent } = await begun(as)
  await as.put(at, { description: 'Other' })
  t.equal((await agent()).has_unpublished, true)
  t.equal((await as.put(at, { description: '' })).json().data.has_unpublished, false)
  const nothing = await as.post(`${at}/publish`, {})
  t.match([nothing.statusCode, nothing.json().error.code], [409, 'nothing_to_publish'])

  await as.put(at, { description: 'Other' })
  const { draft_etag: read } = await agent()
  const both = await Promise.all([1, 2].map(() => as.post(`${at}/publish`, { if_draft: read })))
  t.strictSame(both.map(({ statusCode }) => statusCode).sort(), [201, 409])
  t.match((await as.get(`${at}/versions`)).json().data, [{ number: 2 }, { number: 1 }])
})

t.test('a draft that moved is not published by who read it before', async (t) => {
  const { user } = await build(t)
  const as = await user()
  const { at, agent } = await begun(as)
  await as.put(at, { description: 'One' })
  const { draft_etag: read } = await agent()
  await as.put(at, { description: 'Two' })
  const refused = await as.post(`${at}/publish`, { if_draft: read })
  t.match([refused.statusCode, refused.json().error.code], [412, 'precondition_failed'])
  t.equal((await agent()).live_version, 1)
  t.equal((await as.post(`${at}/publish`, { if_draft: (await agent()).draft_etag })).statusCode, 201)
})

t.test('a version becomes the draft, and the draft that it replaces is kept for 30 days', async (t) => {
  const { user, clock, settled, stores } = await build(t)
  const as = await user()
  const { at, agent } = await begun(as, { description: 'One' })
  await as.put(at, { description: 'Two' })
  await as.post(`${at}/publish`, {})
  await as.put(at, { description: 'Three' })
  const restored = await as.post(`${at}/versions/1/restore`)
  t.match([restored.statusCode, restored.json().data.number], [200, 1])
  t.match(await agent(), { description: 'One', has_unpublished: true, live_version: 2 })
  const [kept] = (await as.get(`${at}/versions`)).json().data
  t.match(kept, { number: 3, state: 'draft', expires_at: '2026-01-31', published_by: { id: as.id } })
  await as.post(`${at}/versions/1/restore`)
  t.equal((await as.get(`${at}/versions`)).json().data.length, 3, 'what is the draft already replaces nothing')
  await as.post(`${at}/versions/3/restore`)
  t.match(await agent(), { description: 'Three' })
  t.equal((await as.post(`${at}/publish`, {})).json().data.number, 5, 'numbers are not used twice')

  await settled()
  clock.advance(31 * 86_400_000)
  await stores.jobs.ask([])
  await settled()
  t.strictSame((await as.get(`${at}/versions`)).json().data.map(({ number }: { number: number }) => number), [5, 2, 1])
  t.equal((await as.get(`${at}/versions/3`)).statusCode, 404)
})

t.test('the way back is one call: a version is published once more, and an open draft stays', async (t) => {
  const { user } = await build(t)
  const as = await user()
  const { at, agent } = await begun(as, { description: 'One' })
  const source = (await as.post(`${at}/knowledge_sources`, { plain_text: 'Zebra' })).json().data
  const sid = (Array.isArray(source) ? source[0] : source).id
  await as.put(at, { description: 'Two' })
  t.strictSame((await as.post(`${at}/publish`, {})).json().data.knowledge.sources, [sid])
  const back = (await as.post(`${at}/versions/1/publish`, { note: 'Two was wrong' })).json().data
  t.match(back, { number: 3, copy_of: 1, note: 'Two was wrong', settings: { description: 'One' }, gone_sources: [] })
  t.match(await agent(), { description: 'One', has_unpublished: false, live_version: 3 })

  await as.put(at, { description: 'Four' })
  await as.delete(`${at}/knowledge_sources/${sid}`)
  t.match((await as.post(`${at}/versions/2/publish`, {})).json().data, { number: 4, gone_sources: [sid] })
  t.match(await agent(), { description: 'Four', has_unpublished: true, live_version: 4 })
  const again = await as.post(`${at}/versions/2/publish`, {})
  t.match([again.statusCode, again.json().error.code], [409, 'nothing_to_publish'])
  for (const path of ['9/publish', '9/restore']) t.equal((await as.post(`${at}/versions/${path}`, {})).statusCode, 404)
})

t.test('an old version names a ticketing provider that is gone: it comes back without', async (t) => {
  const { user } = await build(t)
  const as = await user()
  const provider = { name: 'Ours', kind: 'linear', settings: { team: 'x' }, credentials: { token: 'x' } }
  const { id } = (await as.post('/v1/ticketing_providers', provider)).json().data
  const { at, agent } = await begun(as, { ticketing_providers: ['Ours'], default_ticketing_provider: 'Ours' })
  await as.patch(`/v1/ticketing_providers/${id}`, { name: 'Theirs' })
  t.match(await agent(), { ticketing_providers: ['Theirs'], live_version: 2 })
  t.match((await as.get(`${at}/versions/2`)).json().data.settings, { ticketing_providers: ['Theirs'] })
  await as.put(at, { ticketing_providers: [], default_ticketing_provider: null })
  t.match(await agent(), { has_unpublished: true, live_version: 2 })
  await as.post(`${at}/publish`, {})
  await as.delete(`/v1/ticketing_providers/${id}`)
  await as.put(at, { description: 'x' })
  t.equal((await as.post(`${at}/versions/1/restore`)).statusCode, 200)
  t.match(await agent(), { ticketing_providers: [], default_ticketing_provider: null })
})

t.test('what differs is told field by field, and texts by line', async (t) => {
  const { user } = await build(t)
  const as = await user()
  const { at } = await begun(as, { systemPrompt: 'Be kind.\nBe brief.\nBe exact.' })
  await as.put(at, { systemPrompt: 'Be kind.\nBe thorough.\nBe exact.', model: { temperature: 0.1 } })
  const diff = async (path: string) => (await as.get(`${at}/versions/${path}`)).json().data
  t.strictSame(await diff('1/diff'), {
    from: '1',
    to: 'draft',
    changes: [
      { field: 'model.temperature', from: 0.7, to: 0.1 },
      {
        field: 'systemPrompt',
        from: 'Be kind.\nBe brief.\nBe exact.',
        to: 'Be kind.\nBe thorough.\nBe exact.',
        lines: [
          { is: 'same', text: 'Be kind.' },
          { is: 'removed', text: 'Be brief.' },
          { is: 'added', text: 'Be thorough.' },
          { is: 'same', text: 'Be exact.' }
        ]
      }
    ]
  })
  t.match(await diff('1/diff?to=live'), { to: 'live', changes: [] })
  await as.post(`${at}/publish`, {})
  t.match(await diff('2/diff?to=1'), { from: '2', to: '1', changes: [{ from: 0.1, to: 0.7 }, {}] })
  // Was wrong: what exists on one side only, such as a language, was a 500.
  await as.put(at, { translations: { de: { welcomeMessage: 'Guten Tag!' } } })
  const added = { field: 'translations.de', to: { welcomeMessage: 'Guten Tag!' } }
  t.strictSame((await diff('2/diff')).changes, [added])
  await as.post(`${at}/publish`, {})
  t.strictSame((await diff('3/diff?to=2')).changes, [{ field: added.field, from: added.to }])
  t.equal((await as.get(`${at}/versions/1/diff?to=7`)).statusCode, 404)
  t.equal((await as.get(`${at}/versions/7/diff`)).statusCode, 404)
  t.equal((await as.get(`${at}/versions/1/diff?to=x`)).statusCode, 400)
})

t.test('who may not manage agents publishes nothing, also not by publish_on_save', async (t) => {
  const { user, stores, withKey } = await build(t)
  const as = await user()
  const { at } = await begun(as)
  const made = await stores.access.createKey(as.id, () => (
    { name: 'Settings', permissions: ['MANAGE_AGENT_SETTINGS'], expires_at: null }))
  const settings = withKey(made.answer.key)
  t.equal((await settings.put(at, { description: 'x' })).statusCode, 200)
  t.equal((await settings.put(at, { publish_on_save: true })).statusCode, 403)
  t.equal((await settings.post(`${at}/publish`, {})).statusCode, 403)
  t.match((await as.put(at, { publish_on_save: true })).json().data, {
    description: 'x', has_unpublished: false, live_version: 2
  }, 'who may, publishes by it what waits')
})

t.test('an agent of others, or none, has no versions', async (t) => {
  const { user } = await build(t)
  const { at } = await begun(await user())
  const other = await user()
  for (const path of ['/versions', '/versions/1', '/versions/1/diff', '/versions/1/diff?to=live']) {
    t.equal((await other.get(at + path)).statusCode, 404, path)
  }
  for (const path of ['/publish', '/versions/1/publish', '/versions/1/restore']) {
    t.equal((await other.post(at + path, {})).statusCode, 404, path)
  }
})

t.test('what messages from before there were versions name is found, and the first start keeps it', async (t) => {
  const { user, stores, settled, close, directory, clock, config } = await build(t)
  const as = await user()
  const ids = []
  for (let i = 0; i < 3; i++) ids.push((await as.post('/v1/agents', { ...draft, description: `Agent ${i}` })).json().data.id)
  stores.db.raw.exec('delete from agent_versions')
  const named = stores.db.raw.prepare('select version from agents where id = ?').pluck().get(ids[0]) as number
  t.match((await as.get(`/v1/agents/${ids[0]}/versions/${named}`)).json().data, {
    number: 1, state: 'live', published_by: null, settings: { description: 'Agent 0' }
  })
  await as.put(`/v1/agents/${ids[1]}`, { description: 'Changed' })
  t.match((await as.get(`/v1/agents/${ids[1]}/versions/1`)).json().data, {
    state: 'previous', settings: { description: 'Agent 1' }
  }, 'the change of an agent keeps what it was')
  await settled()
  t.equal(stores.db.raw.prepare('select count(*) from agent_versions').pluck().get(), 4)
  await close()
  const again = await openStores({ config, directory, clock })
  t.match(await again.agents.version(as.id, ids[2], 1), { state: 'live', settings: { description: 'Agent 2' } })
  await again.close()
})

t.test('a deleted agent takes its versions along, and their secrets', async (t) => {
  const { user, stores, settled } = await build(t)
  const as = await user()
  const { at } = await begun(as)
  await as.put(at, { description: 'Nobody must read this' })
  await as.post(`${at}/publish`, {})
  const secrets = stores.db.raw.prepare<[], number>('select secret from agent_versions').pluck().all()
  await as.delete(at)
  await settled()
  t.equal(stores.db.raw.prepare('select count(*) from agent_versions').pluck().get(), 0)
  for (const secret of secrets) t.equal(await stores.db.read(() => stores.secrets.seal(secret)), undefined)
})
