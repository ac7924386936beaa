import '../../bare-children.ts'
import t from 'tap'
import { closeBrowser, consoleAt, seenByAxe, signedIn, withoutChromium } from '../helper.ts'
import { house } from '../visit.ts'

const skip = withoutChromium
t.teardown(closeBrowser)

const EXPORT = {
  assistant: {
    id: 7, name: 'Shop helper', config: { instructions: 'Be brief.', welcome_message: 'Hello!', product_name: 'Shop' }
  },
  documents: [{ id: 1, name: 'Returns', content: 'Returns are accepted within 30 days.' }],
  responses: [{ id: 1, question: 'How long can I return?', answer: '30 days.', status: 'approved' }]
}

t.test('somebody brings along what they have: upload, see what becomes of it, make it, and go to the agent', { skip }, async (t) => {
  const served = await house(t, {})
  const { me, settled } = served
  const context = await signedIn(t, served, served.id)
  const { page, faults } = await consoleAt(context, served, '/agents')
  await page.getByRole('link', { name: 'Bring yours along' }).first().click()
  await page.getByRole('heading', { name: 'Upload an export' }).waitFor()
  await seenByAxe(t, page, 'the page to upload')
  // Was wrong: a browser's text at a file field is in its own language, whatever the user's.
  t.match(await page.locator('.file-field').innerText(), /Choose files\s+No file is chosen/)
  await page.locator('input[type=file]').setInputFiles({
    name: 'captain.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(EXPORT))
  })
  await page.locator('.file-field').getByText('captain.json').waitFor()
  await page.getByRole('button', { name: 'Upload and look' }).click()
  await page.getByText('The files are being read').waitFor()
  await settled()
  await page.getByRole('heading', { name: 'Shop helper' }).waitFor()
  t.ok(await page.getByText('Sources: 2').isVisible())
  t.ok(await page.getByText('Say in the system prompt what the product is called.').isVisible(), 'what is to be done is open')
  // Was wrong: "appearance.welcomeMessage", where the field is called that nowhere else in the console.
  await page.getByText(/^Carried \(/).click()
  await page.getByText('→ Greeting').or(page.getByText('→ Welcome')).first().waitFor()
  t.notMatch(await page.locator('main').innerText(), /→ (?:\w+\.\w+|systemPrompt|sources)/)
  await seenByAxe(t, page, 'what would be made')
  await page.getByRole('button', { name: 'Make it' }).click()
  await page.waitForURL(/#\/agents\/\d+$/)
  await settled()
  const agents = (await me.get('/v1/agents')).json().data as Array<{ name: string, status: string }>
  t.match(agents.at(-1), { name: 'Shop helper', status: 'Inactive' })
  await page.goto(`${served.host}/console/#/imports/1`)
  await page.getByText('It is ready. Check it before visitors meet it.').waitFor()

  // Was wrong: reports were English only.
  await page.evaluate(() => localStorage.setItem('agenthall:language', 'de'))
  await page.reload()
  await page.getByText('Sagen Sie im System-Prompt, wie das Produkt heißt.').waitFor()
  t.equal(await page.getByText('Say in the system prompt').count(), 0)
  t.strictSame(faults, [])
})
