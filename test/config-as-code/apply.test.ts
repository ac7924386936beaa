import t from 'tap'
import { parse } from 'yaml'
import { ActionDraft } from '../../schema/actions.ts'
import { publishGate } from '../../src/checks/index.ts'
import { applying, HEAD, inFiles, SECRETS, SHOP, type Files } from './helper.ts'

t.test('files make everything that they hold, and applied again they change nothing', async (t) => {
  const { me, apply, planned, exported, user } = await inFiles(t)
  const made = await planned(SHOP)
  t.strictSame(made.changes.map(({ action, place }) => `${action} ${place}`), [
    'change business', 'create webhooks/crm', 'create connections/shop', 'create actions/track_order', 'create agents/support',
    'create agents/support/sources/returns', 'create agents/support/sources/faq', 'create agents/support/sources/site',
    'create agents/support/questions/returns'
  ])
  t.match(made, { unchanged: 0, missing_secrets: [], training: { sources: 3 }, drift: [] })
  t.strictSame((await me.get('/v1/agents')).json().data, [], 'a plan changes nothing')
  await apply(SHOP)
  t.match(await planned(SHOP), { changes: [], unchanged: 9, drift: [] })
  const files = await exported()
  t.match(await planned(files, {}), { changes: [], unchanged: 9, missing_secrets: [] }, 'what was exported is what is there')
  const there = applying(await user())
  await there.apply(files, { secrets: { SHOP_SECRET: 'sk-canary-2' } })
  t.strictSame(await there.exported(), files, 'what was exported, applied elsewhere and exported there is the same')
  const [{ id }] = (await me.get('/v1/agents')).json().data
  t.match((await me.get(`/v1/agents/${id}`)).json().data, { name: 'Support', systemPrompt: 'You help with lamps.\nBe brief.', behavior: { actionIds: [1] } })
})

t.test('a question that expects other sources is changed', async (t) => {
  const { me, apply, planned } = await inFiles(t)
  await apply(SHOP)
  const files = { ...SHOP, 'agents/support/questions.yaml': SHOP['agents/support/questions.yaml']!.replace('[returns]', '[returns, faq]') }
  await apply(files)
  const [{ id }] = (await me.get('/v1/agents')).json().data
  t.equal((await me.get(`/v1/agents/${id}/questions`)).json().data[0].expect.sources.length, 2)
  t.match(await planned(files), { changes: [] })
})

// Was wrong: the connection was removed alone, which was refused as long as it had actions.
t.test('a connection that files no longer hold is removed with its actions, unless somebody has added one', async (t) => {
  const { me, apply, send, planned } = await inFiles(t)
  await apply(SHOP)
  const none: Files = { 'agenthall.yaml': 'format: 1\nmanage: [agents, actions]\n' }
  const of = ({ changes }: { changes: Array<{ action: string, place: string }> }) => changes.map(({ action, place }) => `${action} ${place}`)
  const { connection, ...made } = (await me.get('/v1/actions')).json().data[0]
  const own = await me.post('/v1/actions', { connection, name: 'mine', title: 'Mine', effect: 'read', method: 'GET', path: '/mine' })
  t.equal(own.statusCode, 201, made.name)
  const plan = await planned(none, { prune: true })
  t.strictSame(of(plan), ['delete connections/shop', 'delete actions/track_order', 'delete agents/support'])
  t.match((await send(none, plan.digests, { prune: true })).json().error, { code: 'in_use' })
  t.equal((await me.get('/v1/actions')).json().data.length, 2, 'all or nothing')
  await me.delete(`/v1/actions/${own.json().data.id}`)
  await apply(none, { prune: true })
  t.strictSame([(await me.get('/v1/actions')).json().data, (await me.get('/v1/connections')).json().data], [[], []])
})

