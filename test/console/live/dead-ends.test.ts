import t from 'tap'
import { stepOf } from '../../../src/console/browser/pages/live/steps.ts'
import { closeBrowser, consoleAt, seenByAxe, shop, signedIn, withoutChromium } from '../helper.ts'

t.teardown(closeBrowser)

const skip = withoutChromium
const IN_GERMAN = { locale: 'de-DE' }

t.test('a model in one\'s own network is refused in the reader\'s language, with the setting that allows it', { skip }, async (t) => {
  // Was wrong: "url does not have the expected form", in English, without saying what to do.
  const built = await shop(t)
  const { page } = await consoleAt(await signedIn(t, built, built.me.id, IN_GERMAN), built, '/business/models')
  await page.getByLabel('Anbieter', { exact: true }).selectOption('openai-compatible')
  await page.getByLabel('Name', { exact: true }).fill('Unseres')
  await page.getByLabel('Modelle', { exact: true }).fill('llama')
  const address = page.getByLabel('Adresse', { exact: true })
  for (const [url, sentence] of [
    ['http://192.168.1.7:11434/v1', /^Adresse: http:\/\/ ist nicht verschlüsselt.*AGENTHALL_MODEL_URL/],
    ['https://192.168.1.7/v1', /^Adresse: Das liegt nicht im öffentlichen Internet.*AGENTHALL_MODEL_URL/]
  ] as const) {
    await address.fill(url)
    await page.getByRole('button', { name: 'Anbieter hinzufügen' }).click()
    await page.locator('.error').getByText(sentence).waitFor()
  }
  t.equal(await address.getAttribute('aria-invalid'), 'true')
  await seenByAxe(t, page, 'models')
})

t.test('a site that is named wrong is told by the label of its field, and a name alone is understood', { skip }, async (t) => {
  // Was wrong: "origins[0] does not have the expected form".
  const built = await shop(t)
  const { page } = await consoleAt(await signedIn(t, built, built.me.id, IN_GERMAN), built, `/agents/${built.id}/site`)
  const sites = page.locator('textarea.low')
  const label = await page.locator('.field:has(textarea.low) label').innerText()
  await sites.fill('mein laden')
  const save = page.locator('form:has(textarea.low) button[type=submit]')
  await save.click()
  const said = page.locator('.field:has(textarea.low) .error')
  await said.waitFor()
  t.match(await said.innerText(), new RegExp(`^${label}: Das hat nicht das richtige Format. Zum Beispiel: https://`))
  t.notMatch(await page.locator('main').innerText(), /origins|expected form/)
  // Was wrong: what a wildcard or a port is refused for was said in English.
  for (const wrong of ['https://*.laden.de', 'http://laden.de:99999']) {
    await sites.fill(wrong)
    await save.click()
    await said.getByText('Das hat nicht das richtige Format. Zum Beispiel: https://').waitFor()
  }
  await sites.fill('lampen-laden.de/kontakt')
  await save.click()
  await page.getByText('Gespeichert', { exact: true }).waitFor()
  t.equal(await sites.inputValue(), 'https://lampen-laden.de')
})

t.test('what is typed after "Add a line" goes into that line', { skip }, async (t) => {
  // Was wrong: the focus stayed on the button, which each space pressed again.
  const built = await shop(t)
  const { page } = await consoleAt(await signedIn(t, built, built.me.id), built, `/agents/${built.id}`)
  await page.getByRole('button', { name: 'Instructions', exact: true }).click()
  const lines = page.locator('fieldset.lines').first()
  await lines.getByRole('button', { name: 'Add a line' }).click()
  await page.keyboard.type('Ask for the order number')
  t.equal(await lines.locator('input').count(), 1)
  t.equal(await lines.locator('input').inputValue(), 'Ask for the order number')
})

t.test('what is missing is said under its field, in no bubble of the browser', { skip }, async (t) => {
  // Was wrong: the browser's own message, in its own language and over the page.
  const built = await shop(t)
  const { page, faults } = await consoleAt(await signedIn(t, built, built.me.id), built, '/account')
  await page.evaluate('window.bubbles = 0; addEventListener("invalid", (event) => { window.bubbles += event.defaultPrevented ? 0 : 1 }, false)')
  const email = page.getByLabel('E-mail address', { exact: true })
  await email.fill('anna')
  await page.locator('form:has(input[type=email]) button[type=submit]').click()
  await page.getByText('E-mail address: Write an e-mail address, such as anna@example.com.').waitFor()
  t.equal(await page.evaluate('document.activeElement.type'), 'email', 'the first that is wrong has the focus')
  await email.fill('anna@lamps.shop')
  await page.getByText('E-mail address: Write').waitFor({ state: 'detached' })
  t.strictSame(faults, [])
})

