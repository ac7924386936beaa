import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { googleDrive } from '../../src/crawling/drive.ts'
import type { FeedReader, Item, LookAt, Listed } from '../../src/feeds/contract.ts'
import { CursorExpired, FeedFault } from '../../src/feeds/fault.ts'
import { driveFolderReader } from '../../src/feeds/kinds/drive.ts'
import { helpscoutReader } from '../../src/feeds/kinds/helpscout.ts'
import { intercomReader } from '../../src/feeds/kinds/intercom.ts'
import { notionReader } from '../../src/feeds/kinds/notion.ts'
import { zendeskReader } from '../../src/feeds/kinds/zendesk.ts'
import { egress } from '../../src/platform/net/egress.ts'
import { fixedClock } from '../helper.ts'
import { fed, sends, system } from './helper.ts'

/** A reader's dependencies, with these in their place. */
const told = (more: Partial<LookAt> = {}): LookAt => ({
  config: {}, secret: 'key', cursor: null, visitOf: () => null, signal: new AbortController().signal, ...more
})

/** Reads a list to its end. */
async function whole (reader: FeedReader, look: LookAt): Promise<{ items: Item[] } & Listed> {
  const items: Item[] = []
  const list = reader.list(look)
  for (;;) {
    const next = await list.next()
    if (next.done) return { items, ...next.value }
    items.push(...next.value)
  }
}

const words = (item: Item) => new TextDecoder().decode(item.content!.bytes)

function asking (t: Test, host: string) {
  const out = egress({ allowedHosts: [host], userAgent: 'Agenthall/test' })
  t.teardown(() => out.close())
  return { fetch: out.fetch, clock: fixedClock() }
}

t.test('Confluence: its pages, part by part, and what follows them', async (t) => {
  const pages = new Map(Array.from({ length: 5 }, (_, n) => [String(n), { title: `Page ${n}`, body: `<p>Page ${n} says ${n}.</p>`, version: 1 }]))
  const now = { status: 200, retry: '', foreign: false, half: false, circle: false }
  const { url, env, asked } = await system(t, ({ url }, reply) => {
    if (now.status !== 200) return sends(reply, {}, now.status, now.retry ? { 'retry-after': now.retry } : {})
    const from = Number(url.searchParams.get('start') ?? 0)
    if (from > 0 && now.half) return reply.destroy()
    const results = [...pages].slice(from, from + 2).map(([id, { title, body, version }]) =>
      ({ id, title, version: { number: version }, body: { view: { value: body } }, _links: { webui: `/spaces/HELP/${id}` } }))
    const next = from + 2 < pages.size ? { next: now.foreign ? 'http://elsewhere.test/rest' : `/rest/api/content/search?start=${now.circle ? 0 : from + 2}&cursor=x` } : {}
    sends(reply, { results, _links: { ...next } })
  })
  const { make, look, after, texts, feed, sources, me, at, told: events } = await fed(t, env)
  await me.post('/v1/webhooks', { url: 'https://example.com/hook', events: ['feed.broken'] })
  const id = await make({ kind: 'confluence', config: { url: `${url}/wiki`, space: 'HELP', user: 'ada@example.com' }, secret: 'token' })
  t.match(asked[0]!, { headers: { authorization: `Basic ${Buffer.from('ada@example.com:token').toString('base64')}` } })
  t.match(asked.map((one) => one.url.pathname), ['/wiki/rest/api/content/search', '/wiki/rest/api/content/search', '/wiki/rest/api/content/search'])
  t.equal(asked[0]!.url.searchParams.get('cql'), 'space = "HELP" and type = page order by id')
  t.match(await texts(), { 0: /Page 0 says 0\./, 4: /Page 4 says 4\./ })
  t.match((await sources())[0], { title: 'Page 0', urls: [`${url}/wiki/spaces/HELP/0`], origin_changed_at: '1' })

  pages.set('0', { title: 'Page zero', body: '<p>Page 0 says nil.</p>', version: 2 })
  pages.delete('4')
  await look(id)
  t.match(await texts(), { 0: /Page 0 says nil\./ })
  t.match(await feed(id), { last: { seen: 4, changed: 1, gone: 1 } })
  t.match((await sources())[0], { title: 'Page zero' }, 'a title that nobody has changed follows')

  now.half = true
  await look(id)
  t.match(await feed(id), { error: { code: 'unavailable' }, sources: 4 })
  now.half = false
  now.foreign = true
  await look(id)
  t.match(await feed(id), { error: { code: 'unreadable', message: /another host/ } })
  now.foreign = false
  now.circle = true
  await look(id)
  t.match(await feed(id), { error: null, last: { gone: 0 } }, 'a list that never ends takes nothing away')
  now.circle = false
  now.status = 429
  now.retry = '90'
  await look(id)
  t.match(await feed(id), { error: { code: 'rate_limited' }, state: 'idle' })
  now.status = 200
  await after(89_000)
  t.match(await feed(id), { error: { code: 'rate_limited' } }, 'it is not asked before the time')
  await after(2000)
  t.match(await feed(id), { error: null })

  now.status = 401
  await look(id)
  t.match(await feed(id), { state: 'broken', error: { code: 'denied' }, next_at: null })
  const requests = asked.length
  await after(40 * 86_400_000)
  t.equal(asked.length, requests, 'a token that was revoked is not tried again')
  await look(id)
  t.equal(events('feed.broken').length, 1, 'and told once')
  t.equal((await sources()).length, 4)
  now.status = 200
  t.equal((await me.patch(`${at}/feeds/${id}`, { secret: 'another' })).statusCode, 200)
  await look(id)
  t.match(await feed(id), { state: 'idle', error: null })
  t.equal(asked.at(-1)!.headers.authorization, `Basic ${Buffer.from('ada@example.com:another').toString('base64')}`)
})

