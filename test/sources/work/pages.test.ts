import t from 'tap'
import type { Test } from 'tap'
import { systemClock } from '../../../src/platform/clock.ts'
import { build } from '../../helper.ts'
import type { SitePages } from '../../../schema/knowledge.ts'
import { googleDrive } from '../../../src/crawling/drive.ts'
import { alone } from '../../../src/platform/neighbours/alone.ts'
import { egress } from '../../../src/platform/net/egress.ts'
import { previewer } from '../../../src/sources/work/preview.ts'
import { agentOf, inProcess, serve, train } from '../parts.ts'

const out = egress({
  allowedHosts: ['127.0.0.1'], userAgent: 'Agenthall/0.0.0', limits: { headersMs: 15_000, totalMs: 30_000 }
})
t.teardown(() => out.close())

const links = (...paths: string[]) => paths.map((path) => `<a href="${path}">${path}</a>`).join('')
const text = (about: string) => `<title>${about}</title>
  <main><h1>${about}</h1><p>Everything that there is to say about ${about}, in a sentence that is long enough.</p></main>`

/** A shop with a help centre, a blog and a shopping cart that robots may not read. */
const SHOP: Record<string, string> = {
  '/robots.txt': 'User-agent: *\nDisallow: /cart\nSitemap: /sitemap.xml\nSitemap: https://elsewhere.test/sitemap.xml\n',
  '/': links('/help', '/blog', '/cart') + text('lamps'),
  '/help': links('/help/shipping', '/help/returns', '/help/old/fax', '/blog/news') + text('help'),
  '/help/shipping': links('/', '/help/returns') + text('shipping'),
  '/help/returns': text('returns'),
  '/help/old/fax': text('fax'),
  '/blog': links('/blog/news') + text('blog'),
  '/blog/news': text('news'),
  '/cart': text('cart')
}

/** An agent beside a site whose pages can be changed; `asked`: the requests to the site, `if`: with an ETag. */
async function shop (t: Test, more: Record<string, string> = {}) {
  const pages = new Map(Object.entries({ ...SHOP, ...more }))
  const asked: string[] = []
  const origin = await serve(t, ({ url = '', headers }, reply) => {
    const page = pages.get(url)
    if (url !== '/robots.txt') asked.push(`${url}${headers['if-none-match'] ? ' if' : ''}`)
    if (page === undefined) return reply.writeHead(404, { 'content-type': 'text/html' }).end('<p>missing')
    const etag = `"${Buffer.byteLength(page)}"`
    if (headers['if-none-match'] === etag) return reply.writeHead(304).end()
    const type = /\.(xml|txt)$/.exec(url)?.[1] ?? 'html'
    reply.writeHead(200, { 'content-type': `${type === 'xml' ? 'application' : 'text'}/${type}`, etag })
    reply.end(page.replaceAll('{origin}', origin))
  })
  const preview = previewer({
    egress: out,
    drive: googleDrive({ fetch: out.fetch, clock: systemClock(), accountFile: null }),
    fileLimit: 2 ** 20,
    neighbours: alone(systemClock()),
    reading: { sandbox: inProcess(), command: [], memoryMiB: 512, deadlineMs: 5000 }
  })
  const built = await build(t, { AGENTHALL_ALLOWED_HOSTS: '127.0.0.1' })
  const as = await built.user()
  const agent = await agentOf(as)
  const short = (address: string) => address.replace(origin, '')
  return {
    ...agent,
    built,
    as,
    origin,
    pages,
    asked,
    short,
    /** The stored pages of sites, by path. */
    pagesOf: async () => (await agent.list('?limit=100')).filter((one) => one['parent_knowledge_source'] !== null)
      .map((page) => short(page['urls'][0])),
    ask: (body: object = {}) => as.post(`${agent.sources}/pages`, { url: `${origin}/`, depth: 3, ...body }),
    /** Looks as the route does, but reads pages in this process. */
    async look (body: object = {}, signal = new AbortController().signal) {
      const site = { url: `${origin}/`, depth: 3, count: 500, include: [], exclude: [], ...body }
      return saidOf(await preview.pages(site, { holder: 1, signal }), short)
    },
    saidOf: (found: SitePages) => saidOf(found, short)
  }
}

/** What was found, a line for each page. */
function saidOf (found: SitePages, short: (address: string) => string) {
  const said = found.pages.map(({ url, title, taken, reason }) =>
    `${taken ? '+' : '-'} ${short(url)} ${reason}${title === null ? '' : ` "${title}"`}`)
  return { ...found, said }
}

