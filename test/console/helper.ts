import { AxeBuilder } from '@axe-core/playwright'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import type { Test } from 'tap'
import { theBrowser } from '../browser/helper.ts'

export { closeBrowser, shop, visitorAt, widgetOn, withoutChromium } from '../browser/helper.ts'

interface Served { host: string, withSession: (user: number) => Promise<{ cookie: string }> }

/** A browser in which this user has signed in. */
export async function signedIn (
  t: Test, { host, withSession }: Served, user: number, options: BrowserContextOptions = {}
): Promise<BrowserContext> {
  const { cookie } = await withSession(user)
  const [name, value] = cookie.split('=') as [string, string]
  const context = await (
    await theBrowser(t)
  ).newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce', ...options })
  await context.addCookies([{ name, value, url: host }])
  return context
}

/** A page of the console; `faults`: the complaints of its browser. */
export async function consoleAt (context: BrowserContext, { host }: { host: string }, address: string) {
  const page = await context.newPage()
  const faults: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') {
      faults.push(`${message.text()} ${message.location().url}`.trim())
    }
  })
  page.on('pageerror', (error) => faults.push(error.message))
  await page.goto(`${host}/console/#${address}`)
  return { page, faults }
}

/** Checks a page in both themes and at two widths; what axe finds there fails the test. */
export async function seenByAxe (t: Test, page: Page, what: string) {
  for (const [width, height] of [[1280, 800], [390, 844]] as const) {
    await page.setViewportSize({ width, height })
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      const { violations } = await new AxeBuilder({ page: page as never }).analyze()
      const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
      t.strictSame(found, [], `axe finds nothing: ${what}, ${colorScheme}, ${width} px`)
      const wide = await page.evaluate('document.documentElement.scrollWidth - innerWidth') as number
      t.ok(wide <= 0, `nothing is cut off sideways: ${what}, ${width} px`)
    }
  }
  await page.setViewportSize({ width: 1280, height: 800 })
}
