import { gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { fed, system } from './helper.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** A site whose pages, by path, a sitemap lists with their dates of change. */
function site (t: Test, pages: Record<string, { text: string, lastmod?: string, status?: number }>) {
  const seen = { list: '' as string, packed: false }
  return system(t, ({ url, headers }, reply) => {
    if (/^\/(sitemap|pages)\.xml$/.test(url.pathname)) {
      const urls = Object.entries(pages).map(([path, { lastmod }]) =>
        `<url><loc>http://${headers.host}${path}</loc>${lastmod ? `<lastmod>${lastmod}</lastmod>` : ''}</url>`)
      const list = (url.pathname === '/sitemap.xml' && seen.list) || `<?xml version="1.0"?><urlset xmlns="x">${urls.join('')}</urlset>`
      return reply.setHeader('content-type', 'application/xml').end(seen.packed ? gzipSync(list) : list)
    }
    const page = pages[url.pathname]
    if (!page || page.status) return reply.writeHead(page?.status ?? 404).end()
    const etag = `"${Buffer.from(page.text).toString('base64url').slice(0, 40)}"`
    if (headers['if-none-match'] === etag) return reply.writeHead(304).end()
    reply.writeHead(200, { 'content-type': 'text/plain', etag }).end(page.text)
  }).then((one) => ({ ...one, seen, pages }))
}

t.test('a sitemap brings its pages, and its lastmod says when to look', async (t) => {
  const { url, env, asked, pages } = await site(t, {
    '/a': { text: 'Page a says thirty days.', lastmod: '2026-01-01' }, '/b': { text: 'Page b says two days.' }
  })
  const { make, look, after, texts, feed, sources, trainings } = await fed(t, env)
  const id = await make({ kind: 'sitemap', config: { url: `${url}/sitemap.xml` } })
  t.strictSame(await texts(), { [`${url}/a`]: 'Page a says thirty days.', [`${url}/b`]: 'Page b says two days.' })
  t.match(await sources(), [{ type: 'website', urls: [`${url}/a`], origin_changed_at: '2026-01-01' }, { urls: [`${url}/b`] }])
  const pathsSince = (from: number) => asked.slice(from).map((one) => one.url.pathname)

  let from = asked.length
  const before = trainings()
  await look(id)
  t.strictSame(pathsSince(from), ['/sitemap.xml', '/b'], 'what says nothing is asked, what says it is as it was is not')
  pages['/a'] = { text: 'Page a says fourteen days.', lastmod: '2026-01-01' }
  await after(8 * DAY)
  t.match(await texts(), { [`${url}/a`]: 'Page a says fourteen days.' }, 'a lastmod that lies is found out within a week')
  const then = trainings()
  t.not(then, before)

  pages['/a'] = { text: 'Page a says fourteen days.', lastmod: '2026-02-02' }
  from = asked.length
  await look(id)
  t.strictSame(pathsSince(from), ['/sitemap.xml', '/a', '/b'])
  t.equal(trainings(), then, 'a lastmod that has moved is no change')
  t.match(await sources(), [{ origin_changed_at: '2026-02-02' }, {}])

  // A page that is unavailable once, and one that is no longer listed.
  pages['/b'] = { text: '', status: 503 }
  for (let n = 0; n < 3; n++) await look(id)
  t.match(await sources(), [{ stale: null }, { stale: 'unreachable' }])
  t.match(await texts(), { [`${url}/b`]: 'Page b says two days.' })
  t.match(await feed(id), { state: 'idle', last: { failed: 1 } })
  pages['/b'] = { text: 'Page b says two days.' }
  await look(id)
  t.match(await sources(), [{}, { stale: null }])
  delete pages['/b']
  await look(id)
  t.strictSame(Object.keys(await texts()), [`${url}/a`])
})

t.test('an unchanged site of 500 pages costs 500 conditional requests and no training', async (t) => {
  const pages = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`/${n}`, { text: `Page ${n} says ${n}.` }]))
  const { url, env, asked } = await site(t, pages)
  const { me, at, looksOnly, feed, stores } = await fed(t, env)
  const id = (await me.post(`${at}/feeds`, { name: 'x', kind: 'sitemap', config: { url: `${url}/sitemap.xml` } })).json().data.id
  await looksOnly()
  t.match(await feed(id), { sources: 500, last: { new: 500 } })
  // As if they had been trained.
  stores.db.raw.exec("delete from jobs where kind = 'train'; update knowledge_sources set status = 'Success', training_status = 'Success'")
  asked.splice(0)
  await me.post(`${at}/feeds/${id}/look`)
  await looksOnly()
  const requests = asked.filter((one) => one.url.pathname !== '/sitemap.xml')
  // Was wrong without remembering pages: each came in full, and was compared by its hash.
  t.equal(requests.length, 500)
  t.ok(requests.every((one) => one.headers['if-none-match']), 'each is conditional')
  t.match(await feed(id), { last: { seen: 500, new: 0, changed: 0, gone: 0, failed: 0, bytes: 0 } })
  t.equal(stores.db.raw.prepare("select count(*) from jobs where kind = 'train'").pluck().get(), 0)
})

