import t, { type Test } from 'tap'
import { QUESTION } from '../conversations/helper.ts'
import { fixedClock } from '../helper.ts'
import { axe, closeBrowser, shop, visitorAt, withoutChromium } from './helper.ts'

// What a visitor notices. Each line was seen to fail on a planted fault.

t.teardown(closeBrowser)

const skip = withoutChromium
const WORDS = {
  ar: ['مرحبًا! كيف يمكننا مساعدتك؟', 'أنت تتحدث إلى مساعد ذكاء اصطناعي.'],
  de: ['Hallo! Wie können wir helfen?', 'Sie sprechen mit einem KI-Assistenten.'],
  en: ['Hello! How can we help?', 'You are talking to an AI assistant.'],
  es: ['¡Hola! ¿En qué podemos ayudarle?', 'Está hablando con un asistente de IA.'],
  fr: ['Bonjour\u202f! Comment pouvons-nous vous aider\u202f?', 'Vous parlez à un assistant IA.'],
  it: ['Salve! Come possiamo aiutarla?', 'Sta parlando con un assistente IA.'],
  nl: ['Hallo! Waarmee kunnen we u helpen?', 'U praat met een AI-assistent.'],
  pl: ['Dzień dobry! W czym możemy pomóc?', 'Rozmawiasz z asystentem AI.'],
  pt: ['Olá! Como podemos ajudar?', 'Você está falando com um assistente de IA.'],
  tr: ['Merhaba! Size nasıl yardımcı olabiliriz?', 'Bir yapay zekâ asistanıyla konuşuyorsunuz.']
}
/** A visitor whose first question was answered by the agent, where somebody is on duty. */
async function answered (t: Test) {
  const { origin, me } = await shop(t, { agent: { behavior: { expertHandoff: true } } })
  await me.put('/v1/me/duty', { on: true })
  const { page, widget } = await visitorAt(t, origin)
  await widget.open()
  await widget.ask(QUESTION)
  await widget.panel.locator('.cite').waitFor()
  return { me, page, widget }
}

const SCREENS = {
  'a phone': { width: 390, height: 844 },
  'a phone on its side': { width: 844, height: 390 },
  'a page at four times its size': { width: 320, height: 256 }
}

t.test('it stays open on the next page and after a reload while a conversation runs, and closed where it was closed', { skip }, async (t) => {
  const { origin } = await shop(t)
  const { page, widget, faults } = await visitorAt(t, origin)
  await widget.open()
  await page.reload()
  await widget.launcher.waitFor()
  t.equal(await widget.panel.isVisible(), false, 'nobody has said anything')
  await widget.open()
  await widget.ask(QUESTION)
  await widget.panel.locator('.cite').waitFor()
  await page.goto(`${origin}/returns`)
  await widget.panel.locator('.cite').waitFor()
  t.equal(await widget.launcher.isVisible(), false, 'one button to close it with')
  t.equal(await page.evaluate('document.activeElement === document.body'), true, 'and the page keeps the cursor')
  await page.reload()
  await widget.panel.locator('.cite').waitFor()
  await widget.close()
  await page.reload()
  await widget.launcher.waitFor()
  t.equal(await widget.panel.isVisible(), false, 'who has closed it is left in peace')
  t.strictSame(faults, [])
})

t.test('who wants it dark has it dark, in the colours of the owner', { skip }, async (t) => {
  const { origin } = await shop(t, { agent: { appearance: { primaryColor: '#7c3f1d' } } })
  const { page, widget } = await visitorAt(t, origin, { colorScheme: 'dark' })
  await widget.open()
  const ground = async () => await widget.panel.evaluate((panel) => getComputedStyle(panel).backgroundColor)
  t.equal(await ground(), 'rgb(30, 27, 28)')
  await axe(t, page, 'the first view')
  await widget.ask(QUESTION)
  await widget.panel.locator('.cite').waitFor()
  await axe(t, page, 'an answer')
  await page.emulateMedia({ colorScheme: 'light' })
  t.equal(await ground(), 'rgb(255, 255, 255)')
})

