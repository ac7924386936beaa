import t from 'tap'
import { theBrowser } from '../../browser/helper.ts'
import { QUESTION, RETURNS } from '../../conversations/helper.ts'
import { closeBrowser, consoleAt, shop, signedIn, withoutChromium } from '../helper.ts'
import { EMAIL, house, PASSWORD } from '../visit.ts'

t.teardown(closeBrowser)

/** Keys from the sign-in to closing a conversation; text typed into a field counts as one. */
const MOST_KEYS = 25

t.test('by keyboard alone from the sign-in to a conversation that is answered and closed, in at most 25 keys', {
  skip: withoutChromium, timeout: 120_000
}, async (t) => {
  const { host, me, settled } = await house(t)
  const { data: { id } } = (await me.post('/v1/agents', {
    name: 'Ada', systemPrompt: 'You help.', behavior: { expertHandoff: true }
  })).json()
  await me.post(`/v1/agents/${id}/knowledge_sources`, { title: 'Returns', plain_text: RETURNS })
  await me.put('/v1/me/duty', { on: true })
  await settled()
  const { data: { id: conversation } } = (await me.post(`/v1/agents/${id}/conversations`, { subject: 'Damaged' })).json()
  await me.post(`/v1/conversations/${conversation}/messages`, { text: QUESTION })
  await me.post(`/v1/conversations/${conversation}/handoff`, {})
  await settled()

  const page = await (await (await theBrowser(t)).newContext({ viewport: { width: 1280, height: 800 } })).newPage()
  const pressed: string[] = []
  async function press (...keys: string[]) {
    for (const key of keys) {
      await page.keyboard.press(key)
      pressed.push(key)
    }
  }
  async function type (text: string) {
    await page.keyboard.type(text)
    pressed.push('a text')
  }
  /** Presses a key until a control has the focus. */
  async function until (name: string, key = 'Tab') {
    const at = async () => await page.evaluate(
      '(document.activeElement.labels?.[0] ?? document.activeElement).textContent.trim()'
    )
    while (await at() !== name && pressed.length <= MOST_KEYS) await press(key)
  }

  await page.goto(`${host}/console/`)
  await page.getByLabel('E-mail address').first().waitFor()
  await until('E-mail address')
  await type(EMAIL)
  await until('Password')
  await type(PASSWORD)
  await press('Enter')
  await page.locator('#menu').waitFor()
  await press('ControlOrMeta+k')
  await page.locator('dialog.palette').waitFor()
  await type('Inbox')
  await press('Enter')
  await page.locator('.inbox-entry').first().waitFor()
  await press('j')
  await press('Enter')
  await page.getByLabel('Your answer').waitFor()
  await page.getByRole('button', { name: 'Take over' }).waitFor()
  await press('t')
  await page.waitForFunction(() => document.activeElement?.localName === 'textarea')
  await type('Thirty days, and we send you a label.')
  await press('Enter')
  await page.locator('.told.person').waitFor()
  await page.waitForFunction(
    () => document.querySelector<HTMLTextAreaElement>('.inbox-reply textarea')?.value === ''
  )
  await press('Escape')
  await press('e')
  await page.getByText('Closed: Visitor (English)').waitFor()
  await press('Escape')
  t.comment(`${pressed.length} keys: ${pressed.join(', ')}`)
  t.ok(pressed.length <= MOST_KEYS, `${pressed.length} keys`)
  await t.resolveMatch((async () => {
    for (let i = 0; i < 150; i++) {
      const found = (await me.get(`/v1/conversations/${conversation}`)).json().data
      if (found.status === 'closed') return found
      await page.waitForTimeout(100)
    }
  })(), { status: 'closed' })
})

// Was wrong: where nothing can hover, a row that was touched or chosen lost its face, and had the tick below nothing.
t.test('on a phone the row that is chosen keeps its face, below which the tick stands', { skip: withoutChromium }, async (t) => {
  const built = await shop(t)
  const { me, id } = built
  const visitor = (await me.post('/v1/visitors', { agent: id, name: 'Marie' })).json().data.id
  await me.post(`/v1/agents/${id}/conversations`, { visitor })
  const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }
  const { page, faults } = await consoleAt(await signedIn(t, built, me.id, phone), built, '/inbox')
  const row = page.locator('.choosable', { hasText: 'Marie' })
  await row.locator('input').check()
  await page.getByText('1 chosen').waitFor()
  t.ok(await row.locator('.face').isVisible())
  t.strictSame(faults, [])
})
