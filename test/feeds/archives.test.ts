import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import t from 'tap'
import { signedHeaders } from '../../src/feeds/kinds/s3.ts'
import { untar } from '../../src/feeds/kinds/tar.ts'
import { fed, system } from './helper.ts'

/** A repository on disk, packed as its host packs it. */
function packed (root: string, files: Record<string, string>): Buffer {
  const place = path.join(root, 'repo')
  rmSync(place, { recursive: true, force: true })
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(place, 'docs-main', name)), { recursive: true })
    writeFileSync(path.join(place, 'docs-main', name), text)
  }
  execFileSync('tar', ['czf', path.join(root, 'repo.tar.gz'), '-C', place, 'docs-main'])
  return readFileSync(path.join(root, 'repo.tar.gz'))
}

t.test('the archive of a repository brings its files', async (t) => {
  const box = t.testdir({ box: {} })
  const long = `${'deeply/'.repeat(20)}page.md`
  const files: Record<string, string> = {
    'help/returns.md': 'Returns within 30 days.', [`help/${long}`]: 'Deep.', 'src/main.ts': 'no document', 'other.md': 'Other.', 'help/.hidden.md': 'x'
  }
  const at = path.join(box, 'box')
  const now = { archive: packed(at, files), status: 200 }
  const { url, env, asked } = await system(t, ({ headers }, reply) => {
    const etag = `"${createHash('sha256').update(now.archive).digest('hex')}"`
    if (now.status !== 200) return reply.writeHead(now.status).end()
    if (headers['if-none-match'] === etag) return reply.writeHead(304).end()
    reply.writeHead(200, { 'content-type': 'application/x-gzip', etag }).end(now.archive)
  })
  const { make, look, texts, feed, trainings } = await fed(t, env)
  const id = await make({ kind: 'git', config: { url: `${url}/archive/main.tar.gz`, path: '/help/'.slice(1) }, secret: 'token' })
  t.equal(asked[0]!.headers.authorization, 'Bearer token')
  t.strictSame(await texts(), { 'help/returns.md': 'Returns within 30 days.', [`help/${long}`]: 'Deep.' })
  const before = trainings()
  await look(id)
  t.match((await feed(id)).last, { seen: 0, changed: 0, gone: 0 }, 'what has not changed is not sent')
  now.archive = packed(at, { ...files, 'help/returns.md': 'Returns within 14 days.' })
  await look(id)
  t.match(await texts(), { 'help/returns.md': 'Returns within 14 days.' })
  t.not(trainings(), before)

  const whole = await texts()
  now.archive = now.archive.subarray(0, now.archive.length - 60)
  await look(id)
  t.match(await feed(id), { error: { code: 'unreadable' } })
  now.archive = gzipSync('no archive')
  await look(id)
  t.match(await feed(id), { state: 'idle', error: { code: 'unreadable' } })
  now.status = 401
  await look(id)
  t.match(await feed(id), { state: 'broken', error: { code: 'denied' }, next_at: null })
  t.strictSame(await texts(), whole)
})

// Was wrong: in an archive a moved file was removed, and a new one added that nothing cited.
t.test('a file that is moved within a repository is the same source under another name', async (t) => {
  const box = path.join(t.testdir({ box: {} }), 'box')
  const files = { 'a.md': 'Returns within 30 days.', 'b/c.md': 'Gift cards do not expire.', 'd.md': 'Parcels take two days.' }
  const now = { archive: packed(box, files) }
  const { url, env } = await system(t, (_asked, reply) => reply.end(now.archive))
  const { make, look, texts, feed, sources, trainings } = await fed(t, env)
  const id = await make({ kind: 'git', config: { url: `${url}/archive/main.tar.gz` } })
  const numbers = async () => Object.fromEntries(
    (await sources()).map(({ id: source, origin_key: key }) => [key, source]))
  const before = await numbers()
  const then = trainings()
  now.archive = packed(box, { 'y/returns.md': files['a.md'], 'b/c.md': files['b/c.md'], 'd.md': files['d.md'] })
  await look(id)
  t.equal((await numbers())['y/returns.md'], before['a.md'], 'it keeps its number')
  t.equal(trainings(), then, 'and is not trained again')
  // One is moved once more, one is new and one has the content of one that stays.
  now.archive = packed(box, {
    'z/returns.md': files['a.md'], 'b/c.md': files['b/c.md'], 'copy.md': files['d.md'], 'd.md': files['d.md'], 'new.md': 'New.'
  })
  await look(id)
  const after = await numbers()
  t.equal(after['z/returns.md'], before['a.md'])
  t.equal(after['d.md'], before['d.md'])
  t.strictSame(await texts(), {
    'z/returns.md': files['a.md'], 'b/c.md': files['b/c.md'], 'copy.md': files['d.md'], 'd.md': files['d.md'], 'new.md': 'New.'
  })
  const { last } = await feed(id)
  t.match(last, { new: 2, changed: 1, gone: 0, found_at: last!.at })
  t.strictSame(last!.found.map(({ what, key, from }) => [what, key, from]).toSorted(), [
    ['moved', 'z/returns.md', 'y/returns.md'], ['new', 'copy.md', null], ['new', 'new.md', null]
  ])
  await look(id)
  const { found_at: at, found } = last!
  t.match((await feed(id)).last, { new: 0, changed: 0, gone: 0, found_at: at, found }, 'it is told until something else is')
})

