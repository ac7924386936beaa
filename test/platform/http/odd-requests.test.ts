import type { AddressInfo } from 'node:net'
import net from 'node:net'
import t from 'tap'
import { build, draft } from '../../helper.ts'
import { agentOf, form } from '../../sources/parts.ts'

/** A server's response to these bytes before it closes. */
function send (port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = net.connect({ port, host: '127.0.0.1' })
    let told = ''
    socket.on('data', (bytes) => { told += bytes })
    socket.once('close', () => resolve(told))
    socket.write(text.replaceAll('\n', '\r\n'))
  })
}

// Was wrong with Node's own responses: an empty 400, an empty 417, and a connection that was just closed.
t.test('CONNECT, a request without Host or with two, and an unknown Expect are answered in the shape of all errors', async (t) => {
  const { app } = await build(t)
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const cases: Array<[string, number, string]> = [
    ['CONNECT example.com:443 HTTP/1.1\nHost: example.com\n\n', 405, 'method_not_allowed'],
    ['GET /healthz HTTP/1.1\nConnection: close\n\n', 400, 'malformed_json'],
    // Was wrong: the first of them counted.
    ['GET /healthz HTTP/1.1\nHost: localhost\nhost: evil.example\nConnection: close\n\n', 400, 'malformed_json'],
    ['POST /v1/agents HTTP/1.1\nHost: x\nExpect: a-miracle\nContent-Length: 2\n\n{}', 417, 'expectation_failed'],
    ['nonsense\n\n', 400, 'malformed_json']
  ]
  for (const [text, status, code] of cases) {
    const [head = '', body = ''] = (await send(port, text)).split('\r\n\r\n')
    t.match(head, new RegExp(`^HTTP/1.1 ${status} `), text)
    t.match(head.toLowerCase(), 'x-content-type-options: nosniff')
    t.match(JSON.parse(body), { error: { code, status, message: /\.$/, fields: {} } })
  }
  t.match(await send(port, 'GET /healthz HTTP/1.0\n\n'), /^HTTP\/1.1 200 /, 'HTTP/1.0 has none')
  t.match((await app.inject('/metrics')).body, 'agenthall_refusals_total{code="expectation_failed"} 1')
})

t.test('JSON is never taken for anything else, and an answer with a secret is kept nowhere', async (t) => {
  const { user, app } = await build(t)
  const as = await user()
  for (const answer of [
    await as.get('/v1/agents'),
    await as.get('/v1/nothing'),
    await as.post('/v1/agents', draft),
    await app.inject('/v1/me'),
    await app.inject('/v1/%')
  ]) {
    t.equal(answer.headers['x-content-type-options'], 'nosniff')
  }
  const made = await as.post('/v1/api_keys', { name: 'x' })
  t.equal(made.headers['cache-control'], 'no-store')
  t.equal((await as.get('/v1/api_keys')).headers['cache-control'], undefined)
})

// Was wrong when only the address of the connection counted: a page whose name leads to 127.0.0.1 read them.
t.test('a page of another site that makes its name lead to this machine gets no metrics', async (t) => {
  const { app } = await build(t)
  const status = async (host: string) => (await app.inject({ url: '/metrics', headers: { host } })).statusCode
  for (const host of ['localhost', 'localhost:8080', '127.0.0.1:8080', '[::1]:8080', 'LOCALHOST']) {
    t.equal(await status(host), 200, host)
  }
  for (const host of ['evil.example', 'evil.example:8080', 'localhost.evil.example', '127.0.0.1.evil.example']) {
    t.equal(await status(host), 404, host)
  }
  const open = await build(t, { AGENTHALL_METRICS: 'open' }, { directory: t.testdir({}) })
  t.equal((await open.app.inject({ url: '/metrics', headers: { host: 'agenthall.internal:8080' } })).statusCode, 200)
})

t.test('the address of a picture is one that cannot run anything', async (t) => {
  const { user } = await build(t)
  const as = await user()
  await as.post('/v1/agents', draft)
  const put = async (src: string) => (await as.put('/v1/agents/1', { appearance: { avatar: { src } } }))
  for (const src of [
    '',
    'https://example.com/a.png',
    'HTTP://example.com/a?b=c',
    '/pictures/ä.png',
    'a.png',
    '../a.png',
    'data:image/png;base64,iVBORw0KGgo='
  ]) { t.equal((await put(src)).statusCode, 200, src) }
  for (const src of [
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'java\tscript:alert(1)',
    ' javascript:alert(1)',
    '\u0001javascript:alert(1)',
    'vbscript:x',
    'data:text/html,<script>',
    'data:image/svg+xml;base64,PHN2Zz4=',
    'file:///etc/passwd',
    '//evil.example/a.png',
    'https://a b'
  ]) {
    t.match(
      (await put(src)).json(),
      { error: { code: 'VALIDATION_ERROR', details: [{ field: 'appearance.avatar.src' }] } },
      src
    )
  }
})