t.test('Zendesk: all articles once a day, and otherwise those that have changed', async (t) => {
  const articles = [1, 2, 3].map((n) => ({ id: n, title: `Article ${n}`, body: `<p>Article ${n}.</p>`, html_url: `https://shop.zendesk.com/${n}`, updated_at: 'a', draft: n === 3, locale: 'en-us' }))
  const now = { expired: false, foreign: false, down: false }
  const { url, host, asked } = await system(t, ({ url: { pathname, searchParams }, headers }, reply) => {
    if (pathname.endsWith('/incremental/articles.json')) {
      if (now.down) return sends(reply, {}, 503)
      if (now.expired) return sends(reply, { error: 'too old' }, 422)
      const start = Number(searchParams.get('start_time'))
      const isLast = searchParams.get('page') === '2'
      return sends(reply, {
        articles: isLast ? [articles[1]] : [articles[0], { ...articles[0], id: 9, locale: 'de' }],
        end_time: start + 10,
        next_page: isLast ? null : `http://${now.foreign ? 'elsewhere.test' : headers.host}/api/v2/help_center/incremental/articles.json?start_time=${start + 10}&page=2`
      })
    }
    const isSecond = searchParams.get('page[after]') === 'x'
    sends(reply, {
      articles: isSecond ? articles.slice(1) : articles.slice(0, 1),
      meta: { has_more: !isSecond },
      links: { next: `http://${headers.host}${pathname}?page[after]=x` }
    })
  })
  const parts = asking(t, host)
  const reader = zendeskReader(parts)
  const config = { url, user: 'ada@example.com', locale: 'en-US' }
  const first = await whole(reader, told({ config }))
  t.match(first, { isWhole: true, items: [{ key: '1', title: 'Article 1', url: 'https://shop.zendesk.com/1', changedAt: 'a' }, { key: '2' }] })
  t.equal(first.items.length, 2, 'drafts are nobody\'s to read')
  t.equal(words(first.items[0]!), '<p>Article 1.</p>')
  t.equal(asked[0]!.url.pathname, '/api/v2/help_center/en-us/articles.json')
  t.equal(asked[0]!.headers.authorization, `Basic ${Buffer.from('ada@example.com/token:key').toString('base64')}`)

  parts.clock.advance(3_600_000)
  const next = await whole(reader, told({ config, cursor: first.cursor }))
  t.match(next, { isWhole: false, isDelta: true, items: [{ key: '1' }, { key: '2' }] })
  t.notSame(next.cursor, first.cursor)
  t.ok((await whole(reader, told({ config, cursor: first.cursor, secret: null }))).isWhole, 'without a token all is listed')
  now.foreign = true
  await t.rejects(whole(reader, told({ config, cursor: first.cursor })), FeedFault)
  now.down = true
  await t.rejects(whole(reader, told({ config, cursor: first.cursor })), { code: 'unavailable' }, 'it has not expired because Zendesk is down')
  now.down = false
  now.expired = true
  await t.rejects(whole(reader, told({ config, cursor: first.cursor })), CursorExpired)
  parts.clock.advance(86_400_000)
  t.ok((await whole(reader, told({ config, cursor: first.cursor }))).isWhole)
  parts.clock.advance(-30 * 86_400_000)
  t.ok((await whole(reader, told({ config, cursor: first.cursor }))).isWhole, 'a clock that went back lists all')
  t.match(await reader.read(first.items[0]!, told()), { failed: { code: 'unreadable' } })

  // The full pass: after expiry the list is read from its beginning, and what is not in a part stays.
  const { make, look, texts, feed } = await fed(t, { AGENTHALL_ALLOWED_HOSTS: host })
  now.foreign = false
  now.expired = false
  const id = await make({ kind: 'zendesk', config: { url, user: 'ada@example.com' }, secret: 'key' })
  articles[1]!.body = '<p>Article 2, changed.</p>'
  articles[1]!.updated_at = 'b'
  await look(id)
  t.match(await texts(), { 1: /Article 1/, 2: /Article 2, changed/ })
  now.expired = true
  articles.splice(0, 1)
  await look(id)
  t.match(await feed(id), { state: 'idle', error: null, last: { gone: 2 } })
})

