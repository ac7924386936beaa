import t from 'tap'
import { QUESTION } from '../conversations/helper.ts'
import { slowModel } from '../conversations/slow-model.ts'
import { closeBrowser, shop, visitorAt, withoutChromium } from './helper.ts'

t.teardown(closeBrowser)

// Was wrong: dots alone announced an answer for up to 90 s.
t.test('who waits 3 s for the first word reads that the agent is thinking, in a widget and on a page of its own', { skip: withoutChromium }, async (t) => {
  const model = await slowModel(t)
  const { origin, host, key } = await shop(t, {
    env: { AGENTHALL_MODEL_URL: model.url }, agent: { appearance: { chatbotName: 'Grace' } }
  })
  for (const [address, locale, thinking] of [
    [origin, 'en-GB', 'Grace is thinking …'], [`${host}/chat/${key}`, 'de-DE', 'Grace denkt nach …']
  ] as const) {
    const { page, widget, faults } = await visitorAt(t, 'about:blank', { locale })
    await page.clock.install()
    await page.goto(address)
    if (address === origin) await widget.open()
    await page.clock.pauseAt(await page.evaluate('Date.now() + 1000') as number)
    await widget.ask(QUESTION)
    const asked = await model.next()
    const dots = widget.within.locator('li .dots')
    while (!await dots.isVisible()) await page.clock.runFor(20)
    await page.clock.runFor(2900)
    t.equal(await dots.textContent(), '', 'not at once')
    await page.clock.runFor(100)
    await dots.getByText(thinking).waitFor()
    await page.clock.resume()
    await asked.say('Within 30 days [1].')
    await widget.answers.getByText('Within 30 days').waitFor()
    t.notOk(await dots.isVisible(), 'until there is a first word')
    asked.end()
    await widget.panel.locator('.cite').waitFor()
    t.strictSame(faults, [])
  }
})
