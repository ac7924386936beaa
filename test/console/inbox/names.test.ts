import t from 'tap'
import { joined, PASSWORD } from '../../access/people.ts'
import { UNNAMED } from '../../../src/access/index.ts'
import { theBrowser } from '../../browser/helper.ts'
import { fixedClock } from '../../helper.ts'
import { closeBrowser, consoleAt, seenByAxe, shop, signedIn, withoutChromium } from '../helper.ts'

t.teardown(closeBrowser)

const skip = withoutChromium

t.test('who visitors and colleagues are stands in the list, in the thread and where somebody types', { skip }, async (t) => {
  const built = await shop(t)
  const { me, id, stores, user } = built
  const colleague = await user({ name: 'Grace' })
  joined(stores, me.id, colleague.id, ['REPLY_CONVERSATION'])
  const visitor = (await me.post('/v1/visitors', { agent: id, name: 'Marie' })).json().data.id
  const conversation = (await me.post(`/v1/agents/${id}/conversations`, { visitor })).json().data.id
  const at = `/v1/conversations/${conversation}`
  await me.post(`${at}/takeover`, {})
  await me.post(`${at}/messages`, { text: 'Where is my parcel?' })
  // A colleague who may do nothing but answer knows the others by name too.
  const { page, faults } = await consoleAt(await signedIn(t, built, colleague.id), built, `/inbox/${conversation}`)
  await page.evaluate(async (account) => await fetch('/v1/me/account', {
    method: 'PUT', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ account })
  }), me.id)
  await page.reload()
  const row = page.getByRole('link', { name: 'Marie' })
  await row.getByText('Where is my parcel?').waitFor()
  await row.getByText('Somebody', { exact: true }).waitFor()
  await page.locator('.told.visitor').getByText('Marie', { exact: true }).waitFor()
  await page.locator('.inbox-head').getByText(/^Marie · /).waitFor()
  // Nobody reads an id: it is there to be copied.
  await page.getByRole('button', { name: 'Copy the visitor\'s id' }).waitFor()
  t.equal(await page.getByText(visitor).count(), 0)
  // What is said last stands in the row at once, without its marks, and after it was read anew.
  await me.post(`${at}/messages`, { role: 'person', text: 'It comes **tomorrow**' })
  await row.getByText('Somebody: It comes tomorrow').waitFor()
  await page.reload()
  await row.getByText('Somebody: It comes tomorrow').waitFor()
  await me.post(`${at}/typing`, { role: 'person' })
  await page.getByText('Somebody is typing …').waitFor()
  await me.post(`${at}/typing`, { role: 'visitor' })
  await page.getByText('Marie is typing …').waitFor()
  // Colleagues see each other at the same conversation, and who only looks tells the visitor nothing.
  await me.put(`${at}/looking`, { state: 'looking' })
  await page.locator('.onlookers').getByText('Somebody is looking').waitFor()
  await me.put(`${at}/looking`, { state: 'away' })
  await page.locator('.onlookers:empty').waitFor({ state: 'attached' })
  const typed = page.waitForRequest((one) => one.url().endsWith('/looking') && one.postData() === '{"state":"typing"}')
  await page.getByLabel('Your answer').fill('I')
  await typed
  t.strictSame(
    (await me.put(`${at}/looking`, { state: 'looking' })).json().data.colleagues,
    [{ id: conversation, user: colleague.id, state: 'typing' }]
  )
  await seenByAxe(t, page, 'a conversation with names')
  t.strictSame(faults.filter((fault) => !fault.includes('404') && !fault.includes('403')), [])
})

t.test('set-up asks for the name of the first one', { skip }, async (t) => {
  // Browsers keep no cookie that has ended by their own clock.
  const { host, stores, user } = await shop(t, { clock: fixedClock(Date.now()) })
  const { id } = await user({ name: UNNAMED })
  const { token } = (await stores.signIn.makeLink(id))!
  const page = await (await (await theBrowser(t)).newContext()).newPage()
  await page.goto(`${host}/console/#/link/${token}`)
  t.equal(await page.getByLabel('Your name').inputValue(), '')
  t.equal(await page.getByText('This link is for').count(), 0)
  await page.getByLabel('Your name').fill('Ada Byron')
  await page.getByLabel('E-mail address').fill('ada@shop.example')
  await page.getByLabel('New password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Set the password and sign in' }).click()
  await page.locator('.who').getByText('Ada Byron').waitFor()
  t.equal(stores.db.raw.prepare('select name from users where id = ?').pluck().get(id), 'Ada Byron')
})
