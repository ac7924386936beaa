import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { runInNewContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { buildClient, bundleClient, readDocument } from '../../scripts/build/client.ts'
import type * as Client from '../../src/client/index.ts'
import manifest from '../../package.json' with { type: 'json' }
import { build } from '../helper.ts'

const ROOT = path.join(import.meta.dirname, '../..')
const run = promisify(execFile)
/** The maximum that a page or a function has to load for it. */
const MOST_BYTES = 12 * 1024

const SCRIPT = `
import { Agenthall, openapiHash, version } from '@agenthall/client'
const client = new Agenthall({ url: process.env.URL, key: process.env.KEY })
const { data: agent } = await client.post('/v1/agents', { body: { name: 'Ada', systemPrompt: 'You help.' } })
const asking = client.agent(agent.id).ask('Who are you?')
let text = ''
for await (const piece of asking) text += piece
console.log(JSON.stringify({ name: agent.name, isWhole: text === (await asking).text && text !== '', openapiHash, version }))
`

const RIGHT = `
import { Agenthall, verifyWebhook, type components } from '@agenthall/client'
const client = new Agenthall({ url: 'http://localhost', key: 'agh_1' })
export async function right (): Promise<string | undefined> {
  const agent: components['schemas']['Agent'] = (await client.get('/v1/agents/{id}', { path: { id: 1 } })).data
  for await (const { email } of client.paginate('/v1/visitors', { query: { limit: 5 } })) if (email) return email
  await client.update('/v1/business', {}, () => ({ time_zone: 'Europe/Berlin' }))
  const event = await verifyWebhook('', {}, '')
  if (event.type === 'source.trained') return String(event.data.source)
  const { text, citations: [first] } = await client.agent(agent.id).ask('Hello?')
  return first?.title ?? text
}
`
/** Each is rejected by the types. */
const WRONG = [
  "await client.get('/v1/agent', {})",
  "await client.get('/v1/agents/{id}')",
  "await client.get('/v1/agents/{id}', { path: { id: 'one' } })",
  "await client.post('/v1/agents', { body: { nme: 'Ada' } })",
  "await client.delete('/v1/account')",
  "await client.update('/v1/business', {}, () => ({ time_zones: 'Europe/Berlin' }))"
]

t.test('the package is installed from its file, runs, and its types know every operation', async (t) => {
  const { app, user } = await build(t)
  const me = await user()
  const url = await app.listen({ port: 0 })
  const folder = t.testdir({ project: { 'package.json': '{"type":"module","private":true}', 'use.mjs': SCRIPT } })
  const project = path.join(folder, 'project')
  const name = await buildClient(folder)
  t.equal(name, `agenthall-client-${manifest.version}.tgz`)
  const npm = ['install', path.join(folder, name), '--offline', '--ignore-scripts', '--no-audit', '--no-fund']
  await run('npm', npm, { cwd: project, shell: process.platform === 'win32' })
  const { dependencies, peerDependencies } = JSON.parse(
    readFileSync(path.join(project, 'node_modules/@agenthall/client/package.json'), 'utf8')
  )
  t.same([dependencies, peerDependencies], [undefined, undefined])

  const { stdout } = await run(process.execPath, ['use.mjs'], {
    cwd: project, env: { ...process.env, NODE_OPTIONS: '', URL: url, KEY: me.key! }
  })
  t.same(JSON.parse(stdout), {
    name: 'Ada',
    isWhole: true,
    version: manifest.version,
    openapiHash: createHash('sha256').update(readFileSync(path.join(ROOT, 'openapi.json'))).digest('hex')
  })

  mkdirSync(path.join(project, 'wrong'))
  writeFileSync(path.join(project, 'right.ts'), RIGHT)
  for (const [n, line] of WRONG.entries()) {
    writeFileSync(path.join(project, `wrong/${n}.ts`), RIGHT.replace('  const agent', `  ${line}\n  const agent`))
  }
  const compiler = path.join(ROOT, 'node_modules/typescript-7/bin/tsc')
  writeFileSync(path.join(project, 'tsconfig.json'), JSON.stringify({
    compilerOptions: { noEmit: true, strict: true, module: 'nodenext', lib: ['es2024', 'dom'], types: [] }
  }))
  const { stdout: said } = await run(process.execPath, [compiler], { cwd: project })
    .catch((error: { stdout: string }) => error)
  t.notMatch(said, /right\.ts|node_modules/)
  for (const [n, line] of WRONG.entries()) t.match(said, `wrong/${n}.ts`, line)
})

t.test('what it knows of the document is made once, and anew where the document is another', async (t) => {
  const folder = t.testdir({ 'document.js': '// Of another document\n', 'openapi.d.ts': '' })
  const hash = await readDocument(folder)
  const made = () => readFileSync(path.join(folder, 'document.js'), 'utf8')
  t.match(made(), new RegExp(`^// Of Agenthall ${manifest.version}, from openapi.json ${hash}\n`))
  t.match(readFileSync(path.join(folder, 'openapi.d.ts'), 'utf8'), /export interface paths/)
  writeFileSync(path.join(folder, 'document.js'), made() + '// As it was\n')
  t.equal(await readDocument(folder), hash)
  t.match(made(), /As it was/)
})

t.test('where there is nothing but what the web has it runs too, and is small', async (t) => {
  const code = await bundleClient()
  const size = gzipSync(code).length
  t.ok(size <= MOST_BYTES, `${size} bytes`)
  t.notMatch(code, /\b(?:process|Buffer|require)\b[.(]|from"/)
  const { app, user } = await build(t)
  const me = await user()
  const url = await app.listen({ port: 0 })
  const { atob, btoa, clearTimeout, crypto, fetch, FormData, setTimeout, TextDecoder, TextEncoder } = globalThis
  const encoders = { atob, btoa, TextDecoder, TextEncoder, URLSearchParams }
  const given = { ...encoders, clearTimeout, crypto, fetch, FormData, setTimeout }
  const { Agenthall } = runInNewContext(`${await bundleClient('client')}; client`, given) as typeof Client
  const client = new Agenthall({ url, key: me.key! })
  const { data: agent } = await client.post('/v1/agents', { body: { name: 'Ada', systemPrompt: 'You help.' } })
  t.match(await client.agent(agent.id).ask('Who are you?'), { text: /assistant/ })
})
