import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { POLICIES, theBrowser, visitorAt } from '../browser/helper.ts'
import { QUESTION, RETURNS } from '../conversations/helper.ts'
import { closeBrowser, withoutChromium } from './helper.ts'
import { foreignPage, house, PASSWORD } from './visit.ts'

t.teardown(closeBrowser)

/** What has the focus: its name, and whether the focus is visible. */
const HERE = `(() => {
  let at = document.activeElement
  while (at.shadowRoot?.activeElement) at = at.shadowRoot.activeElement
  // The widget outlines the row that contains its field.
  const styles = [at, at.closest('.row') ?? at].map((one) => getComputedStyle(one))
  const box = at.getBoundingClientRect()
  return {
    name: (at.getAttribute('aria-label') ?? at.labels?.[0]?.textContent ?? at.textContent).trim(),
    tag: at.localName,
    isBody: at === document.body,
    isSeen: styles.some(({ outlineStyle: style, outlineWidth: width }) => style !== 'none' && parseFloat(width) > 0),
    isOnScreen: box.bottom > 0 && box.top < innerHeight
  }
})()`
interface Here { name: string, tag: string, isBody: boolean, isSeen: boolean, isOnScreen: boolean }

/** Maximum key presses from one end of a page to the other. */
const MOST_STOPS = 150

/** A user without a mouse. Each stop on the way has to show that it has the focus. */
function handsOn (t: Test, page: Page) {
  const here = async () => await page.evaluate(HERE) as Here
  const unseen = new Set<string>()
  async function to (name: string | RegExp, tag?: string) {
    for (let i = 0; i < MOST_STOPS; i++) {
      const at = await here()
      const isIt = typeof name === 'string' ? at.name === name : name.test(at.name)
      if (isIt && !at.isBody && (!tag || at.tag === tag)) return
      await page.keyboard.press('Tab')
      const next = await here()
      if (!next.isBody && !(next.isSeen && next.isOnScreen)) unseen.add(`${next.tag} ${next.name}`)
    }
    throw new Error(`${String(name)} is not reached by keyboard`)
  }
  return {
    here,
    to,
    unseen: () => [...unseen],
    async press (name: string | RegExp, tag?: string) {
      await to(name, tag)
      await page.keyboard.press('Enter')
    },
    async write (name: string, text: string) {
      await to(name)
      await page.keyboard.press('ControlOrMeta+a')
      await page.keyboard.type(text)
    },
    /** The focus comes back when the page has drawn what the dialog changed, which may be after the dialog is gone. */
    async isBackOn (name: string) {
      for (let i = 0; i < 100 && (await here()).name !== name; i++) await page.waitForTimeout(50)
      t.equal((await here()).name, name, 'the focus is where it was before the dialog')
    }
  }
}

t.test(
  'by keyboard alone: from the set-up link to an agent, its knowledge, its widget, an answer, the end of a conversation and its outcome',
  { skip: withoutChromium, timeout: 120_000 },
  async (t) => {
    const { host, stores, settled, user } = await house(t)
    const { token } = (await stores.signIn.makeLink((await user({ name: 'Grace' })).id))!
    const context = await (
      await theBrowser(t)
    ).newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' })
    const page = await context.newPage()
    const hand = handsOn(t, page)

    await page.goto(`${host}/console/#/link/${token}`)
    await page.getByLabel('New password').waitFor()
    await hand.write('E-mail address', 'grace@shop.example')
    await hand.write('New password', PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'First steps' }).waitFor()

    // The first stop of a page skips the menu.
    await page.reload()
    await page.getByRole('heading', { name: 'First steps' }).waitFor()
    await page.keyboard.press('Tab')
    t.match((await hand.here()).name, 'Skip to content')
    await page.keyboard.press('Enter')
    t.equal((await hand.here()).tag, 'main')

    await hand.press('Make an agent')
    await page.locator('dialog').getByLabel('Name').waitFor()
    await hand.write('Name', 'Ada')
    await hand.write('What it is to do', 'You help the customers of our shop.')
    await hand.press('Make the agent', 'button')
    // After creating one, the next step is training it.
    await page.getByRole('button', { name: 'Add a text' }).waitFor()
    await hand.press('Add a text')
    await page.locator('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('dialog').waitFor({ state: 'detached' })
    await hand.isBackOn('Add a text')
    await page.keyboard.press('Enter')
    await page.locator('dialog').waitFor()
    await hand.write('Title', 'Returns')
    await hand.write('Text', RETURNS)
    await hand.press('Add', 'button')
    await page.locator('dialog').waitFor({ state: 'detached' })
    // Was wrong: the button that was pressed disappears with the first source, and the focus was lost where that was
    // there before the dialog had gone.
    await hand.isBackOn('Add')
    await settled()
    await page.locator('.source').waitFor()
    await page.locator('.source .badge').waitFor({ state: 'detached' })
    await hand.press('More for Returns')
    await hand.press('Delete')
    await page.locator('dialog').waitFor()
    t.equal((await hand.here()).name, 'Cancel', 'the safe choice has the focus')
    await page.keyboard.press('Enter')
    await page.locator('dialog').waitFor({ state: 'detached' })
    await hand.isBackOn('More for Returns')

    await hand.press('Try', 'a')
    await page.locator('.composer').waitFor()
    await hand.to(/Ask what/, 'textarea')
    await page.keyboard.type(QUESTION)
    await page.keyboard.press('Enter')
    await page.locator('.sources blockquote').getByText('within 30 days').waitFor()

    await hand.press('On your site', 'a')
    await page.getByLabel('Sites that may show it').waitFor()
    const shop = await foreignPage(t, POLICIES.isolated.replaceAll('HOST', host))
    await hand.write('Sites that may show it', shop.origin)
    await hand.press('Save the sites')
    await page.locator('.toast', { hasText: 'Saved' }).last().waitFor()
    shop.show(await page.locator('pre').innerText())

    await hand.press('Settings', 'a')
    await hand.press(/^How it looks|^Look/)
    await page.getByLabel('Greeting').waitFor()
    await hand.write('Greeting', 'Good day')
    // The "Saved" of the sites may still be there.
    await page.locator('.save-bar').waitFor()
    await page.keyboard.press('ControlOrMeta+s')
    await page.locator('.save-bar').waitFor({ state: 'detached' })

    const visitor = await visitorAt(t, shop.origin)
    await visitor.page.locator('body').press('Tab')
    await visitor.page.keyboard.press('Enter')
    await visitor.widget.panel.getByText('Good day').first().waitFor()
    await visitor.page.keyboard.type(`${QUESTION} Please.`)
    await visitor.page.keyboard.press('Enter')
    await visitor.widget.panel.locator('.cite').first().waitFor()

    await hand.press('Inbox', 'a')
    await page.locator('.inbox-entry').first().waitFor()
    await hand.press(/Visitor/, 'a')
    await page.getByLabel('Your answer').waitFor()
    await hand.write('Your answer', 'Grace here: thirty days it is.')
    await page.keyboard.press('Enter')
    await visitor.widget.panel.locator('li').getByText('Grace here: thirty days it is.').waitFor()
    await page.locator('.told.person').waitFor()
    await hand.press('Close', 'button')
    await page.getByRole('button', { name: 'Question answered' }).waitFor()
    await hand.press('Question answered')
    await page.locator('.undo').waitFor({ state: 'detached' })
    await settled()
    await hand.press('Figures', 'a')
    await page.getByText('All sums').click()
    await page.locator('.totals .card', { hasText: 'Handed off' }).getByText('1', { exact: true }).waitFor()
    t.strictSame(hand.unseen(), [], 'each stop can be seen')
  }
)
