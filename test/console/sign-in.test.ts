import t from 'tap'
import { PASSWORD, signedUp } from '../access/people.ts'
import { closeBrowser, consoleAt, seenByAxe, shop, signedIn, withoutChromium } from './helper.ts'
import { theBrowser } from '../browser/helper.ts'

t.teardown(closeBrowser)

const skip = withoutChromium

t.test(
  'who has lost the password asks for a link, and is told who can help where no mail is sent',
  { skip },
  async (t) => {
    const { host } = await shop(t)
    const context = await (await theBrowser(t)).newContext({ reducedMotion: 'reduce' })
    const page = await context.newPage()
    await page.goto(`${host}/console/`)
    await page.getByText('No password yet, or lost it?').click()
    await seenByAxe(t, page, 'the sign-in')
    await page.locator('.lost').getByLabel('E-mail address').fill('ada@example.com')
    await page.getByRole('button', { name: 'Mail me a link' }).click()
    await page.locator('.lost .error').waitFor()
    t.match(await page.locator('.lost .hint').textContent(), /agenthall users link/)
  }
)

t.test('a link that was used says so, and leads to the sign-in', { skip }, async (t) => {
  const { host } = await shop(t)
  const page = await (await (await theBrowser(t)).newContext()).newPage()
  await page.goto(`${host}/console/#/link/nothing`)
  await page.getByText('This link no longer works.').waitFor()
  await page.getByRole('link', { name: 'Go to sign-in' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
})

// Was wrong: the page stayed white.
t.test('an address that was cut off within a sign says that nothing is there', { skip }, async (t) => {
  const built = await shop(t)
  const { page } = await consoleAt(await signedIn(t, built, built.me.id), built, '/agents/%E0')
  await page.getByRole('heading', { name: 'There is no such agent', level: 1 }).waitFor()
})

t.test('who signs in where the browser keeps no cookies is told so, on the page and over it', { skip }, async (t) => {
  // Was wrong: the right password led back to the form silently, and over a page the form never finished. By the clock
  // of this server the cookie has expired: browsers drop it, as they do all where cookies are blocked.
  const built = await shop(t)
  const { id } = await signedUp(built, { name: 'Grace', email: 'grace@example.com' })
  const blocked = 'Allow cookies for this site, then sign in again.'
  const context = await (await theBrowser(t)).newContext({ reducedMotion: 'reduce' })
  const { page } = await consoleAt(context, built, '/')
  await page.locator('form').first().getByLabel('E-mail address').fill('grace@example.com')
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('alert').getByText(blocked).waitFor()
  await seenByAxe(t, page, 'no cookies')

  const working = await signedIn(t, built, id)
  const { page: over } = await consoleAt(working, built, '/account')
  await over.getByLabel('Name', { exact: true }).fill('Grace Hopper')
  await working.clearCookies()
  await over.getByRole('button', { name: 'Save' }).click()
  await over.getByRole('dialog').getByLabel('Password').fill(PASSWORD)
  await over.getByRole('dialog').getByRole('button', { name: 'Sign in', exact: true }).click()
  await over.getByRole('dialog').getByText(blocked).waitFor()
  t.equal(await over.getByLabel('Name', { exact: true }).inputValue(), 'Grace Hopper', 'what was typed is still there')
})