t.test('Intercom: published articles, page by page', async (t) => {
  const now = { pages: { total_pages: 2 } as object, empty: false }
  const { url, host, asked } = await system(t, ({ url }, reply) => sends(reply, {
    data: now.empty ? [] : [1, 2].map((n) => ({ id: `${url.searchParams.get('page')}${n}`, title: `T${n}`, body: '<p>B</p>', state: n === 2 ? 'draft' : 'published', url: null, updated_at: 17 })),
    pages: now.pages
  }))
  const reader = intercomReader({ ...asking(t, host), api: url })
  t.match(await whole(reader, told()), { isWhole: true, items: [{ key: '11', changedAt: '17', url: null }, { key: '21' }] })
  t.match(asked[0]!.headers, { authorization: 'Bearer key', 'intercom-version': '2.11' })
  now.empty = true
  t.equal((await whole(reader, told())).isWhole, false, 'a page without articles before the last')
  now.pages = {}
  t.equal((await whole(reader, told())).isWhole, false, 'a list that does not say how long it is')
  t.match(await reader.read({ key: '1', title: '', url: null, changedAt: null }, told()), { failed: {} })
})

t.test('Help Scout: articles of all collections, or of one', async (t) => {
  const now = { missing: 200, short: false }
  const { url, host, asked } = await system(t, ({ url: { pathname, searchParams } }, reply) => {
    const page = Number(searchParams.get('page'))
    if (pathname === '/collections') return sends(reply, { collections: { pages: 2, items: [{ id: `c${page}` }] } })
    if (pathname.startsWith('/collections/')) {
      const name = pathname.split('/')[2]
      return sends(reply, { articles: { pages: now.short ? 3 : 1, items: page > 1 ? [] : [{ id: `${name}a`, name: 'An article', publicUrl: 'https://x', updatedAt: 'u', status: 'published' }, { id: 'n', status: 'notpublished' }] } })
    }
    sends(reply, { article: { text: `<p>${pathname}</p>` } }, now.missing)
  })
  const reader = helpscoutReader({ ...asking(t, host), api: url })
  const all = await whole(reader, told())
  t.match(all, { isWhole: true, items: [{ key: 'c1a', title: 'An article', changedAt: 'u' }, { key: 'c2a' }] })
  t.equal(asked[0]!.headers.authorization, `Basic ${Buffer.from('key:X').toString('base64')}`)
  const got = await reader.read(all.items[0]!, told())
  t.equal(new TextDecoder().decode((got as { content: { bytes: Uint8Array } }).content.bytes), '<p>/articles/c1a</p>')
  now.missing = 404
  t.match(await reader.read(all.items[0]!, told()), { failed: { code: 'not_found' } })
  now.missing = 500
  await t.rejects(reader.read(all.items[0]!, told()), { code: 'unavailable' })
  now.short = true
  t.match(await whole(reader, told({ config: { collection: 'abc' } })), { isWhole: false, items: [{ key: 'abca' }] })
})

