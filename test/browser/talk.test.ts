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

t.test(
  'with what a visitor writes goes the page that they are on, and nothing that its address carries beside it',
  { skip: withoutChromium },
  async (t) => {
    const { origin, me } = await shop(t)
    const { page, widget, faults } = await visitorAt(t, `${origin}/lamps/aurora?token=secret#access_token=secret`)
    const sent: string[] = []
    page.on('request', (request) => { sent.push(request.postData() ?? '') })
    // Half of a surrogate pair and NUL would have the message refused.
    await page.evaluate("document.title = 'Aurora\\ud83d lamp\\0 ' + '🙂'.repeat(5000)")
    await widget.open()
    await widget.ask(QUESTION)
    await widget.panel.locator('.cite').waitFor()
    const conversations = (await me.get('/v1/conversations')).json().data as Array<{ page: unknown, channel: string }>
    t.match(conversations.find(({ channel }) => channel === 'widget')?.page, {
      url: `${origin}/lamps/aurora`, title: /^Aurora lamp 🙂{100,}$/u
    })
    t.ok(sent.some((body) => body.includes('/lamps/aurora')))
    t.notMatch(sent.join(), /secret/)
    t.strictSame(faults, [])
  }
)
