import t from 'tap'
import { closeBrowser, consoleAt, shop, signedIn, withoutChromium as skip } from '../helper.ts'

t.teardown(closeBrowser)

t.test('what was done is said over no control, on a wide screen and on a phone', { skip }, async (t) => {
  // Was wrong: it lay over the buttons of the page's head for four seconds.
  const built = await shop(t)
  const { page, faults } = await consoleAt(await signedIn(t, built, built.me.id), built, `/agents/${built.id}/site`)
  for (const [width, height] of [[1280, 800], [390, 844]] as const) {
    await page.setViewportSize({ width, height })
    await page.getByLabel('Sites that may show it').waitFor()
    // Something to press where they are shown first.
    await page.evaluate(() => {
      const button = Object.assign(document.createElement('button'), { textContent: 'Here', className: 'button in-the-way' })
      Object.assign(button.style, { position: 'fixed', inset: '16px 16px auto auto' })
      document.body.prepend(button)
    })
    await page.getByRole('button', { name: 'Copy the line' }).click()
    const toast = page.locator('.toast')
    await toast.waitFor()
    await page.waitForFunction(() => document.querySelector<HTMLElement>('.toasts')!.style.inset !== '')
    const under = await toast.last().evaluate((node) => {
      const { left, right, top, bottom } = node.getBoundingClientRect()
      return [...document.querySelectorAll('a, button, input, select, textarea, summary, label')]
        .filter((one) => one.checkVisibility() && !one.closest('.hidden'))
        .filter((one) => {
          const edge = one.getBoundingClientRect()
          return edge.left < right && edge.right > left && edge.top < bottom && edge.bottom > top
        })
        .map(({ outerHTML }) => outerHTML)
    })
    t.strictSame(under, [], `${width} px`)
    await page.locator('.in-the-way').evaluate((node) => node.remove())
    await toast.first().waitFor({ state: 'detached' })
  }
  t.strictSame(faults, [])
})
