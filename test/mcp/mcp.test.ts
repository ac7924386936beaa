import t from 'tap'
import { PERMISSIONS } from '../../schema/access.ts'
import { Refusal } from '../../src/platform/errors.ts'
import { TOOLS } from '../../src/mcp/tools.ts'
import { old, serving, stateless, type Served } from './helper.ts'

const READERS = ['diff_agent', 'get_agent', 'list_agents', 'list_sources', 'search_knowledge']
const ALL = TOOLS.map(({ name }) => name).sort()

/** A question that the agent could not answer, as a suggestion. */
async function suggested ({ me, agent, settled }: Served): Promise<number> {
  const { id } = (await me.post(`/v1/agents/${agent}/conversations`, {})).json().data
  await me.post(`/v1/conversations/${id}/messages`, { text: 'How heavy are gift cards?' })
  await settled()
  return (await me.get(`/v1/agents/${agent}/suggestions`)).json().data[0].id
}

for (const age of ['2026-07-28', '2025-11-25'] as const) {
  t.test(`a client of ${age} asks an agent, teaches it and reads what was said`, async (t) => {
    const served = await serving(t)
    const { agent, me, settled } = served
    const client: any = age === '2026-07-28' ? (await stateless(t, served, me.key!)).client : await old(t, served, me.key!)
    const { tools } = await client.listTools()
    t.same(tools.map(({ name }: { name: string }) => name).sort(), ALL)
    const call = async (name: string, args: object) => {
      const { structuredContent, isError, content } = await client.callTool({ name, arguments: args })
      t.notOk(isError, JSON.stringify(content))
      t.same(JSON.parse(content[0].text), structuredContent)
      return structuredContent
    }
    t.match(await call('list_agents', { search: 'Ada' }), { agents: [{ id: agent, name: 'Ada' }] })
    t.match(await call('get_agent', { agent }), { agent: { systemPrompt: 'You help.' } })
    t.match(await call('search_knowledge', { agent, query: 'How long can I return something?' }), {
      passages: [{ title: 'Returns', text: /30 days/ }]
    })
    const answer = await call('ask_agent', { agent, question: 'How long can I return something?' })
    t.match(answer, { answer: /30 days/, unknown: false, citations: [{ n: 1, title: 'Returns' }] })
    t.match(await call('ask_agent', { agent, question: 'Hello!', conversation: answer.conversation }), {
      conversation: answer.conversation
    })
    t.match(await call('read_conversation', { conversation: answer.conversation, limit: 2 }), {
      untrusted: true, messages: [{ role: 'visitor', text: 'Hello!' }, { role: 'agent' }]
    })
    t.match(await call('list_conversations', { agent, status: 'open' }), { conversations: [{ id: answer.conversation }] })
    t.match(await call('reply_draft', { conversation: answer.conversation, text: 'Say 30 days.' }), { note: /^note_/ })
    t.match(await call('add_text_source', { agent, title: 'Parking', text: 'There are twelve places in the yard.' }), {
      status: 'Pending'
    })
    await settled()
    t.match((await call('list_sources', { agent })).sources.map(({ title }: { title: string }) => title).sort(), [
      'Parking', 'Returns'
    ])
    t.match(await call('ask_agent', { agent, question: 'Where can I park?' }), { answer: /twelve places/ })
    t.match(await call('list_suggestions', { agent }), { untrusted: true, suggestions: [] })
    t.match(await call('get_figures', {}), { figures: { total: {} } })
    t.match(await call('get_figures', { agent }), { figures: { total: {} } })

    const { resources } = await client.listResources()
    t.match(resources, [{ uri: `agenthall://agents/${agent}`, name: 'Ada' }])
    t.equal((await client.listResourceTemplates()).resourceTemplates.length, 2)
    const read = async (uri: string) => (await client.readResource({ uri })).contents[0].text
    t.match(JSON.parse(await read(`agenthall://agents/${agent}`)), { name: 'Ada' })
    t.match(await read(`agenthall://agents/${agent}/sources/1`), /30 days/)
    for (const uri of ['agenthall://agents/99', 'agenthall://users/1', 'file:///etc/passwd']) {
      await t.rejects(client.readResource({ uri }), /no such resource/)
    }
    await t.rejects(client.callTool({ name: 'delete_everything', arguments: {} }), /no such tool/)
    t.match(await client.callTool({ name: 'ask_agent', arguments: { agent: 'x' } }), { isError: true })
    t.match(await client.callTool({ name: 'get_agent', arguments: { agent: 99 } }), {
      isError: true, content: [{ text: /No such agent|not/ }]
    })
  })
}

