import type { Page } from 'playwright-core'
import t from 'tap'
import { QUESTION } from '../conversations/helper.ts'
import { signed } from '../widget/helper.ts'
import { closeBrowser, shop, visitorAt, withoutChromium } from './helper.ts'

// What an owner sets and what a page may do. Each line was seen to fail on a planted fault: the setting or the call
// without effect.

t.teardown(closeBrowser)

const PICTURE = 'https://pictures.example/ada.png'
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64'
)

/**
 * Records in `window.heard` the widget's events from its first moment on, as a script of the page would receive them.
 */
const LISTENING = `<script>
  window.heard = []
  Object.defineProperty(window, 'Agenthall', { configurable: true, set (api) {
    Object.defineProperty(window, 'Agenthall', { value: api, configurable: true, writable: true })
    for (const name of ['ready', 'open', 'close', 'error']) api.on(name, () => heard.push(name))
  } })
</script>`

const styleOf = (page: Page, selector: string, name: string) => page.evaluate(
  `getComputedStyle(document.querySelector('agenthall-widget')${selector && `.shadowRoot.querySelector('${selector}')`}).getPropertyValue('${name}')`
)

t.test('font, picture, place, order and what stands at the foot are as the owner has set them', { skip: withoutChromium }, async (t) => {
  const { origin, key, host } = await shop(t, {
    agent: {
      appearance: { fontFamily: 'Courier New', avatar: { type: 'own', src: PICTURE }, position: 'bottom-left' },
      is_white_label: true
    },
    head: '<style>.over { --agenthall-z-index: 7 }</style>'
  })
  const { page, widget, context } = await visitorAt(t, 'about:blank')
  await context.route(PICTURE, (route) => route.fulfill({ contentType: 'image/png', body: PNG }))
  await page.goto(origin)
  await widget.launcher.waitFor()
  const { width, height } = page.viewportSize()!
  const place = async () => {
    const box = (await widget.launcher.boundingBox())!
    return { left: box.x, top: box.y, right: width - box.x - box.width, bottom: height - box.y - box.height }
  }
  t.match(await place(), { left: 16, bottom: 16 })
  t.match(await styleOf(page, '.launcher', 'font-family'), /^"?Courier New/)
  t.equal(await widget.launcher.locator('img').getAttribute('src'), PICTURE)
  t.equal(await styleOf(page, '', 'z-index'), '2147483000', 'over everything')
  await page.evaluate('document.documentElement.className = "over"')
  t.equal(await styleOf(page, '', 'z-index'), '7', 'or where the page puts it')
  await widget.open()
  const foot = widget.panel.locator('footer span').last()
  t.equal(await foot.textContent(), '', 'nobody else is named')
  t.match(await styleOf(page, '.panel', 'font-family'), /^"?Courier New/)
  t.equal(await widget.panel.locator('.face img').getAttribute('src'), PICTURE)
  t.equal(await widget.launcher.isVisible(), false, 'one cross while it is open: that of the panel')
  await page.evaluate('Agenthall.close()')

  const config = (await (await fetch(`${host}/v1/widget/${key}/config`)).json()) as { data: Record<string, any> }
  const update = async (appearance: object, more: object = {}) => {
    const next = { ...config.data, ...more, appearance: { ...config.data.appearance, ...appearance } }
    await page.evaluate(`Agenthall.update(${JSON.stringify(next)})`)
  }
  for (const [position, expected] of Object.entries({
    'bottom-right': { right: 16, bottom: 16 }, 'top-right': { right: 16, top: 16 }, 'top-left': { left: 16, top: 16 }
  })) {
    await update({ position })
    t.match(await place(), expected, position)
  }
  await context.route('https://gone.example/*', (route) => route.abort())
  await update({ avatar: { type: 'own', src: 'https://gone.example/ada.png' } }, { white_label: false })
  await widget.launcher.locator('svg').waitFor()
  await widget.panel.locator('.face svg').waitFor({ state: 'attached' })
  t.equal(await foot.textContent(), 'Powered by Agenthall')
})

t.test('after so many seconds it opens by itself, once: who has closed it is left in peace', { skip: withoutChromium }, async (t) => {
  const { origin } = await shop(t, { agent: { behavior: { autoShowAfter: 600 } }, head: LISTENING })
  const { page, widget, context } = await visitorAt(t, 'about:blank')
  await page.clock.install()
  await page.goto(origin)
  await widget.launcher.waitFor()
  await page.clock.fastForward(500_000)
  t.equal(await widget.panel.count(), 0)
  await page.clock.fastForward(100_000)
  await widget.panel.waitFor()
  t.equal(await page.evaluate('document.activeElement.tagName'), 'BODY', 'whoever reads the page goes on reading it')
  await page.evaluate('Agenthall.close()')
  t.strictSame(await page.evaluate('heard'), ['ready', 'open', 'close'], 'a page hears of all')
  await page.reload()
  await widget.launcher.waitFor()
  await page.clock.fastForward(1_000_000)
  t.equal(await widget.panel.count(), 0, 'it stays closed in this tab')
  t.strictSame(await page.evaluate('heard'), ['ready'])

  const other = await context.newPage()
  await other.clock.install()
  await other.goto(origin)
  await other.locator('agenthall-widget .launcher').waitFor()
  await other.evaluate('Agenthall.open(); Agenthall.close(); heard.length = 0')
  await other.clock.fastForward(1_000_000)
  t.strictSame(await other.evaluate('heard'), [], 'nor does it open behind who was there before')
})

t.test('where the panel cannot be loaded the page hears of it, and the next click tries again', { skip: withoutChromium }, async (t) => {
  const { origin } = await shop(t, { head: LISTENING })
  const { page, widget } = await visitorAt(t, 'about:blank')
  let isAway = true
  await page.route('**/widget/panel*', (route) => isAway ? route.abort() : route.fallback())
  await page.goto(origin)
  await widget.launcher.click()
  await page.waitForFunction(() => (window as unknown as { heard: string[] }).heard.includes('error'))
  t.strictSame(new Set(await page.evaluate('heard') as string[]), new Set(['ready', 'open', 'error']))
  t.equal(await widget.launcher.getAttribute('aria-expanded'), 'false', 'the button does not stay pressed')
  isAway = false
  await widget.launcher.click()
  await widget.panel.waitFor()
})

t.test('a page says who is there, before the panel is loaded and after', { skip: withoutChromium }, async (t) => {
  const { origin, me, id, key, clock } = await shop(t)
  const secret = (await me.post(`/v1/agents/${id}/widget_keys/${key}/identity_secrets`)).json().data.secret as string
  const identity = (sub: string) =>
    JSON.stringify(signed({ sub, aud: key, exp: Math.floor(clock.micros() / 1e6) + 3600, name: sub }, secret))
  const { page, widget } = await visitorAt(t, origin)
  await widget.launcher.waitFor()
  await page.evaluate(`Agenthall.identify(${identity('Grace')})`)
  await widget.open()
  await widget.ask(QUESTION)
  await widget.panel.locator('.cite').waitFor()
  await page.evaluate(`Agenthall.identify(${identity('Edsger')})`)
  await widget.own.first().waitFor({ state: 'detached' })
  await widget.ask('Hello')
  await widget.answers.first().waitFor()
  const { data } = (await me.get('/v1/conversations')).json() as { data: Array<{ visitor: string }> }
  const visitors = await Promise.all(
    data.map(async ({ visitor }) => (await me.get(`/v1/visitors/${visitor}`)).json().data)
  )
  t.match(visitors, [{ external_id: 'Edsger', verified: true }, { external_id: 'Grace', verified: true }])
  // Visitors whom the business knows come back to what they have said.
  await page.evaluate(`Agenthall.identify(${identity('Grace')})`)
  await widget.own.filter({ hasText: QUESTION }).waitFor()
})
