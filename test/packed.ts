// Run by "npm run test:packed" on the output of "npm run build"; not part of "npm test".
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { build } from '../scripts/build.ts'
import { assertIntegrity, PLATFORMS } from '../scripts/build/platforms.ts'
import { ROOT } from '../scripts/build/root.ts'
import { embeddingsService } from './journeys/embeddings-service.ts'
import { client, programOn } from './journeys/program.ts'
import { story, upkeep } from './journeys/story.ts'
import { startProvider } from './models/provider.ts'

const DIST = path.join(ROOT, 'dist')
const HERE = PLATFORMS.find(({ name }) => name === `${process.platform}-${process.arch}`)
const EXECUTABLE = path.join(DIST, HERE?.output ?? '')
const STARTS = 9

if (!HERE || !existsSync(EXECUTABLE)) {
  t.bailout('There is no executable for this machine in dist/: run "npm run build" first.')
}

const DOCUMENTS = path.join(ROOT, 'test/fixtures/documents')
const filesOf = (format: string) =>
  readdirSync(path.join(DOCUMENTS, format))
    .filter((name) => !name.includes('.ref.'))
    .slice(0, format === 'pdf' ? 10 : 3)
    .map((name) => `${format}/${name}`)

const hash = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex')
const median = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1]!

t.test('the main story, told to the executable', (t) => story(t, [EXECUTABLE]))

t.test('the data is looked after with it', (t) => upkeep(t, [EXECUTABLE]))

t.test('a text is found by its meaning', async (t) => {
  const server = await programOn(t, [EXECUTABLE], t.testdir({}), await embeddingsService(t)).serve()
  const owner = client(server.address, server.firstKey)
  const { id } = (await owner.post('/v1/agents', { name: 'Ada', systemPrompt: 'You help.' })).json.data
  t.equal(
    (
      await owner.post(`/v1/agents/${id}/knowledge_sources`, {
        plain_text: 'A bicycle can be returned within thirty days.'
      })
    ).status,
    201
  )
  let found
  do {
    await setTimeout(50)
    found = (await owner.post(`/v1/agents/${id}/search`, { query: 'velocipede' })).json.data
  } while (found.length === 0)
  t.match(found, [{ text: /thirty days/ }])
  t.equal(await server.stop(), 0)
})

// Was wrong: files of one name were carried as one, so that German compounds were taken apart by Dutch words.
t.test('compounds are taken apart by the words of their own language', async (t) => {
  const server = await programOn(t, [EXECUTABLE], t.testdir()).serve()
  const owner = client(server.address, server.firstKey)
  const { id } = (await owner.post('/v1/agents', { name: 'Ada', systemPrompt: 'You help.' })).json.data
  await owner.post(`/v1/agents/${id}/knowledge_sources`, {
    plain_text: 'Der Regenschirmständer steht im Flur, gleich neben der Garderobe für unsere Gäste.'
  })
  let sources: Array<{ training_status: string }>
  do {
    await setTimeout(50)
    sources = (await owner.get(`/v1/agents/${id}/knowledge_sources`)).json.data
  } while (sources.some((one) => one.training_status !== 'Success'))
  const found = (await owner.post(`/v1/agents/${id}/search`, { query: 'Regenschirm' })).json.data
  t.match(found, [{ text: /Regenschirmständer/ }])
  t.equal(await server.stop(), 0)
})

