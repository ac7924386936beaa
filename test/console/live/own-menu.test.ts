import t from 'tap'
import { closeBrowser, consoleAt, shop, signedIn, withoutChromium } from '../helper.ts'

t.teardown(closeBrowser)

const skip = withoutChromium

t.test("one's own menu: presence, language and appearance, and on a phone a bar of places", { skip }, async (t) => {
  const built = await shop(t)
  const { me } = built
  const { page, faults } = await consoleAt(await signedIn(t, built, me.id), built, '/agents')
  const own = page.locator('.own')
  await own.click()
  await page.getByRole('button', { name: 'Away', exact: true }).click()
  await page.getByRole('button', { name: 'Away', exact: true, pressed: true }).waitFor()
  t.match((await me.get('/v1/me/duty')).json().data, { on: false })
  await own.getByText('Away').waitFor()
  await page.getByLabel('Appearance').selectOption('dark')
  const ground = async () => await page.evaluate('getComputedStyle(document.documentElement).backgroundColor') as string
  await page.emulateMedia({ colorScheme: 'light' })
  t.equal(await ground(), 'rgb(16, 17, 20)', 'it is dark, whatever the device wants')
  await page.reload()
  await own.waitFor()
  t.equal(await ground(), 'rgb(16, 17, 20)', 'and stays so')
  await own.click()
  await page.getByLabel('Appearance').selectOption('device')
  t.equal(await ground(), 'rgb(251, 251, 252)')
  await page.getByLabel('Language').selectOption('de')
  await page.getByText('Darstellung').waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('Darstellung').waitFor({ state: 'hidden' })
  t.equal(await page.evaluate("document.activeElement.classList.contains('own')"), true, 'the focus is back on the button')

  await page.setViewportSize({ width: 390, height: 844 })
  const bar = page.getByRole('navigation', { name: 'Wichtigste Seiten' })
  t.strictSame(await bar.locator('.place').allInnerTexts(), ['Posteingang', 'Agenten', 'Auswertung', 'Menü'])
  // Was wrong: "Boîte de réceptic", and "Antworten prüfe" for members who only answer.
  for (const language of ['en', 'de', 'fr', 'es', 'pt']) {
    await page.evaluate((chosen) => localStorage.setItem('agenthall:language', chosen), language)
    await page.reload()
    await page.locator('.place').first().waitFor()
    for (const text of [null, ({ en: 'Answers to check', de: 'Antworten prüfen', fr: 'Réponses à vérifier' })[language]]) {
      t.strictSame(await page.locator('.place').evaluateAll((places, other) => places.map((place) => {
        if (other) place.lastChild!.textContent = other
        const range = document.createRange()
        range.selectNodeContents(place)
        const [text, edge] = [range.getBoundingClientRect(), place.getBoundingClientRect()]
        return text.left >= edge.left && text.right <= edge.right && text.bottom <= edge.bottom
      }), text ?? null), [true, true, true, true], `${language}: no name is cut`)
    }
  }
  await page.evaluate(() => localStorage.setItem('agenthall:language', 'de'))
  await page.reload()
  await bar.getByRole('button', { name: 'Menü' }).click()
  await page.getByRole('link', { name: 'Tickets' }).click()
  await page.getByRole('heading', { name: 'Tickets', exact: true }).waitFor()
  await bar.getByRole('link', { name: 'Posteingang' }).click()
  await page.locator('.inbox-entry').first().click()
  await page.locator('.inbox-reply').waitFor()
  t.equal(await bar.isVisible(), false, 'none in a conversation')
  t.strictSame(faults, [])
})