t.test('what is in no file stays as it is, and !unset gives a default', async (t) => {
  const { me, apply, planned } = await inFiles(t)
  await apply(SHOP)
  const [{ id }] = (await me.get('/v1/agents')).json().data
  await me.put(`/v1/agents/${id}`, { description: 'By hand', appearance: { primaryColor: '#112233' } })
  t.match(await planned(SHOP), { changes: [], drift: [{ place: 'agents/support', fields: ['description', 'appearance'] }] })
  const agent = 'key: support\nappearance: { primaryColor: !unset }\ntranslations: { de: { buttonText: Hallo } }\nmodel: { response_model: openai/gpt-5 }\n'
  await apply({ ...SHOP, 'agents/support/agent.yaml': agent })
  t.match((await me.get(`/v1/agents/${id}`)).json().data, {
    name: 'Support',
    description: 'By hand',
    appearance: { primaryColor: '#2563eb', welcomeMessage: 'Hello!' },
    translations: { de: { buttonText: 'Hallo' } },
    model: { response_model: 'openai/gpt-5', display_model: 'GPT 5' }
  })
  const without = `${agent.replace(/translations.*\n/, 'translations: { de: null }\nvocabulary: !unset\n')}`
  await apply({ ...SHOP, 'agents/support/agent.yaml': without })
  t.strictSame((await me.get(`/v1/agents/${id}`)).json().data.translations, {})
  t.strictSame((await me.get(`/v1/agents/${id}/vocabulary`)).json().data.terms, [])
  t.match(await planned({ ...SHOP, 'agents/support/agent.yaml': without }), { changes: [] })
})

t.test('each kind is changed field by field, and texts by line', async (t) => {
  const { me, apply, planned } = await inFiles(t)
  await apply(SHOP)
  const changed: Files = {
    ...SHOP,
    'business.yaml': 'name: " Lamps  and more "\n',
    'webhooks.yaml': '- key: crm\n  description: The CRM\n',
    'actions/shop.yaml': 'key: shop\nname: Shop\nbase_url: https://shop.example.com/api/\nallowed_hosts: [Shop.example.com]\nactions:\n  - key: track_order\n    when: Asked where it is.\n',
    'agents/support/prompt.md': 'You help with lamps.\nBe kind.\n',
    'agents/support/knowledge/returns.md': '# Returns\n\nReturns are accepted within 60 days.\n',
    'agents/support/knowledge/faq.csv': 'How long does it take?,Four days.\n',
    'agents/support/sources.yaml': '- { key: returns, text: knowledge/returns.md, selected: false }\n- { key: faq, title: FAQ, folder: [Shop], faq: knowledge/faq.csv }\n- { key: site, urls: ["https://example.com/help"], count: 9, refresh_hours: 24, include: [], exclude: [/blog/*] }\n',
    'agents/support/questions.yaml': '- { key: returns, expect: { says: [60 days] }, blocking: false }\n'
  }
  const plan = await planned(changed)
  t.strictSame(plan.changes.map(({ action, place, changes }) => `${action} ${place}: ${changes.map(({ field }) => field)}`), [
    'change business: name', 'change webhooks/crm: description', 'change connections/shop: name', 'change actions/track_order: when',
    'change agents/support: systemPrompt', 'change agents/support/sources/returns: selected,text', 'change agents/support/sources/faq: title,folder,text',
    'change agents/support/sources/site: count,refresh_hours,include,exclude', 'change agents/support/questions/returns: expect.says,blocking'
  ])
  t.match(plan.changes[4]!.changes[0]!.lines, [{ is: 'same' }, { is: 'removed', text: 'Be brief.' }, { is: 'added', text: 'Be kind.' }])
  t.match(plan.changes[5]!.changes[1]!.lines, [{}, {}, { is: 'removed' }, { is: 'added' }])
  t.match(plan.training, { sources: 3 })
  await apply(changed)
  t.match(await planned(changed), { changes: [] })
  const events = (await me.get('/v1/audit?limit=20')).json().data
  t.match(events[0], { action: 'applyConfig', target: 'config/apply' })
  t.match(events.slice(1, 10).map(({ action, fields }: { action: string, fields: string[] }) => `${action} ${fields}`).sort(), [
    'replaceConnection name', 'updateAction when', 'updateAgent systemPrompt', 'updateBusiness name',
    'updateKnowledgeSource count,refresh_hours,include,exclude', 'updateKnowledgeSource selected,text', 'updateKnowledgeSource title,folder,text',
    'updateQuestion expect,blocking', 'updateWebhook description'
  ], 'each change is in the audit log as one of its own')
})

