import t from 'tap'
import { AgentDraft, AgentPatch } from '../../schema/agents.ts'
import { displayName } from '../../src/agents/draft.ts'
import { build, draft } from '../helper.ts'
import { allowsNull, edgesOf, leavesOf, nest } from '../shapes.ts'
import { longestTurn } from '../linear/turns.ts'

/** Guard rules are objects in a list, with their own tests: test/guards. */
const leaves = leavesOf(AgentPatch).filter(({ path }) => path.at(-1) !== 'guardRules')

/** Ticketing providers with these names, so that agents may name them. */
async function desks (as: { post: (url: string, body: object) => Promise<unknown> }, ...names: string[]) {
  for (const name of names) {
    await as.post('/v1/ticketing_providers', { name, kind: 'linear', settings: { team: 'x' }, credentials: { token: 'x' } })
  }
}

/** An action, so that agents may have it. */
async function actionOf (as: { post: (url: string, body: object) => Promise<{ json: () => any }> }): Promise<number> {
  const connection = (await as.post('/v1/connections', { name: 'x', base_url: 'https://x.example' })).json().data.id
  const draft = { connection, name: 'x', title: 'x', effect: 'read', method: 'GET', path: '/x' }
  return (await as.post('/v1/actions', draft)).json().data.id
}

t.test('a new agent has these defaults, all of them and nothing else', async (t) => {
  const { user } = await build(t)
  const as = await user()
  const made = await as.post('/v1/agents/', { name: 'Ada', systemPrompt: 'You help.' })
  t.equal(made.statusCode, 201)
  const { data, ...envelope } = made.json()
  t.strictSame(envelope, { status: 'success', message: 'Agent created successfully' })
  const { created_at: created, updated_at: updated, draft_etag: draft, ...rest } = data
  t.match(draft, /^1-\w+$/)
  t.match(created, /^2026-01-01T00:00:00\.\d{6}Z$/)
  t.equal(updated, created)
  t.strictSame(rest, {
    id: 1,
    owner: as.id,
    name: 'Ada',
    description: '',
    status: 'Active',
    publish_on_save: true,
    live_version: 1,
    has_unpublished: false,
    appearance: {
      primaryColor: '#2563eb',
      secondaryColor: '#ffffff',
      fontFamily: 'Inter',
      chatbotName: 'Ada',
      welcomeMessage: '',
      buttonText: '',
      position: 'bottom-right',
      avatar: { type: 'default', src: '' }
    },
    behavior: {
      suggestions: [],
      guidelines: { dos: [], donts: [] },
      expertHandoff: false,
      aiToAiHandoff: false,
      autoTicketReply: false,
      email: null,
      ticketType: 'email',
      escalationPrompt: '',
      agentHandoffPrompt: '',
      followupCount: 0,
      followupInterval: 0,
      followupMessages: [],
      showOnMobile: true,
      autoShowAfter: 0,
      collectVisitorData: false,
      continuousLearning: false,
      conversationMemory: true,
      multilingualSupport: true,
      actionIds: [],
      guardRules: []
    },
    model: { response_model: 'gpt-4o-mini', temperature: 0.7, display_model: 'GPT 4o Mini', token_length: 16000 },
    agentType: 'General Assistant',
    agent_category: 'Assistant',
    systemPrompt: 'You help.',
    knowledge_sources: [],
    knowledge_sources_total: 0,
    conversations: 0,
    ticketing_providers: [],
    default_ticketing_provider: null,
    is_chatapp_enabled: false,
    privacy_url: null,
    gdpr_settings: { data_retention_days: null, data_retention_message: null, gdpr_message_display: false },
    translations: {},
    is_white_label: false,
    total_training_usage_bytes: 0,
    max_training_usage_bytes: 31457280
  })
})

t.test('the model of a new agent and the ceiling of its training are settings', async (t) => {
  const { user } = await build(t, {
    AGENTHALL_RESPONSE_MODEL: 'meta/llama-3-70b', AGENTHALL_TRAINING_LIMITS: '{"free":5}'
  })
  const made = (await (await user({ tier: 'free' })).post('/v1/agents', draft)).json().data
  t.match(made, {
    model: { response_model: 'meta/llama-3-70b', display_model: 'Llama 3 70b' }, max_training_usage_bytes: 5
  })
  const named = await build(t, { AGENTHALL_DISPLAY_MODEL: 'Our model' })
  t.equal((await (await named.user()).post('/v1/agents', draft)).json().data.model.display_model, 'Our model')
})

