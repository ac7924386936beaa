import t from 'tap'
import { SHOP_KEY } from '../../scripts/example-shop.ts'
import { CANCEL, openShop } from '../actions/helper.ts'
import { slowModel } from '../conversations/slow-model.ts'
import { closeBrowser, shop, visitorAt, withoutChromium } from './helper.ts'

t.teardown(closeBrowser)

t.test('"Cancel it": the widget shows what would be done as a card, and a button does it once', { skip: withoutChromium }, async (t) => {
  const there = await openShop(t)
  const model = await slowModel(t, async (one) => {
    const isChoosing = (one.body.tools ?? []).some(({ function: { name } }) => name === 'cancel_order')
    const [number] = /100\d/.exec(one.body.messages.at(-1)!.content) ?? []
    if (isChoosing) await one.call('cancel_order', { number, reason: 'other' })
    else await one.say('none')
    one.end()
  })
  const built = await shop(t, { env: { AGENTHALL_MODEL_URL: model.url, AGENTHALL_ALLOWED_HOSTS: there.host } })
  const { me, id, origin, host, key, settled } = built
  const connection = (await me.post('/v1/connections', {
    name: 'Shop', base_url: `http://${there.host}`, auth: 'bearer', secret: SHOP_KEY
  })).json().data.id
  const action = (await me.post('/v1/actions', { ...CANCEL, connection, enabled: true })).json().data.id
  await me.put(`/v1/agents/${id}`, { behavior: { actionIds: [action] } })
  for (const [address, number, way] of [
    [origin, '1001', 'Confirm'], [`${host}/chat/${key}`, '1002', 'Do not do it']
  ] as const) {
    const { widget, faults } = await visitorAt(t, address)
    if (address === origin) await widget.open()
    await widget.ask(`Cancel order ${number}`)
    const card = widget.within.getByRole('group', { name: 'Cancelling your order' })
    await card.locator('dt:text-is("Number of the order") + dd', { hasText: number }).waitFor()
    // Was wrong: the same was said twice, once as a message that could be rated.
    await widget.answers.getByText('Please confirm').waitFor({ state: 'hidden' })
    t.equal(await widget.panel.locator('.judge:visible').count(), 0)
    await card.getByRole('button', { name: way }).click()
    await card.waitFor({ state: 'detached' })
    await settled()
    if (way === 'Confirm') await widget.answers.getByText('Done: Cancelling your order').waitFor()
    t.strictSame(faults, [])
  }
  t.strictSame(there.asked.map(({ line }) => line), ['POST /orders/1001/cancel'])
})
