import '../../bare-children.ts'
import { readFileSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import { buildWeb, type Part } from '../../../scripts/build/web.ts'
import { isBuiltFrom, noteBuilt, stampOf } from '../../../scripts/build/web-stamp.ts'
import { ROOT } from '../../../scripts/build/root.ts'
import { answers } from '../../../src/platform/http/answers.ts'
import { CACHE_CONTROL, sendWebFile, webFiles } from '../../../src/platform/http/web/files.ts'

/** A folder with a script that includes a style sheet, and how to build it. */
function site (t: Test, says = 'hello') {
  const folder = t.testdir({
    'main.ts': `import css from './main.css'\nconst says: string = '${says}'\nconsole.log(says, css)\n`,
    'main.css': '.a {\n  color: #ff0000;\n}\n'
  })
  const part: Part = {
    folder: 'shop', format: 'esm', entries: { main: path.relative(ROOT, path.join(folder, 'main.ts')) }
  }
  const to = path.join(folder, 'web')
  return {
    to,
    folder,
    build: async () => await buildWeb({ to, parts: [part] }),
    names: () => readdirSync(path.join(to, 'shop')).sort()
  }
}

/** The files of a folder as a server has them. */
const filesIn = (to: string) => webFiles((name) => readFileSync(path.join(to, name.replace(/^build\/web\//, ''))))

t.test('a script is built under a name that changes with it, with its style sheet, and compressed', async (t) => {
  const { to, folder, build, names } = site(t)
  t.strictSame(await build(), [], 'no package went into it')
  const [script = '', compressed = '', ...more] = names()
  t.strictSame([compressed, more], [`${script}.br`, []])
  t.match(script, /^main-[A-Z0-9]{8}\.js$/)
  const content = readFileSync(path.join(to, 'shop', script))
  t.match(content.toString(), '.a{color:red}')
  t.ok(brotliDecompressSync(readFileSync(path.join(to, 'shop', compressed))).equals(content))

  writeFileSync(path.join(folder, 'main.ts'), 'console.log(2)\n')
  await build()
  t.equal(names().length, 4, 'what another process may still be serving stays for a minute')
  for (const name of names()) utimesSync(path.join(to, 'shop', name), 0, 0)
  await build()
  t.equal(names().length, 2)
  t.notOk(names().includes(script))
  t.match(JSON.parse(readFileSync(path.join(to, 'manifest.json'), 'utf8')), {
    entries: { 'shop/main': `shop/${names()[0]}` }, files: [`shop/${names()[0]}`]
  })
})

t.test('several processes may build at once', async (t) => {
  const { build, names } = site(t)
  await Promise.all([build(), build(), build()])
  t.equal(names().length, 2)
})

t.test('a start builds only when a file of the source is another, or one that was built is missing', async (t) => {
  const root = t.testdir({
    src: { 'main.ts': '1', browser: { 'panel.ts': '1' } },
    schema: { 'agents.ts': '1' },
    build: {
      web: { 'manifest.json': JSON.stringify({ entries: {}, files: ['shop/main-A.js'] }), shop: { 'main-A.js.br': '' } }
    }
  })
  const at = (name: string) => path.join(root, name)
  const stamp = stampOf(root)
  t.equal(isBuiltFrom(stamp, root), false, 'nobody said what it was built from')
  noteBuilt(stamp, root)
  t.equal(isBuiltFrom(stampOf(root), root), true)

  for (const name of ['src/browser/panel.ts', 'schema/agents.ts', 'tsconfig.browser.json', 'src/browser/new.ts']) {
    writeFileSync(at(name), '22')
    t.equal(isBuiltFrom(stampOf(root), root), false, name)
    noteBuilt(stampOf(root), root)
  }
  rmSync(at('src/browser/new.ts'))
  t.equal(isBuiltFrom(stampOf(root), root), false, 'a file that is gone')
  noteBuilt(stampOf(root), root)
  t.equal(isBuiltFrom(stampOf(root), root), true)
  rmSync(at('build/web/shop/main-A.js.br'))
  t.equal(isBuiltFrom(stampOf(root), root), false, 'what was built is gone')
  rmSync(at('build/web/manifest.json'))
  t.equal(isBuiltFrom(stampOf(root), root), false, 'and what names it')
})

t.test('a file is served in the form that is asked for, and not again while it has not changed', async (t) => {
  const { to, build } = site(t, 'é'.repeat(500))
  await build()
  const files = filesIn(to)
  const name = files.entry('shop/main')
  const content = readFileSync(path.join(to, name))
  const app = Fastify()
  app.get('/main.js', (request, reply) => sendWebFile(request, reply, files.file(name)!, CACHE_CONTROL.forEver))
  const ask = async (headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
    await app.inject({ method, url: '/main.js', headers })

  const plain = await ask()
  t.match(plain.headers, {
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
    vary: 'accept-encoding',
    etag: /^"[\w-]{16}"$/,
    'content-length': String(content.length)
  })
  t.equal(plain.headers['content-encoding'], undefined)
  t.ok(plain.rawPayload.equals(content))
  for (const accepted of ['br', 'gzip, deflate, br, zstd', 'gzip;q=1.0, br;q=0.8']) {
    const { headers, rawPayload } = await ask({ 'accept-encoding': accepted })
    t.equal(headers['content-encoding'], 'br', accepted)
    t.ok(brotliDecompressSync(rawPayload).equals(content))
  }
  for (const refused of ['gzip', 'br;q=0', 'br;q=0.0', 'brotli', '*']) {
    t.equal((await ask({ 'accept-encoding': refused })).headers['content-encoding'], undefined, refused)
  }
  const { headers: { 'content-length': length }, body } = await ask({}, 'HEAD')
  t.strictSame([length, body], [String(content.length), ''])
  const unchanged = await ask({ 'if-none-match': `W/${plain.headers.etag}` })
  t.strictSame([unchanged.statusCode, unchanged.body, unchanged.headers.etag], [304, '', plain.headers.etag])
  t.equal((await ask({ 'if-none-match': '"other"' })).statusCode, 200)
  t.equal(files.file('shop/other.js'), undefined)
  t.equal(files.file('../../../etc/passwd'), undefined)
})

t.test('where nothing was built, a sentence says how to', async (t) => {
  const files = filesIn(t.testdir({}))
  const app = Fastify()
  await app.register(answers, { onRefusal: () => {} })
  app.get('/main.js', (request, reply) => sendWebFile(request, reply, files.file('shop/main.js')!, CACHE_CONTROL.never))
  const { statusCode, body } = await app.inject('/main.js')
  t.strictSame(
    [statusCode, JSON.parse(body).error.message],
    [
      503,
      'The pages and scripts for browsers are not built. Start the server with "npm start", or run "npm run web" once.'
    ]
  )
})