t.test('display_model is derived from response_model unless it is sent', async (t) => {
  const { user } = await build(t)
  const as = await user()
  await as.post('/v1/agents', draft)
  const model = async (model: object) => (await as.put('/v1/agents/1', { model })).json().data.model.display_model
  t.equal(await model({ response_model: 'openai/gpt-5' }), 'GPT 5')
  t.equal(await model({ response_model: 'other', display_model: 'Mine' }), 'Mine')
  t.equal(await model({ response_model: 'other' }), 'Mine', 'the same model keeps its name')
  t.equal(await model({ temperature: 1 }), 'Mine')
  t.strictSame(['claude-3-haiku', '---', 'a/', 'b'].map(displayName), ['Claude 3 Haiku', '---', 'A/', 'B'])
})

t.test('every bound of every field holds, to the character, and errors name the field by its path', async (t) => {
  const { user } = await build(t)
  const as = await user()
  await as.post('/v1/agents', draft)
  const wrong: unknown[] = []
  const cases = leaves.flatMap(({ path, schema }) => edgesOf(schema).map((edge) => ({ path, ...edge })))
    // The provider has to be one of the account's providers, which have to exist, like actions; tested below.
    .filter(({ path, valid }) => !valid || !/ticketing_provider|actionIds/.test(path.join('.')))
  await Promise.all(cases.map(async ({ path, value, valid }) => {
    const answer = await as.put('/v1/agents/1', nest(path, value))
    const field = path.join('.')
    const shown = path.reduce((inner, name) => inner?.[name], answer.json().data)
    const [detail] = answer.json().error?.details ?? []
    const right = valid
      ? answer.statusCode === 200 && JSON.stringify(shown) === JSON.stringify(value)
      : answer.statusCode === 400 &&
        detail.field.replace(/\[\d+\]$/, '') === field &&
        detail.message.startsWith(detail.field)
    if (!right) wrong.push([field, value, answer.body])
  }))
  t.strictSame(wrong.slice(0, 5), [])
  t.ok(cases.length > 600 && leaves.length === 49, `${cases.length} values of ${leaves.length} fields`)
})

t.test('a length is counted in characters, not in bytes or halves of surrogate pairs', async (t) => {
  const { user } = await build(t)
  const as = await user()
  t.equal((await as.post('/v1/agents', { ...draft, name: '😀'.repeat(200) })).json().data.name, '😀'.repeat(200))
  t.equal((await as.post('/v1/agents', { ...draft, name: '😀'.repeat(201) })).statusCode, 400)
})

t.test('an update changes the one field it names, whichever that is, and leaves every other as it was', async (t) => {
  const { user } = await build(t)
  const as = await user()
  await desks(as, 'Desk', 'Help')
  await as.post('/v1/agents', { ...draft, ticketing_providers: ['Desk'] })
  let after = (await as.get('/v1/agents/1')).json().data
  for (const { path, schema } of leaves) {
    const before = after
    const now = path.reduce((inner, name) => inner[name], before)
    const value =
      path[0] === 'default_ticketing_provider'
        ? 'Desk'
        : path[0] === 'ticketing_providers'
          ? ['Help', 'Desk']
          : path[1] === 'actionIds' ? [await actionOf(as)] : edgesOf(schema).find(({ value, valid }) => valid && JSON.stringify(value) !== JSON.stringify(now))!.value
    after = (await as.put('/v1/agents/1', nest(path, value))).json().data
    const expected = structuredClone(before)
    path.slice(0, -1).reduce((inner, name) => inner[name], expected)[path.at(-1)!] = value
    // Each is a version, as long as changes take effect at once, and another draft.
    Object.assign(expected, {
      updated_at: after.updated_at,
      draft_etag: after.draft_etag,
      live_version: before.live_version + Number(after.publish_on_save)
    })
    if (path.at(-1) === 'response_model') expected.model.display_model = after.model.display_model
    t.strictSame(after, expected, path.join('.'))
    t.ok(after.updated_at > before.updated_at)
    // The provider must outlive the test of the list it is in.
    if (path[0] === 'ticketing_providers') {
      after = (await as.put('/v1/agents/1', { ticketing_providers: ['Desk'] })).json().data
    }
  }
})

