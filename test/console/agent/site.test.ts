import t, { type Test } from 'tap'
import { closeBrowser, consoleAt, seenByAxe, signedIn, withoutChromium } from '../helper.ts'
import { serve } from '../../sources/parts.ts'
import { house } from '../visit.ts'

t.teardown(closeBrowser)

const skip = withoutChromium

const links = (...paths: string[]) => paths.map((path) => `<a href="${path}">${path}</a>`).join('')
const text = (title: string) => `<title>${title}</title><main><h1>${title}</h1><p>All about it, in a sentence.</p></main>`
const LISTED = ['/help', '/help/shipping', '/help/returns', '/blog/news']

/** A shop with a help centre, a blog, a cart that robots may not read, and a list of its pages. */
const SHOP: Record<string, string> = {
  '/robots.txt': 'User-agent: *\nDisallow: /cart\nSitemap: /sitemap.xml\n',
  '/sitemap.xml': `<urlset>${LISTED.map((path) => `<url><loc>{origin}${path}</loc></url>`).join('')}</urlset>`,
  '/': links('/help', '/blog/news', '/cart') + text('Lamps and lights'),
  '/help': links('/help/shipping', '/help/returns') + text('Help'),
  '/help/shipping': text('Shipping'),
  '/help/returns': text('Returns'),
  '/blog/news': text('News from the lamp world')
}

async function shop (t: Test, options: object = {}) {
  const origin = await serve(t, ({ url = '' }, reply) => {
    const page = SHOP[url]
    const type = url.endsWith('.xml') ? 'application/xml' : 'text/html'
    reply.writeHead(page === undefined ? 404 : 200, { 'content-type': type }).end(page?.replaceAll('{origin}', origin))
  })
  const built = await house(t, { AGENTHALL_ALLOWED_HOSTS: '127.0.0.1' })
  const { id } = (await built.me.post('/v1/agents', { name: 'Shop', systemPrompt: 'You help.' })).json().data
  await built.settled()
  const context = await signedIn(t, built, built.id, options)
  const { page, faults } = await consoleAt(context, built, `/agents/${id}/knowledge`)
  const dialog = page.getByRole('dialog')
  return {
    ...built,
    at: `/v1/agents/${id}/knowledge_sources`,
    origin,
    page,
    faults,
    dialog,
    rows: () => dialog.locator('.source').evaluateAll((rows) => rows.map((row) =>
      [...row.querySelectorAll('strong, .quiet.cut')].map(({ textContent: text }) => text).join(' | ')))
  }
}

t.test('a site is looked at before it is added, and pages are left out of it', { skip }, async (t) => {
  const { me, at, origin, page, faults, dialog, rows, settled } = await shop(t)
  await page.getByRole('button', { name: 'Add a page or site' }).last().click()
  const show = dialog.getByRole('button', { name: 'Show pages' })
  await show.click()
  await dialog.getByText('Address: ').waitFor()
  await dialog.getByLabel('Address').fill(origin.replace('http://', ''))
  await show.click()
  await dialog.getByRole('alert').waitFor()
  await dialog.getByLabel('Address').fill(`${origin}/`)
  await show.click()
  await dialog.getByText('1 page would be read').waitFor()
  await dialog.getByText('With 0 links away it is this page alone.').waitFor()
  await dialog.getByLabel('How many links away').fill('2')
  await dialog.getByText('Show the pages again').waitFor()
  await show.click()
  await dialog.getByText('5 pages would be read').waitFor()
  t.strictSame(await rows(), [
    'Lamps and lights | /', 'Help | /help', 'News from the lamp world | /blog/news', 'Shipping | /help/shipping',
    'Returns | /help/returns', '/cart | the site does not let programs read it'
  ])
  await seenByAxe(t, page, 'pages of a site before it is added')

  const news = dialog.locator('.source', { hasText: 'News' }).getByRole('button')
  await news.click()
  await dialog.getByText('4 pages would be read').waitFor()
  t.equal(await dialog.getByLabel('Without pages at').inputValue(), '/blog/news')
  t.equal((await rows())[2], 'News from the lamp world | /blog/news · is left out')
  t.equal(await news.evaluate((button) => button === button.ownerDocument.activeElement), true, 'the keyboard stays there')
  await page.keyboard.press('Enter')
  await dialog.getByText('5 pages would be read').waitFor()
  t.equal(await dialog.getByLabel('Without pages at').inputValue(), '')
  t.equal(await dialog.getByText('Show the pages again').count(), 0, 'what is left out by a press is known')
  // As people type it: a copied address, without a slash.
  await dialog.getByLabel('Only pages at').fill(`help/*\n${origin}/shop/*`)
  await dialog.getByText('Show the pages again').waitFor()
  await show.click()
  await dialog.getByText('3 pages would be read').waitFor()
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  await settled()
  const sources = (await me.get(at)).json().data
  t.match(sources[0], { depth: 2, count: 50, include: ['/help/*', '/shop/*'], exclude: [] })
  t.strictSame(sources.slice(1).map(({ title }: { title: string }) => title), ['Help', 'Shipping', 'Returns'])

  await page.getByRole('button', { name: /^More for/ }).first().click()
  await page.getByRole('button', { name: 'Choose pages' }).click()
  t.equal(await dialog.getByLabel('Only pages at').inputValue(), '/help/*\n/shop/*')
  await seenByAxe(t, page, 'the pages of a site that is there')
  await dialog.getByLabel('Without pages at').fill('/help/returns')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  await settled()
  t.strictSame((await me.get(at)).json().data.slice(1).map(({ title }: { title: string }) => title), ['Help', 'Shipping'])
  // The two addresses that were refused.
  t.ok(faults.every((fault) => fault.includes('400')), faults.join())
})