t.test('a source that becomes another stays expected by its questions', async (t) => {
  const { me, apply, planned, exported } = await inFiles(t)
  await apply(SHOP)
  const [{ id }] = (await me.get('/v1/agents')).json().data
  const sources = async () => (await me.get(`/v1/agents/${id}/knowledge_sources`)).json().data as Array<{ id: number, type: string, title: string }>
  const [before] = await sources()
  const files = {
    ...SHOP, 'agents/support/sources.yaml': `- { key: returns, file: knowledge/returns.md, name: Returns.md }
- { key: faq, faq: knowledge/faq.csv }
- { key: site, drive: abc }
`
  }
  const plan = await planned(files)
  t.match(plan.changes.map(({ place }) => place), ['agents/support/sources/returns', 'agents/support/sources/site'])
  await apply(files)
  const after = await sources()
  t.notOk(after.some(({ id }) => id === before!.id))
  const returns = after.find(({ type }) => type === 'docs')!
  t.strictSame((await me.get(`/v1/agents/${id}/questions`)).json().data[0].expect.sources, [returns.id])
  t.match(await planned(files), { changes: [] })
  const again = await exported()
  t.match(again['agents/support/sources.yaml'], /file: knowledge\/returns\.file\.md/)
  await apply({ ...files, 'agents/support/knowledge/returns.md': '# Other\n' })
  t.not((await sources()).find(({ type }) => type === 'docs')!.id, returns.id, 'a file that is another is another source')
  t.match(await planned(again), { changes: [{ place: 'agents/support/sources/returns' }] })
  // Everything is text again.
  await apply(SHOP)
  t.match(await planned(SHOP), { changes: [] })
})

t.test('what was called otherwise keeps what it was, its knowledge and its questions', async (t) => {
  const { me, apply, planned } = await inFiles(t)
  await apply(SHOP)
  const moved: Files = Object.fromEntries(Object.entries(SHOP).map(([path, text]) => [path.replace('agents/support', 'agents/help'), text]))
  moved['agents/help/agent.yaml'] = SHOP['agents/support/agent.yaml']!.replace('key: support', 'key: help\nwas: support')
  moved['webhooks.yaml'] = SHOP['webhooks.yaml']!.replace('key: crm', 'key: sales\n  was: crm')
  moved['agents/help/questions.yaml'] = SHOP['agents/support/questions.yaml']!.replace('key: returns', 'key: back\n  was: returns')
  const plan = await planned(moved)
  t.strictSame(plan.changes.map(({ action, place, was }) => `${action} ${place} ${was}`), [
    'change webhooks/sales crm', 'change agents/help support', 'change agents/help/questions/back returns'
  ])
  await apply(moved)
  t.match(await planned(moved), { changes: [], unchanged: 9 }, 'was may stay where it is')
  t.equal((await me.get('/v1/agents')).json().data.length, 1)
})