t.test('an archive is read however its pieces come, and what is none breaks off', async (t) => {
  const box = t.testdir({ box: {} })
  const files = { 'a.md': 'A'.repeat(2000), 'b/c.md': 'C', [`${'long'.repeat(40)}.md`]: 'Long.' }
  const place = path.join(box, 'box')
  packed(place, files)
  const tar = execFileSync('gzip', ['-dc', path.join(place, 'repo.tar.gz')], { maxBuffer: 1e8 })
  const pax = execFileSync('tar', ['cf', '-', '--format=pax', '-C', path.join(place, 'repo'), 'docs-main'], { maxBuffer: 1e8 })
  async function all (pieces: Uint8Array[]) {
    const found: Record<string, string> = {}
    const source = (async function * () { yield * pieces })()
    for await (const { name, bytes } of untar(source, () => true)) found[name] = Buffer.from(bytes).toString()
    return found
  }
  const expected = Object.fromEntries(Object.entries(files).map(([name, text]) => [`docs-main/${name}`, text]))
  const sizes = fc.integer({ min: 1, max: 5000 })
  await fc.assert(fc.asyncProperty(fc.constantFrom(tar, pax), sizes, async (bytes, size) => {
    const count = Math.ceil(bytes.length / size)
    const pieces = Array.from({ length: count }, (_, n) => bytes.subarray(n * size, (n + 1) * size))
    t.strictSame(await all(pieces), expected)
  }), { numRuns: 10 })
  await t.rejects(all([tar.subarray(0, 700)]), /cut off/)
  await t.rejects(all([Buffer.alloc(512, 'x')]), /not an archive|cut off/)
  // GNU tar writes sizes that do not fit in eight octal digits as bytes.
  const binary = Buffer.from(tar)
  const at = binary.indexOf('docs-main/a.md')
  binary.fill(0, at + 124, at + 136).writeUInt8(0x80, at + 124)
  binary.writeUInt32BE(2000, at + 132)
  t.strictSame(await all([binary]), expected)
  await fc.assert(fc.asyncProperty(fc.uint8Array({ maxLength: 3000 }), async (noise) => {
    await all([noise]).catch((error) => { if (!(error instanceof Error)) throw error })
  }))
})

t.test('a request to S3 is signed as Amazon says', async (t) => {
  // The example of Amazon's documentation, a listing of a bucket.
  const clock = { micros: () => Date.UTC(2013, 4, 24) * 1000, monotonic: () => 0 }
  const { authorization } = signedHeaders({
    url: new URL('https://examplebucket.s3.amazonaws.com/?max-keys=2&prefix=J'),
    region: 'us-east-1',
    accessKey: 'AKIAIOSFODNN7EXAMPLE',
    secret: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    clock
  })
  t.match(authorization, 'Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7')
})

