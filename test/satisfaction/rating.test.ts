import t from 'tap'
import { QUESTION } from '../conversations/helper.ts'
import { axe, closeBrowser, shop, visitorAt, withoutChromium as skip } from '../browser/helper.ts'

t.teardown(closeBrowser)

const SHOTS = process.env['SHOTS']

t.test('a visitor says how content they were, in the widget and on the page of its own', { skip, timeout: 120_000 }, async (t) => {
  const { origin, host, key, me } = await shop(t)
  await me.put('/v1/business', { asks_satisfaction: true })
  for (const [n, address] of [origin, `${host}/chat/${key}`].entries()) {
    const { page, widget, faults } = await visitorAt(t, address)
    if (address === origin) await widget.open()
    await widget.ask(QUESTION)
    await widget.answers.getByText(/within 30 days/).waitFor()
    const { data: [conversation] } = (await me.get('/v1/conversations?limit=1')).json()
    await me.post(`/v1/conversations/${conversation.id}/close`, {})
    const form = widget.within.getByRole('group', { name: 'How satisfied were you with this conversation?' })
    await form.waitFor()
    // Was wrong: late-loaded content came when the panel had scrolled to its end, and was below the visible part.
    const low = (await widget.within.locator('form.gate').boundingBox())!
    const { y } = (await widget.field.boundingBox())!
    t.ok(low.y + low.height <= y, 'all of it is seen')
    await axe(t, page, 'a visitor is asked')
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/rating-${n}.png` })
    await form.getByRole('radio', { name: '4' }).check()
    await widget.within.getByRole('textbox', { name: 'In your own words (optional)' }).fill('Quick.')
    await widget.within.locator('form.gate').getByRole('button', { name: 'Send' }).click()
    await widget.within.getByText('Thank you.').waitFor()
    t.match((await me.get('/v1/satisfaction')).json().data[0], { conversation: conversation.id, score: 4, comment: 'Quick.' })
    await axe(t, page, 'a visitor has answered')
    t.strictSame(faults, [])
  }
})