t.test('what is pasted or typed over a refused value is taken at once, its first letter too', { skip }, async (t) => {
  // Was wrong: the error went away first and restored the old value; a new password was not what was typed.
  const built = await shop(t)
  const { page } = await consoleAt(await signedIn(t, built, built.me.id), built, '/account')
  const email = page.getByLabel('E-mail address', { exact: true })
  for (const how of ['pasted', 'typed'] as const) {
    await email.fill('anna')
    await page.locator('form:has(input[type=email]) button[type=submit]').click()
    await page.getByText('E-mail address: Write').waitFor()
    await email.selectText()
    await page.keyboard[how === 'pasted' ? 'insertText' : 'type']('bea@lamps.shop')
    t.equal(await email.inputValue(), 'bea@lamps.shop', how)
  }
})

t.test('an assistant that nobody knows and an export that cannot be read are told in the reader\'s language', { skip }, async (t) => {
  // Was wrong: both in English; an address without content said "Das wird gebraucht" and "Erneut versuchen".
  const built = await shop(t)
  const context = await signedIn(t, built, built.me.id, IN_GERMAN)
  const { page } = await consoleAt(context, built, '/assistant')
  await page.getByText(/^Dieser Assistent ist nicht bekannt/).waitFor()
  t.equal(await page.getByRole('button', { name: 'Erneut versuchen' }).count(), 0)
  await page.goto(`${built.host}/console/#/imports`)
  const file = { name: 'note.json', mimeType: 'application/json', buffer: Buffer.from('"hello"') }
  await page.locator('input[type=file]').setInputFiles(file)
  await page.getByRole('button', { name: 'Hochladen und ansehen' }).click()
  await page.getByText(/^Dieser Export ist nicht bekannt/).waitFor()
})

t.test('what Going live gives to copy can be pasted: no < for a shell, and a copy is made before it is looked at', (t) => {
  // Was wrong: "Help <help@example.com>" without quotes, and a check of a copy that nobody had been told to make.
  const linesOf = (finding: 'mail_from_unset' | 'key_uncopied') => {
    const step = stepOf({ finding, values: {} })
    return step?.kind === 'page' ? [] : step?.lines ?? []
  }
  t.notMatch(linesOf('mail_from_unset').join(), /[<>]/)
  t.match(linesOf('key_uncopied'), [/^cp /, /^agenthall secrets copied /])
  t.end()
})

t.test('a link that has expired says so, and mails a new one from the same page', { skip }, async (t) => {
  // Was wrong: it said "Choose a password" and led to a sign-in for which there was none.
  const built = await shop(t)
  const context = await signedIn(t, built, built.me.id)
  await context.clearCookies()
  const { page } = await consoleAt(context, built, '/link/agl_gone')
  await page.getByRole('heading', { name: 'This link has expired' }).waitFor()
  await page.getByLabel('E-mail address').fill('anna@lamps.shop')
  await page.getByRole('button', { name: 'Mail me a link' }).click()
  await page.getByText(/Mail is not set up here|is on its way/).waitFor()
  await seenByAxe(t, page, 'expired link')
})

t.test('"Your account" names browsers as people do, and no tier', { skip }, async (t) => {
  // Was wrong: "Tier: enterprise", and what the browser sends to programs.
  const built = await shop(t)
  const context = await signedIn(t, built, built.me.id)
  await built.stores.signIn.begin(built.me.id, 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0')
  await built.stores.signIn.begin(
    built.me.id, 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1'
  )
  const { page, faults } = await consoleAt(context, built, '/account')
  await page.getByText('Firefox on Windows').waitFor()
  await page.getByText('Safari on iPhone').waitFor()
  t.notMatch(await page.locator('main').innerText(), /Mozilla|Tier|Gecko/)
  t.strictSame(faults, [])
})

// Nothing showed it, whichever tier an account was of.
t.test('what an account may use stands on its page, in figures and words, and follows its tier', { skip }, async (t) => {
  const built = await shop(t, {
    env: { AGENTHALL_RATE_LIMITS: '{"free":100,"enterprise":0}', AGENTHALL_AGENT_LIMITS: '{"free":3}' }
  })
  const { me, stores } = built
  const { page, faults } = await consoleAt(await signedIn(t, built, me.id), built, '/account')
  const card = page.locator('.card', { hasText: 'What this account can use' })
  const shown = async () => (await card.locator('dd').allInnerTexts()).map((one) => one.trim())
  await card.getByText('unbranded widget').waitFor()
  const [agents, , , requests, features] = await shown()
  t.strictSame([agents, requests], ['1', 'no limit'])
  t.match(features, /premium models, .*add-on agents/)
  await stores.access.setTier(me.id, 'free')
  await page.reload()
  await card.getByText('1 of 3').waitFor()
  const [, trained, stored, perMinute, none] = await shown()
  t.match([trained, stored, perMinute, none], [/ per agent\)$/, / of /, '100 a minute', 'None'])
  await seenByAxe(t, page, 'what an account may use')
  t.strictSame(faults, [])
})
