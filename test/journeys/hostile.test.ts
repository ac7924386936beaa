import { Agent, request, type RequestOptions } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { PassThrough } from 'node:stream'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { AgentPatch } from '../../schema/agents.ts'
import { answerBrokenRequest } from '../../src/platform/http/odd-requests.ts'
import { build, draft } from '../helper.ts'
import { edgesOf, leavesOf, nest } from '../shapes.ts'

const agent = new Agent({ keepAlive: true, maxSockets: 1 })
t.teardown(() => agent.destroy())

const JSON_TYPE = { 'content-type': 'application/json' }
/** Every route that takes a body. */
const WRITES = [['post', '/v1/agents'], ['put', '/v1/agents/1'], ['post', '/v1/api_keys']] as const

async function withAgent (t: Test, env: Record<string, string> = {}) {
  const built = await build(t, { AGENTHALL_RATE_LIMITS: '{"enterprise":0}', ...env })
  const as = await built.user()
  await as.post('/v1/agents', draft)
  const before = (await as.get('/v1/agents')).body
  const unchanged = async () => (await as.get('/v1/agents')).body === before
  return { ...built, as, unchanged }
}

// Planted fault: a parser for every content type ('*') that passes the text through.
t.test('500 content types: an invalid body is never accepted, a valid one only as application/json', async (t) => {
  const { as } = await withAgent(t)
  const spaces = fc.constantFrom('', ' ', '\t', '  ', '\u00a0', ' \t', '\v', ',', ';', ';;', '\u0000', '/', '"')
  const essence = fc.constantFrom(
    'application/json',
    'APPLICATION/JSON',
    'Application/Json',
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/json',
    'application/jsonx',
    'application/json5',
    'application/ld+json',
    'application/merge-patch+json',
    'application',
    'json',
    '*/*',
    'application/*',
    'text/html',
    'application/octet-stream',
    '',
    'a/b',
    'application/json/x'
  )
  const parameter = fc.constantFrom(
    '', ';', '; charset=utf-8', ';charset=utf-16', '; charset', ';=', '; a=b; a=c', ', text/plain',
    '; charset="utf-8', ' application/json', '; charset=latin1', ';\tx=y'
  )
  const types = fc.sample(
    fc.tuple(spaces, essence, spaces, parameter).map((parts) => parts.join('')), { numRuns: 500, seed: 6 }
  )
  const wrong: unknown[] = []
  await Promise.all(types.map(async (type) => {
    for (const [method, url] of WRITES) {
      const { statusCode } = await as[method](url, '{"name":1,"x":"y"}', { 'content-type': type })
      if (statusCode !== 400 && statusCode !== 415) wrong.push([method, url, type, statusCode])
    }
    const { statusCode } = await as.put('/v1/agents/1', '{"name":"ok"}', { 'content-type': type })
    const plain = type.split(';')[0]!.trim().toLowerCase() === 'application/json'
    if (statusCode !== 415 && !(statusCode === 200 && plain)) wrong.push(['valid', type, statusCode])
  }))
  t.strictSame(wrong.slice(0, 5), [])
  t.equal(
    (await as.put('/v1/agents/1', '{"name":"ok"}', { 'content-type': 'Application/JSON; charset=utf-8' })).statusCode,
    200
  )
  const refused = await as.post('/v1/agents', 'name=x', { 'content-type': 'application/x-www-form-urlencoded' })
  t.strictSame([refused.statusCode, refused.json().error.code], [415, 'unsupported_media_type'])
})

