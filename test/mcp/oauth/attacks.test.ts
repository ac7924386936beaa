import { hash, randomBytes } from 'node:crypto'
import fc from 'fast-check'
import t from 'tap'
import { clientIn, wrongId } from '../../../src/mcp/oauth/client.ts'
import { mayReturnTo, readAsked, returnAddress } from '../../../src/mcp/oauth/request.ts'
import { asking, CALLBACK } from './helper.ts'

/* What RFC 9700 and OAuth 2.1 require to withstand, each as an attacker would try it. */

t.test('a code that comes a second time is refused, and what came of it the first time is void', async (t) => {
  const { codeOf, exchange, refresh, ping, me } = await asking(t)
  const code = await codeOf()
  const tokens = await exchange(code)
  t.equal(await ping(tokens.access_token), 200)
  t.match(await exchange(code), { status: 400, error: 'invalid_grant' })
  t.equal(await ping(tokens.access_token), 401)
  t.match(await refresh(tokens.refresh_token), { error: 'invalid_grant' })
  const [event] = (await me.get('/v1/audit')).json().data
  t.match(event, { action: 'revokeStolenAssistantKey', target: /^api_keys\// })
})

t.test('of two who exchange a code at once one gets tokens, and they are void', async (t) => {
  const { codeOf, exchange, ping } = await asking(t)
  const code = await codeOf()
  const both = await Promise.all([exchange(code), exchange(code)])
  t.strictSame(both.map(({ status }) => status).sort(), [200, 400])
  t.equal(await ping(both.find(({ status }) => status === 200)!.access_token), 401)
})

t.test('a code without what began it, for another client, address or resource, or after a minute, gives nothing', async (t) => {
  const { codeOf, exchange, clock, ping } = await asking(t)
  const code = await codeOf()
  for (const [other, error] of [
    [{ code_verifier: randomBytes(32).toString('base64url') }, 'invalid_grant'],
    [{ code_verifier: undefined }, 'invalid_grant'],
    [{ code_verifier: 'short' }, 'invalid_grant'],
    [{ redirect_uri: 'https://assistant.example/other' }, 'invalid_grant'],
    [{ redirect_uri: undefined }, 'invalid_grant'],
    [{ client_id: 'https://evil.example/client.json' }, 'invalid_grant'],
    [{ client_id: undefined }, 'invalid_request'],
    [{ resource: 'https://another.example/mcp' }, 'invalid_target'],
    [{ grant_type: 'password' }, 'unsupported_grant_type'],
    [{ client_secret: 'x' }, 'invalid_client']
  ] as const) {
    const refused = await exchange(code, other)
    t.match(refused, { status: 400, error, access_token: undefined }, JSON.stringify(other))
    t.equal(refused.headers['cache-control'], 'no-store')
  }
  t.match(await exchange(code, {}, { authorization: 'Basic eDp4' }), { error: 'invalid_client' })
  const tokens = await exchange(code)
  t.equal(await ping(tokens.access_token), 200, 'whoever guesses voids nothing')
  t.match(tokens.headers, { 'cache-control': 'no-store', pragma: 'no-cache' })
  const late = await codeOf()
  clock.advance(60_001)
  t.match(await exchange(late), { status: 400, error: 'invalid_grant' })
})

t.test('a token for others that comes a second time voids all, whoever has the newest', async (t) => {
  const { connected, refresh, ping, me } = await asking(t)
  const first = await connected()
  const second = await refresh(first.refresh_token)
  t.equal(await ping(first.access_token), 401, 'the next takes the place of the one before')
  t.equal(await ping(second.access_token), 200)
  t.match(await refresh(second.refresh_token, { client_id: 'https://evil.example/client.json' }), { error: 'invalid_grant' })
  t.match(await refresh(second.refresh_token, { resource: 'https://another.example/' }), { error: 'invalid_target' })
  t.equal(await ping(second.access_token), 200)
  t.match(await refresh(first.refresh_token), { status: 400, error: 'invalid_grant' })
  t.equal(await ping(second.access_token), 401)
  t.match(await refresh(second.refresh_token), { error: 'invalid_grant' })
  t.match((await me.get('/v1/audit')).json().data[0], { action: 'revokeStolenAssistantKey' })
})

t.test('a token that is given back is void with all that came with it', async (t) => {
  const { connected, form, ping, refresh } = await asking(t)
  for (const which of ['access_token', 'refresh_token'] as const) {
    const tokens = await connected()
    t.equal((await form('/oauth/revoke', { token: tokens[which] })).status, 200)
    t.equal(await ping(tokens.access_token), 401)
    t.match(await refresh(tokens.refresh_token), { error: 'invalid_grant' })
  }
})

t.test('a key of a program is no token of an assistant: it cannot be given back by whoever finds it', async (t) => {
  const { form, me } = await asking(t)
  await form('/oauth/revoke', { token: me.key! })
  t.equal((await me.get('/v1/agents')).statusCode, 200)
})

t.test('nobody is sent to an address that the assistant does not name; a fault is told, and followed by a click alone', async (t) => {
  const { look, allow, app, queryWith, base } = await asking(t)
  for (const other of [
    { redirect_uri: 'https://evil.example/callback' }, { redirect_uri: `${CALLBACK}/..` }, { redirect_uri: `${CALLBACK}?x=1` },
    { redirect_uri: 'https://assistant.example@evil.example/callback' }, { redirect_uri: 'http://assistant.example/callback' },
    { redirect_uri: 'javascript:alert(1)' }, { redirect_uri: `${CALLBACK}#x` }, { redirect_uri: undefined }, { client_id: undefined }
  ]) {
    for (const ask of [look, allow]) {
      const refused = await ask(other)
      t.ok(refused.statusCode === 409 || refused.statusCode === 400, JSON.stringify(other))
      t.notMatch(refused.body, /redirect_to|refuse_at/)
    }
  }
  const begun = await app.inject({ url: `/oauth/authorize?${queryWith({ redirect_uri: 'https://evil.example/' })}` })
  t.match([begun.statusCode, begun.headers.location], [302, /^\/console\/#\/assistant\?/], 'the first address follows nothing')
  t.match(begun.headers, { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
  for (const [other, error] of [
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ response_type: undefined }, 'invalid_request'],
    [{ response_mode: 'fragment' }, 'invalid_request'],
    [{ code_challenge: undefined }, 'invalid_request'],
    [{ code_challenge_method: 'plain' }, 'invalid_request'],
    [{ code_challenge_method: undefined }, 'invalid_request'],
    [{ code_challenge: 'short' }, 'invalid_request'],
    [{ resource: 'https://another.example/mcp' }, 'invalid_target'],
    [{ request_uri: 'https://evil.example/' }, 'request_uri_not_supported']
  ] as const) {
    const { problem, refuse_at: back } = (await look(other)).json().data
    t.ok(problem)
    t.match(Object.fromEntries(new URL(back).searchParams), { error, state: 'its state', iss: base }, JSON.stringify(other))
    t.equal((await allow(other)).statusCode, 400)
  }
  t.match(Object.fromEntries(new URL((await look()).json().data.refuse_at).searchParams), { error: 'access_denied', iss: base })
})

t.test('something that is said twice is not read as either', async (t) => {
  const { session, queryWith, exchange, codeOf, app, verifier, assistant } = await asking(t)
  for (const more of ['redirect_uri=https%3A%2F%2Fevil.example', 'state=x', 'code_challenge=y', 'client_id=z']) {
    t.equal((await session.post('/v1/assistants/look', { query: `${queryWith()}&${more}` })).statusCode, 400)
  }
  const code = await codeOf()
  const twice = await app.inject({
    method: 'POST',
    url: '/oauth/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: `grant_type=authorization_code&code=x&code=${code}&client_id=${encodeURIComponent(assistant.client)}&code_verifier=${verifier}`
  })
  t.match(twice.json(), { error: 'invalid_request' })
  t.equal((await exchange(code)).status, 200)
})

t.test('a page of another site can have nobody let in, nor frame where somebody is asked', async (t) => {
  const { app, session, queryWith } = await asking(t)
  const payload = { query: queryWith(), permissions: ['VIEW_ANALYTICS'] }
  for (const headers of [
    { cookie: session.cookie, 'sec-fetch-site': 'cross-site' }, { cookie: session.cookie, 'sec-fetch-site': 'same-site' },
    { cookie: session.cookie, origin: 'https://evil.example' }, { cookie: session.cookie }
  ]) {
    const answer = await app.inject({ method: 'POST', url: '/v1/assistants', headers, payload })
    t.equal(answer.statusCode, 401, JSON.stringify(headers))
  }
  const asForm = await app.inject({
    method: 'POST',
    url: '/v1/assistants',
    headers: { cookie: session.cookie, 'sec-fetch-site': 'same-origin', 'content-type': 'application/x-www-form-urlencoded' },
    payload: 'query=x'
  })
  t.equal(asForm.statusCode, 415)
  for (const url of ['/console/', `/oauth/authorize?${queryWith()}`]) {
    t.match((await app.inject({ url })).headers['content-security-policy'], /frame-ancestors 'none'/, url)
  }
  const allowed = await session.post('/v1/assistants', payload)
  t.equal(allowed.headers['access-control-allow-origin'], undefined)
})

t.test('the answer names who gives it, so that it is taken to nobody else', async (t) => {
  const { allow, base } = await asking(t)
  const back = new URL((await allow()).json().data.redirect_to)
  t.match(Object.fromEntries(back.searchParams), { code: /^[\w-]{43}$/, state: 'its state', iss: base })
  t.equal(back.origin + back.pathname, CALLBACK)
})

t.test('an assistant on the same computer is told at any port of it, and at no other address', async (t) => {
  const { codeOf, exchange } = await asking(t)
  const redirect = 'http://127.0.0.1:51234/back'
  const tokens = await exchange(await codeOf({ redirect_uri: redirect }), { redirect_uri: redirect })
  t.equal(tokens.status, 200)
  t.match(await exchange(await codeOf({ redirect_uri: redirect }), { redirect_uri: 'http://127.0.0.1:51235/back' }), { error: 'invalid_grant' })
  const named = ['http://127.0.0.1/back', 'http://localhost:3000/cb', 'http://[::1]/x?y=1', 'https://a.example:444/cb']
  for (const [address, may] of [
    ['http://127.0.0.1:9/back', true], ['http://127.0.0.1/back', true], ['http://localhost:9/cb', true], ['http://localhost/cb', true],
    ['http://[::1]:80/x?y=1', true], ['https://a.example:444/cb', true],
    ['http://127.0.0.1:9/other', false], ['http://127.0.0.2/back', false], ['http://localhost.evil.example/cb', false],
    ['http://localhost:9@evil.example/cb', false], ['http://127.0.0.1:9/back#x', false], ['https://127.0.0.1/back', false],
    ['https://a.example/cb', false], ['https://a.example:445/cb', false], ['http://localhost:99999/cb', false], ['http://[::1]/x', false],
    ['http://127.0.0.1:/back/../other', false], ['agent://callback', false]
  ] as const) t.equal(mayReturnTo(address, [...named, 'agent://callback']), may, address)
  fc.assert(fc.property(fc.webUrl({ withQueryParameters: true }), fc.webUrl(), (address, other) => {
    return mayReturnTo(address, [other]) === (address === other && address.startsWith('https:'))
  }))
  fc.assert(fc.property(fc.string(), fc.string(), (client, more) => {
    readAsked(`client_id=${encodeURIComponent(client)}&${more}`, 'https://a.example/mcp')
    return new URL(returnAddress({ redirectUri: CALLBACK, state: more }, 'https://a.example', { code: client })).origin === 'https://assistant.example'
  }))
})

t.test('who an assistant is says its own address alone, over the way out', async (t) => {
  const { look, assistant, clock, queryWith, session } = await asking(t)
  const refused = async (change: () => void, why: RegExp) => {
    clock.advance(600_001)
    change()
    const { statusCode, body } = await look()
    t.match([statusCode, JSON.parse(body).error?.code, JSON.parse(body).error?.message], [409, 'assistant_unknown', why])
  }
  const { document, answer } = assistant
  await refused(() => { document['client_id'] = 'https://another.example/client.json' }, /describes another one/)
  delete document['client_id']
  await refused(() => { document['token_endpoint_auth_method'] = 'client_secret_basic' }, /its way to authenticate/)
  delete document['token_endpoint_auth_method']
  const { redirect_uris: uris } = document
  await refused(() => { document['redirect_uris'] = 'x' }, /redirect_uris/)
  document['redirect_uris'] = uris
  await refused(() => { answer.type = 'text/html' }, /not answer with JSON/)
  answer.type = 'application/json'
  await refused(() => { answer.status = 302 }, /answered 302/)
  await refused(() => { answer.status = 404 }, /answered 404/)
  answer.status = 200
  await refused(() => { document['more'] = 'x'.repeat(20_000) }, /is not known who/)
  delete document['more']
  document['client_name'] = '\u202eBank of\n\u0000Ada'
  clock.advance(600_001)
  t.equal((await look()).json().data.name, 'Bank of Ada', 'its name is one line that turns nothing round')
  const before = assistant.asked.length
  await look()
  t.equal(assistant.asked.length, before, 'it is asked once in a while')
  for (const client of [
    'http://127.0.0.1:9/client.json', 'http://169.254.169.254/latest', 'https://localhost/client.json', 'https://[::1]/c', 'ftp://a.example/c'
  ]) {
    const { statusCode, body } = await session.post('/v1/assistants/look', { query: queryWith({ client_id: client }) })
    t.match([statusCode, JSON.parse(body).error.code], [409, 'assistant_unknown'], client)
  }
  const never = () => false
  for (const id of ['https://a.example', 'https://a.example/', 'http://a.example/c', 'https://a.example/c#x', 'https://u@a.example/c',
    'https://a.example/x/../c', 'HTTPS://a.example/c', 'nothing']) t.ok(wrongId(id, never), id)
  t.equal(wrongId('https://a.example/c?x=1', never), undefined)
  for (const text of ['', 'null', '[]', '{"client_id":']) t.throws(() => clientIn('https://a.example/c', text), { code: 'assistant_unknown' })
})

t.test('whoever guesses codes is held up, and a whole session of guesses opens nothing', async (t) => {
  const { exchange, codeOf } = await asking(t, { AGENTHALL_AUTH_FAILURES: '5' })
  const code = await codeOf()
  const statuses: number[] = []
  for (let n = 0; n < 8; n++) statuses.push((await exchange(hash('sha256', `${n}`, 'base64url'))).status)
  t.strictSame(statuses, [400, 400, 400, 400, 400, 429, 429, 429])
  t.match(await exchange('x'), { status: 429, error: 'temporarily_unavailable' })
  t.equal((await exchange(code)).status, 200, 'who has a right one still gets in')
})
