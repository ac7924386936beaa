import '../bare-children.ts'
import { brotliDecompressSync } from 'node:zlib'
import t from 'tap'
import { webIsBuilt } from '../web.ts'
import { site, SHOP } from './helper.ts'

t.before(webIsBuilt)

t.test('the script of a widget is served to pages of every site, and kept for five minutes', async (t) => {
  const { page } = await site(t)
  const { statusCode, headers, body } = await page().get('/widget.js')
  t.equal(statusCode, 200)
  t.match(headers, {
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=300, stale-while-revalidate=86400',
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
    'x-content-type-options': 'nosniff',
    etag: /^"/
  })
  t.equal(headers['x-ratelimit-limit'], undefined, 'outside every limit')
  t.equal((await page().get('/widget.js', undefined, { 'if-none-match': String(headers.etag) })).statusCode, 304)
  const compressed = await page().get('/widget.js', undefined, { 'accept-encoding': 'br' })
  t.equal(brotliDecompressSync(compressed.rawPayload).toString(), body)
})

t.test('what has its content in its name is kept for ever, and nothing else is there', async (t) => {
  const { page, key } = await site(t)
  const { data } = (await page().get(`/v1/widget/${key}/config`)).json()
  for (const file of [data.files.panel, data.files.form, ...Object.values(data.files.texts) as string[]]) {
    const { statusCode, headers } = await page().get(file)
    t.strictSame([statusCode, headers['cache-control']], [200, 'public, max-age=31536000, immutable'], file)
  }
  for (const file of [
    '/widget/panel.js',
    '/widget/manifest.json',
    `${data.files.panel}.br`,
    '/widget/..%2fmanifest.json',
    '/widget/../../package.json',
    '/widget/'
  ]) { t.equal((await page().get(file)).statusCode, 404, file) }
  t.equal((await page().post('/widget.js')).statusCode, 405)
})

t.test('the texts of a language are found by each code that browsers have for it', async (t) => {
  const { page, key } = await site(t)
  const { texts } = (await page().get(`/v1/widget/${key}/config`)).json().data.files
  t.equal(texts.nb, texts.no)
  t.equal(texts.nn, texts.no)
  t.equal(texts.iw, texts.he)
  t.match(texts.no, /text-no-/)
})

t.test('how a widget looks is public, follows what its owner sets, and is not sent again unchanged', async (t) => {
  const { page, key, me, id } = await site(
    t,
    {},
    {
      appearance: { chatbotName: 'Ada', primaryColor: '#0f766e' },
      behavior: { suggestions: ['a', ' ', 'b'], autoShowAfter: 5, collectVisitorData: true, expertHandoff: true },
      privacy_url: 'https://shop.example/privacy'
    }
  )
  const at = `/v1/widget/${key}/config`
  const { headers, body } = await page().get(at)
  t.match(JSON.parse(body).data, {
    key,
    active: true,
    appearance: { chatbotName: 'Ada', primaryColor: '#0f766e' },
    suggestions: ['a', 'b'],
    handoff: true,
    auto_show_after: 5,
    collect_visitor_data: true,
    show_on_mobile: true,
    consent: null,
    privacy_url: 'https://shop.example/privacy',
    white_label: false
  })
  for (const secret of ['systemPrompt', 'You help', 'guidelines', 'response_model', 'example.com"']) {
    t.notMatch(body, secret)
  }
  t.equal(headers['cache-control'], 'public, max-age=300, stale-while-revalidate=86400')
  t.equal((await page().get(at, undefined, { 'if-none-match': String(headers.etag) })).statusCode, 304)
  await me.put(`/v1/agents/${id}`, {
    status: 'Inactive', gdpr_settings: { data_retention_message: 'We keep it.', gdpr_message_display: true }
  })
  const changed = await page().get(at, undefined, { 'if-none-match': String(headers.etag) })
  t.match([changed.statusCode, changed.json().data], [200, { active: false, consent: 'We keep it.' }])
  t.equal((await page().get('/v1/widget/agw_aaaaaaaaaaaaaaaaaaaaaa/config')).statusCode, 404)
})