t.test('only what a file made is deleted, and only where that is asked for', async (t) => {
  const { me, apply, planned, exported } = await inFiles(t)
  const own = (await me.post('/v1/agents', { name: 'Mine', systemPrompt: 'You help.' })).json().data
  await apply(SHOP)
  const [, made] = (await me.get('/v1/agents')).json().data
  await me.post(`/v1/agents/${made.id}/knowledge_sources`, { plain_text: 'By hand.', title: 'Hand' })
  const fewer: Files = { ...SHOP, 'agents/support/agent.yaml': 'key: support\nbehavior: { actions: [] }\n', 'actions/shop.yaml': 'key: shop\n', 'agents/support/sources.yaml': '- { key: returns, text: knowledge/returns.md }\n- { key: faq, faq: knowledge/faq.csv }\n' }
  const of = ({ changes }: Awaited<ReturnType<typeof planned>>) => changes.map(({ action, place }) => `${action} ${place}`)
  t.strictSame(of(await planned(fewer)), ['change agents/support', 'unmanaged actions/track_order', 'unmanaged agents/mine', 'unmanaged agents/support/sources/site', 'unmanaged agents/support/sources/hand'])
  await apply(fewer)
  await me.post(`/v1/agents/${made.id}/publish`, { force: true, reason: 'A test' })
  t.strictSame(of(await planned(fewer, { secrets: SECRETS, prune: true })), [
    'delete actions/track_order', 'unmanaged agents/mine', 'delete agents/support/sources/site', 'unmanaged agents/support/sources/hand'
  ])
  await apply(fewer, { secrets: SECRETS, prune: true })
  const none: Files = { 'agenthall.yaml': HEAD }
  t.strictSame(of(await planned(none, { prune: true })), ['delete webhooks/crm', 'delete connections/shop', 'unmanaged agents/mine', 'delete agents/support'])
  await apply(none, { prune: true })
  t.strictSame((await me.get('/v1/agents')).json().data.map(({ id }: { id: number }) => id), [own.id])
  t.match((await me.get('/v1/config/state')).json().data, { kept: [], drift: [] })
  await apply(await exported())
  t.strictSame(of(await planned(none, { prune: true })), ['unmanaged agents/mine'], 'what was taken into files was made by hand')
})

t.test('what was changed since it was planned is not overwritten, and of two applies one is refused', async (t) => {
  const { me, apply, plan, send } = await inFiles(t)
  await apply(SHOP)
  const [{ id }] = (await me.get('/v1/agents')).json().data
  const next = { ...SHOP, 'agents/support/prompt.md': 'Other.\n', 'webhooks.yaml': SHOP['webhooks.yaml'] + '- { key: two, url: "https://b.example", events: [ticket.created] }\n' }
  const { digests } = (await plan(next)).json().data
  await me.put(`/v1/agents/${id}`, { systemPrompt: 'By hand.' })
  const refused = await send(next, digests)
  t.match([refused.statusCode, refused.json().error], [412, { code: 'precondition_failed', fields: { places: ['agents/support'] } }])
  t.equal((await me.get(`/v1/agents/${id}`)).json().data.systemPrompt, 'By hand.')
  t.equal((await me.get('/v1/webhooks')).json().data.length, 1, 'nothing of it was applied')
  const now = (await plan(next)).json().data.digests
  const both = await Promise.all([send(next, now), send(next, now)])
  t.strictSame(both.map(({ statusCode }) => statusCode).sort(), [200, 412])
  t.equal((await send(next, {})).statusCode, 412, 'nothing is applied that was not planned')
  const later = { ...SHOP, 'agents/support/prompt.md': 'Third.\n' }
  const planned = (await plan(later)).json().data.digests
  const racing = send(later, planned)
  await me.put(`/v1/agents/${id}`, { systemPrompt: 'Meanwhile.' })
  t.equal((await racing).statusCode, 412)
  t.equal((await me.get(`/v1/agents/${id}`)).json().data.systemPrompt, 'Meanwhile.')
})

t.test('what is refused half-way leaves nothing behind', async (t) => {
  const { me, plan, send, exported } = await inFiles(t)
  const before = await exported()
  const wrong = { ...SHOP, 'agents/support/questions.yaml': '- key: q\n  text: Hm?\n  expect: { sources: [nowhere] }\n' }
  const { digests } = (await plan(wrong)).json().data
  const refused = await send(wrong, digests)
  t.match([refused.statusCode, refused.json().error.message], [400, /questions\.yaml:1:3: there is no source nowhere of this agent/])
  t.strictSame(await exported(), before)
  t.strictSame((await me.get('/v1/audit')).json().data, [])
  t.match((await me.get('/v1/config/state')).json().data, { last: null, kept: [] })
  const unknown = { ...SHOP, 'agents/support/agent.yaml': 'key: support\nname: S\nbehavior: { actions: [nothing] }\n' }
  t.match((await send(unknown, (await plan(unknown)).json().data.digests)).json().error.message, /agent\.yaml:1:1: there is no action nothing/)
  const empty = { ...SHOP, 'agents/support/questions.yaml': '- { key: q, text: "Hm?", expect: {} }\n' }
  t.match((await send(empty, (await plan(empty)).json().data.digests)).json().error.details, [{ message: /questions\.yaml:1:5: expect must say something/ }])
})