t.test('a low or narrow screen is the panel, with nothing cut off', { skip }, async (t) => {
  const { origin } = await shop(t, { agent: { behavior: { suggestions: ['One', 'Two', 'Three'] } } })
  for (const [name, viewport] of Object.entries(SCREENS)) {
    const { page, widget } = await visitorAt(t, origin, { viewport })
    await widget.open()
    t.strictSame(await widget.panel.boundingBox(), { x: 0, y: 0, ...viewport }, name)
    t.ok(await widget.panel.locator('.hello').getByText('How can we help').isVisible(), `${name}: the greeting`)
    await axe(t, page, name)
    await widget.ask(QUESTION)
    await widget.panel.locator('.cite').waitFor()
    await axe(t, page, `${name}: an answer`)
    const out = await widget.panel.locator(':is(button, textarea, a):visible').evaluateAll((all) => all
      .map((one) => ({ name: one.outerHTML, ...one.getBoundingClientRect().toJSON() }))
      .filter(({ left, right }) => left < 0 || right > innerWidth).map(({ name }) => name))
    t.strictSame(out, [], `${name}: nothing beside it`)
    t.ok((await widget.field.boundingBox())!.y + 44 <= viewport.height, `${name}: one can write`)
  }
})

t.test('each language greets, and says once that an AI answers', { skip }, async (t) => {
  const { host, key } = await shop(t)
  for (const [language, [hello, told]] of Object.entries(WORDS)) {
    const { page, widget } = await visitorAt(t, `${host}/chat/${key}?language=${language}`)
    await widget.field.waitFor()
    t.equal(await widget.panel.locator('.hello').textContent(), hello, language)
    t.equal(await widget.panel.locator('.told').textContent(), told, language)
    await axe(t, page, language)
  }
})

t.test('the disclosure stands under the header and not in the answer, until a person answers, whose name is read', { skip }, async (t) => {
  const { me, page, widget } = await answered(t)
  t.notMatch(await widget.answers.first().textContent(), /AI assistant/)
  t.ok(await widget.panel.locator('.told').isVisible())
  t.match(await widget.panel.locator('.day').first().textContent(), /\d/, 'and when it was said')
  await widget.panel.getByRole('button', { name: 'Talk to a person' }).click()
  await widget.panel.getByText('A person will be with you soon').waitFor()
  const { data: [{ id }] } = (await me.get('/v1/conversations')).json()
  await me.post(`/v1/conversations/${id}/messages`, { text: 'How can I help?', role: 'person' })
  await widget.panel.locator('h2', { hasText: 'Somebody' }).waitFor()
  t.equal(await widget.panel.locator('.face').textContent(), 'S')
  t.match(await widget.panel.locator('li.person .by').textContent(), /^Somebody · \d/)
  t.equal(await widget.panel.locator('.told').isVisible(), false)
  await me.post(`/v1/conversations/${id}/typing`, { role: 'person' })
  await widget.panel.getByText('Somebody is typing').waitFor()
  await axe(t, page, 'a person')
  await me.post(`/v1/conversations/${id}/messages`, { text: 'Are you there?', role: 'person' })
  await widget.panel.locator('li.person').getByText('Are you there?').waitFor()
  await widget.panel.getByText('Somebody is typing').waitFor({ state: 'hidden' })
})

t.test('earlier conversations are listed, gone back to, and the last one stands on the first view', { skip }, async (t) => {
  const { origin } = await shop(t)
  const { page, widget, faults } = await visitorAt(t, origin)
  await widget.open()
  t.equal(await widget.panel.getByRole('button', { name: 'Conversations' }).isVisible(), false, 'there are none')
  await widget.ask(QUESTION)
  await widget.panel.locator('.cite').waitFor()
  await widget.fresh()
  await widget.panel.getByText('Your last conversation').waitFor()
  await axe(t, page, 'the first view with the last one')
  await widget.ask('And what of bicycles?')
  await widget.answers.first().waitFor()
  await widget.panel.getByRole('button', { name: 'Conversations' }).click()
  await widget.panel.locator('.earlier').getByText('bicycles').waitFor()
  await axe(t, page, 'the list')
  t.equal(await widget.panel.locator('.earlier [aria-current=true]').count(), 1)
  await widget.panel.locator('.earlier button', { hasText: 'days' }).click()
  await widget.own.getByText(QUESTION).waitFor()
  t.equal(await widget.own.count(), 1)
  await widget.ask('Thanks')
  await widget.own.nth(1).waitFor()
  t.strictSame(faults, [])
})

