import { generateKeyPairSync, verify } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import t from 'tap'
import type { Test } from 'tap'
import { googleDrive } from '../../src/crawling/drive.ts'
import { egress } from '../../src/platform/net/egress.ts'

const { publicKey, privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' }
})
const NOW = 1_795_000_000
const GOOGLE = 'application/vnd.google-apps'
const OFFICE = 'application/vnd.openxmlformats-officedocument'

/** Drive's contents, by id; `status` and `reason` are how it refuses. */
const FILES: Record<
  string,
  {
    name?: string
    mimeType?: string
    md5Checksum?: string
    modifiedTime?: string
    webViewLink?: string
    shortcutDetails?: object
    body?: string
    status?: number
    reason?: string
  }
> = {
  pdf_1: {
    name: 'Returns.pdf',
    mimeType: 'application/pdf',
    md5Checksum: 'abc',
    modifiedTime: '2026-11-20T10:00:00Z',
    webViewLink: 'https://drive.test/pdf_1',
    body: '%PDF-1.7 returns'
  },
  'doc-1': { name: 'Handbook', mimeType: `${GOOGLE}.document`, modifiedTime: '2026-11-20T11:00:00Z' },
  sheet: { name: 'Prices', mimeType: `${GOOGLE}.spreadsheet`, modifiedTime: '1' },
  slides: { name: 'Tour', mimeType: `${GOOGLE}.presentation`, modifiedTime: '1' },
  form: { name: 'Survey', mimeType: `${GOOGLE}.form`, modifiedTime: '1' },
  link: {
    name: 'To returns',
    mimeType: `${GOOGLE}.shortcut`,
    modifiedTime: '2',
    shortcutDetails: { targetId: 'pdf_1', targetMimeType: 'application/pdf' }
  },
  folder: { name: 'Shop', mimeType: `${GOOGLE}.folder`, modifiedTime: '1' },
  private: { status: 403, reason: 'insufficientFilePermissions' },
  limited: { status: 403, reason: 'userRateLimitExceeded' },
  busy: { status: 429 },
  down: { status: 503 },
  expired: { status: 401 },
  enormous: { status: 403, reason: 'exportSizeLimitExceeded' }
}

/**
 * A stand-in for Google: a token endpoint that verifies the signature with the public key, and the parts of Drive v3
 * that are used.
 */
