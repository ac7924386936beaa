import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import t from 'tap'
import { joined } from '../../access/people.ts'
import { asking, CALLBACK } from './helper.ts'

t.test("the protocol's own client finds the way in, is let in, and fetches tokens anew", async (t) => {
  const asked = await asking(t)
  const { base, session, assistant, stores, clock } = asked
  const kept: { led?: URL, verifier?: string, tokens?: any, information?: any } = {}
  const provider = {
    redirectUrl: CALLBACK,
    clientMetadata: { client_name: 'Helpful', redirect_uris: [CALLBACK] },
    clientInformation: () => ({ client_id: assistant.client, issuer: base }),
    state: () => 'its state',
    tokens: () => kept.tokens,
    saveTokens: (tokens: unknown) => { kept.tokens = tokens },
    redirectToAuthorization: (url: URL) => { kept.led = url },
    saveCodeVerifier: (verifier: string) => { kept.verifier = verifier },
    codeVerifier: () => kept.verifier!
  }
  const client = () => new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } } as never)
  const transport = new StreamableHTTPClientTransport(new URL(`${base}/mcp`), { authProvider: provider as never })
  await t.rejects(client().connect(transport), { name: /Unauthorized/ })
  t.match(kept.led!.href, `${base}/oauth/authorize?`)
  t.equal(kept.led!.searchParams.get('resource'), `${base}/mcp`)
  t.equal(kept.led!.searchParams.get('code_challenge_method'), 'S256')
  const query = kept.led!.search.slice(1)
  t.match((await session.post('/v1/assistants/look', { query })).json().data, {
    name: 'Helpful', host: assistant.host, returns_to: 'assistant.example', problem: null
  })
  const { redirect_to: back } = (await session.post('/v1/assistants', { query, permissions: ['VIEW_ANALYTICS'] })).json().data
  await t.rejects(
    transport.finishAuth(new URLSearchParams({ code: 'x', state: 'its state', iss: 'https://another.example' })), { name: /IssuerMismatch/ }
  )
  await transport.finishAuth(new URL(back).searchParams)
  const first = kept.tokens
  t.match(first, { token_type: 'Bearer', expires_in: 3600, scope: 'VIEW_ANALYTICS', refresh_token: /^agr_/ })
  const letIn = async () => {
    const one = client()
    await one.connect(new StreamableHTTPClientTransport(new URL(`${base}/mcp`), { authProvider: provider as never }))
    t.teardown(async () => await one.close())
    return (await one.listTools()).tools.map(({ name }: { name: string }) => name)
  }
  t.ok((await letIn()).includes('get_figures'))
  t.notOk((await letIn()).includes('publish_agent'), 'what was not allowed is not shown')
  clock.advance(3_600_001)
  t.ok((await letIn()).includes('get_figures'), 'a token that is over is fetched anew')
  t.not(kept.tokens.access_token, first.access_token)
  t.not(kept.tokens.refresh_token, first.refresh_token)
  t.equal(stores.db.raw.prepare("select count(*) from api_keys where via = 'oauth'").pluck().get(), 1, 'it stays one key')
})

t.test('how assistants are let in is told where they look, and to whoever comes without a key', async (t) => {
  const { app, base, form } = await asking(t)
  for (const url of ['/.well-known/oauth-protected-resource/mcp', '/.well-known/oauth-protected-resource']) {
    const said = await app.inject({ url, headers: { origin: 'https://assistant.example' } })
    t.match(said.json(), { resource: `${base}/mcp`, authorization_servers: [base], bearer_methods_supported: ['header'] })
    t.equal(said.headers['access-control-allow-origin'], '*')
  }
  t.match((await app.inject({ url: '/.well-known/oauth-authorization-server' })).json(), {
    issuer: base,
    authorization_endpoint: `${base}/oauth/authorize`,
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    client_id_metadata_document_supported: true,
    authorization_response_iss_parameter_supported: true,
    registration_endpoint: undefined,
    scopes_supported: ['REPLY_CONVERSATION', 'MANAGE_AGENTS', 'MANAGE_KNOWLEDGE_BASE', 'VIEW_ANALYTICS']
  })
  const without = await app.inject({ method: 'POST', url: '/mcp', payload: {} })
  t.equal(without.statusCode, 401)
  t.equal(without.headers['www-authenticate'], `Bearer resource_metadata="${base}/.well-known/oauth-protected-resource/mcp"`)
  const wrong = await app.inject({ method: 'POST', url: '/mcp', payload: {}, headers: { authorization: 'Bearer x' } })
  t.match(wrong.headers['www-authenticate'], /^Bearer error="invalid_token", resource_metadata=/)
  t.equal((await app.inject({ url: '/v1/agents' })).headers['www-authenticate'], 'Api-Key, Bearer', 'elsewhere as before')
  t.equal((await form('/oauth/revoke', { token: 'agr_nothing' })).status, 200)
})

