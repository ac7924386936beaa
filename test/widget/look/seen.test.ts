import t from 'tap'
import { closeBrowser, shop, visitorAt, withoutChromium } from '../../browser/helper.ts'
import { QUESTION } from '../../conversations/helper.ts'
import { slowModel } from '../../conversations/slow-model.ts'

// What was seen on pictures of the widget.

t.teardown(closeBrowser)

const skip = withoutChromium

// Was wrong: "30 days ." while it was written, and "30 days  1 ." afterwards.
t.test('the number of a source stands close behind its word, and leaves no gap where it is not shown', { skip }, async (t) => {
  const model = await slowModel(t)
  const { origin } = await shop(t, { env: { AGENTHALL_MODEL_URL: model.url } })
  const { widget } = await visitorAt(t, origin)
  await widget.open()
  await widget.ask(QUESTION)
  const asked = await model.next()
  await asked.say('Within **30 days** of delivery [1]. Send them back ')
  await widget.answers.getByText('Within 30 days of delivery. Send').waitFor()
  await asked.say('unused.')
  asked.end()
  await widget.panel.locator('.cite').waitFor()
  t.equal(await widget.answers.textContent(), 'Within 30 days of delivery1. Send them back unused.')
})

// Was wrong: an empty bubble stood above "Stopped".
t.test('an answer that is stopped before its first word leaves no empty bubble', { skip }, async (t) => {
  const model = await slowModel(t)
  const { origin } = await shop(t, { env: { AGENTHALL_MODEL_URL: model.url } })
  const { widget } = await visitorAt(t, origin)
  await widget.open()
  await widget.ask(QUESTION)
  await model.next()
  await widget.panel.locator('li.agent .bubble').waitFor()
  await widget.panel.getByRole('button', { name: 'Stop', exact: true }).click()
  await widget.panel.locator('.foot').getByText('Stopped').waitFor()
  t.equal(await widget.panel.locator('li.agent .bubble').isVisible(), false)
})

// Was wrong: both were shown from their end, so that on a small screen the last conversation and the button for a new
// one were out of sight.
t.test('the first view and the list are read from their beginning, a conversation from its end', { skip }, async (t) => {
  const { origin } = await shop(t, { agent: { behavior: { suggestions: ['One', 'Two', 'Three'] } } })
  const { widget } = await visitorAt(t, origin, { viewport: { width: 320, height: 256 } })
  const fromTop = async () => await widget.panel.locator('.scroll').evaluate((node) => node.scrollTop)
  const toEnd = async () =>
    await widget.panel.locator('.scroll').evaluate((node) => node.scrollHeight - node.scrollTop - node.clientHeight)
  await widget.open()
  await widget.panel.getByRole('button', { name: 'Three' }).waitFor()
  t.equal(await fromTop(), 0)
  await widget.ask(QUESTION)
  await widget.panel.locator('.cite').waitFor()
  t.ok(await fromTop() > 0)
  t.ok(await toEnd() < 2)
  await widget.panel.getByRole('button', { name: 'Conversations' }).click()
  await widget.panel.locator('.earlier [aria-current=true]').waitFor()
  t.ok(await fromTop() < 20, 'the button for a new one is in sight')
  await widget.panel.locator('.earlier [aria-current=true]').click()
  await widget.panel.locator('.cite').waitFor()
  t.ok(await toEnd() < 2)
})

// Was wrong: the first message of a day stood on the side of the answers, where its language runs the other way than
// that of the page.
t.test('what a visitor wrote stands on their side, whatever language it is in', { skip }, async (t) => {
  for (const [language, text] of [['en', 'كم يوما لدي للإرجاع؟'], ['ar', QUESTION]] as const) {
    const { origin } = await shop(t, { attributes: `data-language="${language}"` })
    const { widget } = await visitorAt(t, origin)
    await widget.open()
    await widget.ask(text)
    await widget.own.locator('.day').waitFor()
    const [own, all] = [(await widget.own.locator('.bubble').boundingBox())!, (await widget.own.boundingBox())!]
    if (language === 'ar') t.equal(own.x, all.x)
    else t.equal(own.x + own.width, all.x + all.width)
  }
})

// Was wrong: the button that was pressed went, and the cursor with it.
t.test('who asks for a person by the button goes on in the field', { skip }, async (t) => {
  const { origin, me } = await shop(t, { agent: { behavior: { expertHandoff: true } } })
  await me.put('/v1/me/duty', { on: true })
  const { page, widget } = await visitorAt(t, origin)
  await widget.open()
  await widget.panel.getByRole('button', { name: 'Talk to a person' }).focus()
  await page.keyboard.press('Enter')
  await widget.panel.getByText('A person will be with you soon').waitFor()
  t.ok(await widget.field.evaluate((field) => field.matches(':focus')))
})

// Was wrong: by night it could hardly be told from what it stands on.
t.test('by night the bubble of a person is seen, too', { skip }, async (t) => {
  const { origin, me } = await shop(t, { agent: { appearance: { primaryColor: '#7c3f1d' } } })
  const { widget } = await visitorAt(t, origin, { colorScheme: 'dark' })
  await widget.open()
  await widget.ask(QUESTION)
  await widget.panel.locator('.cite').waitFor()
  const { data: [{ id }] } = (await me.get('/v1/conversations')).json()
  await me.post(`/v1/conversations/${id}/messages`, { text: 'How can I help?', role: 'person' })
  const bubble = widget.panel.locator('li.person .bubble')
  await bubble.waitFor()
  // The part of red in its colour, which the browser writes as `color(srgb …)`: of the ground it is 0.118.
  const red = await bubble.evaluate((node) => Number(/srgb ([\d.]+)/.exec(getComputedStyle(node).backgroundColor)![1]))
  t.ok(red > 0.18, String(red))
})
