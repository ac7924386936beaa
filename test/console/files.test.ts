import '../bare-children.ts'
import { brotliDecompressSync } from 'node:zlib'
import t from 'tap'
import { build } from '../helper.ts'
import { webIsBuilt } from '../web.ts'

t.before(webIsBuilt)

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
  "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; worker-src 'self'; require-trusted-types-for 'script'; " +
  'trusted-types agenthall-worker'

t.test('the page of the console may load its own files and ask this server, and nothing else', async (t) => {
  const { app } = await build(t)
  const { statusCode, headers, body } = await app.inject('/console/')
  t.equal(statusCode, 200)
  t.match(headers, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': POLICY,
    'cache-control': 'no-cache',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    etag: /^"/
  })
  t.equal(headers['x-ratelimit-limit'], undefined, 'outside every limit')
  t.notMatch(body, /<script>|<style|style="|https?:/, 'nothing inline, nothing from elsewhere')
  const head = await app.inject({ method: 'HEAD', url: '/console/' })
  t.match([head.statusCode, head.body, head.headers.etag], [200, '', headers.etag])
  const again = await app.inject({ url: '/console/', headers: { 'if-none-match': String(headers.etag) } })
  t.match([again.statusCode, again.body, again.headers['content-security-policy']], [304, '', POLICY])
})

t.test('what the page loads is there, has its content in its name, and is kept for ever', async (t) => {
  const { app } = await build(t)
  const { body } = await app.inject('/console/')
  const files = [...body.matchAll(/"(\/console\/[^"]+)"/g)].map(([, file]) => file!)
  t.match(files, [/style-\w+\.css$/, /main-\w+\.js$/])
  for (const url of files) {
    const { statusCode, headers, body: text } = await app.inject(url)
    t.match([statusCode, headers['cache-control']], [200, 'public, max-age=31536000, immutable'], url)
    const packed = await app.inject({ url, headers: { 'accept-encoding': 'br' } })
    t.equal(packed.headers['content-encoding'], 'br')
    t.equal(brotliDecompressSync(packed.rawPayload).toString(), text)
    t.match(await app.inject({ method: 'HEAD', url }), { statusCode: 200, body: '' })
    t.equal((await app.inject({ url, headers: { 'if-none-match': String(headers.etag) } })).statusCode, 304)
  }
})

t.test('nothing else is there', async (t) => {
  const { app } = await build(t)
  for (const url of [
    '/console/main.js', '/console/manifest.json', '/console/..%2fmanifest.json', '/console/a/b', '/console/index.html'
  ]) {
    t.equal((await app.inject(url)).statusCode, 404, url)
  }
  t.equal((await app.inject({ method: 'POST', url: '/console/', payload: {} })).statusCode, 405)
})

t.test('the worker has one address, where browsers look whether it has changed', async (t) => {
  const { app } = await build(t)
  const { statusCode, headers, body } = await app.inject('/console/sw.js')
  t.match([statusCode, headers['content-type'], headers['cache-control']], [200, 'text/javascript; charset=utf-8', 'no-cache'])
  t.equal(headers['content-security-policy'], "default-src 'none'", 'it loads nothing')
  t.match(body, /notificationclick/)
  const again = await app.inject({ url: '/console/sw.js', headers: { 'if-none-match': String(headers.etag) } })
  t.equal(again.statusCode, 304)
})
