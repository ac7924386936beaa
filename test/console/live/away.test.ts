import t from 'tap'
import { QUESTION } from '../../conversations/helper.ts'
import { closeBrowser, consoleAt, shop, signedIn, withoutChromium as skip } from '../helper.ts'

t.teardown(closeBrowser)

const MINUTE_MS = 60_000

t.test('the server is away for a minute: nothing typed is lost, and everything comes back by itself', { skip }, async (t) => {
  const built = await shop(t)
  const { me, say, at, conversation, settled } = built
  await say(QUESTION)
  await me.post(`${at}/takeover`, {})
  const context = await signedIn(t, built, me.id)
  const { page, faults } = await consoleAt(context, built, `/inbox/${conversation}`)
  await page.clock.install()
  const reply = page.getByLabel('Your answer')
  await reply.fill('It comes tomorrow')
  await page.getByRole('button', { name: 'Note', exact: true }).click()
  await page.locator('.inbox-reply').getByLabel('A note for the team').fill('Paid by invoice')
  await page.getByRole('button', { name: 'Reply', exact: true }).click()
  // What is asked for meets nobody, and the stream breaks off.
  await context.setOffline(true)
  await reply.press('Enter')
  await page.getByText('The server cannot be reached.', { exact: false }).first().waitFor()
  await say('Are you still there?')
  await page.clock.fastForward(MINUTE_MS)
  t.equal(await reply.inputValue(), 'It comes tomorrow')
  await context.setOffline(false)
  await page.clock.fastForward(MINUTE_MS)
  // Nobody has loaded anything anew.
  await page.locator('.told.visitor').getByText('Are you still there?').waitFor()
  await reply.press('Enter')
  await page.locator('.told.person').getByText('It comes tomorrow').waitFor()
  t.equal(await reply.inputValue(), '')
  await page.getByRole('button', { name: 'Note', exact: true }).click()
  const note = page.locator('.inbox-reply').getByLabel('A note for the team')
  t.equal(await note.inputValue(), 'Paid by invoice')
  await note.press('Enter')
  await page.locator('.inbox-side .note').getByText('Paid by invoice').waitFor()
  await settled()
  const said = (await me.get(`${at}/messages`)).json().data as Array<{ role: string, text: string }>
  t.equal(said.filter(({ text }) => text === 'It comes tomorrow').length, 1, 'sent once')
  t.ok(faults.every((fault) => /ERR_INTERNET_DISCONNECTED|ERR_NETWORK/.test(fault)), faults.join('\n'))
})
