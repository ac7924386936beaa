import t from 'tap'
import { QUESTION } from '../conversations/helper.ts'
import { axe, closeBrowser, POLICIES, shop, visitorAt, withoutChromium } from './helper.ts'

t.teardown(closeBrowser)

for (const [name, policy] of Object.entries(POLICIES)) {
  t.test(
    `a page with the policy "${name}" shows the widget, which answers, and the console stays silent`,
    { skip: withoutChromium },
    async (t) => {
      const { origin, host } = await shop(t, { policy })
      const { widget, faults, hosts } = await visitorAt(t, origin)
      await widget.open()
      await widget.ask(QUESTION)
      await widget.panel.locator('.cite').waitFor()
      t.equal(
        await widget.launcher.evaluate((button) => getComputedStyle(button).backgroundColor),
        'rgb(37, 99, 235)',
        'it has its colours'
      )
      t.strictSame([...hosts].sort(), [new URL(host).host, new URL(origin).host].sort())
      t.strictSame(faults, [])
    }
  )
}

t.test('a page that swaps its body keeps the widget and what was said', { skip: withoutChromium }, async (t) => {
  const { origin } = await shop(t)
  const { widget, page } = await visitorAt(t, origin)
  await widget.open()
  await widget.ask(QUESTION)
  await widget.panel.locator('.cite').waitFor()
  await page.evaluate('document.body = document.createElement("body")')
  t.equal(await widget.own.count(), 1)
  await widget.ask('Thanks')
  await widget.answers.nth(1).waitFor()
})

t.test('where the server is away the page is as if there were no widget', { skip: withoutChromium }, async (t) => {
  const { origin, app } = await shop(t)
  await app.close()
  const { page, widget } = await visitorAt(t, origin)
  await page.waitForLoadState('networkidle')
  t.equal(await widget.within.count(), 0)
})

t.test(
  'what is not sent waits, and goes out once, by itself, when the server is there again',
  { skip: withoutChromium },
  async (t) => {
    const { origin, me } = await shop(t)
    const { widget, page } = await visitorAt(t, origin)
    await widget.open()
    await widget.ask('Hello')
    await widget.answers.first().waitFor()
    await page.route('**/v1/widget/**', (route) => route.abort())
    await widget.ask(QUESTION)
    await widget.panel.getByText('Waiting for a connection.').waitFor()
    t.match(await widget.own.last().textContent(), QUESTION)
    // Was wrong: it was shown in red, like a failure.
    t.equal(await widget.own.locator('.bad').count(), 0)
    await widget.panel.getByText('What you write is sent once it is back').waitFor()
    await axe(t, page, 'no connection')
    await page.unroute('**/v1/widget/**')
    await widget.panel.locator('.cite').waitFor()
    t.equal(await widget.panel.getByText('Waiting for a connection.').count(), 0)
    const { data } = (await me.get('/v1/conversations')).json()
    const said = (await me.get(`/v1/conversations/${data[0].id}/messages`))
      .json()
      .data.filter(({ role }: { role: string }) => role === 'visitor')
    t.strictSame(
      said.map(({ text }: { text: string }) => text), ['Hello', QUESTION]
    )
  }
)

// Was wrong: unsent input was lost with the page.
t.test('what could not be sent is still there after the page was loaded anew', { skip: withoutChromium }, async (t) => {
  const { origin } = await shop(t)
  const { widget, page } = await visitorAt(t, origin)
  await widget.open()
  await widget.ask('Hello')
  await widget.answers.first().waitFor()
  await page.route('**/v1/widget/**/messages', (route) => route.abort())
  await widget.ask(QUESTION)
  await widget.panel.getByText('Waiting for a connection.').waitFor()
  await widget.field.fill('And this as well')
  await page.unroute('**/v1/widget/**/messages')
  await page.reload()
  await widget.open()
  t.equal(await widget.field.inputValue(), `${QUESTION}\nAnd this as well`)
  await widget.field.press('Enter')
  await widget.own.nth(1).waitFor()
  await page.waitForFunction(() => Object.values(sessionStorage).every((kept) => kept === ''))
})

t.test(
  'storage that is blocked, and a script that stands there twice, change nothing',
  { skip: withoutChromium },
  async (t) => {
    const { origin, host, key } = await shop(t)
    const { context } = await visitorAt(t, 'about:blank')
    await context.addInitScript(
      'for (const name of ["localStorage", "sessionStorage"]) Object.defineProperty(window, name, { get () { throw new DOMException("blocked", "SecurityError") } })'
    )
    const page = await context.newPage()
    const faults: string[] = []
    page.on('pageerror', (error) => faults.push(error.message))
    await page.goto(origin)
    await page.evaluate(
      `const again = document.createElement('script'); again.src = '${host}/widget.js'; again.dataset.agent = '${key}'; document.head.append(again)`
    )
    const panel = page.locator('agenthall-widget .panel')
    await page.locator('agenthall-widget .launcher').click()
    await page.locator('agenthall-widget textarea').fill(QUESTION)
    await page.locator('agenthall-widget textarea').press('Enter')
    await panel.locator('.cite').waitFor()
    t.equal(await page.locator('agenthall-widget').count(), 1)
    t.strictSame(faults, [])
  }
)

t.test('the conversation goes on after the page is left, and in a second tab', { skip: withoutChromium }, async (t) => {
  const { origin } = await shop(t)
  const { widget, page, context } = await visitorAt(t, origin)
  await widget.open()
  await widget.ask(QUESTION)
  await widget.panel.locator('.cite').waitFor()
  await widget.field.fill('Half a sent')
  await page.reload()
  await widget.open()
  await widget.panel.locator('.cite').waitFor()
  t.equal(await widget.field.inputValue(), 'Half a sent', 'with what was being written')
  const second = await context.newPage()
  await second.goto(origin)
  await second.locator('agenthall-widget .launcher').click()
  await second.locator('agenthall-widget .cite').waitFor()
  await second.locator('agenthall-widget textarea').fill('Thanks')
  await second.locator('agenthall-widget textarea').press('Enter')
  await widget.own.nth(1).waitFor()
  t.match(await widget.own.nth(1).textContent(), 'Thanks')
})
