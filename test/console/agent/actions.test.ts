import t from 'tap'
import { SHOP_DOCUMENT, SHOP_KEY } from '../../../scripts/example-shop.ts'
import { openShop } from '../../actions/helper.ts'
import { closeBrowser, consoleAt, seenByAxe, shop, signedIn, withoutChromium } from '../helper.ts'

t.teardown(closeBrowser)

t.test('a shop is connected, its document imported, an action switched on, tried, and approved in the inbox', {
  skip: withoutChromium
}, async (t) => {
  const there = await openShop(t)
  const built = await shop(t, { env: { AGENTHALL_ALLOWED_HOSTS: there.host } })
  const { me, id, conversation, settled, stores } = built
  const context = await signedIn(t, built, me.id)
  const { page, faults } = await consoleAt(context, built, '/actions')
  const dialog = page.getByRole('dialog')
  await page.getByText('Make a connection first').waitFor()
  await page.getByRole('button', { name: 'New connection' }).click()
  await dialog.getByLabel('Name').fill('Our shop')
  await dialog.getByLabel('Address').fill(`http://${there.host}`)
  await dialog.getByLabel('Secret').fill(SHOP_KEY)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Try Our shop' }).click()
  await page.getByText('It answers.').waitFor()

  await page.reload()
  await page.getByRole('button', { name: 'Import' }).click()
  await dialog.getByLabel('OpenAPI document').fill(JSON.stringify(SHOP_DOCUMENT))
  await dialog.getByRole('button', { name: 'Read' }).click()
  await dialog.getByText('POST /orders/{number}/cancel').waitFor()
  await seenByAxe(t, page, 'the plan of an import')
  await dialog.getByRole('button', { name: 'Make these' }).click()
  await page.getByText('Made: 4.').waitFor()

  await page.getByRole('button', { name: 'Change Cancelling your order' }).click()
  await dialog.getByLabel('Who confirms it').selectOption('A person confirms it')
  await seenByAxe(t, page, 'an action')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Switch on Cancelling your order' }).click()
  await page.getByRole('button', { name: 'Switch off Cancelling your order' }).waitFor()
  await page.getByRole('button', { name: 'Try Looking up your order' }).click()
  await dialog.getByLabel('Number', { exact: true }).fill('1001')
  await dialog.getByRole('button', { name: 'Show the request' }).click()
  await dialog.getByText(/authorization: Bearer ••••/).waitFor()
  t.strictSame(there.asked.map(({ line }) => line), ['GET /'], 'it was only shown')
  await dialog.getByRole('button', { name: 'Send it' }).click()
  await dialog.getByText('on its way').waitFor()
  await seenByAxe(t, page, 'a try')
  await dialog.getByRole('button', { name: 'Close' }).last().click()

  await page.goto(`${built.host}/console/#/agents/${id}?part=behaviour`)
  await page.getByLabel('Cancelling your order').check()
  await page.getByRole('button', { name: 'Save' }).first().click()
  await page.getByText('Saved', { exact: true }).waitFor()
  const cancel = (await me.get('/v1/actions')).json().data.find((one: { name: string }) => one.name === 'cancel_order')
  t.strictSame((await me.get(`/v1/agents/${id}`)).json().data.behavior.actionIds, [cancel.id])
  const given = { action: cancel.id, arguments: { number: '1001', reason: 'other' } }
  await me.post(`/v1/conversations/${conversation}/calls`, given)

  await page.goto(`${built.host}/console/#/inbox/${conversation}`)
  const side = page.locator('.inbox-side')
  await side.getByText('To be confirmed').waitFor()
  await side.getByText('1001').waitFor()
  await seenByAxe(t, page, 'what waits to be confirmed')
  await side.getByRole('button', { name: 'Confirm' }).click()
  await side.getByText('To be confirmed').waitFor({ state: 'detached' })
  await settled()
  t.equal(there.done.size, 1)
  await page.goto(`${built.host}/console/#/actions`)
  await page.getByRole('region', { name: 'What was done' }).getByText('Done', { exact: true }).first().waitFor()
  await seenByAxe(t, page, 'the page of actions')
  t.strictSame(faults, [])
  t.ok(stores)
})

// Was wrong: an English sentence stood in a German page, as if the console spoke it.
t.test('why a call failed is told in the reader\'s language, or as what was reported', {
  skip: withoutChromium
}, async (t) => {
  const built = await shop(t)
  const context = await signedIn(t, built, built.me.id, { locale: 'de-DE' })
  const call = {
    title: 'Termin absagen', state: 'failed', conversation: null, created_at: '2026-01-02T03:04:05Z', status: null
  }
  await context.route('**/v1/calls?*', async (route) => await route.fulfill({
    json: {
      data: [
        { ...call, id: 'call_1', status: 401, error_code: 'denied', error: 'The other side does not accept the secret (401).' },
        {
          ...call,
          id: 'call_2',
          error_code: 'unreachable',
          error: 'shop.example cannot be reached, or its answer broke off. Try again later.'
        },
        { ...call, id: 'call_3', error_code: null, error: 'The tool says that it failed.' }
      ]
    }
  }))
  const { page } = await consoleAt(context, built, '/actions')
  const calls = page.getByRole('region', { name: 'Was getan wurde' })
  await calls.getByText('Der Zugriff wurde verweigert.').waitFor()
  // Was wrong: that the other system could not be reached was told in English.
  await calls.getByText('shop.example ist nicht erreichbar, oder die Verbindung ist abgebrochen.').waitFor()
  await calls.getByText('Meldung: The tool says that it failed.').waitFor()
  t.equal(await calls.getByText('The other side').count(), 0)
})