t.test('a site is looked at before it is added: what would be taken, what not, and why', async (t) => {
  const { ask, look, saidOf, asked, list, pages, origin } = await shop(t)
  const answer = await ask()
  t.equal(answer.json().message, 'These pages would be read')
  const { said, ...found } = saidOf(answer.json().data)
  t.strictSame(said, [
    '+ / included "lamps"', '+ /help included "help"', '+ /blog included "blog"', '+ /help/shipping included "shipping"',
    '+ /help/returns included "returns"', '+ /help/old/fax included "fax"', '+ /blog/news included "news"', '- /cart robots'
  ])
  t.match(found, { from: 'links', more: false, sitemaps: [`${origin}/sitemap.xml`] }, 'a sitemap elsewhere is none of its')
  t.strictSame(await list(), [], 'nothing is kept')

  asked.length = 0
  const chosen = await look({ include: ['/help/*'], exclude: ['/help/old/*'] })
  t.strictSame(chosen.said, [
    '+ /help included "help"', '+ /help/shipping included "shipping"', '+ /help/returns included "returns"',
    '- /blog not_included', '- /cart not_included', '- / not_included', '- /help/old/fax excluded', '- /blog/news not_included'
  ])
  t.strictSame(asked, ['/', '/help', '/help/shipping', '/help/returns'], 'what is left out is not asked for, the start is')
  t.strictSame((await look({ depth: 0 })).said, ['+ / included "lamps"'], 'of one page, that')
  pages.delete('/help/old/fax')
  t.ok((await look({ include: ['/help/*'] })).said.includes('- /help/old/fax unreadable'))
})

t.test('what is beyond the limit is said to be, and what was not looked at', async (t) => {
  const many = Array.from({ length: 90 }, (_, n) => `/p/${n}`)
  const { look } = await shop(t, { '/': links(...many), ...Object.fromEntries(many.map((path) => [path, text(path)])) })
  const few = await look({ count: 20 })
  t.strictSame(few.said.slice(18, 22), [
    '+ /p/17 included "/p/17"', '+ /p/18 included "/p/18"', '- /p/19 beyond_limit', '- /p/20 beyond_limit'
  ])
  t.strictSame([few.said.length, few.more], [91, false])
  t.equal((await look({ count: 3 })).more, true, 'of a site that is far beyond it only so much is listed')
  const some = await look({ count: 60 })
  t.equal(some.said.filter((line) => line.includes('"')).length, 49, 'fifty pages are read')
  t.equal(some.pages.filter(({ taken }) => taken).length, 60, 'the others are known by the links to them')
  t.strictSame([some.said.filter((line) => line.endsWith('beyond_limit')).length, some.more], [31, true])
})

t.test('of a site that links to very many pages beside those that are taken only so many are listed', async (t) => {
  const { look } = await shop(t, { '/': links(...Array.from({ length: 210 }, (_, n) => `/p/${n}`)) + text('lamps') })
  const { said, more } = await look({ exclude: ['/p/*'] })
  t.strictSame([said.filter((line) => line.endsWith(' excluded')).length, more], [200, true])
})

t.test('the pages that a sitemap lists are chosen in the same way', async (t) => {
  const listed = ['/help/shipping', '/blog/news', '/help/returns', '/help/old/fax']
  const map = `<urlset>${listed.map((path) => `<url><loc>{origin}${path}</loc></url>`).join('')}</urlset>`
  const { look, ask, saidOf, origin } = await shop(t, { '/sitemap.xml': map })
  const url = `${origin}/sitemap.xml`
  const { said, from, more } = await look({ url, depth: 0, exclude: ['/blog/*', '/*/old/*'] })
  t.strictSame(said, [
    '+ /help/shipping included "shipping"', '+ /help/returns included "returns"', '- /blog/news excluded',
    '- /help/old/fax excluded'
  ])
  t.strictSame([from, more], ['sitemap', false])
  const none = (await ask({ url, count: 9, include: ['/shop/*'] })).json()
  t.equal(none.message, 'No page would be read')
  t.equal(saidOf(none.data).said.length, 4)
})

