import t from 'tap'
import { QUESTION } from '../conversations/helper.ts'
import { closeBrowser, shop, visitorAt, withoutChromium } from './helper.ts'

t.teardown(closeBrowser)

t.test(
  'a visitor opens the widget, asks, and reads a cited answer; nobody but the server is asked',
  { skip: withoutChromium },
  async (t) => {
    const { origin, host } = await shop(t, {
      agent: { appearance: { welcomeMessage: 'Hello! Ask me about **returns**.' } }
    })
    const { widget, faults, hosts } = await visitorAt(t, origin)
    await widget.open()
    await widget.panel.getByText('returns').first().waitFor()
    await widget.ask(QUESTION)
    await widget.panel.locator('.cite').waitFor()
    t.match(await widget.answers.last().textContent(), /30 days of delivery/)
    await widget.panel.locator('.cite').click()
    t.match(await widget.panel.locator('details[open] blockquote').textContent(), /Returns are accepted/)
    t.strictSame([...hosts].sort(), [new URL(host).host, new URL(origin).host].sort())
    t.strictSame(faults, [])
  }
)
