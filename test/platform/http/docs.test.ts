import '../../bare-children.ts'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import vm from 'node:vm'
import type { FastifyInstance } from 'fastify'
import t from 'tap'
import { build } from '../../helper.ts'
import { webIsBuilt } from '../../web.ts'

t.before(webIsBuilt)

t.test('the bare address leads a browser to the console and tells a program where things are', async (t) => {
  const { app } = await build(t)
  const browser = await app.inject({ url: '/', headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } })
  t.match(browser, { statusCode: 302, headers: { location: '/console/', vary: 'accept' } })
  t.equal((await app.inject(browser.headers.location!)).statusCode, 200)
  for (const accept of ['*/*', 'application/json']) {
    const { statusCode, headers, json } = await app.inject({ url: '/', headers: { accept } })
    t.match(
      [statusCode, headers.vary, json()],
      [200, 'accept', { status: 'success', data: { console: '/console/', docs: '/docs', openapi: '/openapi.json' } }]
    )
  }
})

t.test('the question of the quick start is answered from what it has taught, without a model', async (t) => {
  // Was wrong: it ended with "I do not know that".
  const built = await build(t)
  const me = await built.user()
  const { body: page } = await built.app.inject('/docs')
  const sent = [...page.matchAll(/-d '(\{.*?\})'/g)].map(([, body = '']) => JSON.parse(body) as object)
  const [agent, source, , question] = sent
  await me.post('/v1/agents', agent)
  await me.post('/v1/agents/1/knowledge_sources', source)
  await built.settled()
  const { id } = (await me.post('/v1/agents/1/conversations', {})).json().data
  const answer = (await me.post(`/v1/conversations/${id}/messages`, question)).json().data
  t.match(answer, { unknown: false, citations: [{ title: 'Returns' }] })
})

t.test('the page begins with a quick start and has samples of each call in three languages', async (t) => {
  const { app } = await build(t)
  t.match((await app.inject('/docs')).body, /Quick start.*curl -X POST/s)
  // Was wrong: it called another host than this one, and trained whatever agent had the number 1.
  t.notMatch((await app.inject('/docs')).body, /agents\/1\b/)
  const { address, asked, samples, spec } = await samplesFor(app)
  // Was wrong: only what is on the screen is rendered, so that nothing else was found, and "Agents" began with imports.
  t.match(asked, [{ filter: true, operationsSorter: 'alpha' }])
  t.equal(address.textContent, 'HOST=https://shop.example')
  const [[, curl], [, javaScript], [, python]] = samples('/v1/agents', 'post') as [[string, string], [string, string], [string, string]]
  t.match(curl, /curl -X POST "https:\/\/shop\.example\/v1\/agents"[^]*-d '\{"name":/)
  t.ok(new vm.Script(`async () => { ${javaScript} }`))
  t.match(javaScript, /authorization: 'Api-Key K'[^]*JSON\.stringify\(\{"name":/)
  t.match(python, /requests\.request\([^]*json=\{"name": /)
  for (const [path, methods] of Object.entries<object>(spec.paths)) {
    for (const method of Object.keys(methods)) {
      for (const [name, text] of samples(path, method)) {
        const isScript = name !== 'JavaScript' || new vm.Script(`async () => { ${text} }`) !== null
        if (!isScript || /undefined/.test(text)) t.fail(`${method} ${path}: ${name}`)
      }
    }
  }
})

const PDF = await readFile(new URL('../../fixtures/pdf/arabic-browser.pdf', import.meta.url))

// Was wrong: the samples of calls that take a file sent none.
t.test('samples of calls that take files are run as they stand, and the files arrive', async (t) => {
  const { app, user, settled } = await build(t)
  const me = await user()
  const { id } = (await me.post('/v1/agents', { name: 'Ada', systemPrompt: 'You help.' })).json().data
  await app.listen({ port: 0, host: '127.0.0.1' })
  const origin = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  const { samples } = await samplesFor(app, origin, `Api-Key ${me.key}`)
  const folder = t.testdir({ 'returns.pdf': PDF })
  const conversation = (await me.post(`/v1/agents/${id}/conversations`, {})).json().data.id as string
  for (const [path, id1] of [
    ['/v1/agents/{id}/knowledge_sources', String(id)], ['/v1/conversations/{id}/attachments', conversation]
  ] as const) {
    const all = samples(path, 'post').filter(([, text]) => text.includes('returns.pdf'))
    t.equal(all.length, 3, path)
    for (const [name, text] of all) {
      const said = await run(name, text.replace('{id}', id1), folder)
      if (said !== undefined) t.match(said, /success/, `${path}: ${name}`)
      else t.comment(`${name} is not here`)
    }
  }
  await settled()
  const sources = (await me.get(`/v1/agents/${id}/knowledge_sources`)).json().data as Array<{ title: string }>
  t.ok(sources.length >= 2 && sources.every(({ title }) => title.startsWith('returns')))
})

/** A sample's output; undefined where its language is not on this machine. */
async function run (name: string, text: string, cwd: string): Promise<string | undefined> {
  const of = async (command: string, given: string[]) => (await promisify(execFile)(command, given, { cwd })).stdout
  if (name.startsWith('curl')) return await of('sh', ['-c', text]).catch(missing)
  if (name.startsWith('Python')) return await of('python3', ['-c', text]).catch(missing)
  return await of(process.execPath, ['--input-type=module', '-e', text])
}

/** A language that is not installed, or lacks what the sample requires, is no fault of the sample. */
function missing (error: Error & { stderr?: string }): undefined {
  if (!/not found|ENOENT|No module named/.test(`${error.message} ${error.stderr}`)) throw error
}

/** What the page makes of the document: its samples, as a browser would have them. */
async function samplesFor (app: FastifyInstance, origin = 'https://shop.example', header = 'Api-Key K') {
  const address = { textContent: 'HOST=https://chat.example.com' }
  const asked: object[] = []
  const page = vm.createContext({
    location: { origin },
    matchMedia: () => ({ addEventListener () {} }),
    document: {
      body: { dataset: { header } },
      documentElement: { classList: { toggle () {} } },
      querySelector: () => address
    },
    SwaggerUIBundle (given: object) { asked.push(given) }
  })
  new vm.Script(`${(await app.inject('/docs/start.js')).body}\n;globalThis.all = samplesOf`).runInContext(page)
  const spec = (await app.inject('/openapi.json')).json()
  return { address, asked, spec, samples: (path: string, method: string): Array<[string, string]> => page['all'](spec, path, method) }
}