t.test('what asks is shown as whose it is, and what can be allowed is what tools need and whoever allows it has', async (t) => {
  const { look, allow, me, stores, withSession, user, queryWith, assistant } = await asking(t)
  t.match((await look()).json().data, {
    name: 'Helpful',
    host: assistant.host,
    returns_to: 'assistant.example',
    asked: ['MANAGE_AGENTS', 'VIEW_ANALYTICS'],
    offered: ['REPLY_CONVERSATION', 'MANAGE_AGENTS', 'MANAGE_KNOWLEDGE_BASE', 'VIEW_ANALYTICS'],
    problem: null
  })
  t.match((await look({ redirect_uri: 'http://127.0.0.1:51234/back' })).json().data, { returns_to: null })
  t.strictSame((await look({ scope: 'MANAGE_API_KEY offline_access' })).json().data.asked, [])
  t.equal((await allow({}, ['MANAGE_API_KEY'])).statusCode, 403, 'a key that makes keys would outlive this one')
  t.equal((await allow({}, [])).statusCode, 400)

  const other = await user({ name: 'Bea' })
  joined(stores, me.id, other.id, ['MANAGE_API_KEY', 'VIEW_ANALYTICS'])
  const theirs = await withSession(other.id, me.id)
  t.strictSame((await theirs.post('/v1/assistants/look', { query: queryWith() })).json().data.offered, ['VIEW_ANALYTICS'])
  const more = await theirs.post('/v1/assistants', { query: queryWith(), permissions: ['VIEW_ANALYTICS', 'MANAGE_AGENTS'] })
  t.match([more.statusCode, more.json().error.code], [403, 'permission_denied'])
  stores.db.raw.prepare('update members set permissions = ? where user_id = ?').run('["VIEW_ANALYTICS"]', other.id)
  stores.db.raw.prepare('update members set permissions = ? where user_id = ? and account_id = ?').run('["VIEW_ANALYTICS"]', other.id, me.id)
  const withoutKeys = await withSession(other.id, me.id)
  t.equal((await withoutKeys.post('/v1/assistants/look', { query: queryWith() })).statusCode, 403)
  t.equal((await me.post('/v1/assistants', { query: queryWith(), permissions: ['VIEW_ANALYTICS'] })).statusCode, 403, 'nor with a key')
})

t.test('an assistant is listed with its keys, seen in the audit log, and revoked', async (t) => {
  const { session, me, connected, ping, refresh, assistant } = await asking(t)
  const tokens = await connected()
  const [key] = (await session.get('/v1/api_keys')).json().data.filter(({ via }: { via: string }) => via === 'oauth')
  t.match(key, { name: 'Helpful', client: assistant.client, permissions: ['VIEW_ANALYTICS'], expires_at: /^2026-01-31/ })
  t.equal(key.token_until, undefined)
  t.equal(await ping(tokens.access_token), 200)
  await session.delete(`/v1/api_keys/${key.id}`)
  t.equal(await ping(tokens.access_token), 401)
  t.match(await refresh(tokens.refresh_token), { status: 400, error: 'invalid_grant' })
  const events = (await me.get('/v1/audit')).json().data.map(({ action, target }: Record<string, string>) => `${action} ${target}`)
  t.match(events, [`revokeApiKey api_keys/${key.id}`, `createAssistantKey api_keys/${key.id}`, /^allowAssistant assistants/])
})

t.test('what an assistant may do ends with what whoever let it in may do, and with its time', async (t) => {
  const { codeOf, exchange, refresh, ping, me, stores, user, withSession, queryWith, clock, app } = await asking(t)
  const other = await user({ name: 'Bea' })
  joined(stores, me.id, other.id, ['MANAGE_API_KEY', 'VIEW_ANALYTICS', 'MANAGE_AGENTS'])
  const theirs = await withSession(other.id, me.id)
  const { redirect_to: back } = (await theirs.post('/v1/assistants', { query: queryWith(), permissions: ['VIEW_ANALYTICS'] })).json().data
  const { access_token: token } = await exchange(new URL(back).searchParams.get('code')!)
  const tools = async () => (await app.inject({
    method: 'POST',
    url: '/mcp',
    headers: { authorization: `Bearer ${token}`, 'mcp-protocol-version': '2025-11-25' },
    payload: { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  })).json().result?.tools.map(({ name }: { name: string }) => name)
  t.ok((await tools()).includes('get_figures'))
  const { id: member } = (await me.get('/v1/members')).json().data.find(({ user }: { user: { id: number } }) =>
    user.id === other.id)
  await me.patch(`/v1/members/${member}`, { permissions: ['MANAGE_AGENTS'] })
  t.notOk((await tools()).includes('get_figures'))
  await me.delete(`/v1/members/${member}`)
  t.equal(await ping(token), 401, 'who has left has let nobody in')

  let tokens = await exchange(await codeOf({}, ['VIEW_ANALYTICS'], 1))
  clock.advance(3_599_000)
  t.equal(await ping(tokens.access_token), 200)
  clock.advance(2000)
  t.equal(await ping(tokens.access_token), 401)
  clock.advance(23 * 3_600_000 - 10 * 60_000)
  const last = await refresh(tokens.refresh_token)
  t.ok(last.expires_in < 600, 'a token is good for no longer than it was let in')
  tokens = last
  clock.advance(600_000)
  t.equal(await ping(tokens.access_token), 401)
  t.match(await refresh(tokens.refresh_token), { status: 400, error: 'invalid_grant', error_description: /let in again/ })
})

t.test('a token opens /mcp and nothing else', async (t) => {
  const { app, connected } = await asking(t)
  const { access_token: token } = await connected()
  for (const [method, url] of [['GET', '/v1/agents'], ['GET', '/v1/me'], ['POST', '/v1/api_keys'], ['GET', '/v1/events']] as const) {
    const answer = await app.inject({ method, url, headers: { authorization: `Bearer ${token}` } })
    t.match([answer.statusCode, answer.json().error.message], [403, /works only at \/mcp/], url)
  }
  const figures = await app.inject({
    method: 'POST',
    url: '/mcp',
    headers: { authorization: `Bearer ${token}`, 'mcp-protocol-version': '2025-11-25' },
    payload: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_figures', arguments: {} } }
  })
  t.match(figures.json().result, { structuredContent: { figures: {} } }, 'what a tool asks, it asks as before')
})
