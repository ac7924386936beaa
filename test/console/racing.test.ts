import type { Page } from 'playwright-core'
import t from 'tap'
import { held } from '../browser/held.ts'
import { QUESTION } from '../conversations/helper.ts'
import { closeBrowser, consoleAt, shop, signedIn, withoutChromium } from './helper.ts'

t.teardown(closeBrowser)

const skip = withoutChromium
const WATCHED = 'Visitors are passed on to you.'

/** Listens in a page for an event with these words in it; the returned promise resolves once there was one. */
async function told (page: Page, words: string) {
  await page.evaluate(`void (window.told = new Promise((resolve) => {
    window.events = new BroadcastChannel('agenthall-events')
    window.events.onmessage = ({ data }) => JSON.stringify(data).includes(${JSON.stringify(words)}) && resolve()
  }))`)
  return async () => { await page.evaluate('window.told') }
}

/** Resolves once the page's state has been drawn. */
async function drawn (page: Page) {
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve))))')
}

// Was wrong: a browser gives up a stream that was refused once, as by a proxy whose server is being restarted.
t.test('after its stream was refused the inbox becomes live without being loaded anew', { skip }, async (t) => {
  const built = await shop(t)
  const { me, say } = built
  const context = await signedIn(t, built, me.id)
  await context.route('**/v1/events', async (route) => await route.fulfill({ status: 503 }), { times: 1 })
  const { page, faults } = await consoleAt(context, built, '/inbox')
  await page.getByText(WATCHED).waitFor({ state: 'attached' })
  await say(QUESTION)
  await page.locator(`[data-id="${built.conversation}"]`).waitFor()
  t.ok(faults.every((fault) => fault.includes('503')), 'nothing else is complained of')
})

// Was wrong: the first stream reported that something had been missed, and everything was read twice.
t.test('an inbox that opens reads each of its lists once', { skip }, async (t) => {
  const built = await shop(t)
  await built.say(QUESTION)
  const context = await signedIn(t, built, built.me.id)
  for (const which of ['the tab that watches', 'another tab']) {
    const asked: string[] = []
    const page = await context.newPage()
    page.on('request', (request) => { if (request.url().includes('/v1/conversations?')) asked.push(request.url()) })
    await page.goto(`${built.host}/console/#/inbox`)
    await page.getByText(WATCHED).waitFor({ state: 'attached' })
    await page.locator(`[data-id="${built.conversation}"]`).waitFor()
    await page.waitForLoadState('networkidle')
    t.equal(asked.length, 6, `four parts of the list, and the counts of two of its tabs: ${which}`)
  }
})

// Was wrong: every event, and every letter of a reply, redrew all rows.
t.test('an event draws the row that it changes, and what is typed none', { skip }, async (t) => {
  const built = await shop(t)
  const { me, id, say } = built
  await say(QUESTION)
  for (let i = 0; i < 20; i++) await me.post(`/v1/agents/${id}/conversations`, { subject: `Number ${i}` })
  const context = await signedIn(t, built, me.id)
  // Each drawn row words when something was said.
  await context.addInitScript(`window.drawn = 0
    Intl.DateTimeFormat = new Proxy(Intl.DateTimeFormat, {
      construct: (target, given) => { window.drawn++; return new target(...given) }
    })`)
  const { page } = await consoleAt(context, built, '/inbox')
  await page.getByText(WATCHED).waitFor({ state: 'attached' })
  await page.locator('.inbox-entry', { hasText: 'Number 19' }).waitFor()
  await drawn(page)
  const before = await page.evaluate('window.drawn') as number
  t.ok(before >= 21, 'each row once')
  const isAnswered = await told(page, 'message.completed')
  await say(QUESTION)
  await isAnswered()
  await drawn(page)
  const after = await page.evaluate('window.drawn') as number
  t.ok(after > before && after - before <= 10, `${after - before} rows for a few events`)
})

// Was wrong: of more than 50 that waited, the newest 50 were read, and the oldest of these was first.
t.test('who waits longest stands first, however many wait', { skip }, async (t) => {
  const built = await shop(t, { agent: { behavior: { expertHandoff: true } } })
  const { me, id, at, say, clock } = built
  await me.put('/v1/me/duty', { on: true })
  await say(QUESTION)
  await me.post(`${at}/handoff`)
  for (let i = 0; i < 105; i++) {
    clock.advance(1000)
    const begun = (await me.post(`/v1/agents/${id}/conversations`, { subject: `Number ${i}` })).json().data.id
    await me.post(`/v1/conversations/${begun}/handoff`)
  }
  const { page } = await consoleAt(await signedIn(t, built, me.id), built, '/inbox')
  // Its latest message is shown once that was read: it is known by its id.
  await page.locator('.inbox-entry').first().and(page.locator(`[data-id="${built.conversation}"]`)).waitFor()
  await page.locator('.inbox-scroll').evaluate((box) => { box.scrollTop = box.scrollHeight })
  await page.locator('.inbox-entry').last().getByText('Number 104').waitFor()
})

