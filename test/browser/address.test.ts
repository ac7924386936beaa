import { AxeBuilder } from '@axe-core/playwright'
import t from 'tap'
import { ADA, FROM, SUPPORT, mailServer } from '../tickets/helper.ts'
import { closeBrowser, shop, visitorAt, withoutChromium } from './helper.ts'

t.teardown(closeBrowser)

t.test('where nobody is there, the widget shows a field for the address, and what is written into it is said back', { skip: withoutChromium }, async (t) => {
  // Was wrong: "Please leave your e-mail address here" was there on its own.
  const server = await mailServer(t)
  const { origin, me, id, settled } = await shop(t, {
    env: { AGENTHALL_SMTP_URL: server.url, AGENTHALL_MAIL_FROM: FROM },
    agent: { behavior: { email: SUPPORT, expertHandoff: true } }
  })
  const { page, widget, faults } = await visitorAt(t, origin)
  await widget.open()
  await widget.ask('Can I talk to a human?')
  const email = widget.panel.getByLabel('E-mail address')
  await email.waitFor()
  t.ok(await widget.field.isVisible(), 'beside it one may go on writing')
  const { violations } = await new AxeBuilder({ page: page as never }).include('agenthall-widget').analyze()
  t.strictSame(violations.map(({ id }) => id), [])

  await email.fill('ada')
  await email.press('Enter')
  await widget.panel.getByText('Please enter an e-mail address.').waitFor()
  await email.fill(ADA)
  await widget.field.fill('By the way')
  t.equal(await email.inputValue(), ADA, 'what is typed beside it takes nothing away')
  await email.press('Enter')
  await widget.panel.locator('li.notice', { hasText: `The answer will go to ${ADA}` }).waitFor()
  await email.waitFor({ state: 'detached' })
  await settled()
  t.match((await me.get(`/v1/tickets?agent=${id}`)).json().data, [{ requester: { email: ADA } }])
  t.match((await me.get('/v1/visitors')).json().data, [{ email: ADA }])

  await page.reload()
  await widget.open()
  await widget.panel.locator('li.notice', { hasText: `The answer will go to ${ADA}` }).waitFor()
  t.equal(await email.count(), 0, 'who has said it is not asked again')
  t.strictSame(faults, [])
})