// Was wrong when comparing it with the known names took seconds, and the message repeated all of it twice.
t.test('a name over 256 characters is refused unread, and no message repeats more than 100 characters of what was sent', async (t) => {
  const { user } = await build(t)
  const as = await user()
  await as.post('/v1/agents', draft)
  const { sources } = await agentOf(as)
  const json = { 'content-type': 'application/json' }
  for (const name of ['n'.repeat(257), 'é'.repeat(257), '\\u00e9'.repeat(257), 'n'.repeat(60_000)]) {
    t.match((await as.put('/v1/agents/1', `{"${name}" : 1}`, json)).json(), {
      error: {
        code: 'malformed_json',
        message: 'The body is not acceptable JSON: a name in it is longer than 256 characters.'
      }
    })
  }
  for (const body of [
    `{"${'n'.repeat(60_000_000)}":1}`, `{"plain_text":"${'t'.repeat(300_000)}","${'\\u00e9'.repeat(400)}":1}`
  ]) {
    const answer = await as.post(sources, body, json)
    t.match(answer.json(), { error: { code: 'malformed_json', message: /longer than 256/ } })
  }
  t.equal(
    (await as.put('/v1/agents/1', `{"name":"${'\\u00e9'.repeat(200)}"}`, json)).statusCode, 200, 'a text is no name'
  )
  const long = 'x'.repeat(256)
  const answers = [
    await as.put('/v1/agents/1', { [long]: 1 }),
    await as.put('/v1/agents/1', `{"${long}":"\\u0000"}`, json),
    await as.put('/v1/agents/1', { behavior: { [long]: { [long]: 1 } } }),
    await as.get(`/v1/agents?${'x'.repeat(8000)}=1`),
    await as.post(sources, ...form({ name: long, body: 'x' })),
    await as.post(sources, ...form({ name: long, file: 'a', body: 'x' }))
  ]
  for (const answer of answers) {
    t.equal(answer.statusCode, 400)
    t.match(answer.body, 'x'.repeat(50))
    t.notMatch(answer.body, 'x'.repeat(101))
  }
})

// Was wrong when it was called "undefined".
t.test('a part of a form without a name is refused for that', async (t) => {
  const { user } = await build(t)
  const as = await user()
  const { sources } = await agentOf(as)
  const headers = { 'content-type': 'multipart/form-data; boundary=b' }
  for (const disposition of [
    'form-data; filename="a.txt"', 'form-data; name=""; filename="a.txt"', 'form-data; name=""'
  ]) {
    const body = `--b\r\nContent-Disposition: ${disposition}\r\n\r\nhello\r\n--b--\r\n`
    for (const url of [sources, `${sources}/preview`]) {
      t.match(
        (await as.post(url, body, headers)).json(),
        { error: { code: 'VALIDATION_ERROR', details: [{ field: 'body', message: /without a name/ }] } },
        disposition
      )
    }
  }
})

// Was wrong when these three ignored it.
t.test('an Idempotency-Key holds for training, preview and search too', async (t) => {
  const { user, stores, settled } = await build(t)
  const as = await user()
  const { sources, at } = await agentOf(as)
  const { id } = [(await as.post(sources, { plain_text: 'Returns within 30 days.' })).json().data].flat()[0]
  await settled()
  const once = { 'idempotency-key': 'k' }
  const cases: Array<[string, unknown, unknown]> = [
    [`${sources}/${id}/train`, undefined, undefined],
    [`${sources}/preview`, { plain_text: 'abc' }, { plain_text: 'abcd' }],
    [`${at}/search`, { query: 'returns' }, { query: 'days' }]
  ]
  for (const [url, body, other] of cases) {
    const first = await as.post(url, body, once)
    t.ok(first.statusCode < 300, first.body)
    t.equal(first.headers['idempotency-replayed'], undefined)
    await settled()
    const again = await as.post(url, body, once)
    t.equal(again.headers['idempotency-replayed'], 'true', url)
    t.equal(again.body, first.body)
    if (other) t.equal((await as.post(url, other, once)).json().error.code, 'idempotency_mismatch')
  }
  t.equal(
    stores.db.raw.prepare("select count(*) from jobs where kind = 'train'").pluck().get(),
    0,
    'the repeat began no training'
  )
  const file = (text: string) => form({ name: 'file', file: 'a.txt', body: text })
  const preview = async (text: string) => {
    const [body, headers] = file(text)
    return await as.post(`${sources}/preview`, body, { ...headers, 'idempotency-key': 'f' })
  }
  t.equal((await preview('one')).statusCode, 200)
  t.equal((await preview('one')).headers['idempotency-replayed'], 'true')
  t.equal((await preview('two')).json().error.code, 'idempotency_mismatch')
})

t.test('a long answer of a search is not kept for its Idempotency-Key, and the key still stands for one request only', async (t) => {
  const { user, settled } = await build(t)
  const as = await user()
  const { sources, at } = await agentOf(as)
  for (let i = 0; i < 20; i++) {
    await as.post(sources, { plain_text: `Returns ${i}. ${'within thirty days of delivery '.repeat(40)}` })
  }
  await settled()
  const ask = (query: string) => as.post(`${at}/search`, { query, limit: 50 }, { 'idempotency-key': 'k' })
  t.ok((await ask('returns')).body.length > 20_000)
  const again = await ask('returns')
  t.equal(again.statusCode, 200)
  t.equal(again.headers['idempotency-replayed'], undefined)
  t.equal((await ask('days')).statusCode, 422)
})

// Was wrong with either left out: Node's own default is 60 s, and none at all.
t.test('the production server waits 10 s for the headers of a request and 20 s on a silent connection, and looks every second', async (t) => {
  const { app } = await build(t)
  const { headersTimeout, timeout, requestTimeout, keepAliveTimeout } = app.server
  t.strictSame(
    { headersTimeout, timeout, requestTimeout, keepAliveTimeout },
    { headersTimeout: 10_000, timeout: 20_000, requestTimeout: 600_000, keepAliveTimeout: 5000 }
  )
})