t.test('the first view says who is there and until when, and later when they are there again', { skip }, async (t) => {
  const day = (openings: object[]) =>
    Object.fromEntries(['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'].map((one) => [one, openings]))
  const clock = fixedClock(Date.now())
  const { origin, me } = await shop(t, { agent: { behavior: { expertHandoff: true } }, clock })
  await me.put('/v1/me/duty', { on: true })
  await me.put('/v1/business', { hours: day([{ from: '00:00', to: '24:00' }]) })
  const { page, widget, faults } = await visitorAt(t, origin)
  await widget.open()
  await widget.panel.locator('.desk', { hasText: 'Here for you now: Somebody' }).waitFor()
  t.equal(await widget.panel.locator('.people').textContent(), 'S')
  await axe(t, page, 'who is there')
  // Three hours ago until two hours ago is over on any day.
  const ended = new Date(Date.now() - 3 * 3_600_000)
  const hour = (more: number) => `${String((ended.getUTCHours() + more) % 24).padStart(2, '0')}:00`
  if (hour(0) < hour(1)) {
    clock.advance(15_000)
    await me.put('/v1/business', { time_zone: 'UTC', hours: day([{ from: hour(0), to: hour(1) }]) })
    const later = await visitorAt(t, origin, { colorScheme: 'dark' })
    await later.widget.open()
    await later.widget.panel.locator('.desk', { hasText: /^Our team is back on \w+day/ }).waitFor()
    t.equal(await later.widget.panel.locator('.people').textContent(), '')
    await axe(t, later.page, 'closed, in the dark')
  }
  await widget.ask(QUESTION)
  await widget.panel.locator('.cite').waitFor()
  t.equal(await widget.panel.locator('.desk').count(), 0, 'and it makes room')
  t.strictSame(faults, [])
})

t.test('a person is told that the visitor has seen what they wrote, once it was before their eyes', { skip }, async (t) => {
  const { me, page, widget } = await answered(t)
  const { data: [{ id }] } = (await me.get('/v1/conversations')).json()
  const write = async (text: string) =>
    (await me.post(`/v1/conversations/${id}/messages`, { text, role: 'person' })).json().data.seq as number
  const seen = async () => (await me.get(`/v1/conversations/${id}/seen`)).json().data.visitor?.up_to as number | undefined
  const told = () => page.waitForResponse((answer) => answer.url().endsWith('/seen') && answer.request().method() === 'PUT')
  const first = told()
  await me.post(`/v1/conversations/${id}/takeover`, {})
  const one = await write('How can I help?')
  await first
  t.equal(await seen(), one)
  await page.keyboard.press('Escape')
  await widget.panel.waitFor({ state: 'hidden' })
  const two = await write('Are you there?')
  await widget.launcher.filter({ hasText: '1' }).waitFor()
  t.equal(await seen(), one, 'a closed panel shows nothing')
  const second = told()
  await widget.open()
  await second
  t.equal(await seen(), two)
})

// Was wrong: a widget that was removed from the page while open began to watch again when the page was looked at.
t.test('a widget that was taken from the page asks for nothing any more', { skip }, async (t) => {
  const { me, page, widget } = await answered(t)
  const { data: [{ id }] } = (await me.get('/v1/conversations')).json()
  await me.post(`/v1/conversations/${id}/messages`, { text: 'How can I help?', role: 'person' })
  await widget.panel.locator('li.person').getByText('How can I help?').waitFor()
  const drawn = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))'
  await page.evaluate(drawn)
  await page.evaluate('Agenthall.destroy()')
  const asked: string[] = []
  page.on('request', (request) => { asked.push(new URL(request.url()).pathname) })
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
  // Anything that has begun has sent its request before this.
  const last = page.waitForRequest((request) => request.url().endsWith('/last'))
  await page.evaluate(`${drawn}.then(() => fetch('/last')).then((answer) => answer.text()).then(() => fetch('/last'))`)
  await last
  t.strictSame(asked.filter((path) => path !== '/last'), [])
})

t.test('a visitor sees that the person has read what they wrote, until there is an answer', { skip }, async (t) => {
  const { me, page, widget } = await answered(t)
  const { data: [{ id }] } = (await me.get('/v1/conversations')).json()
  await me.put(`/v1/conversations/${id}/seen`, { up_to: 100 })
  await me.post(`/v1/conversations/${id}/messages`, { text: 'How can I help?', role: 'person' })
  await widget.panel.locator('li.person').getByText('How can I help?').waitFor()
  await widget.ask('It has not come')
  await widget.own.nth(1).locator('.foot:empty').waitFor({ state: 'attached' })
  await me.put(`/v1/conversations/${id}/seen`, { up_to: 100 })
  await widget.own.nth(1).getByText('Seen').waitFor()
  t.equal(await widget.own.nth(0).getByText('Seen').count(), 0)
  await axe(t, page, 'seen')
  await page.reload()
  await widget.own.nth(1).getByText('Seen').waitFor()
  await me.post(`/v1/conversations/${id}/messages`, { text: 'Let me see.', role: 'person' })
  await widget.panel.locator('li.person').getByText('Let me see.').waitFor()
  await widget.own.nth(1).getByText('Seen').waitFor({ state: 'hidden' })
})
