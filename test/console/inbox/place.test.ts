import t from 'tap'
import { QUESTION } from '../../conversations/helper.ts'
import { closeBrowser, consoleAt, seenByAxe, shop, signedIn, visitorAt, withoutChromium as skip } from '../helper.ts'

t.teardown(closeBrowser)

/** How the lists of the inbox and a conversation call a visitor whom the proxy locates in Cologne. */
const NAMES = [
  ['en', 'Visitor from Köln'], ['de', 'Besucher aus Köln'], ['fr', 'Visiteur depuis Köln'], ['es', 'Visitante de Köln'],
  ['pt', 'Visitante de Köln']
] as const

t.test('beside a conversation stands what the visitor\'s clock shows, and who has no name is called by the town', { skip, timeout: 120_000 }, async (t) => {
  const built = await shop(t, { env: { AGENTHALL_TRUST_PROXY: '127.0.0.1', AGENTHALL_CITY_HEADER: 'cf-ipcity' } })
  const { me, origin } = built
  const { widget, page: site, faults: odd } = await visitorAt(t, origin, { timezoneId: 'Asia/Tokyo' })
  await site.route('**/v1/widget/**', async (route, request) => {
    await route.continue({ headers: { ...request.headers(), 'x-forwarded-for': '203.0.113.9', 'cf-ipcity': 'K%C3%B6ln' } })
  })
  await widget.open()
  await widget.ask(QUESTION)
  await widget.panel.locator('.cite').waitFor()
  const { id, visitor } = (await me.get('/v1/conversations')).json().data[0]
  t.match((await me.get(`/v1/visitors/${visitor}`)).json().data, { place: 'Köln', time_zone: 'Asia/Tokyo' })
  t.strictSame(odd, [])

  await me.post('/v1/saved_replies', { key: 'hello', texts: { en: 'Hello {{visitor|there}}' } })
  const context = await signedIn(t, built, me.id, { timezoneId: 'Europe/Berlin' })
  const { page, faults } = await consoleAt(context, built, '/team')
  await page.clock.install({ time: '2026-11-27T14:55:00Z' })
  for (const [language, name] of [...NAMES, NAMES[0]]) {
    await page.evaluate((code) => localStorage.setItem('agenthall:language', code), language)
    await page.goto(`${built.host}/console/#/inbox/${id}`)
    await page.reload()
    await page.locator('.inbox-entry strong').getByText(name, { exact: true }).waitFor()
    await page.locator('.inbox-head').getByRole('heading', { name, exact: true }).waitFor()
  }
  const clock = page.locator('.inbox-side dt', { hasText: 'Local time' }).locator('xpath=following-sibling::dd[1]')
  await clock.waitFor()
  await page.clock.pauseAt('2026-11-27T14:59:30Z')
  await page.clock.runFor(10_000)
  t.match(await clock.textContent(), /^11:59\sPM \(Tokyo\)$/)
  await page.clock.runFor(40_000)
  t.match(await clock.textContent(), /^Saturday (at )?12:00\sAM \(Tokyo\)$/, 'it goes on, and tells that it is tomorrow there')
  await page.clock.runFor(60_000)
  t.match(await clock.textContent(), /^Saturday (at )?12:01\sAM \(Tokyo\)$/)
  await page.clock.resume()
  const field = page.getByLabel('Your answer')
  await field.fill('/hello')
  await page.locator('.replies li').click()
  t.equal(await field.inputValue(), 'Hello there', 'nobody is greeted by where they are')
  await field.fill('')
  t.equal(await page.locator('.inbox-head .face').textContent(), '', 'and those are no letters of a name')
  await seenByAxe(t, page, 'a visitor with town and time')
  t.strictSame(faults, [])
})