t.test('a list that is longer than one look reads is gone through by looks that follow', async (t) => {
  const pages = Object.fromEntries(Array.from({ length: 620 }, (_, n) => [`/${n}`, { text: `Page ${n} says ${n}.` }]))
  const { url, env, asked } = await site(t, pages)
  const { me, at, looksOnly, feed, clock } = await fed(t, env)
  const id = (await me.post(`${at}/feeds`, { name: 'x', kind: 'sitemap', config: { url: `${url}/sitemap.xml` } })).json().data.id
  await looksOnly()
  t.match(await feed(id), { sources: 500 })
  clock.advance(60_000)
  asked.splice(0)
  await looksOnly()
  t.match(await feed(id), { sources: 620, last: { new: 120 } })
  t.equal(asked.length, 121, 'what was read just now is not read again')
})

t.test('what is no sitemap, or breaks off, takes nothing away', async (t) => {
  const { url, env, seen, pages } = await site(t, { '/a': { text: 'Page a.' }, '/b': { text: 'Page b.' } })
  const { make, look, texts, feed, me, at } = await fed(t, env)
  const id = await make({ kind: 'sitemap', config: { url: `${url}/sitemap.xml` } })
  const whole = await texts()
  seen.list = '<html><body>We will be back soon.</body></html>'
  await look(id)
  t.match(await feed(id), { state: 'idle', error: { code: 'unreadable', message: 'There is no sitemap at this address.' } })
  t.strictSame(await texts(), whole)
  seen.list = `<urlset><url><loc>${url}/a</loc></url><url><loc>${url}`
  await look(id)
  t.match(await feed(id), { error: null, last: { seen: 1, gone: 0 } })
  t.strictSame(await texts(), whole, 'a list that ends early says nothing of what is not in it')
  seen.list = `<sitemapindex><sitemap><loc>${url}/pages.xml</loc></sitemap><sitemap><loc>${url}/sitemap.xml</loc></sitemap><sitemap><loc>http://elsewhere.test/x</loc></sitemap></sitemapindex>`
  await look(id)
  t.strictSame(await texts(), whole)
  seen.list = ''
  seen.packed = true
  delete pages['/b']
  await look(id)
  t.strictSame(Object.keys(await texts()), [`${url}/a`], 'a packed one is read')
  t.equal((await me.post(`${at}/feeds`, { name: 'x', kind: 'sitemap', config: { url: 'http://10.0.0.1/x' } })).statusCode, 400)
})

t.test('RSS and Atom bring their pages, and those that they name no longer stay', async (t) => {
  let list = ''
  const { url, env } = await system(t, ({ url }, reply) => url.pathname === '/feed'
    ? reply.setHeader('content-type', 'application/rss+xml').end(list)
    : reply.setHeader('content-type', 'text/plain').end(`Post ${url.pathname} says something.`))
  const { make, look, texts, sources, feed } = await fed(t, env)
  const item = (n: number) => `<item><title>Post &amp; ${n}</title><link>${url}/${n}</link><guid isPermaLink="false">g${n}</guid><pubDate>Thu, 0${n} Jan 2026 00:00:00 GMT</pubDate></item>`
  list = `<rss version="2.0"><channel><title>Blog</title><link>${url}</link>${item(1)}${item(2)}</channel></rss>`
  const id = await make({ kind: 'rss', config: { url: `${url}/feed` } })
  t.strictSame(Object.keys(await texts()), [`${url}/1`, `${url}/2`])
  t.match(await sources(), [{ title: 'Post & 1', origin_changed_at: 'Thu, 01 Jan 2026 00:00:00 GMT' }, {}])
  list = `<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>Blog</title><link rel="self" href="${url}/feed"/>
    <entry><title>Three</title><link rel="edit" href="${url}/edit"/><link rel="alternate" href="${url}/3"/><updated>2026-03-03T00:00:00Z</updated></entry>
    <entry><title>Nowhere</title></entry></feed>`
  await look(id)
  t.strictSame(Object.keys(await texts()), [`${url}/1`, `${url}/2`, `${url}/3`])
  list = '<html></html>'
  await look(id)
  t.match(await feed(id), { error: { code: 'unreadable' } })
})

t.test('an address of a sitemap behind which there is no page becomes no source, and counts as failed', async (t) => {
  const { url, env } = await system(t, ({ url, headers }, reply) => {
    const at = (path: string) => `<url><loc>http://${headers.host}${path}</loc></url>`
    if (url.pathname === '/a') return reply.setHeader('content-type', 'text/plain').end('Page a.')
    const within = url.pathname === '/sitemap.xml' ? at('/a') + at('/empty.xml') : ''
    reply.setHeader('content-type', 'application/xml').end(`<?xml version="1.0"?><urlset>${within}</urlset>`)
  })
  const { make, texts, feed } = await fed(t, env)
  const id = await make({ kind: 'sitemap', config: { url: `${url}/sitemap.xml` } })
  t.strictSame(await texts(), { [`${url}/a`]: 'Page a.' })
  t.match(await feed(id), { state: 'idle', error: null, last: { seen: 2, new: 1, failed: 1 } })
})