t.test('what cannot be looked at is refused with the reason', async (t) => {
  const { ask, pages, origin } = await shop(t)
  const refused = async (body: object) => {
    const answer = await ask(body)
    return [answer.statusCode, answer.json().error.details[0]]
  }
  t.match(await refused({ url: `${origin}/none` }), [400, { field: 'url', message: /404/ }])
  t.match(await refused({ url: 'http://10.0.0.1/' }), [400, { field: 'url', message: /private|public/ }], 'no private host')
  t.match(await refused({ url: `${origin}/cart` }), [400, { field: 'url', message: /robots.txt/ }])
  t.match(await refused({ url: 'https://user@shop.test/' }), [400, { field: 'url', message: /without a user name/ }])
  t.match(await refused({ include: ['help'] }), [400, { field: 'include[0]' }])
  t.match(await refused({ exclude: ['/a', '/b#c'] }), [400, { field: 'exclude[1]' }])
  t.match(await refused({ exclude: Array.from({ length: 21 }, (_, n) => `/${n}`) }), [400, { field: 'exclude' }])
  t.match(await refused({ include: ['/' + 'a'.repeat(200)] }), [400, { field: 'include[0]' }])
  pages.set('/robots.txt', 'User-agent: *\nDisallow: /\n')
  t.match(await refused({}), [400, { field: 'url', message: /robots.txt/ }])
})

t.test('one site at a time is looked at for an account, and for nobody who has gone', async (t) => {
  const { look, pages } = await shop(t)
  const gone = new AbortController()
  const first = look({}, gone.signal)
  await t.rejects(look(), { code: 'in_progress', message: /already/ })
  gone.abort(new Error('gone'))
  await t.rejects(first, /gone/)
  t.ok((await look()).said.length > 0, 'the next one has its turn')
  pages.clear()
  await t.rejects(look({}), { code: 'VALIDATION_ERROR' })
  await t.rejects(look({}), { code: 'VALIDATION_ERROR' }, 'and so it has when that was refused')
})

t.test('a site is read as it says, at each look, and a change of it is a reason to look', async (t) => {
  const { built, add, read, replace, train: again, origin, asked, pagesOf, search, pages } = await shop(t)
  const worker = await train(t, built)
  const { id } = await add({ urls: [`${origin}/`], depth: 3, count: 50, include: ['/help/*'], exclude: ['/help/old/*'] })
  await worker.settled()
  t.match(await read(id), { include: ['/help/*'], exclude: ['/help/old/*'], status: 'Success' })
  t.strictSame(await pagesOf(), ['/help', '/help/shipping', '/help/returns'])
  t.strictSame(await search('news'), [])

  asked.length = 0
  pages.set('/help/returns', text('refunds'))
  await again(id)
  await worker.settled()
  t.strictSame(asked, ['/', '/help if', '/help/shipping if', '/help/returns if'], 'what is left out is asked for at no look')
  t.strictSame(await pagesOf(), ['/help', '/help/shipping', '/help/returns'])

  t.match(await replace(id, { include: [], exclude: ['/help/shipping'] }), { status: 'Pending', include: [] })
  await worker.settled()
  t.strictSame((await pagesOf()).sort(), ['/', '/blog', '/blog/news', '/help', '/help/old/fax', '/help/returns'])
  t.strictSame(await search('shipping'), [], 'a page that is taken no more has nothing to say')
  asked.length = 0
  await again(id)
  await worker.settled()
  t.ok(asked.every((path) => path.endsWith(' if')), 'and then nothing is fetched that has not changed')

  await replace(id, { include: ['/help/*'], exclude: [] })
  await worker.settled()
  t.strictSame((await pagesOf()).sort(), ['/help', '/help/old/fax', '/help/returns', '/help/shipping'])
  await replace(id, { include: ['/shop/*'] })
  await worker.settled()
  t.match(await read(id), { status: 'Failed', error: { code: 'no_page_taken' } }, 'that nothing is taken is a mistake')
  t.equal((await pagesOf()).length, 4, 'which takes nothing away')
})

t.test('pages are chosen of sites alone, and what was read can be sent back', async (t) => {
  const { as, sources, add, read, replace, origin } = await shop(t)
  const { id } = await add({ plain_text: 'A text.' })
  const whole = await read(id)
  t.notOk('include' in whole || 'exclude' in whole, 'a list of thousands would be longer for nothing')
  t.match(await replace(id, whole), { id })
  const refused = await as.put(`${sources}/${id}`, { include: ['/help/*'] })
  t.match(refused.json(), { error: { details: [{ field: 'include', message: /website/ }] } })
  const added = await as.post(sources, { plain_text: 'x', exclude: ['/a'] })
  t.match(added.json(), { error: { details: [{ field: 'exclude', message: /urls only/ }] } })
  const site = await add({ urls: [`${origin}/`], include: ['/help/*'] })
  t.match(await replace(site.id, { ...(await read(site.id)), include: null }), { include: ['/help/*'], exclude: [] })
})