t.test('depth: 32 levels are read, 33 and a MiB of brackets are not, and cost nothing', async (t) => {
  const { as, unchanged } = await withAgent(t, {})
  const deep = (levels: number) => `{"id":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`
  t.equal((await as.put('/v1/agents/1', deep(32), JSON_TYPE)).statusCode, 200)
  const refused = await as.put('/v1/agents/1', deep(33), JSON_TYPE)
  t.strictSame(refused.json(), {
    error: {
      code: 'malformed_json',
      message: 'The body is not acceptable JSON: it is nested deeper than 32 levels.',
      status: 400,
      fields: {}
    }
  })
  t.equal(
    (await as.put('/v1/agents/1', `{"name":"${'['.repeat(100)}"}`, JSON_TYPE)).json().data.name,
    '['.repeat(100),
    'brackets in a text are no depth'
  )
  t.equal(
    (await as.put('/v1/agents/1', `{"name":"\\"${'{'.repeat(100)}\\\\"}`, JSON_TYPE)).statusCode,
    200,
    'nor behind an escaped quote'
  )
  await as.put('/v1/agents/1', { name: draft.name })
  const started = process.cpuUsage()
  for (let i = 0; i < 50; i++) t.equal((await as.put('/v1/agents/1', '['.repeat(200_000), JSON_TYPE)).statusCode, 400)
  t.ok(process.cpuUsage(started).user < 5_000_000, 'five seconds of processor time at most')
  t.equal((await as.put('/v1/agents/1', '['.repeat(2 ** 20), JSON_TYPE)).statusCode, 413)
  t.notOk(await unchanged(), 'the time of the last change moved')
})

t.test('key bombs are refused for their number of values, before they are parsed', async (t) => {
  const { as, unchanged } = await withAgent(t)
  const keys = `{${Array.from({ length: 20_000 }, (_none, i) => `"k${i}":0`).join()}}`
  for (const bomb of [keys, `{"id":[${'0,'.repeat(20_000)}0]}`, `{"behavior":${keys}}`]) {
    const answer = await as.put('/v1/agents/1', bomb, JSON_TYPE)
    t.match(answer.json().error, { code: 'malformed_json', message: /more than 10000 values/ })
  }
  t.equal((await as.put('/v1/agents/1', `{"${'k'.repeat(250_000)}":1}`, JSON_TYPE)).statusCode, 400)
  t.equal(
    (
      await as.put('/v1/agents/1', `{${Array.from({ length: 9000 }, (_none, i) => `"k${i}":0`).join()}}`, JSON_TYPE)
    ).json().error.details.length,
    20
  )
  t.ok(await unchanged())
})

// Planted fault (and once a real one): the check inside the parser's callback, where the field was lost.
t.test('a NUL or half a surrogate pair is refused in every text and every name, and the field is named', async (t) => {
  const { as, unchanged } = await withAgent(t)
  const texts = leavesOf(AgentPatch).filter(({ schema }) => ['string', 'array'].includes([schema.type].flat()[0]))
  const wrong: unknown[] = []
  await Promise.all(texts.flatMap(({ path, schema }) => ['\\u0000', '\\ud800', '\\udc00\\ud800'].map(async (bad) => {
    const list = [schema.type].flat()[0] === 'array'
    const answer = await as.put(
      '/v1/agents/1', JSON.stringify(nest(path, list ? ['ok', '?'] : '?')).replace('?', `x${bad}y`), JSON_TYPE
    )
    const field = path.join('.') + (list ? '[1]' : '')
    const message = `${field} holds a character that is not text (NUL or half of a surrogate pair).`
    if (
      answer.statusCode !== 400 ||
      JSON.stringify(answer.json().error.details) !== JSON.stringify([{ field, message }])
    ) { wrong.push([field, bad, answer.body]) }
  })))
  t.strictSame(wrong.slice(0, 3), [])
  t.ok(texts.length > 25)
  for (const body of ['{"na\\u0000me":"x"}', '{"behavior":{"\\ud800":1}}', '["\\u0000"]', '"\\u0000"']) {
    t.equal((await as.put('/v1/agents/1', body, JSON_TYPE)).statusCode, 400)
  }
  for (const body of ['{"name":"\\u0000"}']) t.equal((await as.post('/v1/api_keys', body, JSON_TYPE)).statusCode, 400)
  t.equal(
    (await as.put('/v1/agents/1', '{"name":"\\ud83d\\ude00 \\u00e9"}', JSON_TYPE)).json().data.name,
    '😀 é',
    'a whole pair is text'
  )
  t.notOk(await unchanged())
})

