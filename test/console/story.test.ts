import { readFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { buildWeb } from '../../scripts/build/web.ts'
import { webFiles } from '../../src/platform/http/web/files.ts'
import { POLICIES, theBrowser, visitorAt } from '../browser/helper.ts'
import { QUESTION, RETURNS } from '../conversations/helper.ts'
import { closeBrowser, seenByAxe, withoutChromium } from './helper.ts'
import { foreignPage, house, PASSWORD } from './visit.ts'

t.teardown(closeBrowser)

const skip = withoutChromium

t.test('from the set-up link to an answer on a foreign page, without a request by hand', { skip }, async (t) => {
  const { host, stores, settled, user } = await house(t)
  const { id } = await user({ name: 'Grace' })
  const { token } = (await stores.signIn.makeLink(id))!
  const context = await (
    await theBrowser(t)
  ).newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' })
  const page = await context.newPage()
  const faults: string[] = []
  page.on('console', (message) => { if (['error', 'warning'].includes(message.type())) faults.push(message.text()) })
  page.on('pageerror', (error) => faults.push(error.message))

  await page.goto(`${host}/console/#/link/${token}`)
  t.equal(await page.getByLabel('Your name').inputValue(), 'Grace')
  await page.getByLabel('E-mail address').fill('grace@shop.example')
  await page.getByLabel('New password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Set the password and sign in' }).click()
  await page.getByRole('heading', { name: 'First steps' }).waitFor()
  // Before sign-in the browser itself reports that a request was refused.
  faults.length = 0
  t.notMatch(page.url(), token, 'the token is gone from the address')
  await seenByAxe(t, page, 'first steps, of which none is done')

  await page.getByRole('link', { name: 'Make an agent' }).click()
  await page.locator('dialog').getByLabel('Name').fill('Ada')
  await page.getByLabel('What it is to do').fill('You help the customers of our shop.')
  await page.getByRole('button', { name: 'Make the agent' }).click()
  await page.getByRole('heading', { name: 'Ada' }).waitFor()

  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'returns.txt', mimeType: 'text/plain', buffer: Buffer.from(RETURNS) })
  const source = page.locator('.source', { hasText: 'returns' })
  await source.waitFor()
  await settled()
  await source.locator('.badge').waitFor({ state: 'detached' })
  await source.getByRole('button', { name: /^More for/ }).click()
  await source.getByRole('button', { name: 'Show the text' }).click()
  await page.locator('dialog').getByText('Returns are accepted within 30 days').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('searchbox').fill(QUESTION)
  await page.keyboard.press('Enter')
  await page.locator('.passage mark', { hasText: 'days' }).waitFor()

  await page.getByRole('link', { name: 'Try', exact: true }).click()
  await page.getByRole('textbox').fill(QUESTION)
  await page.keyboard.press('Enter')
  t.match(
    await page.locator('.sources blockquote').innerText(),
    /within 30 days/,
    'the words of the source stand under the answer'
  )
  await page.getByRole('button', { name: 'Regenerate' }).click()
  await page.getByRole('button', { name: 'Regenerate' }).waitFor()

  await page.getByRole('link', { name: 'On your site' }).click()
  const shop = await foreignPage(t, POLICIES.isolated.replaceAll('HOST', host))
  await page.getByLabel('Sites that may show it').fill(`${shop.origin}/a/page?of=it`)
  await page.getByRole('button', { name: 'Save the sites' }).click()
  await page.locator('.toast', { hasText: 'Saved' }).last().waitFor()
  shop.show(await page.locator('pre').innerText())

  const visitor = await visitorAt(t, shop.origin)
  await visitor.widget.open()
  await visitor.widget.ask(QUESTION)
  await visitor.widget.panel.locator('.cite').first().waitFor()
  t.strictSame(visitor.faults, [], 'the strict policy of the page is kept')

  await page.getByRole('link', { name: 'First steps' }).click()
  await page.getByText('All four are done.').waitFor()
  t.equal(await page.getByLabel('Done').count(), 4)
  // Was wrong: that all is done, and what comes next, stood at the foot of the page, below the widget and the example.
  const said = await page.getByText('All four are done.').boundingBox()
  t.ok(said!.y < (await page.locator('.steps').boundingBox())!.y)
  t.strictSame(faults, [])
})

