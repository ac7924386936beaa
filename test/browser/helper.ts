import '../bare-children.ts'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AxeBuilder } from '@axe-core/playwright'
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core'
import type { Test } from 'tap'
import { talkative } from '../conversations/helper.ts'
import type { FixedClock } from '../helper.ts'
import { webIsBuilt } from '../web.ts'

const CHROMIUM = '/usr/bin/chromium-headless-shell'
export const FIREFOX = '/usr/bin/firefox-esr'

/** Why a browser test cannot run here; the gate installs the browsers and accepts no such reason. */
export const withoutChromium = existsSync(CHROMIUM)
  ? false
  : 'chromium-headless-shell is missing: apt-get install chromium-headless-shell'
export const withoutFirefox = existsSync(FIREFOX) ? false : 'firefox-esr is missing: apt-get install firefox-esr'

let browser: Promise<Browser> | undefined

/** The browser shared by a file's tests. */
export async function theBrowser (t: Test): Promise<Browser> {
  browser ??= chromium.launch({ executablePath: CHROMIUM })
  const launched = await browser
  t.teardown(async () => {
    if (launched.contexts().length > 0) {
      await Promise.all(launched.contexts().map(async (context) => await context.close()))
    }
  })
  return launched
}

/** Closes it, at the end of a file. */
export async function closeBrowser () {
  const closing = browser
  browser = undefined
  await (await closing)?.close()
}

/** Policies of pages, `HOST` being the origin that the widget comes from. */
export const POLICIES = {
  none: '',
  common: "default-src 'self'; script-src 'self' HOST; connect-src 'self' HOST; style-src 'self'",
  nonce:
    "default-src 'none'; script-src 'nonce-abc' 'strict-dynamic' HOST; connect-src HOST; style-src 'none'; img-src 'none'; base-uri 'none'",
  trusted:
    "default-src 'none'; script-src HOST; connect-src HOST; style-src 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  isolated:
    "default-src 'none'; script-src HOST; connect-src HOST; img-src 'none'; font-src 'none'; frame-src 'none'; object-src 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
}

/**
 * The production app behind a real socket, an agent that knows about returns, a shop of another origin with its widget.
 */
export async function shop (
  t: Test,
  {
    env = {}, agent = {}, policy = '', attributes = '', head = '', clock,
    body = '<h1>Shop</h1><p>Bicycles.</p><button id="buy">Buy</button>', headers = {}
  }: {
    env?: Record<string, string>
    agent?: object
    clock?: FixedClock
    policy?: string
    attributes?: string
    head?: string
    body?: string
    headers?: Record<string, string>
  } = {}
) {
  await webIsBuilt()
  const built = await talkative(
    t,
    { AGENTHALL_WIDGET_MESSAGES_PER_MINUTE: '0', AGENTHALL_WIDGET_SESSIONS_PER_MINUTE: '0', ...env },
    agent,
    { ...(clock && { clock }) }
  )
  const { app, me, id } = built
  await app.listen({ port: 0, host: '127.0.0.1' })
  const host = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  const html = (key: string) =>
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Shop</title>${head}</head><body>${body}<script async nonce="abc" src="${host}/widget.js" data-agent="${key}" ${attributes}></script></body></html>`
  let key = ''
  const pages = createServer((_request, reply) => {
    const sent = { ...headers, ...(policy && { 'content-security-policy': policy.replaceAll('HOST', host) }) }
    reply.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...sent }).end(html(key))
  })
  await new Promise<void>((resolve) => pages.listen(0, 'localhost', resolve))
  t.teardown(() => {
    pages.closeAllConnections()
    pages.close()
  })
  const origin = `http://localhost:${(pages.address() as AddressInfo).port}`
  key = (await me.post(`/v1/agents/${id}/widget_keys`, { origins: [origin] })).json().data.id as string
  return { ...built, host, origin, key }
}

/** A page of the shop in its own context; `faults`: its console's complaints, `hosts`: the hosts it called. */
export async function visitorAt (t: Test, address: string, options: BrowserContextOptions = {}) {
  const context = await (
    await theBrowser(t)
  ).newContext({ viewport: { width: 1000, height: 800 }, reducedMotion: 'reduce', ...options })
  const page = await context.newPage()
  const faults: string[] = []
  const hosts = new Set<string>()
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text())
  })
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('request', (request) => { if (!request.url().startsWith('data:')) hosts.add(new URL(request.url()).host) })
  await page.goto(address)
  return { page, context, faults, hosts, widget: widgetOn(page) }
}

/** The widget, as a visitor uses it. */
export function widgetOn (page: Page) {
  const within = page.locator('agenthall-widget')
  return {
    within,
    launcher: within.locator('.launcher'),
    panel: within.locator('.panel'),
    field: within.locator('textarea'),
    answers: within.locator('li.agent .body'),
    own: within.locator('li.own'),
    async open () {
      // Where it was left open it opens again automatically.
      await within.locator('.launcher:visible, .panel:visible').first().waitFor()
      if (!(await within.locator('.panel').isVisible())) await within.locator('.launcher').click()
      await within.locator('.panel').waitFor()
    },
    async close () { await within.getByRole('button', { name: 'Close chat' }).click() },
    /** Begins a new conversation, from the list of all. */
    async fresh () {
      await within.getByRole('button', { name: 'Conversations' }).click()
      await within.getByRole('button', { name: 'New conversation' }).click()
    },
    async ask (text: string) {
      await within.locator('textarea').fill(text)
      await within.locator('textarea').press('Enter')
    }
  }
}

/** That everything in the widget is accessible (axe). */
export async function axe (t: Test, page: Page, what: string) {
  const { violations } = await new AxeBuilder({ page: page as never }).include('agenthall-widget').analyze()
  t.strictSame(
    violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`),
    [],
    `${what}: axe finds nothing`
  )
}
