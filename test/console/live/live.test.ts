import t from 'tap'
import { closeBrowser, consoleAt, seenByAxe, shop, signedIn, withoutChromium } from '../helper.ts'

t.teardown(closeBrowser)

t.test('what stops an account from going live stands on a page, each line with its one next step', { skip: withoutChromium }, async (t) => {
  const built = await shop(t)
  const { me, id } = built
  const { page, faults } = await consoleAt(await signedIn(t, built, me.id), built, '/going-live')
  await page.getByText(/\d+ of 13 are left before visitors can rely on your agents/).waitFor()
  t.equal(await page.locator('.button.main').count(), 1, 'one step is the next one')
  await page.getByRole('button', { name: 'Show how: Address' }).click()
  await page.getByRole('dialog').getByText('AGENTHALL_BASE_URL=https://chat.example.com').waitFor()
  await page.keyboard.press('Escape')
  await seenByAxe(t, page, 'going live')
  const line = (name: string) => page.getByRole('listitem').filter({ hasText: name })
  await line('Keeping and telling').getByText('Ada keeps conversations forever').waitFor()
  await me.put(`/v1/agents/${id}`, {
    gdpr_settings: { data_retention_days: 30 }, privacy_url: 'https://lamps.shop/privacy'
  })
  built.clock.advance(60_000)
  await page.getByRole('button', { name: 'Check again' }).click()
  await line('Keeping and telling').getByText('Conversations are deleted after 30 days at most').waitFor()
  await line('Model').getByRole('link', { name: 'Connect a model' }).click()
  await page.waitForURL(/business\/models/)
  t.strictSame(faults, [])
})

t.test('sections that could not be read while the server was away are read when it is back', { skip: withoutChromium }, async (t) => {
  // Was wrong: each kept its "Try again", and nothing loaded automatically.
  const built = await shop(t)
  const { page } = await consoleAt(await signedIn(t, built, built.me.id), built, '/agents')
  await page.getByRole('link', { name: 'Ada' }).first().waitFor()
  const isAsked = /\/(v1|readyz)/
  await page.route(isAsked, async (route) => await route.abort())
  await page.getByRole('link', { name: 'API keys' }).click()
  await page.getByRole('button', { name: 'Try again' }).first().waitFor()
  await page.unroute(isAsked)
  await page.getByRole('row').or(page.locator('.entry')).first().waitFor()
  t.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0)
  await page.locator('.offline').waitFor({ state: 'detached' })
})
