import '../bare-children.ts'
import path from 'node:path'
import puppeteer, { type Browser, type ElementHandle, type Page } from 'puppeteer-core'
import t, { type Test } from 'tap'
import { QUESTION } from '../conversations/helper.ts'
import { fixedClock } from '../helper.ts'
import { FIREFOX, POLICIES, shop, withoutFirefox } from './helper.ts'

const started: Record<string, Promise<Browser>> = {}
t.teardown(async () => { await Promise.all(Object.values(started).map(async (one) => await (await one).close())) })

const within = (selector: string) => `agenthall-widget >>> ${selector}`

/** One that is light, and one that is dark: this one cannot be switched. */
async function theFirefox (isDark: boolean): Promise<Browser> {
  return await (started[String(isDark)] ??= puppeteer.launch({
    browser: 'firefox',
    executablePath: FIREFOX,
    headless: true,
    args: ['--no-sandbox'],
    extraPrefsFirefox: { 'layout.css.prefers-color-scheme.content-override': isDark ? 0 : 1 }
  }))
}

async function visit (t: Test, address: string, isDark = false): Promise<{ page: Page, faults: string[] }> {
  const context = await (await theFirefox(isDark)).createBrowserContext()
  t.teardown(async () => { await context.close() })
  const page = await context.newPage()
  const faults: string[] = []
  // Firefox requests a favicon on its own, which the page's policy forbids.
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

t.test('Firefox: it greets, proposes, stays open over pages, lists what was said, and sends what could not be sent', { skip: withoutFirefox }, async (t) => {
  const { origin, host, me } = await shop(t, {
    agent: { behavior: { expertHandoff: true, suggestions: ['How long do I have to return something?'] } }
  })
  await me.put('/v1/me/duty', { on: true })
  const { page, faults } = await visit(t, origin)
  await (await page.waitForSelector(within('.launcher'), { visible: true }))!.click()
  const hello = await page.waitForSelector(within('.hello > :first-child'), { visible: true })
  t.equal(await hello!.evaluate((node) => node.textContent), 'Hello! How can we help?')
  await page.waitForSelector(within('.desk'), { visible: true })
  await (await page.waitForSelector(within('.asked button'), { visible: true }))!.click()
  await page.waitForSelector(within('.cite'))
  await page.goto(`${origin}/returns`)
  await page.waitForSelector(within('.cite'), { visible: true })
  await page.setRequestInterception(true)
  let isAway = true
  page.on('request', (request) => {
    if (isAway && request.url().startsWith(`${host}/v1/widget/conversations`)) request.abort().catch(() => {})
    else request.continue().catch(() => {})
  })
  const field = await page.waitForSelector(within('textarea'), { visible: true })
  await field!.type('Are you there?')
  await field!.press('Enter')
  await page.waitForSelector(within('::-p-text(Waiting for a connection.)'), { visible: true })
  isAway = false
  await page.evaluate(() => dispatchEvent(new Event('online')))
  await page.waitForSelector(within('::-p-text(Waiting for a connection.)'), { hidden: true })
  await (await page.waitForSelector(within('[aria-label="Conversations"]'), { visible: true }))!.click()
  await page.waitForSelector(within('.earlier [aria-current=true]'), { visible: true })
  t.equal(
    await (await page.$(within('.earlier .new')))!.evaluate((node) => node.matches(':focus')), true,
    'the list comes after the button above it, which keeps the cursor'
  )
  await (await page.$(within('.earlier .new')))!.click()
  await page.waitForSelector(within('.earlier small'), { visible: true })
  t.strictSame(faults.filter((text) => !text.includes('NetworkError') && !text.includes('CORS')), [])
})

t.test('Firefox: in the console somebody takes over, answers with a note beside, and closes', { skip: withoutFirefox }, async (t) => {
  const { host, me, id, withSession } = await shop(t, { agent: { behavior: { expertHandoff: true } } })
  await me.put('/v1/me/duty', { on: true })
  const visitor = (await me.post('/v1/visitors', { agent: id, name: 'Łukasz' })).json().data.id
  const conversation = (await me.post(`/v1/agents/${id}/conversations`, { visitor })).json().data.id as string
  await me.post(`/v1/conversations/${conversation}/messages`, { text: 'A human please' })
  const [name, value] = (await withSession(me.id)).cookie.split('=') as [string, string]
  const { page, faults } = await visit(t, `${host}/docs`)
  await page.setViewport({ width: 1280, height: 800 })
  await page.browserContext().setCookie({ name, value, domain: '127.0.0.1', path: '/', httpOnly: true, sameSite: 'Lax' })
  await page.goto(`${host}/console/#/inbox`)
  await (await page.waitForSelector(`[data-id="${conversation}"]`, { visible: true }))!.click()
  await (await page.waitForSelector('.inbox-head .button.main', { visible: true }))!.click()
  await page.waitForFunction(() => document.activeElement?.matches('.inbox-reply textarea'))
  await page.keyboard.type('Here I am.')
  await page.keyboard.press('Enter')
  await page.waitForSelector('.told.person .bubble')
  await (await page.$('.composer-tabs button:last-child'))!.click()
  await (await page.waitForSelector('.of-note textarea', { visible: true }))!.type('Call back')
  await page.keyboard.press('Enter')
  await page.waitForSelector('.inbox-side .note')
  // His name is in the font of the page.
  const fonts = await page.evaluate('document.fonts.load("14px Inter", "Ł").then((all) => all.map((one) => one.status))')
  t.strictSame(fonts, ['loaded', 'loaded'])
  await page.waitForFunction(() => {
    const note = document.querySelector<HTMLTextAreaElement>('.of-note textarea')
    return note?.value === '' && document.activeElement?.localName === 'textarea'
  })
  await page.keyboard.press('Escape')
  await page.waitForFunction(() => document.activeElement?.matches('.inbox-entry'))
  await page.keyboard.press('e')
  await page.waitForSelector('.undo', { visible: true })
  await (await page.waitForSelector('.undo .button', { visible: true }))!.click()
  await page.waitForSelector('.undo', { hidden: true })
  await page.waitForSelector(`[data-id="${conversation}"]`, { hidden: true })
  t.match((await me.get(`/v1/conversations/${conversation}`)).json().data, { status: 'closed', outcome: 'handed_off' })
  t.strictSame(faults, [])
})

t.test('Firefox: a file goes with a question, and by night the widget is dark', { skip: withoutFirefox }, async (t) => {
  const { origin } = await shop(t, { agent: { appearance: { primaryColor: '#7c3f1d' } } })
  const file = path.join(t.testdir({ 'receipt.txt': 'Paid on Monday' }), 'receipt.txt')
  const { page, faults } = await visit(t, origin, true)
  await (await page.waitForSelector(within('.launcher'), { visible: true }))!.click()
  const panel = await page.waitForSelector(within('.panel'), { visible: true })
  t.equal(await panel!.evaluate((node) => getComputedStyle(node).backgroundColor), 'rgb(30, 27, 28)')
  const picker = await page.$(within('input[type=file]')) as ElementHandle<HTMLInputElement>
  await picker.uploadFile(file)
  await page.waitForSelector(within('.chosen .file'), { visible: true })
  await ask(page)
  await page.waitForSelector(within('.own a.file'), { visible: true })
  t.strictSame(faults, [])
})

t.test('Firefox: somebody signs in, describes the agent, teaches it and looks for that; the calls are found', { skip: withoutFirefox }, async (t) => {
  // A cookie that has expired by the browser's clock is not stored.
  const { host, me, id, stores, settled } = await shop(t, { clock: fixedClock(Date.now()) })
  const { token } = (await stores.signIn.makeLink(me.id))!
  const { page, faults } = await visit(t, `${host}/docs`)
  await page.setViewport({ width: 1280, height: 800 })
  await (await page.waitForSelector('.operation-filter-input', { visible: true }))!.type('/messages')
  await page.waitForSelector('[data-path="/v1/agents"]', { hidden: true })
  await page.waitForSelector('[data-path="/v1/conversations/{id}/messages"]', { visible: true })
  await page.goto(`${host}/console/#/link/${token}`)
  await page.waitForSelector('input[type=email]', { visible: true })
  // Was wrong: the name was shown alone and indented, where the logo should be.
  await page.waitForSelector('.alone .brand svg', { visible: true })
  await page.type('::-p-xpath(//*[contains(text(), "Name of your organisation")]/following::input[1])', 'Cargo')
  await page.type('input[type=email]', 'grace@shop.example')
  await page.type('input[type=password]', 'correct horse battery')
  await page.keyboard.press('Enter')
  await page.waitForSelector('#menu .brand', { visible: true })
  await page.goto(`${host}/console/#/agents/${id}`)
  await (await page.waitForSelector('main textarea', { visible: true }))!.type('For bicycles')
  await (await page.waitForSelector('::-p-xpath(//button[normalize-space()="Save"])', { visible: true }))!.click()
  await page.waitForSelector('::-p-text(Saved)', { visible: true })
  t.match((await me.get(`/v1/agents/${id}`)).json().data, { description: 'For bicycles' })
  await page.goto(`${host}/console/#/agents/${id}/knowledge`)
  const file = path.join(t.testdir({ 'cargo.txt': 'Cargo bicycles carry two hundred kilograms.' }), 'cargo.txt')
  await (await page.waitForSelector('main input[type=file]') as ElementHandle<HTMLInputElement>).uploadFile(file)
  await page.waitForSelector('::-p-xpath(//*[@class="source"]//*[contains(., "cargo")])', { visible: true })
  await settled()
  await page.type('input[type=search]', 'How much does a cargo bicycle carry?')
  await page.keyboard.press('Enter')
  await page.waitForSelector('.passage mark', { visible: true })
  t.strictSame(faults, [])
})
