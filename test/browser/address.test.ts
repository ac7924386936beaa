import { AxeBuilder } from '@axe-core/playwright'
import t from 'tap'
import { ADA, FROM, SUPPORT, mailServer } from '../tickets/helper.ts'
import { axe, closeBrowser, shop, visitorAt, withoutChromium } from './helper.ts'

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

const LOW = { width: 320, height: 256 }
const NO_ADDRESSES = ['', 'ada', 'ada@', 'ada@visitor', '@visitor.example', 'ada@@visitor.example', 'a b@visitor.example', 'a@b.example, c@d.example']

// Was wrong: the label of the field was out of sight, and from right to left "ada@" stood there as "@ada".
t.test('on a low and narrow screen the field is seen with its label, and filled in by keyboard alone, in German and Arabic', { skip: withoutChromium, timeout: 120_000 }, async (t) => {
  const server = await mailServer(t)
  const { host, key, me, id, settled } = await shop(t, {
    env: { AGENTHALL_SMTP_URL: server.url, AGENTHALL_MAIL_FROM: FROM },
    agent: { behavior: { email: SUPPORT, expertHandoff: true } }
  })
  for (const [locale, wish, name, complaint, said] of [
    ['de-DE', 'Ich möchte mit einem Menschen sprechen', 'E-Mail-Adresse', 'Bitte eine E-Mail-Adresse eingeben.', 'an'],
    ['ar', 'أريد التحدث مع شخص', 'البريد الإلكتروني', 'يرجى إدخال بريد إلكتروني.', 'إلى']
  ] as const) {
    const address = `${locale}-${ADA}`
    const { page, widget, faults } = await visitorAt(t, `${host}/chat/${key}`, { viewport: LOW, locale })
    await widget.field.waitFor()
    await widget.ask(wish)
    const email = widget.panel.getByLabel(name, { exact: true })
    await email.waitFor()
    const [scroll, ...parts] = await widget.panel.locator('.scroll, .gate label, .gate input, .gate .main').evaluateAll((all) =>
      all.map((one) => one.getBoundingClientRect().toJSON() as { top: number, bottom: number }))
    for (const { top, bottom } of parts) t.ok(top >= scroll!.top && bottom <= scroll!.bottom, `${locale}: ${top} to ${bottom}`)
    await axe(t, page, `an address on a low screen, ${locale}`)

    const here = async () => await page.evaluate('document.querySelector("agenthall-widget").shadowRoot.activeElement?.name')
    for (let n = 0; n < 4 && await here() !== 'email'; n++) await page.keyboard.press('Shift+Tab')
    t.equal(await here(), 'email', 'reached from the field to write in')
    for (const wrong of NO_ADDRESSES) {
      await page.keyboard.press('Control+a')
      await page.keyboard.press('Delete')
      await page.keyboard.type(wrong)
      await page.keyboard.press('Enter')
      const fault = widget.panel.locator('#ah-email-fault')
      if (wrong) await fault.getByText(complaint).waitFor()
      t.ok(await fault.isVisible(), `${locale}: ${wrong}`)
      t.equal(await email.getAttribute('aria-invalid'), 'true')
      t.equal(await here(), 'email')
    }
    t.equal(await email.evaluate((input) => getComputedStyle(input).direction), 'ltr')
    t.equal(await widget.own.count(), 1, 'none of them was sent')
    await page.keyboard.press('Control+a')
    await page.keyboard.type(address)
    await page.keyboard.press('Enter')
    await widget.panel.locator('li.notice', { hasText: `${said} ${address}` }).waitFor()
    await email.waitFor({ state: 'detached' })
    await settled()
    t.match((await me.get(`/v1/tickets?agent=${id}`)).json().data[0], { requester: { email: address } })
    t.match((await me.get('/v1/visitors')).json().data[0], { email: address })
    t.strictSame(faults, [])
    await page.context().close()
  }
})
