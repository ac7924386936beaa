import t from 'tap'
import { closeBrowser, consoleAt, seenByAxe, shop, signedIn, widgetOn, withoutChromium } from '../helper.ts'

t.teardown(closeBrowser)
const skip = withoutChromium

t.test('first steps connect the example shop with one click; "Where is my order 1001?" is answered by a form; another click takes it away', { skip }, async (t) => {
  const built = await shop(t)
  const { me, id, settled } = built
  const context = await signedIn(t, built, me.id)
  const { page, faults } = await consoleAt(context, built, '/')
  await page.getByRole('button', { name: 'Connect the example shop' }).waitFor()
  await seenByAxe(t, page, 'the example shop is offered')
  await page.getByRole('button', { name: 'Connect the example shop' }).click()
  await page.getByText('Your agent acts in the example shop.').waitFor()
  await seenByAxe(t, page, 'the example shop is connected')
  t.equal((await me.get(`/v1/agents/${id}`)).json().data.behavior.actionIds.length, 2)

  await page.getByRole('link', { name: 'Open the preview' }).click()
  const preview = page.locator('agenthall-preview')
  await preview.getByRole('button', { name: 'Track my order' }).click()
  await preview.getByRole('textbox', { name: 'Order number (1001 to 1003)' }).fill('1001')
  await page.keyboard.press('Enter')
  await preview.locator('.body').getByText('status: on its way').waitFor()

  const visiting = await context.newPage()
  await visiting.goto(built.origin)
  const widget = widgetOn(visiting)
  await widget.open()
  await widget.within.getByRole('button', { name: 'Cancel my order' }).click()
  await widget.within.getByRole('textbox', { name: 'Order number (1001 to 1003)' }).fill('1001')
  await visiting.keyboard.press('Enter')
  await widget.within.getByRole('button', { name: 'Confirm' }).click()
  await widget.within.getByRole('group', { name: 'Cancelling your order' }).waitFor({ state: 'detached' })
  await settled()
  await widget.answers.getByText('status: cancelled').waitFor()

  await page.goto(`${built.host}/console/#/`)
  await page.getByRole('button', { name: 'Remove the example shop' }).click()
  await page.getByRole('button', { name: 'Connect the example shop' }).waitFor()
  const left = await Promise.all(['/v1/connections', '/v1/actions'].map(async (at) => (await me.get(at)).json().data))
  t.strictSame([...left, (await me.get(`/v1/agents/${id}`)).json().data.behavior.actionIds], [[], [], []])
  t.strictSame(faults, [])
})

t.test('where something real is connected the example shop is not offered, and half of it is taken away', { skip }, async (t) => {
  const built = await shop(t)
  const { me } = built
  const context = await signedIn(t, built, me.id)
  const { page } = await consoleAt(context, built, '/')
  await page.route('**/v1/actions', async (route) =>
    route.request().method() === 'POST' ? await route.fulfill({ status: 500, json: { error: { code: 'internal_error', message: 'It broke.' } } }) : await route.continue())
  await page.getByRole('button', { name: 'Connect the example shop' }).click()
  await page.getByText('It broke.').waitFor()
  await page.getByRole('button', { name: 'Connect the example shop' }).waitFor()
  t.strictSame((await me.get('/v1/connections')).json().data, [])
  await me.post('/v1/connections', { name: 'Shop', base_url: 'https://shop.example' })
  await page.reload()
  await page.getByRole('heading', { name: /Put it on your site/ }).waitFor()
  await page.waitForLoadState('networkidle')
  t.equal(await page.getByText('See it act').count(), 0)
})

t.test('who has looked at the preview before sees the buttons in it as soon as there are any', { skip }, async (t) => {
  // Was wrong: what the widget received then was cached by the browser for five minutes.
  const built = await shop(t)
  const { me, id } = built
  const context = await signedIn(t, built, me.id)
  const { page } = await consoleAt(context, built, `/agents/${id}`)
  const preview = page.locator('agenthall-preview')
  await preview.locator('textarea').waitFor()
  await page.getByRole('link', { name: 'First steps' }).click()
  await page.getByRole('button', { name: 'Connect the example shop' }).click()
  await page.getByRole('link', { name: 'Open the preview' }).click()
  await preview.getByRole('button', { name: 'Track my order' }).waitFor()
})

t.test('the preview is that of the agent that acts, though the steps follow another one since', { skip }, async (t) => {
  // Was wrong: the link led to the newest agent, which has no such button.
  const built = await shop(t)
  const { me, id } = built
  const context = await signedIn(t, built, me.id)
  const { page } = await consoleAt(context, built, '/')
  await page.getByRole('button', { name: 'Connect the example shop' }).click()
  const link = page.getByRole('link', { name: 'Open the preview' })
  await link.waitFor()
  await me.put(`/v1/agents/${id}`, { status: 'Inactive' })
  await me.post('/v1/agents', { name: 'Later', systemPrompt: 'You help.' })
  await page.reload()
  await page.getByText('You have Later.').waitFor()
  t.equal(await link.getAttribute('href'), `#/agents/${id}`)
})

t.test('first steps follow the agent that is furthest, not the newest one', { skip }, async (t) => {
  // Was wrong: the newest agent was followed, even if it was switched off and another one was on the site.
  const built = await shop(t, { agent: { name: 'Shop' } })
  const { me, id } = built
  const made = async (name: string, status: string) =>
    (await me.post('/v1/agents', { name, status, systemPrompt: 'You help.' })).json().data.id as number
  await made('Empty', 'Active')
  const off = await made('Off', 'Inactive')
  await me.post(`/v1/agents/${off}/knowledge_sources`, { title: 'Returns', plain_text: 'Within 30 days.' })
  const { page } = await consoleAt(await signedIn(t, built, me.id), built, '/')
  await page.getByText('You have Shop.').waitFor()
  const other = await made('Taught', 'Active')
  await me.post(`/v1/agents/${other}/conversations`, { draft: true })
  await me.post(`/v1/agents/${other}/knowledge_sources`, { title: 'Returns', plain_text: 'Within 30 days.' })
  await built.settled()
  await page.reload()
  // Both are taught and tried; the site of one is named, though the other was changed since.
  await page.getByText('You have Shop.').waitFor()
  const keys = (await me.get(`/v1/agents/${id}/widget_keys`)).json().data
  for (const key of keys) await me.delete(`/v1/agents/${id}/widget_keys/${key.id}`)
  await page.reload()
  await page.getByText('You have Taught.').waitFor()
})
