import type { Locator } from 'playwright-core'
import t, { type Test } from 'tap'
import { joined } from '../../access/people.ts'
import { QUESTION } from '../../conversations/helper.ts'
import { closeBrowser, consoleAt, seenByAxe, shop, signedIn, withoutChromium as skip } from '../helper.ts'

t.teardown(closeBrowser)

const HANDING = { behavior: { expertHandoff: true, email: 'help@shop.example', continuousLearning: true } }
const SHOTS = process.env['SHOTS']

t.test('targets are set, and a row says until when somebody waits, and that they have waited too long', { skip, timeout: 120_000 }, async (t) => {
  const built = await shop(t, { agent: HANDING })
  const { me, id, settled, stores } = built
  const { page, faults } = await consoleAt(await signedIn(t, built, me.id), built, '/business/hours')
  await page.getByLabel('First reply, in minutes').fill('60')
  await page.getByLabel('Ask visitors how satisfied they were').check()
  await page.getByRole('button', { name: 'Save' }).first().click()
  await page.getByText('Saved', { exact: true }).waitFor()
  t.match((await me.get('/v1/business')).json().data, { targets: { first_reply: 60, next_reply: null }, asks_satisfaction: true })
  await seenByAxe(t, page, 'targets')
  if (SHOTS) await page.screenshot({ path: `${SHOTS}/targets.png`, fullPage: true })

  const visitor = (await me.post('/v1/visitors', { agent: id, name: 'Grace' })).json().data.id
  const conversation = (await me.post(`/v1/agents/${id}/conversations`, { visitor })).json().data.id
  await me.put('/v1/me/duty', { on: true })
  await me.post(`/v1/conversations/${conversation}/messages`, { text: 'A human please' })
  const kept = (await me.get(`/v1/conversations/${conversation}`)).json().data.reply_due_at
  // The browser's clock is not the server's: due in half an hour, by the browser's.
  const due = (ms: number) => stores.db.raw.prepare('update conversations set reply_due_at = ? where id = ?')
    .run(new Date(Date.now() + ms).toISOString().replace('Z', '000Z'), conversation)
  due(30 * 60_000)
  await page.goto(`${built.host}/console/#/inbox`)
  const row = page.locator('.inbox-entry', { hasText: 'Grace' })
  await row.getByText(/^Due in (?:30|29) min/).waitFor()
  t.notMatch(await row.getAttribute('class'), /late/)
  stores.db.raw.prepare('update conversations set reply_due_at = ? where id = ?').run(kept, conversation)
  built.clock.advance(61 * 60_000)
  await settled()
  await me.patch(`/v1/conversations/${conversation}`, { tags: ['vip'] })
  await row.getByText('Overdue').waitFor()
  t.match(await row.getAttribute('class'), /late/)
  await seenByAxe(t, page, 'an overdue row')
  if (SHOTS) {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await page.screenshot({ path: `${SHOTS}/overdue-${colorScheme}.png` })
    }
  }
  t.strictSame(faults, [])
})

// Times of the console are the reader's: a process of tests has a zone in which clocks never change.
t.test('tomorrow at nine is nine o’clock tomorrow, over the night in which the clocks change', { skip, timeout: 120_000 }, async (t) => {
  const built = await shop(t)
  const { me, conversation, at } = built
  const until = async () => (await me.get(at)).json().data.snoozed_until as string
  for (const [now, tomorrow, monday, typed] of [
    ['2026-03-28T21:30:00Z', '2026-03-29T07:00', '2026-03-30T07:00', ['2026-03-29T09:00', '2026-03-29T07:00']],
    ['2026-10-24T20:30:00Z', '2026-10-25T08:00', '2026-10-26T08:00', ['2026-10-25T09:00', '2026-10-25T08:00']],
    // What the clocks skip is an hour later.
    ['2026-03-28T21:30:00Z', '2026-03-29T07:00', '2026-03-30T07:00', ['2026-03-29T02:30', '2026-03-29T01:30']]
  ] as const) {
    const context = await signedIn(t, built, me.id, { timezoneId: 'Europe/Berlin' })
    await context.clock.setFixedTime(now)
    const { page, faults } = await consoleAt(context, built, `/inbox/${conversation}`)
    const snooze = async (act: (dialog: Locator) => Promise<void>) => {
      await page.locator('.inbox-head').getByRole('button', { name: 'Snooze', exact: true }).click()
      const dialog = page.getByRole('dialog', { name: 'Snooze' })
      await act(dialog)
      await dialog.waitFor({ state: 'detached' })
    }
    await snooze(async (dialog) => await dialog.getByRole('button', { name: 'Tomorrow morning' }).click())
    t.equal((await until()).slice(0, 16), tomorrow, now)
    await page.locator('.inbox-entry').getByText(/^Until .*9:00 AM$/).waitFor()
    await snooze(async (dialog) => await dialog.getByRole('button', { name: 'Monday morning' }).click())
    t.equal((await until()).slice(0, 16), monday, now)
    await snooze(async (dialog) => {
      await dialog.getByLabel('Another time').fill(typed[0])
      await dialog.getByLabel('Another time').press('Enter')
    })
    t.equal((await until()).slice(0, 16), typed[1], typed[0])
    t.strictSame(faults, [])
    await context.close()
  }
})