t.test('Notion: pages that are shared, with the blocks in them', async (t) => {
  const text = (plain: string) => ({ rich_text: [{ plain_text: plain }] })
  const page = (id: string, more: object = {}) => ({
    id, url: `https://notion.so/${id}`, last_edited_time: 't', properties: { Price: { type: 'number' }, Name: { type: 'title', title: [{ plain_text: 'Page ' }, { plain_text: id }] } }, ...more
  })
  const blocks: Record<string, object[]> = {
    p1: [
      { id: 'b1', type: 'heading_1', heading_1: text('Returns & <more>') }, { id: 'b2', type: 'paragraph', paragraph: text('Thirty days.'), has_children: true },
      { id: 'b3', type: 'child_page', child_page: { title: 'x' }, has_children: true }
    ],
    'p1+': [{ id: 'b4', type: 'table', has_children: true }],
    b2: [{ id: 'b5', type: 'bulleted_list_item', bulleted_list_item: text('Unused.') }],
    b4: [{ id: 'b6', type: 'table_row', table_row: { cells: [[{ plain_text: 'A' }], [{ plain_text: 'B' }]] } }]
  }
  const now = { lost: false, status: 200, broken: false }
  const { url, host, asked } = await system(t, ({ url: { pathname, searchParams }, body }, reply) => {
    if (now.broken) return reply.end('<html>Sign in</html>')
    if (now.status !== 200) return sends(reply, {}, now.status)
    if (pathname === '/search') {
      const isSecond = JSON.parse(body).start_cursor === 'next'
      return sends(reply, { results: isSecond ? [page('p2'), page('p3', { archived: true }), page('p4', { properties: { Price: { type: 'number' } } })] : [page('p1')], has_more: !isSecond, next_cursor: now.lost || isSecond ? null : 'next' })
    }
    const id = pathname.split('/')[2]!
    const isSecond = searchParams.get('start_cursor') === 'more'
    sends(reply, { results: blocks[isSecond ? `${id}+` : id] ?? [], has_more: id === 'p1' && !isSecond, next_cursor: 'more' })
  })
  const reader = notionReader({ ...asking(t, host), api: url })
  const all = await whole(reader, told())
  t.match(all, { isWhole: true, items: [{ key: 'p1', title: 'Page p1', changedAt: 't' }, { key: 'p2' }, { key: 'p4', title: '' }] })
  t.equal(all.items.length, 3)
  t.match(asked[0]!, { method: 'POST', headers: { authorization: 'Bearer key', 'notion-version': '2022-06-28' } })
  const got = await reader.read(all.items[0]!, told())
  t.equal(
    new TextDecoder().decode((got as { content: { bytes: Uint8Array } }).content.bytes),
    '<h1>Returns &#38; &#60;more&#62;</h1><p>Thirty days.<li>Unused.</li></p><p></p><table><tr><td>A</td><td>B</td></tr></table>')
  now.lost = true
  t.equal((await whole(reader, told())).isWhole, false)
  now.status = 404
  t.match(await reader.read(all.items[0]!, told()), { failed: { code: 'not_found' } })
  now.status = 403
  await t.rejects(reader.read(all.items[0]!, told()), { code: 'denied' })
  now.broken = true
  await t.rejects(reader.read(all.items[0]!, told()), { code: 'unreadable', message: 'Notion did not answer as expected. Check the address.' })
})

