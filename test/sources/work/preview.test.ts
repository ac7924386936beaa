import t from 'tap'
import { alone } from '../../../src/platform/neighbours/alone.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { DriveError, type Drive } from '../../../src/crawling/drive.ts'
import { previewer } from '../../../src/sources/work/preview.ts'
import { trainer } from '../../../src/sources/work/train.ts'
import { egress } from '../../../src/platform/net/egress.ts'
import { jobsIn } from '../../../src/platform/storage/sqlite/jobs.ts'
import type { Job } from '../../../src/platform/work/jobs.ts'
import { SandboxError, type Sandbox } from '../../../src/platform/process/sandbox.ts'
import { stageBytes } from '../../../src/sources/stage.ts'
import { sqlitePassages } from '../../../src/search/passages.sqlite.ts'
import { buildApp } from '../../../src/app.ts'
import { readConfig } from '../../../src/config.ts'
import { build } from '../../helper.ts'
import { agentOf, inProcess, serve } from '../parts.ts'

const out = egress({
  allowedHosts: ['127.0.0.1'], userAgent: 'Agenthall/0.0.0', limits: { headersMs: 15_000, totalMs: 30_000 }
})
t.teardown(() => out.close())

const file = { id: 'f', name: 'Prices', isFolder: false, mimeType: 'text/plain', webViewLink: null, revision: '1' }
const folder = { ...file, id: 'd', isFolder: true }

/** A Drive that contains one file and one folder. */
const drive: Drive = {
  describe: async (id) => {
    if (id === 'f') return file
    if (id === 'd') return folder
    if (id === 'gone') throw new DriveError('google_drive_not_found', 'Google Drive has no such file.')
    throw new TypeError('a fault of ours')
  },
  list: async () => [],
  download: async () => ({ bytes: Buffer.from('Ten euros.'), contentType: 'text/plain' })
}

const previewOf = (sandbox: Sandbox = inProcess()) =>
  previewer({
    egress: out,
    drive,
    fileLimit: 2 ** 20,
    neighbours: alone(systemClock()),
    reading: { sandbox, command: [], memoryMiB: 512, deadlineMs: 5000 }
  })
const asker = { holder: 1, signal: new AbortController().signal }
const silent: Sandbox = { async * run () {} }

t.test('a Drive file is read for its cost; a folder, a missing file and a fault say what they are', async (t) => {
  const preview = previewOf()
  t.match(await preview.draft({ google_drive_file_id: 'f' }, asker), { bytes: 10, format: 'text', no_of_chars: 10 })
  await t.rejects(preview.draft({ google_drive_file_id: 'd' }, asker), {
    code: 'VALIDATION_ERROR', details: [{ field: 'google_drive_file_id', message: /folder/ }]
  })
  await t.rejects(preview.draft({ google_drive_file_id: 'gone' }, asker), {
    code: 'VALIDATION_ERROR', details: [{ field: 'google_drive_file_id', message: /no such file/ }]
  })
  await t.rejects(
    preview.draft({ google_drive_file_id: 'x' }, asker),
    TypeError,
    "what nobody foresaw is not told as the caller's mistake"
  )
})

t.test('a preview ends when its asker goes: nothing is read for nobody', async (t) => {
  // Was wrong: no signal reached the sandbox, and sixty abandoned previews occupied its places for minutes.
  const { stores, clock, user } = await build(t)
  const as = await user()
  const { sources } = await agentOf(as)
  const began = Promise.withResolvers<unknown>()
  const ended = Promise.withResolvers<void>()
  const draft: typeof stores.knowledge.preview.draft = (_draft, { holder, signal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        reject(signal.reason)
        ended.resolve()
      })
      began.resolve(holder)
    })
  const app = await buildApp({
    config: readConfig({}),
    stores: { ...stores, knowledge: { ...stores.knowledge, preview: { ...stores.knowledge.preview, draft } } },
    clock
  })
  t.teardown(() => app.close())
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  const gone = new AbortController()
  const headers = { authorization: `Api-Key ${as.key}`, 'content-type': 'application/json' }
  const asked = fetch(`${address}${sources}/preview`, {
    method: 'POST',
    headers,
    body: '{"urls":["https://a.test/"]}',
    signal: gone.signal
  })
  t.equal(await began.promise, as.id, 'for the account')
  gone.abort()
  await t.rejects(asked, { name: 'AbortError' })
  await ended.promise
})