t.test('agents that hand conversations to one another are made in whichever order', async (t) => {
  const { me, apply, planned } = await inFiles(t)
  const agent = (key: string, other: string): Files => ({
    [`agents/${key}/agent.yaml`]: `key: ${key}\nname: ${key}\nbehavior: { aiToAiHandoff: true }\n`, [`agents/${key}/prompt.md`]: `Hand over to ${other}.\n`, [`agents/${key}/handoff.md`]: 'To {{name}}.\n'
  })
  const files = { 'agenthall.yaml': 'format: 1\nmanage: [agents]\n', ...agent('a', 'b'), ...agent('b', 'a') }
  await apply(files)
  t.match(await planned(files), { changes: [], unchanged: 2 })
  t.match((await me.get('/v1/agents')).json().data.map(({ name }: { name: string }) => name), ['a', 'b'])
})

t.test('agents wait in their drafts, and are published through their questions', async (t) => {
  const { me, apply, settled, stores } = await inFiles(t)
  stores.checks.gate = publishGate({ store: stores.checks.store, agents: stores.agents, asks: stores.checks })
  const files = { ...SHOP, 'agents/support/sources.yaml': '- { key: returns, text: knowledge/returns.md }\n' }
  await apply(files)
  const [{ id }] = (await me.get('/v1/agents')).json().data
  const agent = async () => (await me.get(`/v1/agents/${id}`)).json().data
  t.match(await agent(), { has_unpublished: true, live_version: 1, status: 'Active', publish_on_save: true })
  t.equal((await stores.agents.live(me.id, id))!.status, 'Inactive', 'nobody is answered by it')
  await settled()
  const asked = await apply(files, undefined, { publish: true })
  t.match(asked.published, [{ place: 'agents/support', version: 2, why: null }])
  t.match(await agent(), { has_unpublished: false, live_version: 2 })
  const wrong = { ...files, 'agents/support/prompt.md': 'Other.\n', 'agents/support/questions.yaml': '- { key: returns, expect: { says: [a hundred days] } }\n' }
  const refused = await apply(wrong, undefined, { publish: true })
  t.match(refused.published, [{ version: null, why: { code: 'questions_failed', questions: [{ text: /How long/, verdict: 'fail', why: /a hundred days/ }] } }])
  t.match(await agent(), { has_unpublished: true, live_version: 2, systemPrompt: 'Other.' })
  t.match((await apply(files, undefined, { publish: true })).published, [], 'what is live already is not published')
})