t.test('Google Drive: the files of a folder', async (t) => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048, publicKeyEncoding: { type: 'spki', format: 'pem' }, privateKeyEncoding: { type: 'pkcs8', format: 'pem' } })
  const google = 'application/vnd.google-apps'
  const files: Record<string, object> = {
    folder: { name: 'Docs', mimeType: `${google}.folder`, modifiedTime: '1' },
    a: { name: 'a.txt', mimeType: 'text/plain', md5Checksum: 'm', modifiedTime: '1' },
    d: { name: 'Handbook', mimeType: `${google}.document`, modifiedTime: '2' },
    s: { name: 'Link', mimeType: `${google}.shortcut`, modifiedTime: '3', shortcutDetails: { targetId: 'a', targetMimeType: 'text/plain' } },
    f: { name: 'Form', mimeType: `${google}.form`, modifiedTime: '4' }
  }
  const now = { status: 200 }
  const { url, host } = await system(t, ({ url: { pathname, searchParams } }, reply) => {
    if (pathname === '/token') return sends(reply, { access_token: 'x', expires_in: 3600 })
    if (now.status !== 200) return sends(reply, {}, now.status)
    const id = pathname.split('/')[2]
    if (id === undefined) return sends(reply, { files: ['a', 'd', 's', 'f'].map((one) => ({ id: one, ...files[one] })) })
    if (searchParams.get('alt') === 'media' || pathname.endsWith('/export')) return reply.end(`Words of ${id}.`)
    sends(reply, { id, ...files[id] })
  })
  const account = path.join(t.testdir({}), 'account.json')
  writeFileSync(account, JSON.stringify({ client_email: 'x@y', private_key: privateKey, token_uri: `${url}/token` }))
  const parts = asking(t, host)
  const drive = googleDrive({ ...parts, accountFile: account, api: url })
  const reader = driveFolderReader({ drive, fileLimit: 1000 })
  const look = told({ config: { folder: 'folder' } })
  const { items, isWhole } = await whole(reader, look)
  t.ok(isWhole)
  t.match(items, [{ key: 'a', digest: 'm' }, { key: 'd', digest: '2' }, { key: 'a', changedAt: null }, { key: 'f' }])
  t.match(await reader.read(items[0]!, look), { content: { name: 'a.txt' } })
  t.match(await reader.read(items[1]!, look), { content: { name: 'Handbook.docx', title: 'Handbook' } })
  t.match(await reader.read(items[2]!, look), { content: { name: 'a.txt' } })
  t.match(await reader.read(items[3]!, look), { failed: { code: 'google_drive_unsupported' } })
  now.status = 503
  await t.rejects(reader.read(items[0]!, look), { code: 'google_drive_unavailable' })
  now.status = 404
  await t.rejects(whole(reader, look), { code: 'google_drive_not_found' })
  // A missing thing is reported as missing.
  const { make, feed } = await fed(t)
  t.match(await feed(await make({ kind: 'drive_folder', config: { folder: 'folder' } })), { state: 'broken', error: { code: 'not_configured' } })
})