t.test('a whole object merges field by field and a whole array is replaced', async (t) => {
  const { user } = await build(t)
  const as = await user()
  await as.post('/v1/agents', {
    ...draft, behavior: { suggestions: ['a', 'b', 'c'], guidelines: { dos: ['x'], donts: ['y'] } }
  })
  const { behavior, appearance } = (
    await as.put('/v1/agents/1', {
      behavior: { suggestions: ['d'], guidelines: { donts: [] } },
      appearance: { avatar: { src: 'https://example.com/a.png' } }
    })
  ).json().data
  t.strictSame(behavior.suggestions, ['d'])
  t.strictSame(behavior.guidelines, { dos: ['x'], donts: [] })
  t.strictSame(appearance.avatar, { type: 'default', src: 'https://example.com/a.png' })
  t.equal(behavior.conversationMemory, true)
  const empty = (await as.put('/v1/agents/1', { behavior: { guidelines: {} }, model: {} })).json().data
  t.strictSame(empty.behavior, behavior, 'an empty object changes nothing')
})

t.test('null is accepted where the field can be null and nowhere else', async (t) => {
  const { user } = await build(t)
  const as = await user()
  await as.post('/v1/agents', draft)
  const nullable: string[] = []
  for (const path of [
    ...leaves.map(({ path }) => path),
    ['appearance'],
    ['appearance', 'avatar'],
    ['behavior'],
    ['behavior', 'guidelines'],
    ['model'],
    ['gdpr_settings']
  ]) {
    const { statusCode } = await as.put('/v1/agents/1', nest(path, null))
    if (statusCode === 200) nullable.push(path.join('.'))
    else t.equal(statusCode, 400)
  }
  t.strictSame(nullable.sort(), [
    'behavior.email', 'default_ticketing_provider', 'gdpr_settings.data_retention_days',
    'gdpr_settings.data_retention_message', 'privacy_url'
  ])
  t.strictSame(leaves.filter(({ schema }) => allowsNull(schema)).map(({ path }) => path.join('.')).sort(), nullable)
})

t.test(
  'fields that the server assigns are accepted and ignored, on create and update, whatever they hold',
  async (t) => {
    const { user } = await build(t)
    const as = await user()
    const other = await user()
    const assigned = [
      'id', 'owner', 'created_at', 'updated_at', 'conversations', 'knowledge_sources', 'total_training_usage_bytes',
      'max_training_usage_bytes'
    ]
    for (const value of [other.id, 999, null, 'x', { a: 1 }, [1]]) {
      const injected = Object.fromEntries(assigned.map((field) => [field, value]))
      const made = await as.post('/v1/agents', { ...draft, ...injected })
      t.equal(made.statusCode, 201)
      const { id } = made.json().data
      const changed = await as.put(`/v1/agents/${id}`, { name: 'Renamed', ...injected })
      t.strictSame(changed.json().data, {
        ...made.json().data,
        name: 'Renamed',
        updated_at: changed.json().data.updated_at,
        live_version: 2,
        draft_etag: changed.json().data.draft_etag
      })
      t.equal(changed.json().data.owner, as.id)
    }
    t.equal((await other.get('/v1/agents')).json().data.length, 0)
  }
)

t.test('what was listed can be edited and sent back whole', async (t) => {
  const { user } = await build(t)
  const as = await user()
  await as.post('/v1/agents', draft)
  const [listed] = (await as.get('/v1/agents')).json().data
  const answer = await as.put(`/api/v1/agents/${listed.id}`, { ...listed, description: 'Edited' })
  t.equal(answer.statusCode, 200)
  const { updated_at: updated, draft_etag: tag } = answer.json().data
  t.strictSame(answer.json().data, {
    ...listed, description: 'Edited', updated_at: updated, draft_etag: tag, live_version: 2
  })
})

t.test('an update that changes nothing moves neither the time nor the tag', async (t) => {
  const { user } = await build(t)
  const as = await user()
  const made = await as.post('/v1/agents', draft)
  for (const body of [{}, { name: draft.name }, { behavior: {} }, { id: 7 }, made.json().data]) {
    const same = await as.put('/v1/agents/1', body)
    t.equal(same.headers.etag, made.headers.etag)
    t.strictSame(same.json().data, made.json().data)
  }
})