t.test('from the link that the server prints to a cited answer under a strict policy: 12 clicks, 6 fields', { skip }, async (t) => {
  const { host, stores, settled } = await house(t)
  const { user } = (await stores.access.createUser({ name: '-' }))
  const { token } = (await stores.signIn.makeLink(user.id))!
  const context = await (await theBrowser(t)).newContext({ reducedMotion: 'reduce' })
  const page = await context.newPage()
  const took = { clicks: 0, fields: 0 }
  const click = async (name: string, role: 'link' | 'button' = 'button') => {
    took.clicks += 1
    await page.getByRole(role, { name, exact: true }).first().click()
  }
  const fill = async (label: string, text: string) => {
    took.fields += 1
    await page.getByLabel(label, { exact: true }).fill(text)
  }
  await page.goto(`${host}/console/#/link/${token}`)
  await fill('Your name', 'Anna')
  await fill('Name of your organisation', 'Lamps & Co.')
  await fill('E-mail address', 'anna@lamps.example')
  await fill('New password', PASSWORD)
  await click('Set the password and sign in')
  await click('Make an agent', 'link')
  // Its name and task are filled in already, from the name of the shop.
  await page.getByLabel('What it is to do').getByText('Lamps & Co.').or(page.locator('dialog textarea')).first().waitFor()
  await page.waitForFunction(
    () => document.querySelector<HTMLTextAreaElement>('dialog textarea')?.value.includes('Lamps & Co.')
  )
  await click('Make the agent')
  took.clicks += 1
  await page.locator('input[type=file]').setInputFiles({ name: 'returns.txt', mimeType: 'text/plain', buffer: Buffer.from(RETURNS) })
  await page.locator('.source', { hasText: 'returns' }).waitFor()
  await settled()
  await click('On your site', 'link')
  const shop = await foreignPage(t, POLICIES.isolated.replaceAll('HOST', host))
  await fill('Sites that may show it', shop.origin)
  await click('Save the sites')
  await page.locator('.toast', { hasText: 'Saved' }).last().waitFor()
  await click('Copy the line')
  shop.show(await page.locator('pre').innerText())
  const visitor = await visitorAt(t, shop.origin)
  took.clicks += 1
  await visitor.widget.open()
  took.fields += 1
  await visitor.widget.ask(QUESTION)
  await visitor.widget.panel.locator('.cite').first().waitFor()
  t.strictSame(visitor.faults, [])
  await page.goto(`${host}/console/#/`)
  await page.getByText('All four are done.').waitFor()
  // Was wrong: "You have Lamps & Co..", and a note that no model is connected in a row that is done.
  await page.getByText('You have Lamps & Co.', { exact: true }).waitFor()
  t.equal(await page.locator('.step .notice').count(), 0)
  t.ok(took.clicks <= 12 && took.fields <= 6, `${took.clicks} clicks, ${took.fields} fields`)
})

t.test('the console takes 60 KB before a page is opened', async (t) => {
  const to = t.testdir({})
  await buildWeb({ to })
  const files = webFiles((name) => readFileSync(path.join(to, name.replace(/^build\/web\//, ''))))
  const code = (entry: string) => files.file(files.entry(entry))!
  const seen = new Set<string>()
  /** A file and what it loads before it runs. */
  const all = (name: string): number => {
    if (seen.has(name)) return 0
    seen.add(name)
    const { content, brotli } = files.file(name)!
    const more = [...content.toString().matchAll(/(?:from|import)"\.\/([^"]+)"/g)].map(([, file]) =>
      all(`console/${file}`)
    )
    return more.reduce((sum, bytes) => sum + bytes, brotli.length)
  }
  const bytes = all(files.entry('console/main')) + code('console/style').brotli.length
  t.ok(seen.size > 1, 'what it loads at once counts')
  t.ok(bytes <= 60 * 1024, `${bytes} bytes`)
})