/** A shop in which a conversation was closed whose answer the visitor disliked. */
async function disliked (t: Test) {
  const built = await shop(t, { agent: HANDING })
  const { me, id, settled } = built
  const conversation = (await me.post(`/v1/agents/${id}/conversations`, {})).json().data.id
  const at = `/v1/conversations/${conversation}`
  const answer = (await me.post(`${at}/messages`, { text: QUESTION })).json().data
  await me.put(`${at}/messages/${answer.id}/feedback`, { score: -1 })
  await me.patch(at, { tags: ['parcel'] })
  await me.post(`${at}/close`, { resolved: true })
  await settled()
  return built
}

t.test('answers that are a risk are judged, and made a test question', { skip, timeout: 120_000 }, async (t) => {
  const built = await disliked(t)
  const { me, id } = built
  const { page, faults } = await consoleAt(await signedIn(t, built, me.id), built, '/suggestions')
  await page.locator('#menu').getByRole('link', { name: 'Answers to check' }).click()
  await page.getByRole('heading', { name: 'Answers to check' }).waitFor()
  await page.getByText(QUESTION).waitFor()
  await seenByAxe(t, page, 'answers to check')
  t.match(await page.locator('.hint a').first().getAttribute('href'), /knowledge\?source=\d+$/, 'the source itself')
  await page.getByRole('button', { name: 'Wrong' }).click()
  await page.getByRole('link', { name: 'Write the right answer' }).waitFor()
  t.strictSame((await me.get('/v1/reviews')).json().data, [])
  await seenByAxe(t, page, 'an answer that was judged')
  if (SHOTS) await page.screenshot({ path: `${SHOTS}/reviews.png`, fullPage: true })
  await page.getByRole('button', { name: 'Make it a test question' }).click()
  await page.getByRole('status').getByRole('link').waitFor()
  t.equal((await me.get(`/v1/agents/${id}/questions`)).json().data.length, 1)
  t.strictSame(faults, [])
})

t.test('answers are judged by keyboard alone, also by who may do nothing else, until nothing is left to check', { skip, timeout: 120_000 }, async (t) => {
  const built = await disliked(t)
  const { me, id, user, stores, settled } = built
  const bruno = await user({ name: 'Bruno' })
  joined(stores, me.id, bruno.id, ['REPLY_CONVERSATION'])
  const session = await built.withSession(bruno.id, me.id)
  await session.put('/v1/me/account', { account: me.id })
  const { page, faults } = await consoleAt(
    await signedIn(t, { ...built, withSession: async () => session }, bruno.id), built, '/reviews'
  )
  await page.getByText(QUESTION).waitFor()
  // Was wrong: a button led whoever may not teach to a page that they may not open.
  t.equal(await page.getByRole('link', { name: 'Suggestions' }).count(), 0)
  const here = async () => await page.evaluate('document.activeElement.textContent')
  await page.locator('main h1').focus()
  for (let n = 0; n < 8 && await here() !== 'Right'; n++) await page.keyboard.press('Tab')
  t.equal(await here(), 'Right')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  t.equal(await here(), 'Incomplete')
  await page.keyboard.press('Enter')
  await page.locator('[aria-pressed=true]', { hasText: 'Incomplete' }).waitFor()
  t.equal(await here(), 'Incomplete', 'the focus stays where it was')
  // They may make neither a test question nor a suggestion of it: what they say makes the latter by itself.
  t.equal(await page.getByRole('button', { name: 'Make it a test question' }).count(), 0)
  t.equal(await page.getByRole('link', { name: 'Write the right answer' }).count(), 0)
  await settled()
  t.match((await me.get(`/v1/agents/${id}/suggestions`)).json().data, [{ kinds: ['disliked'] }])
  // Judged anew, the last word counts.
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Space')
  await page.locator('[aria-pressed=true]', { hasText: 'Right' }).waitFor()
  t.equal(await page.locator('[aria-pressed=true]', { hasText: 'Incomplete' }).count(), 0)
  await page.reload()
  await page.getByRole('heading', { name: 'Nothing to check' }).waitFor()
  await seenByAxe(t, page, 'nothing to check')
  t.strictSame(faults, [])
})

t.test('figures are cut by what conversations have in common', { skip, timeout: 120_000 }, async (t) => {
  const built = await disliked(t)
  const { page, faults } = await consoleAt(await signedIn(t, built, built.me.id), built, '/figures')
  await page.getByText('By language, channel, version, tag and person').click()
  await page.getByRole('button', { name: 'Tag', exact: true }).click()
  await page.getByRole('rowheader', { name: 'parcel' }).waitFor()
  await seenByAxe(t, page, 'figures by tag')
  if (SHOTS) await page.screenshot({ path: `${SHOTS}/parts.png`, fullPage: true })
  t.strictSame(faults, [])
})