t.test('what is wrong is named all at once, in exactly this shape', async (t) => {
  const { user } = await build(t)
  const as = await user()
  const missing = await as.post('/v1/agents', {})
  t.equal(missing.statusCode, 400)
  t.strictSame(missing.json(), {
    error: {
      code: 'VALIDATION_ERROR',
      message: 'Invalid parameters: see details for each field.',
      details: [
        { field: 'name', message: 'name is required.' },
        { field: 'systemPrompt', message: 'systemPrompt is required.' }
      ]
    }
  })
  const many = await as.post('/v1/agents', {
    name: '',
    systemPrompt: ' ',
    status: 'Gone',
    appearance: { primaryColor: 'red', position: 1 },
    behavior: { suggestions: ['a', 'b', 3], email: 'x', guidelines: { dos: 'x' } },
    model: { temperature: 3 }
  })
  t.strictSame(many.json().error.details, [
    { field: 'name', message: 'name must not be empty.' },
    { field: 'status', message: 'status must be "Active" or "Inactive".' },
    {
      field: 'appearance.primaryColor',
      message: 'appearance.primaryColor does not have the expected form, for example "#2563eb".'
    },
    { field: 'appearance.position', message: 'appearance.position must be a string.' },
    { field: 'behavior.suggestions[2]', message: 'behavior.suggestions[2] must be a string.' },
    { field: 'behavior.guidelines.dos', message: 'behavior.guidelines.dos must be an array.' },
    {
      field: 'behavior.email',
      message: 'behavior.email does not have the expected form, for example "help@example.com".'
    },
    { field: 'model.temperature', message: 'model.temperature must be at most 2.' },
    { field: 'systemPrompt', message: 'systemPrompt must not be blank.' }
  ])
  const flood = await as.put(
    '/v1/agents/1', Object.fromEntries(Array.from({ length: 500 }, (_none, i) => [`x${i}`, 1]))
  )
  t.equal(flood.json().error.details.length, 20, 'at most 20')
  t.equal((await as.get('/v1/agents')).json().data.length, 0, 'and nothing changed')
})

t.test('an unknown field is refused at every level, with the nearest known one', async (t) => {
  const { user } = await build(t)
  const as = await user()
  await as.post('/v1/agents', draft)
  const refused = async (body: object) => (await as.put('/v1/agents/1', body)).json().error.details
  t.strictSame(await refused({ nmae: 'x' }), [
    { field: 'nmae', message: 'nmae is not a known field; did you mean "name"?' }
  ])
  t.strictSame(await refused({ appearance: { primary_color: 'x' } }), [
    {
      field: 'appearance.primary_color',
      message: 'appearance.primary_color is not a known field; did you mean "primaryColor"?'
    }
  ])
  t.strictSame(await refused({ appearance: { avatar: { source: '' } } }), [
    { field: 'appearance.avatar.source', message: 'appearance.avatar.source is not a known field.' }
  ])
  t.strictSame(await refused({ behavior: { guidelines: { do: [] } } }), [
    { field: 'behavior.guidelines.do', message: 'behavior.guidelines.do is not a known field; did you mean "dos"?' }
  ])
  for (const body of [
    { model: { x: 1 } },
    { gdpr_settings: { x: 1 } },
    { behavior: { x: 1 } },
    { search_text: 'x' },
    { revision: 1 },
    { constructor: 1 },
    { toString: 1 },
    { role: 'admin' }
  ]) { t.match(await refused(body), [{ message: /is not a known field/ }]) }
  t.equal((await as.put('/v1/agents/1')).statusCode, 200, 'no body is no change')
  for (const body of [[], [draft], 'x', 1, true, null]) {
    const answer = await as.put('/v1/agents/1', JSON.stringify(body), { 'content-type': 'application/json' })
    t.strictSame(
      [answer.statusCode, answer.json().error.details], [400, [{ field: 'body', message: 'body must be an object.' }]]
    )
  }
})