t.test('what is read for a preview takes a place of the account that asks, as long as it waits', async (t) => {
  const steps: unknown[] = []
  const preview = previewOf(inProcess(({ holder, signal }) => { steps.push([holder, signal === asker.signal]) }))
  await preview.draft({ google_drive_file_id: 'f' }, asker)
  t.same(steps, [[1, true]])
})

t.test('a preview whose reader fell over says that it is our fault and worth another try', async (t) => {
  // Was wrong: VALIDATION_ERROR about the field `file`, "The file is damaged".
  const preview = previewOf(inProcess(() => { throw new SandboxError('crashed', 'a bug') }))
  await t.rejects(preview.draft({ google_drive_file_id: 'f' }, asker), {
    code: 'unavailable', message: /fault of ours/, headers: { 'retry-after': '5' }
  })
})

t.test('a page that leads nowhere and a file that says nothing are refused', async (t) => {
  await t.rejects(previewOf(silent).draft({ google_drive_file_id: 'f' }, asker), {
    code: 'VALIDATION_ERROR', details: [{ field: 'file', message: /no text/ }]
  })
  const site = await serve(t, (request, response) => {
    if (request.url === '/robots.txt') response.end('User-agent: *\nDisallow: /hidden')
    else {
      response
        .writeHead(200, { 'content-type': 'application/xml' })
        .end(`<urlset><url><loc>${site}/hidden</loc></url></urlset>`)
    }
  })
  await t.rejects(previewOf().draft({ urls: [`${site}/sitemap.xml`] }, asker), {
    code: 'VALIDATION_ERROR', details: [{ field: 'urls[0]', message: /No text was found/ }]
  })
})

t.test('a result that nobody wants at the last moment leaves nothing, and neither does a page that could not be read', async (t) => {
  const { stores, clock, user } = await build(t)
  const { db, knowledge: { store, blobs } } = stores
  const as = await user()
  const { sources, read } = await agentOf(as)
  const site = (await as.post(sources, { urls: ['https://a.test/'], count: 5 })).json().data[0].id
  const jobOf = (subject: number) =>
    db.raw
      .prepare('select id, kind, subject, owner, payload, attempts as attempt from jobs where subject = ?')
      .get(subject) as Job

  // A page that was fetched and turns out to be empty: its bytes are removed, and the next look fetches it again.
  const bytes = await stageBytes(blobs, Buffer.from('<p></p>'), 'page.html')
  await store.keepChild(jobOf(site), {
    key: 'https://a.test/page',
    title: null,
    file: bytes,
    fetched: {},
    changed: true
  })
  const { id: page } = db.raw.prepare('select id from knowledge_sources where parent_id = ?').get(site) as {
    id: number
  }
  await store.begin(jobOf(page))
  await store.happened(jobOf(page), {
    kind: 'failed', error: { code: 'no_text', message: 'The file holds no text.', retryable: false }
  })
  t.match(await read(page), { status: 'Failed', error: { code: 'no_text' } })
  t.equal(db.raw.prepare("select count(*) from blobs where state = 'dropped'").pluck().get(), 1)

  t.equal(
    await store.begin({ id: 999, kind: 'train', subject: page, owner: 1, payload: null, attempt: 1 }),
    undefined,
    'a job that is not asked for any more'
  )

  // An upload is read to its end, and then no longer wanted.
  const form = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nTen euros.\r\n--x--\r\n'
  const uploaded = (await as.post(sources, form, { 'content-type': 'multipart/form-data; boundary=x' })).json().data[0]
    .id
  const index = sqlitePassages(db, stores.secrets)
  const { train } = trainer({
    db,
    jobs: jobsIn(db, clock, alone(clock)),
    store: { ...store, happened: async () => false },
    blobs,
    index,
    egress: out,
    drive,
    reading: { sandbox: inProcess(), command: [], memoryMiB: 512, deadlineMs: 5000 },
    embeddings: undefined,
    fileLimit: 2 ** 20
  })
  t.same(await train(jobOf(uploaded), new AbortController().signal), { done: true })
  t.equal(db.raw.prepare("select count(*) from blobs where state = 'staged'").pluck().get(), 0)
  t.equal(db.raw.prepare("select count(*) from trainings where state <> 'removed'").pluck().get(), 0)
})