t.test('what would change the prototype of things is refused, wherever it stands', async (t) => {
  const { as, unchanged } = await withAgent(t)
  const pollutions = [
    '{"__proto__":{"polluted":1}}', '{"constructor":{"prototype":{"polluted":1}}}',
    '{"appearance":{"__proto__":{"polluted":1}}}', '{"behavior":{"guidelines":{"__proto__":[]}}}',
    '{"id":{"__proto__":{"polluted":1}}}', '{"knowledge_sources":[{"__proto__":{"polluted":1}}]}',
    '{"\\u005f_proto__":{"polluted":1}}', '{"__proto__":null}', '{"prototype":{"polluted":1}}',
    '{"id":{"constructor":{"prototype":{"polluted":1}}}}'
  ]
  for (const [method, url] of WRITES) {
    for (const body of pollutions) t.equal((await as[method](url, body, JSON_TYPE)).statusCode, 400, body)
  }
  for (const query of ['__proto__[polluted]=1', 'constructor[prototype][polluted]=1', '__proto__=1']) {
    t.equal((await as.get(`/v1/agents?${query}`)).statusCode, 400)
  }
  t.equal(({} as Record<string, unknown>).polluted, undefined)
  t.ok(await unchanged())
})

t.test('bytes that are no UTF-8, JSON that is none, and bodies that are empty are a 400', async (t) => {
  const { app, as, unchanged } = await withAgent(t)
  const send = async (payload: Buffer | string, headers = {}) =>
    await app.inject({
      method: 'PUT',
      url: '/v1/agents/1',
      headers: { authorization: `Api-Key ${as.key}`, ...JSON_TYPE, ...headers },
      payload
    })
  const texts = [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xe2, 0x82]].map((bytes) =>
    Buffer.concat([Buffer.from('{"name":"'), Buffer.from(bytes), Buffer.from('"}')])
  )
  for (const bytes of texts) t.match((await send(bytes)).json().error, { code: 'malformed_json', message: /not UTF-8/ })
  for (const text of [
    '{',
    '}',
    '{"name":}',
    "{'name':1}",
    '{"name":"a"}x',
    '{"name":"a"',
    'NaN',
    '{"name":"a\nb"}',
    '//',
    '{"a":1,}',
    '\0',
    ' '
  ]) { t.equal((await send(text)).json().error.code, 'malformed_json', text) }
  t.match((await as.post('/v1/agents', '', JSON_TYPE)).json().error, { code: 'malformed_json', message: /empty/ })
  t.equal((await as.post('/v1/agents')).statusCode, 400, 'no body at all')
  t.equal((await send('\ufeff{}')).statusCode, 200, 'a byte order mark is passed over')
  t.ok(await unchanged())
  t.equal(
    (await as.delete('/v1/agents/1', '', JSON_TYPE)).statusCode,
    200,
    'a deletion has no body, and needs none whatever it says'
  )
})

t.test('256 KiB is the edge of a body', async (t) => {
  const { as } = await withAgent(t)
  const sized = (bytes: number) => `{"name":"x"${' '.repeat(bytes - 12)}}`
  t.equal((await as.put('/v1/agents/1', sized(262_144), JSON_TYPE)).statusCode, 200)
  const refused = await as.put('/v1/agents/1', sized(262_145), JSON_TYPE)
  t.strictSame([refused.statusCode, refused.json().error.code], [413, 'payload_too_large'])
})