t.test('where the stream is refused because the session is over, the page asks to sign in', { skip }, async (t) => {
  const built = await shop(t)
  const context = await signedIn(t, built, built.me.id)
  let streams = 0
  await context.route('**/v1/events', async (route) => {
    streams++
    await route.fulfill({ status: 401 })
  })
  const { page } = await consoleAt(context, built, '/inbox')
  await page.locator('.inbox-tabs').waitFor()
  // All automatic requests of the page have been answered: only the stream is left to find out.
  await page.waitForLoadState('networkidle')
  await context.clearCookies()
  await page.getByRole('dialog').getByText('Your session has ended').waitFor()
  t.equal(streams, 1)
})

// Was wrong: a response that was written before an event, and came after it, was what the list showed.
t.test('what happens while a list is being read is seen in it', { skip }, async (t) => {
  const built = await shop(t)
  const { me, say, at, id } = built
  await say(QUESTION)
  await me.post(`/v1/agents/${id}/conversations`, { subject: 'The other one' })
  const { page, faults } = await consoleAt(await signedIn(t, built, me.id), built, '/inbox')
  await page.getByText(WATCHED).waitFor({ state: 'attached' })
  const reading = await held(page, '**/v1/conversations?*handled_by=agent*', { part: 'answer' })
  await page.locator('.inbox-tabs').getByRole('button', { name: 'Agent' }).click()
  await reading.asked
  const isClosed = await told(page, '"closed"')
  await me.post(`${at}/close`)
  await isClosed()
  reading.letGo()
  await page.locator('.inbox-entry', { hasText: 'The other one' }).waitFor()
  t.equal(await page.locator(`[data-id="${built.conversation}"]`).count(), 0)
  t.strictSame(faults, [])
})

t.test('who begins to wait while the count is being read is counted', { skip }, async (t) => {
  const built = await shop(t, { agent: { behavior: { expertHandoff: true } } })
  const { me, say, at } = built
  await say(QUESTION)
  const context = await signedIn(t, built, me.id)
  const first = await consoleAt(context, built, '/agents')
  const { page, faults } = await consoleAt(context, built, '/agents')
  const counting = await held(page, '**/v1/conversations?*limit=100*', { part: 'answer' })
  await page.reload()
  await counting.asked
  await me.post(`${at}/handoff`)
  await first.page.getByText('1 waiting for a person').waitFor({ state: 'attached' })
  counting.letGo()
  await page.getByText('1 waiting for a person').waitFor({ state: 'attached' })
  t.strictSame(faults, [])
})

// Was wrong: so was a conversation that was read again.
t.test('what happens while a conversation is being read is seen in it', { skip }, async (t) => {
  const built = await shop(t)
  const { me, say, at, conversation } = built
  await say(QUESTION)
  const [, answer] = (await me.get(`${at}/messages`)).json().data
  const { page, faults } = await consoleAt(await signedIn(t, built, me.id), built, '/inbox')
  await page.getByText(WATCHED).waitFor({ state: 'attached' })
  const reading = await held(page, `**/v1/conversations/${conversation}/messages?*`, { part: 'answer' })
  await page.locator(`[data-id="${built.conversation}"]`).click()
  await reading.asked
  const isJudged = await told(page, '"score":1')
  await me.put(`${at}/messages/${answer.id}/feedback`, { score: 1 })
  await isJudged()
  const answered = page.waitForResponse('**/messages?*')
  reading.letGo()
  await (await answered).finished()
  await drawn(page)
  t.equal(await page.getByText('The visitor found this helpful.').count(), 1)
  t.strictSame(faults, [])
})

// Was wrong: the cursor jumped into the field of the answer, and the rest of a note for the team went to the visitor.
t.test('who goes on to a note while an answer is being sent types on in the note', { skip }, async (t) => {
  const built = await shop(t)
  const { me, say, conversation } = built
  await say(QUESTION)
  const { page, faults } = await consoleAt(await signedIn(t, built, me.id), built, `/inbox/${conversation}`)
  const field = page.getByLabel('Your answer')
  const isSent = async () => { await field.and(page.locator(':placeholder-shown')).waitFor() }
  await field.fill('I am Ada.')
  await field.press('Enter')
  await isSent()
  await field.fill('Let me see.')
  const sending = await held(page, '**/messages', { method: 'POST' })
  await field.press('Enter')
  await sending.asked
  const note = page.getByLabel('A note for the team')
  await note.fill('Call ')
  sending.letGo()
  await isSent()
  await drawn(page)
  await page.keyboard.type('back')
  t.equal(await note.inputValue(), 'Call back')
  t.strictSame(faults, [])
})