t.test('the page of a widget may do what the widget needs, and be framed by its own sites alone', async (t) => {
  const { page, key, me, id } = await site(t, {}, { appearance: { chatbotName: '</title><script>alert(1)</script>' } })
  const { statusCode, headers, body } = await page().get(`/chat/${key}`)
  t.equal(statusCode, 200)
  t.equal(
    headers['content-security-policy'],
    `default-src 'none'; script-src 'self'; style-src 'self'; img-src https: http: data:; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors ${SHOP}; require-trusted-types-for 'script'; trusted-types 'none'`
  )
  t.match(headers, {
    'cache-control': 'no-cache', 'referrer-policy': 'no-referrer', 'content-type': 'text/html; charset=utf-8'
  })
  t.match(body, '<title>&lt;/title&gt;&lt;script&gt;')
  t.equal((await page().get(`/chat/${key}`, undefined, { 'if-none-match': String(headers.etag) })).statusCode, 304)
  await me.patch(`/v1/agents/${id}/widget_keys/${key}`, { origins: [] })
  t.match((await page().get(`/chat/${key}`)).headers['content-security-policy'], /frame-ancestors 'none'/)
  for (const other of ['agw_aaaaaaaaaaaaaaaaaaaaaa', 'x']) t.equal((await page().get(`/chat/${other}`)).statusCode, 404)
  await me.delete(`/v1/agents/${id}`)
  t.equal((await page().get(`/chat/${key}`)).statusCode, 404)
})

t.test('what is said on the page is in the language that the visitor wants, also where the page is not', async (t) => {
  // Was wrong: visitors who wrote Finnish or Czech in few words were answered in English.
  const { page, key } = await site(t)
  for (const [query, accepted, visitor] of [
    ['', 'lt,et;q=0.9', 'lt'], ['?language=cs-CZ', 'de', 'cs'], ['', undefined, ''], ['', '*', ''],
    ['?language=%22%3E%3Cscript%3E', 'x', '']
  ] as const) {
    const { body } = await page().get(
      `/chat/${key}${query}`, undefined, accepted === undefined ? {} : { 'accept-language': accepted }
    )
    t.equal(/data-visitor="(.*?)"/.exec(body)?.[1], visitor, `${query} ${accepted}`)
  }
})

t.test('the page speaks the language that its address asks for, else the browser\'s, else English', async (t) => {
  // Was wrong: it said lang="en" to everybody, and the script followed the page.
  const { page, key } = await site(t)
  for (const [query, accepted, language] of [
    ['', undefined, 'en'],
    ['', 'de-AT,de;q=0.9,en;q=0.8', 'de'],
    ['', 'lt, en;q=0.5, fr;q=0.7', 'fr'],
    ['', 'lt,et;q=0.9', 'en'],
    ['', 'de;q=0, pl', 'pl'],
    ['', '*', 'en'],
    ['', 'de;q=x, it;q=0.1', 'it'],
    ['?language=ar', 'de', 'ar'],
    ['?language=pt-BR', undefined, 'pt'],
    ['?language=EN', 'de', 'en'],
    // Was wrong: Norwegian, and Hebrew as old browsers name it, were not recognised by these codes.
    ['', 'nb-NO,nb;q=0.9,no;q=0.8,en;q=0.5', 'no'],
    ['?language=iw', undefined, 'he'],
    ['?language=lt', 'nl', 'nl'],
    ['?language=%22%3E%3Cscript%3E', 'tr', 'tr'],
    ['?language=es&language=fr', 'it', 'it'],
    ['?language=__proto__', undefined, 'en']
  ] as const) {
    const { statusCode, headers, body } = await page().get(
      `/chat/${key}${query}`, undefined, accepted === undefined ? {} : { 'accept-language': accepted }
    )
    t.equal(statusCode, 200)
    t.equal(/<html lang="(.*?)">/.exec(body)?.[1], language, `${query} ${accepted}`)
    t.match(headers, { 'content-language': language, vary: 'accept-language' })
  }
})
