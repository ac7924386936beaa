import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AxeBuilder } from '@axe-core/playwright'
import type { BrowserContextOptions, Page } from 'playwright-core'
import type { Test } from 'tap'
import { buildWeb } from '../../scripts/build/web.ts'
import { PASSWORD, signedUp } from '../access/people.ts'
import { theBrowser } from '../browser/helper.ts'
import { build } from '../helper.ts'

export { PASSWORD }
export const EMAIL = 'ada@shop.example'

/** The production app behind a real socket, and Ada, who has a password, a key and all permissions. */
export async function house (t: Test, env: Record<string, string> = {}) {
  await buildWeb()
  const built = await build(t, env)
  await built.app.listen({ port: 0, host: '127.0.0.1' })
  const host = `http://127.0.0.1:${(built.app.server.address() as AddressInfo).port}`
  const ada = await signedUp(built, { email: EMAIL })
  return { ...built, host, ada, me: ada.key }
}

export type House = Awaited<ReturnType<typeof house>>

/** A page in a context of its own; `faults`: what its console complained of. */
export async function visit (t: Test, address: string, options: BrowserContextOptions = {}, cookie?: string) {
  const context = await (await theBrowser(t)).newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce', ...options })
  if (cookie) {
    const [name = '', value = ''] = cookie.split('=')
    await context.addCookies([{ name, value, url: new URL('/', address).href, httpOnly: true, sameSite: 'Lax' }])
  }
  const page = await context.newPage()
  const faults: string[] = []
  page.on('console', (message) => { if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text()) })
  page.on('pageerror', (error) => faults.push(error.message))
  await page.goto(address)
  return { page, context, faults }
}

/** The console where Ada is signed in, at one of its pages. */
export async function consoleAt (t: Test, { host, ada }: House, path: string, options: BrowserContextOptions = {}) {
  return await visit(t, `${host}/console/#${path}`, options, ada.cookie)
}

/** A page of another origin that shows a widget under a strict policy; `show` says what stands in it. */
export async function foreignPage (t: Test, policy: string) {
  let html = ''
  const pages = createServer((_request, reply) => {
    reply.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy }).end(html)
  })
  await new Promise<void>((resolve) => pages.listen(0, 'localhost', resolve))
  t.teardown(() => {
    pages.closeAllConnections()
    pages.close()
  })
  return {
    origin: `http://localhost:${(pages.address() as AddressInfo).port}`,
    show (tag: string) { html = `<!doctype html><html lang="en"><head><title>Shop</title></head><body><h1>Shop</h1>${tag}</body></html>` }
  }
}

/** What axe finds on a page, each with where. */
export async function axe (page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page: page as never }).analyze()
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}