async function google (t: Test) {
  const seen = {
    tokens: 0,
    claims: {} as Record<string, unknown>,
    queries: [] as string[],
    tokenAnswer: undefined as [number, string] | undefined,
    endless: false
  }
  const server = createServer(async (request, reply) => {
    const url = new URL(request.url ?? '', 'http://x')
    const json = (value: unknown, status = 200) =>
      reply.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    if (url.pathname === '/token') {
      const form = new URLSearchParams(await textOf(request))
      const [head = '', claims = '', signature = ''] = form.get('assertion')?.split('.') ?? []
      const good = verify(
        'RSA-SHA256', Buffer.from(`${head}.${claims}`), publicKey, Buffer.from(signature, 'base64url')
      )
      seen.claims = {
        ...JSON.parse(Buffer.from(head, 'base64url').toString()),
        ...JSON.parse(Buffer.from(claims, 'base64url').toString()),
        grant: form.get('grant_type')
      }
      if (seen.tokenAnswer) return reply.writeHead(seen.tokenAnswer[0]).end(seen.tokenAnswer[1])
      return good
        ? json({ access_token: `token-${++seen.tokens}`, expires_in: 3600 })
        : json({ error: 'invalid_grant' }, 400)
    }
    if (request.headers.authorization !== `Bearer token-${seen.tokens}`) return json({ error: {} }, 401)
    seen.queries.push(url.search)
    const [, , id, action] = url.pathname.split('/')
    if (id === undefined) return list(url, json)
    const file = FILES[id] ?? { status: 404, reason: 'notFound' }
    if (file.status) {
      return json({ error: { errors: file.reason ? [{ reason: file.reason }] : undefined } }, file.status)
    }
    if (action === 'export') {
      return reply
        .writeHead(200, { 'content-type': 'application/zip' })
        .end(`exported as ${url.searchParams.get('mimeType')}`)
    }
    if (url.searchParams.get('alt') === 'media') {
      return reply.writeHead(200, { 'content-type': file.mimeType }).end(file.body)
    }
    json({ id, ...file })
  })
  function list (url: URL, json: (value: unknown) => unknown) {
    const ids = url.searchParams.get('q')?.startsWith("'folder' in parents") ? ['doc-1', 'pdf_1', 'link', 'folder'] : []
    const from = Number(url.searchParams.get('pageToken') ?? 0)
    json({
      files: ids.slice(from, from + 2).map((id) => ({ id, ...FILES[id] })),
      nextPageToken: seen.endless || from + 2 < ids.length ? String(from + 2) : undefined
    })
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => { server.closeAllConnections(); server.close() })
  return Object.assign(seen, { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
}

async function build (t: Test, account: object = {}) {
  const fake = await google(t)
  const out = egress({ allowedHosts: ['127.0.0.1'], userAgent: 'Agenthall/0.0.0' })
  t.teardown(() => out.close())
  const accountFile = `${t.testdir()}/account.json`
  writeFileSync(
    accountFile,
    JSON.stringify({
      type: 'service_account',
      client_email: 'reader@shop.test',
      private_key: privateKey,
      private_key_id: 'key-1',
      token_uri: `${fake.address}/token`,
      ...account
    })
  )
  const time = { now: 0 }
  const clock = { micros: () => NOW * 1_000_000, monotonic: () => time.now }
  const opened = (file: string | null) => googleDrive({ fetch: out.fetch, clock, accountFile: file, api: fake.address })
  return { fake, drive: opened(accountFile), opened, accountFile, time }
}

// Was wrong with the assertion signed by SHA-1.
t.test('a service account signs in once and reads files, exported where they are Google documents', async (t) => {
  const { fake, drive } = await build(t)
  const pdf = await drive.describe('pdf_1')
  t.same(pdf, {
    id: 'pdf_1',
    name: 'Returns.pdf',
    mimeType: 'application/pdf',
    isFolder: false,
    webViewLink: 'https://drive.test/pdf_1',
    revision: 'abc'
  })
  t.match(fake.claims, {
    alg: 'RS256',
    typ: 'JWT',
    kid: 'key-1',
    iss: 'reader@shop.test',
    aud: `${fake.address}/token`,
    scope: 'https://www.googleapis.com/auth/drive.readonly',
    iat: NOW,
    exp: NOW + 3600,
    grant: 'urn:ietf:params:oauth:grant-type:jwt-bearer'
  })
  const read = async (id: string) => {
    const { bytes, contentType } = await drive.download(await drive.describe(id), { maxBytes: 1000 })
    return [Buffer.from(bytes).toString(), contentType]
  }
  t.same(await read('pdf_1'), ['%PDF-1.7 returns', 'application/pdf'])
  t.same(await read('link'), ['%PDF-1.7 returns', 'application/pdf'], 'a shortcut is what it points to')
  for (const [id, type] of [
    ['doc-1', 'wordprocessingml.document'],
    ['sheet', 'spreadsheetml.sheet'],
    ['slides', 'presentationml.presentation']
  ]) {
    t.same(await read(id ?? ''), [`exported as ${OFFICE}.${type}`, `${OFFICE}.${type}`])
  }
  t.match(await drive.describe('doc-1'), { revision: '2026-11-20T11:00:00Z' })
  t.equal(fake.tokens, 1)
  t.ok(fake.queries.every((query) => /supportsAllDrives=true|mimeType=/.test(query)))
  await t.rejects(drive.download(pdf, { maxBytes: 5 }), { code: 'too_large' })
  await t.rejects(drive.download(pdf, { maxBytes: 5, signal: AbortSignal.abort(new Error('gone')) }), {
    message: 'gone'
  })
})

t.test('a folder lists its files, page by page, and not the folders in it', async (t) => {
  const { fake, drive } = await build(t)
  t.match(await drive.describe('folder'), { isFolder: true })
  t.same(
    (await drive.list('folder')).map(({ id, mimeType, revision }) => [id, mimeType, revision]),
    [
      ['doc-1', `${GOOGLE}.document`, '2026-11-20T11:00:00Z'],
      ['pdf_1', 'application/pdf', 'abc'],
      ['pdf_1', 'application/pdf', '']
    ]
  )
  fake.endless = true
  t.same(await drive.list('empty'), [], 'a list that never ends is cut')
  t.ok(fake.queries.length <= 53)
})

t.test('the token is renewed before it ends, and after it was refused', async (t) => {
  const { fake, drive, time } = await build(t)
  await drive.describe('pdf_1')
  time.now = 3_539_000
  await drive.describe('pdf_1')
  t.equal(fake.tokens, 1)
  time.now = 3_540_000
  await drive.describe('pdf_1')
  t.equal(fake.tokens, 2)
  await t.rejects(drive.describe('expired'), { code: 'google_drive_denied', retryable: true })
  await drive.describe('pdf_1')
  t.equal(fake.tokens, 3)
})

t.test('without a usable settings file it says which setting to set', async (t) => {
  const { opened, accountFile } = await build(t)
  await t.rejects(opened(null).describe('pdf_1'), {
    code: 'google_drive_not_configured', retryable: false, message: /AGENTHALL_GOOGLE_SERVICE_ACCOUNT/
  })
  await t.rejects(opened(`${accountFile}.missing`).list('folder'), {
    code: 'google_drive_not_configured', message: /AGENTHALL_GOOGLE_SERVICE_ACCOUNT/
  })
  for (const content of [
    'no json',
    '{}',
    JSON.stringify({ client_email: 'a', private_key: 'secret', token_uri: 'http://x' }),
    JSON.stringify({ client_email: 'a', private_key: privateKey, token_uri: 'x' })
  ]) {
    writeFileSync(accountFile, content)
    await t.rejects(
      opened(accountFile).describe('pdf_1'), { code: 'google_drive_not_configured' }, content.slice(0, 20)
    )
  }
})

// Was wrong with ids that are not checked: they escaped their segment of the path.
t.test('every refusal says what to do and whether to try again', async (t) => {
  const { fake, drive } = await build(t)
  const said: Record<string, unknown> = {}
  for (const id of ['private', 'missing', 'limited', 'busy', 'down', 'enormous', '../token', 'a/b', "x' or 'y", '']) {
    said[id] = await drive.describe(id).catch(({ code, retryable }) => `${code} ${retryable}`)
  }
  t.same(said, {
    private: 'google_drive_denied false',
    missing: 'google_drive_not_found false',
    limited: 'google_drive_unavailable true',
    busy: 'google_drive_unavailable true',
    down: 'google_drive_unavailable true',
    enormous: 'google_drive_unsupported false',
    '../token': 'google_drive_not_found false',
    'a/b': 'google_drive_not_found false',
    "x' or 'y": 'google_drive_not_found false',
    '': 'google_drive_not_found false'
  })
  await t.rejects(drive.download(await drive.describe('form'), { maxBytes: 1000 }), {
    code: 'google_drive_unsupported', message: /Survey/
  })
  t.notOk(fake.queries.some((query) => query.includes('token')), 'no id leaves its place')
})

t.test('no message, cause or stack holds the key, the assertion or a token', async (t) => {
  // Was wrong with the parser's own error kept as the cause: it quotes what it could not read.
  const other = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' }
  })
  const { fake, drive, opened, accountFile } = await build(t, { private_key: other.privateKey })
  const errors = [await drive.describe('pdf_1').catch((error) => error)]
  t.match(errors[0], { code: 'google_drive_denied' }, 'signed with a key that Google does not know')
  for (const answer of [
    [500, ''], [429, ''], [200, 'no json'], [200, '{"access_token":5}'], [400, 'null']
  ] as Array<[number, string]>) {
    fake.tokenAnswer = answer
    errors.push(await drive.describe('pdf_1').catch((error) => error))
  }
  t.same(
    errors.map(({ code }) => code),
    [
      'google_drive_denied', 'google_drive_unavailable', 'google_drive_unavailable', 'google_drive_denied',
      'google_drive_denied', 'google_drive_denied'
    ]
  )
  const [, body = ''] = other.privateKey.split('\n')
  writeFileSync(accountFile, `{"private_key": '${body}'}`)
  errors.push(await opened(accountFile).describe('pdf_1').catch((error) => error))
  for (const error of errors) {
    t.notMatch(
      `${error.message} ${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`,
      new RegExp(`PRIVATE|BEGIN|eyJ|token-\\d|${body.slice(0, 6)}`)
    )
  }
})