t.test('what is changed elsewhere is told with a name on it', async (t) => {
  const { me, apply, planned } = await inFiles(t)
  await apply(SHOP, undefined, { ref: '4f2a9c1' })
  const state = async () => (await me.get('/v1/config/state')).json().data
  t.match(await state(), { last: { who: { name: 'Somebody' }, by: 'key', ref: '4f2a9c1', changes: 9 }, drift: [], training: 3 })
  t.match((await state()).kept.map(({ file }: { file: string }) => file), Array(9).fill(/yaml/))
  const [{ id }] = (await me.get('/v1/agents')).json().data
  const [source] = (await me.get(`/v1/agents/${id}/knowledge_sources`)).json().data
  const [question] = (await me.get(`/v1/agents/${id}/questions`)).json().data
  await me.put(`/v1/agents/${id}/vocabulary`, { terms: [] })
  await me.patch(`/v1/agents/${id}/knowledge_sources/${source.id}`, { title: 'Mine' })
  await me.put(`/v1/agents/${id}/knowledge_sources/${source.id}`, { title: 'Mine' })
  await me.patch(`/v1/agents/${id}/questions/${question.id}`, { enabled: false })
  await me.put('/v1/business', { name: 'Other' })
  await me.delete('/v1/webhooks/1')
  const somebody = { who: { id: me.id, name: 'Somebody' } }
  t.match((await planned(SHOP)).drift, [
    { place: 'agents/support', is: 'changed', fields: ['terms'], file: 'agents/support/agent.yaml', ...somebody },
    { place: 'agents/support/questions/returns', fields: ['enabled'], ...somebody },
    { place: 'agents/support/sources/returns', fields: ['title'], ...somebody },
    { place: 'business', fields: ['name'], ...somebody },
    { place: 'webhooks/crm', is: 'deleted', ...somebody }
  ])
  t.match((await state()).drift.length, 5)
  await apply(SHOP)
  t.match(await state(), { drift: [] })
})

t.test('what is locked is changed by files alone', async (t) => {
  const { me, apply } = await inFiles(t)
  await apply({ ...SHOP, 'agents/support/agent.yaml': SHOP['agents/support/agent.yaml'] + 'lock: true\n', 'actions/shop.yaml': 'lock: true\n' + SHOP['actions/shop.yaml'], 'business.yaml': 'lock: true\nname: X\n' })
  const [{ id }] = (await me.get('/v1/agents')).json().data
  const [{ id: source }] = (await me.get(`/v1/agents/${id}/knowledge_sources`)).json().data
  for (const [answer, file] of [
    [await me.put(`/v1/agents/${id}`, { name: 'Mine' }), 'agents/support/agent.yaml'],
    [await me.delete(`/v1/agents/${id}`), 'agents/support/agent.yaml'],
    [await me.delete(`/v1/agents/${id}/knowledge_sources/${source}`), 'agents/support/sources.yaml'],
    [await me.post(`/v1/agents/${id}/knowledge_sources`, { plain_text: 'x' }), 'agents/support/agent.yaml'],
    [await me.patch('/v1/actions/1', { enabled: false }), 'actions/shop.yaml'],
    [await me.put('/v1/business', { name: 'Y' }), 'business.yaml']
  ] as const) t.match([answer.statusCode, answer.json().error], [403, { code: 'kept_in_code', fields: { file }, message: new RegExp(`change ${file} and apply it`) }])
  t.equal((await me.delete('/v1/webhooks/1')).statusCode, 200, 'the others are changed as always')
  t.equal((await me.post(`/v1/agents/${id}/publish`, { force: true, reason: 'A test' })).statusCode, 201)
  await apply(SHOP)
  t.equal((await me.put(`/v1/agents/${id}`, { name: 'Mine' })).statusCode, 200)
})

t.test('every permission is asked for before anything is done', async (t) => {
  const { user, plan } = await inFiles(t)
  const { digests } = (await plan(SHOP)).json().data
  for (const permission of ['CONFIGURE_BUSINESS', 'MANAGE_KNOWLEDGE_BASE'] as const) {
    const some = await user({ permissions: ['MANAGE_AGENTS', ...(permission === 'CONFIGURE_BUSINESS' ? ['MANAGE_KNOWLEDGE_BASE' as const] : ['CONFIGURE_BUSINESS' as const])] })
    const theirs = applying(some)
    for (const answer of [await theirs.plan(SHOP), await theirs.send(SHOP, digests)]) {
      t.match([answer.statusCode, answer.json().error.code], [403, 'permission_denied'])
    }
    const files = await theirs.exported()
    t.match(files['agenthall.yaml'], permission === 'CONFIGURE_BUSINESS' ? /agents\n {2}- actions\n {2}- questions\n$/ : /webhooks\n$/)
    t.equal('business.yaml' in files, permission !== 'CONFIGURE_BUSINESS', 'what may not be read is not exported')
  }
})