t.test('the list of its pages that a site has is used instead of its links', { skip }, async (t) => {
  const { me, at, origin, page, dialog, settled } = await shop(t, { viewport: { width: 390, height: 844 } })
  await page.getByRole('button', { name: 'Add a page or site' }).last().click()
  await dialog.getByLabel('Address').fill(`${origin}/`)
  await dialog.getByRole('button', { name: 'Show pages' }).click()
  await dialog.getByRole('button', { name: 'Use the list' }).click()
  await dialog.getByText('4 pages would be read').waitFor()
  t.equal(await dialog.getByLabel('Address').inputValue(), `${origin}/sitemap.xml`)
  await dialog.getByRole('button', { name: 'Leave out – News from the lamp world' }).click()
  await dialog.getByText('3 pages would be read').waitFor()
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  await settled()
  const [{ count, exclude }, ...pages] = (await me.get(at)).json().data
  t.strictSame([count, exclude, pages.length], [500, ['/blog/news'], 3])
})

/** A site whose front page leads to so many others. */
function wide (t: Test, count: number) {
  return serve(t, ({ url = '' }, reply) => {
    const found = Array.from({ length: count }, (_, n) => `/page/${n}`)
    const page = url === '/' ? links(...found) + text('All of them') : found.includes(url) && text(url)
    reply.writeHead(page ? 200 : 404, { 'content-type': 'text/html' }).end(page || '')
  })
}

// Was wrong: the result began below what was seen of the dialog, and the 21st page to leave out was refused on saving.
t.test('what is found comes into sight and is announced, and what cannot be left out any more says so', { skip }, async (t) => {
  const { page, dialog } = await shop(t, { viewport: { width: 1280, height: 800 } })
  const origin = await wide(t, 25)
  await page.getByRole('button', { name: 'Add a page or site' }).last().click()
  await dialog.getByLabel('Address').fill(`${origin}/`)
  await dialog.getByLabel('How many links away').fill('1')
  await dialog.getByRole('button', { name: 'Show pages' }).click()
  const found = dialog.getByRole('status').filter({ hasText: '26 pages would be read' })
  await found.waitFor()
  const [bottom, edge] = [await found.boundingBox(), await dialog.boundingBox()].map((box) => box!.y + box!.height)
  t.ok(bottom! < edge!, `${bottom} of ${edge}`)
  t.ok(await dialog.locator('.source').first().evaluate((row) => row.getBoundingClientRect().bottom < innerHeight))

  const without = dialog.getByLabel('Without pages at')
  await without.fill(Array.from({ length: 19 }, (_, n) => `/page/${n}`).join('\n'))
  const leave = (n: number) => dialog.getByRole('button', { name: `Leave out – /page/${n}`, exact: true })
  t.equal(await leave(20).isEnabled(), true)
  await leave(19).click()
  await dialog.getByRole('status').getByText('No more than 20 lines').waitFor()
  t.equal(await leave(20).isEnabled(), false)
  await seenByAxe(t, page, 'a site of which no more can be left out')
  await without.fill(Array.from({ length: 21 }, (_, n) => `/page/${n}`).join('\n'))
  await dialog.getByText('Without pages at: No more than 20 lines').waitFor()
  await without.fill('/page/1')
  t.equal(await leave(20).isEnabled(), true)
})

// Was wrong: the name of a TLS error was shown.
t.test('an address without https:// is tried with it, and when that fails it is said what was tried', { skip }, async (t) => {
  const { origin, page, dialog } = await shop(t)
  await page.getByRole('button', { name: 'Add a page or site' }).last().click()
  await dialog.getByLabel('Address').fill(origin.replace('http://', ''))
  await dialog.getByRole('button', { name: 'Show pages' }).click()
  await dialog.getByRole('alert').waitFor()
  t.match(await dialog.getByRole('alert').textContent(), /^https:.* was tried and cannot be reached.*http:\/\//)
  await dialog.getByLabel('Address').fill(origin.replace('http', 'https'))
  await dialog.getByRole('button', { name: 'Show pages' }).click()
  await dialog.getByRole('alert').filter({ hasNotText: 'was tried' }).waitFor()
  t.match(await dialog.getByRole('alert').textContent(), /cannot be reached by https:.*http:\/\//)
})

// Was wrong: they could not be shown, and nothing said why.
t.test('the pages of a source of several addresses are shown address by address', { skip }, async (t) => {
  const { me, at, origin, page, dialog, rows, settled } = await shop(t)
  await me.post(at, { urls: [`${origin}/help`, `${origin}/blog/news`], depth: 1, count: 10 })
  await settled()
  await page.reload()
  await page.getByRole('button', { name: /^More for/ }).first().click()
  await page.getByRole('button', { name: 'Choose pages' }).click()
  await dialog.getByText('covers all 2 addresses together').waitFor()
  await dialog.getByRole('button', { name: 'Show pages' }).click()
  await dialog.getByText('3 pages would be read').waitFor()
  await dialog.getByLabel('Pages of which address').selectOption(`${origin}/blog/news`)
  await dialog.getByText('Show the pages again').waitFor()
  await dialog.getByRole('button', { name: 'Show pages' }).click()
  await dialog.getByText('1 page would be read').waitFor()
  t.strictSame(await rows(), ['News from the lamp world | /blog/news'])
})
