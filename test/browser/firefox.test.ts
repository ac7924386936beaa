import '../bare-children.ts'
import puppeteer, { type Browser, type Page } from 'puppeteer-core'
import t, { type Test } from 'tap'
import { QUESTION } from '../conversations/helper.ts'
import { FIREFOX, POLICIES, shop, withoutFirefox } from './helper.ts'

let browser: Promise<Browser> | undefined
t.teardown(async () => { await (await browser)?.close() })

const within = (selector: string) => `agenthall-widget >>> ${selector}`

async function visit (t: Test, address: string): Promise<{ page: Page, faults: string[] }> {
  browser ??= puppeteer.launch({ browser: 'firefox', executablePath: FIREFOX, headless: true, args: ['--no-sandbox'] })
  const context = await (await browser).createBrowserContext()
  t.teardown(async () => { await context.close() })
  const page = await context.newPage()
  const faults: string[] = []
  // Firefox asks for a picture of the site by itself, which the page's policy forbids.
  const note = (text: string) => { if (!text.includes('favicon.ico')) faults.push(text) }
  page.on('console', (message) => { if (message.type() === 'error') note(message.text()) })
  page.on('pageerror', (error) => { note(String(error)) })
  await page.goto(address)
  return { page, faults }
}

async function ask (page: Page) {
  const field = await page.waitForSelector(within('textarea'), { visible: true })
  await field!.type(QUESTION)
  await field!.press('Enter')
  await page.waitForSelector(within('.cite'))
}

for (const [name, policy] of Object.entries(POLICIES)) {
  t.test(
    `Firefox: a page with the policy "${name}" shows the widget, which answers`,
    { skip: withoutFirefox },
    async (t) => {
      const { origin } = await shop(t, { policy })
      const { page, faults } = await visit(t, origin)
      const launcher = await page.waitForSelector(within('.launcher'), { visible: true })
      await launcher!.click()
      await ask(page)
      t.equal(
        await launcher!.evaluate((button) => getComputedStyle(button).backgroundColor),
        'rgb(37, 99, 235)',
        'it has its colours'
      )
      t.strictSame(faults, [])
    }
  )
}

t.test('Firefox: the page of its own', { skip: withoutFirefox }, async (t) => {
  const { host, key } = await shop(t)
  const { page, faults } = await visit(t, `${host}/chat/${key}`)
  await ask(page)
  t.strictSame(faults, [])
})