t.test('what a feed has made is in no file, and no plan tells of it', async (t) => {
  const { me, apply, planned, exported, stores } = await inFiles(t)
  await apply(SHOP)
  const before = await exported()
  const [{ id }] = (await me.get('/v1/agents')).json().data
  const sources = `/v1/agents/${id}/knowledge_sources`
  const made = (await me.post(sources, { plain_text: 'Kept by a folder.' })).json().data[0].id
  t.not(Object.keys(await exported()).length, Object.keys(before).length, 'seen while nobody keeps it')
  stores.db.raw.prepare("update knowledge_sources set feed_id = 1, origin_key = 'a' where id = ?").run(made)
  t.strictSame(await exported(), before)
  t.match(await planned(SHOP), { changes: [] })
})

t.test('everything that can be said of an action is in the files, and said again it changes nothing', async (t) => {
  // Was wrong: the label on the button of its form was in no export, and each plan listed it again; actions over http
  // had the digest of a tool.
  const { apply, planned, exported } = await inFiles(t)
  const said = '    as_form: true\n    button: Track my order\n    enabled'
  const files = { ...SHOP, 'actions/shop.yaml': SHOP['actions/shop.yaml']!.replace('    enabled', said) }
  await apply(files)
  t.match(await planned(files), { changes: [] })
  const { actions: [action] } = parse((await exported())['actions/shop.yaml']!)
  t.equal(action.button, 'Track my order')
  const { connection: _connection, ...fields } = ActionDraft.properties
  t.strictSame(Object.keys(action).sort(), ['key', ...Object.keys(fields)].sort())
})

t.test('who changed something is found however much was changed since', async (t) => {
  const { me, apply, planned } = await inFiles(t)
  await apply(SHOP)
  await me.put('/v1/business', { name: 'Other' })
  for (let n = 0; n < 201; n++) await me.patch('/v1/webhooks/1', { description: `${n}` })
  t.match((await planned(SHOP)).drift, [
    { place: 'business', fields: ['name'], who: { name: 'Somebody' } }, { place: 'webhooks/crm', fields: ['description'] }
  ])
})

t.test('questions that are made together are read as they were written, each with a secret of its own', async (t) => {
  const { me, stores: { db }, apply } = await inFiles(t)
  const texts = Array.from({ length: 300 }, (_none, i) => `How long does ${i} take?`)
  await apply({
    'agenthall.yaml': HEAD,
    'agents/a/agent.yaml': 'key: a\nname: A\n',
    'agents/a/prompt.md': 'You help.\n',
    'agents/a/questions.yaml': texts.map((text, i) => `- { key: q${i}, text: "${text}", expect: { says: [a day] } }\n`).join('')
  })
  const [{ id }] = (await me.get('/v1/agents')).json().data
  const kept: Array<{ text: string }> = (await me.get(`/v1/agents/${id}/questions`)).json().data
  t.strictSame(kept.map(({ text }) => text), texts)
  const secrets = await db.read(() => db.column<[], number>('select distinct secret from questions').all())
  t.equal(secrets.length, 300)
})

t.test('more questions than an agent may have are refused with their place in the files', async (t) => {
  const { me, apply, plan, send } = await inFiles(t)
  await apply(SHOP)
  const [{ id }] = (await me.get('/v1/agents')).json().data
  await me.post(`/v1/agents/${id}/questions`, { text: 'By hand?', expect: { says: ['yes'] } })
  const many = Array.from({ length: 999 }, (_none, n) => `- { key: q${n}, text: "Question ${n}?", expect: { says: [yes] } }\n`).join('')
  const files = { ...SHOP, 'agents/support/questions.yaml': SHOP['agents/support/questions.yaml']! + many }
  const refused = await send(files, (await plan(files)).json().data.digests)
  t.match([refused.statusCode, refused.json().error.message], [409, /^agents\/support\/questions\.yaml:\d+:\d+: An agent may have 1000 test questions/])
  t.equal((await me.get(`/v1/agents/${id}/questions`)).json().data.length, 2)
})