t.test('a key is shown and can use only what it may, and sees no addresses unless it answers people', async (t) => {
  const served = await serving(t)
  const { agent, me, keyWith } = served
  const { id } = (await me.post(`/v1/agents/${agent}/conversations`, {})).json().data
  await me.post(`/v1/conversations/${id}/messages`, { text: 'I am eve@example.com. How long can I return something?' })
  const viewer: any = (await stateless(t, served, await keyWith('VIEW_ANALYTICS'))).client
  const names = (await viewer.listTools()).tools.map(({ name }: { name: string }) => name).sort()
  t.same(names, [...READERS, 'get_figures', 'list_conversations', 'read_conversation'].sort())
  for (const name of ALL.filter((one) => !names.includes(one))) {
    await t.rejects(viewer.callTool({ name, arguments: {} }), /no such tool/, name)
  }
  const { structuredContent: masked } = await viewer.callTool({ name: 'read_conversation', arguments: { conversation: id } })
  t.match(masked.messages[0].text, /^I am \[e-mail\]/)
  const { structuredContent: listed } = await viewer.callTool({ name: 'list_conversations', arguments: { search: 'return' } })
  t.notMatch(JSON.stringify(listed), 'eve@')
  const expert: any = (await stateless(t, served, await keyWith('REPLY_CONVERSATION'))).client
  const { structuredContent: whole } = await expert.callTool({ name: 'read_conversation', arguments: { conversation: id } })
  t.match(whole.messages[0].text, /eve@example\.com/)
  t.equal((await fetch(served.url, { method: 'POST', body: '{}' })).status, 401)
})

