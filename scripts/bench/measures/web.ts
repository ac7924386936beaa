import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { chromium, type Browser } from 'playwright-core'
import { as, seededAnew } from '../data.ts'
import { median } from '../drive.ts'
import { ms, type Line, type Thoroughness } from '../report.ts'
import { agenthall } from '../servers.ts'

const CHROMIUM = '/usr/bin/chromium-headless-shell'
const HEADERS = { ...as(1), 'content-type': 'application/json' }
const CONSOLE_MS = 1000
const PANEL_MS = 300

// Run by the page itself, which has globals that this program lacks.
const OPENING = `(async () => {
  const root = document.querySelector('agenthall-widget').shadowRoot
  const began = performance.now()
  root.querySelector('.launcher').click()
  while (!root.querySelector('.panel')?.checkVisibility()) await new Promise(requestAnimationFrame)
  await new Promise(requestAnimationFrame)
  return performance.now() - began
})()`

/** How soon people see something, in a real browser with an empty cache. */
export async function web ({ rounds }: Thoroughness): Promise<Line[]> {
  if (!existsSync(CHROMIUM)) throw new Error('chromium-headless-shell is missing: apt-get install it.')
  const server = await agenthall({ directory: await seededAnew('web', { users: 1, agents: 1 }) })
  const site = await siteWith(server.url)
  const browser = await chromium.launch({ executablePath: CHROMIUM })
  const times = { console: [] as number[], panel: [] as number[] }
  for (let i = 0; i < rounds * 3; i++) {
    times.console.push(await firstPaint(browser, `${server.url}/console/`))
    times.panel.push(await opening(browser, site.url))
  }
  await browser.close()
  site.close()
  await server.stop()
  return [
    lineOf('the console, from its address to its first paint', times.console, CONSOLE_MS),
    lineOf('the panel of the widget, from the click to its paint', times.panel, PANEL_MS)
  ]
}

function lineOf (what: string, took: number[], most: number): Line {
  const middle = median(took)
  return {
    what, measured: ms(middle), against: `slowest ${ms(Math.max(...took))}`, aim: `≤ ${most} ms`, reached: middle <= most
  }
}

/** A site of another origin with the widget. */
async function siteWith (host: string) {
  let key = ''
  const pages = createServer((_request, reply) => {
    const tag = `<script async src="${host}/widget.js" data-agent="${key}"></script>`
    reply.writeHead(200, { 'content-type': 'text/html' }).end(`<!doctype html><title>Shop</title><h1>Shop</h1>${tag}`)
  })
  await new Promise<void>((resolve) => pages.listen(0, 'localhost', resolve))
  const url = `http://localhost:${(pages.address() as AddressInfo).port}`
  const body = JSON.stringify({ origins: [url] })
  const answer = await fetch(`${host}/v1/agents/1/widget_keys`, { method: 'POST', headers: HEADERS, body })
  key = ((await answer.json()) as { data: { id: string } }).data.id
  return { url, close: () => { pages.close() } }
}

/** Milliseconds until a page shows its first content. */
async function firstPaint (browser: Browser, url: string): Promise<number> {
  const page = await browser.newPage()
  await page.goto(url, { waitUntil: 'networkidle' })
  const took = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime)
  await page.close()
  if (took === undefined) throw new Error(`${url} showed nothing.`)
  return took
}

/** Milliseconds from the click on the widget's button to the frame that shows its panel. */
async function opening (browser: Browser, url: string): Promise<number> {
  const page = await browser.newPage()
  await page.goto(url)
  await page.locator('agenthall-widget .launcher').waitFor()
  const took = await page.evaluate<number>(OPENING)
  await page.close()
  return took
}