// Planted fault: a docs route of '/docs/*' that reads the path in the address.
t.test('300 ways of writing a path upwards reach nothing but what is there', async (t) => {
  const { app, as, unchanged } = await withAgent(t)
  const up = fc.constantFrom('..', '%2e%2e', '.%2e', '..%00', '%252e%252e', '..;', '....', '..%c0%af', '..\\')
  const slash = fc.constantFrom('/', '%2f', '%5c', '\\', '//', '%252f', '/./', '%00/')
  const base = fc.constantFrom(
    '/docs/', '/v1/agents/', '/v1/agents/1/', '/', '/docs/start.js/', '/openapi.json/', '/api/v1/', '/v1/api_keys/'
  )
  const goal = fc.constantFrom(
    'etc/passwd', 'package.json', 'src/main.ts', 'data/agenthall.db', '1', '', '.env', 'healthz2'
  )
  const paths = fc.sample(
    fc
      .tuple(base, fc.array(fc.tuple(up, slash), { minLength: 1, maxLength: 5 }), goal)
      .map(([start, steps, end]) => start + steps.flat().join('') + end),
    { numRuns: 300, seed: 7 }
  )
  // Over a real connection, because injected requests are normalised first.
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const wrong: unknown[] = []
  for (const path of paths) {
    for (const method of ['GET', 'DELETE']) {
      const { status, body } = await asked({ port, path, method, headers: { authorization: `Api-Key ${as.key}` } })
      if (![400, 404, 405].includes(status) || !body.startsWith('{"error":{')) {
        wrong.push([method, path, status, body.slice(0, 80)])
      }
    }
  }
  t.strictSame(wrong.slice(0, 5), [])
  t.ok(await unchanged())
})

/** Sends a request with an unmodified path. */
async function asked (options: RequestOptions): Promise<{ status: number, body: string }> {
  return await new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', agent, ...options }, (response) => {
      const chunks: Buffer[] = []
      response
        .on('data', (chunk) => chunks.push(chunk))
        .on('end', () => resolve({ status: response.statusCode!, body: Buffer.concat(chunks).toString() }))
    }).on('error', reject).end()
  })
}

t.test('200 headers grant nothing', async (t) => {
  const { user, withKey } = await withAgent(t)
  const stranger = await user()
  const parts = [
    'x-forwarded', 'x-original', 'x-internal', 'x-real', 'x-admin', 'x-user', 'x-auth', 'x-rewrite', 'x-request',
    'x-http', 'x-owner', 'x-tenant', 'x-debug', 'x-host', 'x-agenthall', 'x-api', 'x-token', 'x-role',
    'x-permissions', 'x-account'
  ]
  const ends = ['for', 'url', 'from', 'id', 'key', 'override', 'method', 'user', 'host', 'token']
  const names = parts
    .flatMap((part) => ends.map((end) => `${part}-${end}`))
    .concat(
      'cookie', 'x-http-method-override', 'x-request-from', 'forwarded', 'via', 'origin', 'referer', 'host',
      'proxy-authorization'
    )
  t.ok(names.length > 200)
  const values = { 'x-http-method-override': 'DELETE', cookie: 'key=1; session=admin', host: 'localhost' } as Record<
    string,
    string
  >
  const seen = new Set<string>()
  for (const name of names) {
    const headers = { [name]: values[name] ?? 'internal' }
    const [open, foreign, list] = await Promise.all([
      withKey(undefined).get('/v1/agents', undefined, headers),
      stranger.get('/v1/agents/1', undefined, headers),
      stranger.get('/v1/agents', undefined, headers)
    ])
    seen.add(
      JSON.stringify([
        open.statusCode,
        open.body,
        foreign.statusCode,
        foreign.body,
        list.body,
        Object.keys(open.headers),
        Object.keys(list.headers)
      ])
    )
  }
  t.equal(seen.size, 1, 'the answers are the same with every one of them')
  const [only] = [...seen].map((text) => JSON.parse(text))
  t.strictSame([only[0], only[2]], [401, 404])
  t.notMatch(JSON.stringify(only), 'access-control-', 'and no other origin is let in')
})

t.test('a slow pattern does not exist: every field answers to 100 KiB of anything at once', async (t) => {
  const { as } = await withAgent(t)
  let longest = 0
  for (const { path, schema } of leavesOf(AgentPatch).filter(({ schema }) => schema.pattern || schema.items?.pattern)) {
    for (const evil of [
      'a'.repeat(100_000),
      '@'.repeat(100_000),
      'a@' + 'a.'.repeat(50_000),
      'http://' + ' '.repeat(99_000),
      '{{name}}'.repeat(12_000) + '{',
      ' '.repeat(100_000),
      '!' + ' '.repeat(99_999)
    ]) {
      const started = process.cpuUsage()
      await as.put('/v1/agents/1', nest(path, schema.items ? [evil] : evil))
      longest = Math.max(longest, process.cpuUsage(started).user / 1000)
    }
  }
  t.ok(longest < 500, `${longest} ms of processor time`)
  t.ok(edgesOf(AgentPatch.properties.name).length > 5)
})

