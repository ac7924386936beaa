import t from 'tap'
import { QUESTION } from '../../conversations/helper.ts'
import { closeBrowser, consoleAt, seenByAxe, shop, signedIn, withoutChromium as skip } from '../helper.ts'

t.teardown(closeBrowser)

/** A picture of one pixel. */
const PICTURE = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64')

t.test('a person has a draft of the agent, sends a picture, and sees what was spoken before', { skip }, async (t) => {
  const built = await shop(t)
  const { me, id } = built
  const visitor = (await me.post('/v1/visitors', { agent: id, name: 'María' })).json().data.id
  const begin = async (subject: string) =>
    (await me.post(`/v1/agents/${id}/conversations`, { visitor, subject })).json().data.id as string
  await begin('About PayPal')
  const conversation = await begin('About returns')
  const at = `/v1/conversations/${conversation}`
  await me.post(`${at}/takeover`, {})
  await me.post(`${at}/messages`, { text: QUESTION })
  await me.post(`${at}/tickets`, { subject: 'A broken box' })
  const { page, faults } = await consoleAt(await signedIn(t, built, me.id), built, `/inbox/${conversation}`)
  await page.getByRole('heading', { name: 'Earlier conversations' }).waitFor()
  await page.getByRole('complementary').getByText('About PayPal').waitFor()
  await page.getByRole('complementary').getByText('A broken box').waitFor()
  const reply = page.getByLabel('Your answer')
  await reply.fill('Dear María,')
  await page.getByRole('button', { name: 'Draft by the agent' }).click()
  await page.getByText(/^Draft by .*: read it first/).waitFor()
  t.match(await reply.inputValue(), /^Dear María,\n\n.*within 30 days/s, 'what was typed stays')
  t.notMatch(await reply.inputValue(), /\[1\]/)
  await page.locator('.drafted').getByText('Returns').waitFor()
  const said = async () => (await me.get(`${at}/messages`)).json().data.filter(({ role }: { role: string }) => role === 'person')
  t.strictSame(await said(), [], 'it is never sent by itself')
  await page.locator('input[type=file]').setInputFiles([
    { name: 'box.png', mimeType: 'image/png', buffer: PICTURE }, { name: 'label.pdf', mimeType: 'application/pdf', buffer: PICTURE }
  ])
  await page.getByRole('button', { name: 'Remove the file: box.png' }).waitFor()
  await seenByAxe(t, page, 'an answer with a draft and files')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.locator('.told.person').getByRole('link', { name: 'label.pdf' }).waitFor()
  t.match(await said(), [{ attachments: [{ name: 'box.png' }, { name: 'label.pdf' }] }])
  await page.locator('.drafted').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Open the picture: box.png' }).click()
  const layer = page.getByRole('dialog', { name: 'box.png' })
  await layer.getByRole('img', { name: 'box.png' }).waitFor()
  t.ok(await layer.locator('img').evaluate('document.querySelector("dialog img").naturalWidth === 1'), 'it is shown')
  await seenByAxe(t, page, 'a picture in a layer')
  await page.keyboard.press('Escape')
  await layer.waitFor({ state: 'detached' })
  t.strictSame(faults, [])
})