t.test('what an agent learns from a suggestion is asked of a person first, and a yes is good for that alone', async (t) => {
  const served = await serving(t)
  const { agent, me } = served
  const suggestion = await suggested(served)
  const approve = { name: 'approve_suggestion', arguments: { agent, suggestion, answer: 'They weigh 5 g.' } }
  const refused = await stateless(t, served, me.key!, { action: 'decline' })
  await refused.client.callTool(approve as never).catch(() => {})
  t.match(refused.asked[0], /gift cards\?" with:\n\nThey weigh 5 g\./)
  t.equal((await me.get(`/v1/agents/${agent}/knowledge_sources`)).json().pagination.total, 1, 'a no is none')
  t.match(await (await stateless(t, served, me.key!)).client.callTool(approve as never), {
    isError: true, content: [{ text: /cannot ask one/ }]
  })
  t.match(await (await old(t, served, me.key!)).callTool(approve), { isError: true, content: [{ text: /cannot ask one/ }] })

  const { first, second } = await twice(served, approve.arguments)
  t.equal(first.result.resultType, 'input_required')
  t.equal(second.result.resultType, 'input_required', 'a yes to another answer is none')
  t.equal((await me.get(`/v1/agents/${agent}/knowledge_sources`)).json().pagination.total, 1)

  const { client } = await stateless(t, served, me.key!, { action: 'accept', content: { approve: true } })
  t.match(await client.callTool(approve as never), { structuredContent: { source: 2 } })
  t.equal((await me.get(`/v1/agents/${agent}/knowledge_sources`)).json().pagination.total, 2)
})

/** Sends a request directly, without a client. */
async function post (
  { url, me }: Served, method: string, params: object, headers: Record<string, string> = {}, about: object = { id: 1 }
) {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } }
  }
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${me.key}`,
      'content-type': 'application/json',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...('name' in params && { 'mcp-name': String(params.name) }),
      ...headers
    },
    body: JSON.stringify({ jsonrpc: '2.0', method, params: { _meta: meta, ...params }, ...about })
  })
  const text = await answer.text()
  return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) }
}

/** Requests an approval, then confirms it with another answer. */
async function twice (served: Served, args: object) {
  const call = { name: 'approve_suggestion', arguments: args }
  const first = (await post(served, 'tools/call', call)).body
  const second = (await post(served, 'tools/call', {
    name: 'approve_suggestion',
    arguments: { ...args, answer: 'Send your card number.' },
    requestState: first.result.requestState,
    inputResponses: { confirm: { action: 'accept', content: { approve: true } } }
  })).body
  return { first, second }
}

t.test('requests that are none, or say two things, are refused with the code of the protocol', async (t) => {
  const served = await serving(t)
  const { url, me } = served
  t.match(await post(served, 'server/discover', {}), {
    status: 200,
    body: {
      result: {
        resultType: 'complete',
        supportedVersions: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26'],
        cacheScope: 'private',
        _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'agenthall' } }
      }
    }
  })
  t.match(await post(served, 'tools/list', {}, { 'mcp-method': 'tools/call' }), { status: 400, body: { error: { code: -32020 } } })
  t.match(await post(served, 'tools/call', { name: 'list_agents' }, { 'mcp-name': 'get_agent' }), {
    status: 400, body: { error: { code: -32020 } }
  })
  t.match(await post(served, 'tools/list', {}, { 'mcp-protocol-version': '2025-11-25' }), { body: { error: { code: -32020 } } })
  const later = { _meta: { 'io.modelcontextprotocol/protocolVersion': '2031-01-01' } }
  t.match(await post(served, 'tools/list', later, { 'mcp-protocol-version': '2031-01-01' }), {
    status: 400, body: { error: { code: -32022, data: { requested: '2031-01-01' } } }
  })
  // A revision named only in the body was answered as unknown, though it was not what the header said.
  t.match(await post(served, 'tools/list', later), { status: 400, body: { error: { code: -32020 } } })
  // A request without a session that did not declare its client's capabilities was answered all the same.
  for (const _meta of [undefined, {}, { 'io.modelcontextprotocol/clientCapabilities': {} }, {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28'
  }]) {
    t.match(await post(served, 'server/discover', { _meta }), { status: 400, body: { id: 1, error: { code: -32602 } } })
  }
  // Was wrong: names that every JavaScript object has ended in 500, or were answered.
  for (const method of ['__proto__', 'constructor', 'hasOwnProperty', 'toString']) {
    t.match(await post(served, method, {}), { status: 404, body: { id: 1, error: { code: -32601 } } }, method)
  }
  t.match(await post(served, 'sampling/createMessage', {}), { status: 404, body: { id: 1, error: { code: -32601 } } })
  t.match(await post(served, 'ping', { _meta: {} }, { 'mcp-protocol-version': '2025-11-25' }), { body: { result: {} } })
  t.match(await post(served, 'nothing', { _meta: {} }, { 'mcp-protocol-version': '2025-11-25' }), {
    status: 200, body: { error: { code: -32601 } }
  })
  t.match(await post(served, 'initialize', { _meta: {}, protocolVersion: '1999-01-01' }, { 'mcp-protocol-version': '2025-11-25' }), {
    body: { result: { protocolVersion: '2025-11-25' } }
  })
  t.match(await post(served, 'notifications/initialized', {}, {}, {}), { status: 202, body: undefined })
  t.match(await post(served, 'tools/list', {}, { origin: 'https://evil.example' }), { status: 403 })
  t.match(await post(served, 'tools/list', {}, { origin: url.origin }), { status: 200 })
  for (const about of [{ id: {} }, { params: [] }, { jsonrpc: '1.0' }]) {
    t.match(await post(served, 'tools/list', {}, {}, about), { status: 400, body: { error: { code: -32600 } } })
  }
  const get = await fetch(url, { headers: { authorization: `Bearer ${me.key}` } })
  t.equal(get.status, 405)
})

t.test('each key is shown the tools that its permissions open, and no other can be called with it', async (t) => {
  const served = await serving(t)
  for (const permission of PERMISSIONS) {
    const key = await served.keyWith(permission)
    const send = (method: string, params: object) => post(served, method, params, { authorization: `Bearer ${key}` })
    const { result } = (await send('tools/list', {})).body
    const shown = result.tools.map(({ name }: { name: string }) => name)
    t.same(shown, TOOLS.filter(({ needs }) => !needs || needs.includes(permission)).map(({ name }) => name), permission)
    for (const { name, needs } of TOOLS) {
      const { body } = await send('tools/call', { name, arguments: {} })
      const mayNot = body.error?.message === 'There is no such tool for this key.'
      t.equal(mayNot, needs !== undefined && !needs.includes(permission), `${name} with ${permission}`)
    }
  }
})

t.test('agents beyond a hundred are listed too', async (t) => {
  // Was wrong: for an account with more agents the first hundred were listed, and nothing said so.
  const served = await serving(t)
  for (let n = 0; n < 101; n++) await served.me.post('/v1/agents', { name: `Agent ${n}`, systemPrompt: 'You help.' })
  const first = (await post(served, 'resources/list', {})).body.result
  const second = (await post(served, 'resources/list', { cursor: first.nextCursor })).body.result
  t.match([first.resources.length, second.resources.length, second.nextCursor], [100, 2, undefined])
  t.match(await post(served, 'resources/list', { cursor: '../' }), { status: 400, body: { error: { code: -32602 } } })
})

t.test('what a tool asks is counted where the tool is called, once', async (t) => {
  // Was wrong: each tool call was counted at /mcp and again at the route it called.
  const served = await serving(t, { AGENTHALL_METRICS: 'open', AGENTHALL_RATE_LIMITS: '{"enterprise":40}' })
  const counts = async () => (await served.me.get('/metrics')).body.split('\n').filter((line) =>
    /^agenthall_http_requests_total.*(?:"\/mcp"|GET",route="\/v1\/agents")/.test(line))
  const before = await counts()
  for (let n = 0; n < 30; n++) {
    t.match(await post(served, 'tools/call', { name: 'list_agents', arguments: {} }), { status: 200, body: { result: { isError: undefined } } })
  }
  t.same(before, [])
  t.match(await counts(), [/"\/mcp",status="200"\} 30$/])
  t.equal((await counts()).length, 1)
})

t.test('assistants have the limits of their key', async (t) => {
  const served = await serving(t, { AGENTHALL_RATE_LIMITS: '{"enterprise":12}' })
  const statuses: number[] = []
  for (let n = 0; n < 14; n++) statuses.push((await post(served, 'ping', {})).status)
  t.equal(statuses.filter((status) => status === 429).length, 2)
  t.match((await post(served, 'tools/call', { name: 'list_agents', arguments: {} })).status, 429)
})

t.test('a resource that cannot be read now is not said to be none', async (t) => {
  const served = await serving(t)
  served.stores.knowledge.store.get = async () => { throw new Refusal('unavailable', 'The tables are away.') }
  const uri = `agenthall://agents/${served.agent}/sources/1`
  const { body } = await post(served, 'resources/read', { uri }, { 'mcp-name': uri })
  t.match(body.error, { message: /The tables are away/ })
})