// The sandbox's child is the executable itself there, with everything bundled that readers load on demand.
t.test('it reads every kind of document, and finds where pages lead', async (t) => {
  const site = createServer((request, reply) => {
    const isHome = request.url === '/'
    reply.writeHead(request.url === '/robots.txt' ? 404 : 200, { 'content-type': 'text/html' })
    reply.end(
      isHome
        ? '<title>Home</title><p>Welcome to the shop.</p><a href="/returns">Returns</a>'
        : '<title>Returns</title><p>Bicycles come back.</p>'
    )
  }).listen(0, '127.0.0.1')
  t.teardown(() => site.close().closeAllConnections())
  await once(site, 'listening')
  const host = `127.0.0.1:${(site.address() as AddressInfo).port}`
  const server = await programOn(t, [EXECUTABLE], t.testdir({}), {
    AGENTHALL_ALLOWED_HOSTS: host, AGENTHALL_RATE_LIMITS: '{"enterprise":0}'
  }).serve()
  const owner = client(server.address, server.firstKey)
  const { id: agent } = (await owner.post('/v1/agents', { name: 'Ada', systemPrompt: 'You help.' })).json.data
  const sources = `/v1/agents/${agent}/knowledge_sources`

  for (const file of readdirSync(DOCUMENTS).flatMap((format) => filesOf(format))) {
    const body = new FormData()
    body.append('file', new Blob([readFileSync(path.join(DOCUMENTS, file))]), path.basename(file))
    const headers = { authorization: `Api-Key ${server.firstKey}` }
    t.equal((await fetch(server.address + sources, { method: 'POST', headers, body })).status, 201, file)
  }
  t.equal((await owner.post(sources, { urls: [`http://${host}/`], count: 2, depth: 1 })).status, 201)
  t.equal((await owner.post(sources, { faq: [{ question: 'What is a quagga?', answer: 'A zebra.' }] })).status, 201)
  let found: Array<{ training_status: string, title: string, error: unknown }>
  do {
    await setTimeout(100)
    found = (await owner.get(`${sources}?limit=100`)).json.data
  } while (found.some((one) => !['Success', 'Failed'].includes(one.training_status)))
  t.same(found.filter((one) => one.training_status !== 'Success').map(({ title, error }) => ({ title, error })), [])
  t.equal(await server.stop(), 0)
})

t.test('language models of both protocols write answers', async (t) => {
  const { origin } = await startProvider(t)
  const dir = t.testdir({
    data: {},
    'models.json': JSON.stringify([
      { match: 'well', provider: 'openai-compatible', url: `${origin}/v1` },
      { match: 'thinking', provider: 'anthropic', url: `${origin}/v1` }
    ])
  })
  const server = await programOn(t, [EXECUTABLE], path.join(dir, 'data'), {
    AGENTHALL_MODELS: path.join(dir, 'models.json')
  }).serve()
  const owner = client(server.address, server.firstKey)
  for (const name of ['well', 'thinking']) {
    const { id } = (
      await owner.post('/v1/agents', { name: 'Ada', systemPrompt: 'You help.', model: { response_model: name } })
    ).json.data
    const conversation = (await owner.post(`/v1/agents/${id}/conversations`, {})).json.data.id
    const { json } = await owner.post(`/v1/conversations/${conversation}/messages`, {
      text: 'How many days do I have for returns?'
    })
    t.match(json.data, { answered_by: 'model', status: 'complete', model: name })
  }
  t.equal(await server.stop(), 0)
})