t.test('system_prompt is another spelling of systemPrompt on input, never on output', async (t) => {
  const { user } = await build(t)
  const as = await user()
  const made = await as.post('/v1/agents', { name: 'A', system_prompt: 'Be kind.' })
  t.equal(made.statusCode, 201)
  t.equal(made.json().data.systemPrompt, 'Be kind.')
  t.notOk('system_prompt' in made.json().data)
  t.equal((await as.put('/v1/agents/1', { system_prompt: 'Be brief.' })).json().data.systemPrompt, 'Be brief.')
  const field = async (body: object) => (await as.post('/v1/agents', { name: 'A', ...body })).json().error.details
  t.strictSame(
    await field({ system_prompt: 1 }),
    [{ field: 'system_prompt', message: 'system_prompt must be a string.' }],
    'errors spell it as the request did'
  )
  t.strictSame(await field({ systemPrompt: 1 }), [{ field: 'systemPrompt', message: 'systemPrompt must be a string.' }])
  t.match(
    await field({ systemPrompt: 'a', system_prompt: 'b' }),
    [{ field: 'system_prompt' }],
    'both at once is a contradiction'
  )
})

t.test('agentHandoffPrompt may carry {{name}} and no other token', async (t) => {
  const { user } = await build(t)
  const as = await user()
  await as.post('/v1/agents', draft)
  const status = async (prompt: string) =>
    (await as.put('/v1/agents/1', { behavior: { agentHandoffPrompt: prompt } })).statusCode
  for (const prompt of [
    '', '{{name}}', 'To {{name}}, {{name}}!', '{name}', '}}', '{', 'a { b', '{ {x}}', 'line\n{{name}}\nline'
  ]) { t.equal(await status(prompt), 200, prompt) }
  for (const prompt of [
    '{{nam}}', '{{ name }}', '{{name', '{{Name}}', '{{}}', '{{{name}}}', '{{name}} {{agent}}', '{{'
  ]) { t.equal(await status(prompt), 400, prompt) }
  const [{ message }] = (await as.put('/v1/agents/1', { behavior: { agentHandoffPrompt: '{{x}}' } })).json().error
    .details
  t.match(message, '{{name}}', 'the error says which token there is')
  const longest = await longestTurn(50, async () => t.equal(await status('{'.repeat(10_000)), 400))
  t.ok(longest <= 50, 'a long hostile text costs one pass')
})

t.test('default_ticketing_provider is one of ticketing_providers, or null', async (t) => {
  const { user } = await build(t)
  const as = await user()
  await desks(as, 'Desk', 'Help')
  await as.post('/v1/agents', draft)
  const put = async (body: object) => await as.put('/v1/agents/1', body)
  t.match((await put({ default_ticketing_provider: 'Desk' })).json().error.details, [
    {
      field: 'default_ticketing_provider',
      message: 'default_ticketing_provider must be null, because ticketing_providers is empty.'
    }
  ])
  t.equal((await put({ ticketing_providers: ['Desk', 'Help'], default_ticketing_provider: 'Desk' })).statusCode, 200)
  t.match((await put({ default_ticketing_provider: 'Other' })).json().error.details, [
    { message: 'default_ticketing_provider must be one of Desk, Help, or null.' }
  ])
  t.equal((await put({ ticketing_providers: ['Help'] })).statusCode, 400, 'the provider in use cannot go alone')
  t.equal((await put({ ticketing_providers: ['Help'], default_ticketing_provider: null })).statusCode, 200)
})

t.test('ticketing_providers are those of the account; what is named already may stay once it is gone', async (t) => {
  // Was wrong: any name was accepted, and tickets went by mail, or stayed here, silently.
  const { user } = await build(t)
  const [as, other] = [await user(), await user()]
  await desks(other, 'Theirs')
  const longest = 'x'.repeat(64)
  await desks(as, 'Desk', longest)
  for (const [named, at] of [[['Theirs'], 0], [['Desk', 'desk'], 1]] as const) {
    for (const answer of [
      await as.post('/v1/agents', { ...draft, ticketing_providers: named }),
      await as.put('/v1/agents/1', { ticketing_providers: named })
    ]) {
      if (answer.statusCode === 404) continue
      t.equal(answer.statusCode, 400, answer.body)
      t.strictSame(answer.json().error.details, [{
        field: `ticketing_providers[${at}]`,
        message: `ticketing_providers[${at}] names "${named[at]}", and there is no such ticketing provider. Add it first (/v1/ticketing_providers), or leave it out.`
      }])
    }
    if (at === 0) t.equal((await as.post('/v1/agents', { ...draft, ticketing_providers: [longest] })).statusCode, 201)
  }
  const [{ id }] = (await as.get('/v1/ticketing_providers')).json().data
  const both = { ticketing_providers: [longest, 'Desk'] }
  t.equal((await as.put('/v1/agents/1', both)).statusCode, 200)
  t.equal((await as.delete(`/v1/ticketing_providers/${id}`)).statusCode, 200)
  t.equal((await as.put('/v1/agents/1', both)).statusCode, 200, 'sending back what is set changes nothing')
  t.equal((await as.put('/v1/agents/1', { ticketing_providers: ['Desk'] })).statusCode, 200, 'nor does leaving one out')
  t.equal((await as.put('/v1/agents/1', { ticketing_providers: [] })).statusCode, 200)
  t.equal((await as.put('/v1/agents/1', { ticketing_providers: ['Desk'] })).statusCode, 400, 'it is gone')
})