t.test('a bucket brings its objects, page by page', async (t) => {
  const objects: Record<string, string> = { 'help/a.md': 'Page a.', 'help/ü b.md': 'Page b.', 'help/c.md': 'Page c.', 'help/x.bin': 'x' }
  const now = { refuses: 0, cut: false, html: false }
  const { url, env, asked } = await system(t, ({ url }, reply) => {
    if (now.refuses) return reply.writeHead(now.refuses).end()
    if (now.html) return reply.end('<html>Welcome to our storage</html>')
    const key = decodeURIComponent(url.pathname.slice('/docs/'.length))
    if (key) return objects[key] === undefined ? reply.writeHead(404).end() : reply.end(objects[key])
    const keys = Object.keys(objects).filter((one) => one.startsWith(url.searchParams.get('prefix') ?? ''))
    const from = Number(url.searchParams.get('continuation-token') ?? 0)
    const entry = (one: string) => `<Contents><Key>${one}</Key><LastModified>2026</LastModified><ETag>&quot;${createHash('md5').update(objects[one]!).digest('hex')}&quot;</ETag><Size>${objects[one]!.length}</Size></Contents>`
    const more = from + 2 < keys.length
    reply.end(`<?xml version="1.0"?><ListBucketResult><Name>docs</Name><IsTruncated>${more}</IsTruncated>${more && !now.cut ? `<NextContinuationToken>${from + 2}</NextContinuationToken>` : ''}${keys.slice(from, from + 2).map(entry).join('')}</ListBucketResult>`)
  })
  const { make, look, texts, feed, sources } = await fed(t, env)
  const config = { url, bucket: 'docs', region: 'eu-central-1', access_key: 'AKIA', prefix: 'help/' }
  const id = await make({ kind: 's3', config, secret: 'secret' })
  t.strictSame(await texts(), { 'help/a.md': 'Page a.', 'help/ü b.md': 'Page b.', 'help/c.md': 'Page c.' })
  t.match(asked[0]!.headers.authorization, /^AWS4-HMAC-SHA256 Credential=AKIA\/\d{8}\/eu-central-1\/s3\/aws4_request/)
  objects['help/a.md'] = 'Page a, changed.'
  delete objects['help/c.md']
  asked.splice(0)
  await look(id)
  t.strictSame(asked.map((one) => one.url.pathname), ['/docs', '/docs', '/docs/help/a.md'].slice(0, asked.length), 'only what has changed is fetched')
  t.strictSame(await texts(), { 'help/a.md': 'Page a, changed.', 'help/ü b.md': 'Page b.' })
  now.cut = true
  for (const n of [1, 2, 3]) objects[`help/0${n}.md`] = `New ${n}.`
  await look(id)
  t.ok((await sources()).length >= 2, 'a list that is cut off takes nothing away')
  now.html = true
  await look(id)
  t.match(await feed(id), { state: 'idle', error: { code: 'unreadable', message: /did not send a list of objects/ } })
  now.refuses = 403
  await look(id)
  t.match(await feed(id), { state: 'broken', error: { code: 'denied' } })
})

t.test('an object of a bucket that is too large, or gone since it was listed, fails by itself; a bucket that is down is asked again', async (t) => {
  const now = { status: 200 }
  const { url, env } = await system(t, ({ url }, reply) => {
    if (url.pathname.endsWith('/b.md') && now.status !== 200) return reply.writeHead(now.status).end()
    if (url.pathname !== '/docs') return reply.end('Page of a bucket.')
    const entry = (key: string, size: number) => `<Contents><Key>${key}</Key><ETag>${key}${now.status}</ETag><Size>${size}</Size></Contents>`
    reply.end(`<ListBucketResult><IsTruncated>false</IsTruncated>${entry('a.md', 17)}${entry('b.md', 17)}${entry('c.md', 10 ** 10)}</ListBucketResult>`)
  })
  const { make, look, feed, texts } = await fed(t, env)
  const id = await make({ kind: 's3', config: { url, bucket: 'docs', region: 'eu-central-1', access_key: 'AKIA' }, secret: 'secret' })
  t.strictSame(Object.keys(await texts()), ['a.md', 'b.md'])
  t.match(await feed(id), { error: null, last: { new: 2, failed: 1 } })
  for (const status of [404, 403]) {
    now.status = status
    await look(id)
    t.match(await feed(id), { state: 'idle', error: null, last: { failed: 2 } }, `${status}`)
  }
  now.status = 503
  await look(id)
  t.match(await feed(id), { state: 'idle', error: { code: 'unavailable' } })
  t.strictSame(Object.keys(await texts()), ['a.md', 'b.md'], 'what was read stays')
})