t.test('it needs nothing but itself', async (t) => {
  // No file next to it is taken for a part of it.
  const packages = ['better-sqlite3', 'pino-pretty', 'supports-color'].map((name) => [
    name, { 'index.js': 'process.exit(9)' }
  ])
  const dir = t.testdir({ data: {}, node_modules: Object.fromEntries(packages) })
  writeFileSync(path.join(dir, 'agenthall'), readFileSync(EXECUTABLE), { mode: 0o755 })
  const program = programOn(t, [path.join(dir, 'agenthall')], path.join(dir, 'data'), { HOME: dir, PATH: '' })
  // Reading starts no installation: the first user does.
  t.equal((await program.cli('users', 'create', '--name', 'Ada')).code, 0)
  t.match(await program.cli('users', 'list', '--json'), { code: 0, out: /^\[\{"id":1,/, note: '' })
  t.match(await readdir(path.join(dir, '.cache/agenthall')), [/-better_sqlite3\.node$/])
})

t.test('it starts as a sub-command of itself, and with options for Node, without a word too many', async (t) => {
  const env = { HOME: process.env.HOME, NODE_OPTIONS: '--max-old-space-size=64 --stack-trace-limit=5' }
  const { status, stdout, stderr } = spawnSync(EXECUTABLE, ['--version'], { env, encoding: 'utf8' })
  const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'))
  t.match({ status, stdout, stderr }, { status: 0, stdout: `${version}\n`, stderr: '' })
})

t.test('it carries the licences of everything inside', async (t) => {
  const { out } = await programOn(t, [EXECUTABLE], t.testdirName).cli('licenses')
  for (const name of ['Agenthall', 'Node.js', 'Swagger UI', 'better-sqlite3', 'fastify', 'drizzle-orm']) {
    t.match(out, new RegExp(`^={100}\n${name}\\b`, 'm'))
  }
  t.equal(out.trimEnd(), readFileSync(path.join(DIST, 'THIRD-PARTY-LICENSES'), 'utf8').trimEnd())
})

t.test('checksums and a bill of materials lie beside it', async (t) => {
  const sums = readFileSync(path.join(DIST, 'SHA256SUMS'), 'utf8').trimEnd().split('\n').map((line) => line.split('  '))
  t.same(sums.map(([, name]) => name), (await readdir(DIST)).filter((name) => name !== 'SHA256SUMS').sort())
  for (const [sum, name = ''] of sums) t.equal(hash(path.join(DIST, name)), sum, name)
  const bill = JSON.parse(readFileSync(path.join(DIST, 'agenthall.cdx.json'), 'utf8'))
  t.match(bill, { bomFormat: 'CycloneDX', metadata: { component: { name: 'agenthall', type: 'application' } } })
  t.ok(bill.components.some(({ name }: { name: string }) => name === 'fastify'))
})

t.test('the same inputs make the same bytes', async (t) => {
  const again = t.testdir({})
  await build([HERE!], again)
  for (const name of await readdir(again)) {
    if (name !== 'SHA256SUMS') t.equal(hash(path.join(again, name)), hash(path.join(DIST, name)), name)
  }
})

t.test('what the registry sends is used only if it is what the lockfile names', async (t) => {
  const bytes = Buffer.from('package')
  const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`
  assertIntegrity(bytes, integrity, 'p')
  t.throws(() => assertIntegrity(Buffer.from('package!'), integrity, 'p'), /not the package/)
  t.throws(
    () => assertIntegrity(bytes, `sha1-${createHash('sha1').update(bytes).digest('base64')}`, 'p'), /not the package/
  )
})

t.test('it is small and starts quickly', async (t) => {
  const size = statSync(EXECUTABLE).size
  // Node's zlib compresses less than the program gzip: its highest level is still larger than gzip's result.
  const compressed = gzipSync(readFileSync(EXECUTABLE), { level: 9 }).length
  const fresh: number[] = []
  const again: number[] = []
  for (let i = 0; i < STARTS; i++) {
    const program = programOn(t, [EXECUTABLE], t.testdir({}))
    for (const times of [fresh, again]) {
      const server = await program.serve()
      times.push(server.startedMs)
      await server.stop()
    }
  }
  const figures = {
    size: `${(size / 1e6).toFixed(1)} MB`,
    gzip: `${(compressed / 1e6).toFixed(1)} MB`,
    firstStart: `${Math.round(median(fresh))} ms`,
    start: `${Math.round(median(again))} ms`
  }
  t.comment(
    `${HERE!.output}: ${JSON.stringify(figures)} (start of the process to its first answer, median of ${STARTS})`
  )
  if (process.platform === 'linux') t.ok(size <= 140e6, 'at most 140 MB')
  if (process.platform === 'linux') t.ok(compressed <= 50e6, 'at most 50 MB compressed')
  // A start's duration is printed above and not judged here: a machine with other load would fail a good program.
})