t.test(
  'account-wide settings need CONFIGURE_BUSINESS, on create and on update, and only when they change',
  async (t) => {
    const { user, stores, withKey } = await build(t)
    const as = await user()
    const plain = withKey(
      (await stores.access.createKey(as.id, () => ({ name: 'x', permissions: ['MANAGE_AGENTS'], expires_at: null })))
        .answer.key
    )
    await desks(as, 'Desk')
    await as.post('/v1/agents', {
      ...draft,
      is_white_label: true,
      privacy_url: 'https://example.com/p',
      ticketing_providers: ['Desk']
    })
    for (const body of [{ is_white_label: false }, { privacy_url: null }, { ticketing_providers: [] }]) {
      const refused = await plain.put('/v1/agents/1', body)
      t.equal(refused.statusCode, 403)
      t.match(refused.json().error, {
        code: 'permission_denied', status: 403, fields: { permissions: ['CONFIGURE_BUSINESS'] }
      })
    }
    for (const body of [
      { is_white_label: true },
      { privacy_url: 'https://example.com/p' },
      { ticketing_providers: ['Desk'] }
    ]) {
      t.equal((await plain.put('/v1/agents/1', body)).statusCode, 200, 'sending back what is set changes nothing')
      t.equal((await plain.post('/v1/agents', { ...draft, ...body })).statusCode, 403)
    }
    t.equal((await plain.put('/v1/agents/1', { default_ticketing_provider: 'Desk' })).statusCode, 200)
  }
)

t.test('features belong to tiers, and a downgrade loses nothing that is set', async (t) => {
  const { user, stores } = await build(t)
  const wanted = {
    WHITE_LABELING: { is_white_label: true }, AUTO_TICKET_RESPONSE: { behavior: { autoTicketReply: true } }
  }
  const expected = { free: [], pro: ['AUTO_TICKET_RESPONSE'], enterprise: ['WHITE_LABELING', 'AUTO_TICKET_RESPONSE'] }
  for (const tier of ['free', 'pro', 'enterprise'] as const) {
    const as = await user({ tier })
    const open: string[] = []
    for (const [feature, body] of Object.entries(wanted)) {
      const answer = await as.post('/v1/agents', { ...draft, ...body })
      if (answer.statusCode === 201) open.push(feature)
      else t.match(answer.json().error, { code: 'feature_unavailable', status: 403, fields: { feature, tier } })
    }
    t.strictSame(open, expected[tier])
  }
  const as = await user()
  const { id } = (
    await as.post('/v1/agents', { ...draft, is_white_label: true, behavior: { autoTicketReply: true } })
  ).json().data
  await stores.access.setTier(as.id, 'free')
  const kept = await as.put(`/v1/agents/${id}`, {
    name: 'Still', is_white_label: true, behavior: { autoTicketReply: true }
  })
  t.match(kept.json().data, { name: 'Still', is_white_label: true, behavior: { autoTicketReply: true } })
  t.equal((await as.put(`/v1/agents/${id}`, { is_white_label: false })).statusCode, 200)
  t.equal(
    (await as.put(`/v1/agents/${id}`, { is_white_label: true })).json().error.code,
    'feature_unavailable',
    'setting it anew is refused'
  )
})

t.test('what creating takes is what updating takes, with a name and a prompt', async (t) => {
  t.strictSame(AgentDraft.required, ['name', 'systemPrompt'])
  t.strictSame(Object.keys(AgentDraft.properties), Object.keys(AgentPatch.properties))
})