/** A server's response to these bytes, until it hangs up. */
async function raw (port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write(bytes, 'latin1')
  const timer = setTimeout(() => socket.destroy(), 3000)
  let answer = ''
  socket.setEncoding('utf8').on('data', (text: string) => { answer += text })
  await new Promise((resolve) => socket.on('close', resolve))
  clearTimeout(timer)
  return answer
}

t.test('what is not HTTP gets an error in our shape, and no second request is smuggled in', async (t) => {
  const { app, as, unchanged } = await withAgent(t)
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const post = `POST /v1/agents HTTP/1.1\r\nHost: x\r\nAuthorization: Api-Key ${as.key}\r\nContent-Type: application/json\r\n`
  const hidden = `DELETE /v1/agents/1 HTTP/1.1\r\nHost: x\r\nAuthorization: Api-Key ${as.key}\r\n\r\n`
  const garbage = [
    'x\r\n\r\n',
    '\0\0\0\0\r\n\r\n',
    'GET\r\n\r\n',
    'GET / HTTP/9.9\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: x\r\nBad Header: y\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: x\r\nA: \x01\r\n\r\n',
    '\x16\x03\x01\x02\x00\x01\x00\x01\xfc',
    'GET /\xff\0 HTTP/1.1\r\n\r\n',
    '{"json":1}\r\n\r\n',
    `${post}Content-Length: 5\r\nContent-Length: 6\r\n\r\n{"a":1}${hidden}`,
    `${post}Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`,
    `${post}Transfer-Encoding: chunked\r\nContent-Length: 6\r\n\r\n0\r\n\r\n${hidden}`,
    `${post}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${hidden}`,
    `${post}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${hidden}`,
    `${post}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${hidden}`,
    `${post}Content-Length: -1\r\n\r\n${hidden}`,
    `${post}Content-Length: +6\r\n\r\n{}${hidden}`,
    `${post}Content-Length: 0x6\r\n\r\n{}${hidden}`,
    `${post}Content-Length: 6, 6\r\n\r\n{}${hidden}`,
    `${post}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n${hidden}`,
    `${post}Transfer-Encoding: chunked\r\n\r\n2\n{}\n0\n\n${hidden}`,
    `${post}\tTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`,
    `${post}Content-Length: 2\r\n folded\r\n\r\n{}${hidden}`
  ]
  const answers = await Promise.all(garbage.map((bytes) => raw(port, bytes)))
  for (const [i, answer] of answers.entries()) {
    const [head, body] = answer.split('\r\n\r\n')
    t.match(head, /^HTTP\/1\.1 40\d /, JSON.stringify(garbage[i]!.slice(0, 200)))
    t.match(JSON.parse(body!), { error: { code: String, message: String } })
    t.equal(answer.split('HTTP/1.1 ').length, 2, 'one answer and no more')
  }
  const large = await raw(port, `GET / HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(20_000)}\r\n\r\n`)
  t.match(large, /^HTTP\/1\.1 431 Request Header Fields Too Large\r\n[^]*"payload_too_large"/)
  t.ok(await unchanged(), 'nothing hidden was done')
})

t.test('a request that does not arrive in time is told so, and a connection that is gone is let go', async (t) => {
  const socket = () => Object.assign(new PassThrough(), { destroyed: false })
  const slow = socket()
  answerBrokenRequest(Object.assign(new Error('x'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), slow as never)
  t.match(String(slow.read()), /^HTTP\/1\.1 408 Request Timeout\r\n[^]*"unavailable"/)
  const gone = socket()
  answerBrokenRequest(Object.assign(new Error('x'), { code: 'ECONNRESET' }), gone as never)
  t.strictSame([gone.read(), gone.destroyed], [null, true])
})
