import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { joined } from '../../access/people.ts'
import { theBrowser } from '../../browser/helper.ts'
import { closeBrowser, consoleAt, seenByAxe, shop, signedIn, withoutChromium as skip } from '../helper.ts'
import { EMAIL, house, PASSWORD } from '../visit.ts'
import { matches } from '../../../src/console/browser/palette/matches.ts'
import { timesFrom } from '../../../src/console/browser/pages/inbox/desk/times.ts'

t.teardown(closeBrowser)

const HANDING = { behavior: { expertHandoff: true, email: 'help@shop.example' } }

/** A shop whose inbox is open, with conversations of named visitors. */
async function desk (t: Test, names: string[]) {
  const built = await shop(t, { agent: HANDING })
  const { me, id, stores, user } = built
  const bruno = await user({ name: 'Bruno' })
  joined(stores, me.id, bruno.id, ['REPLY_CONVERSATION'])
  const made: string[] = []
  for (const name of names) {
    const visitor = (await me.post('/v1/visitors', { agent: id, name })).json().data.id
    const one = (await me.post(`/v1/agents/${id}/conversations`, { visitor, subject: `About ${name}` })).json().data.id
    made.push(one)
  }
  const { page, faults } = await consoleAt(await signedIn(t, built, me.id), built, '/inbox')
  const row = (name: string) => page.locator('.inbox-entry', { hasText: name })
  for (const name of names) await row(name).waitFor()
  const now = async (n: number) => (await me.get(`/v1/conversations/${made[n]}`)).json().data
  return { ...built, bruno, made, page, faults, row, now }
}

/** Shows a dialog by its shortcut, once what was there before is gone. */
async function opened (page: Page, key: string, title: string) {
  await page.keyboard.press(key)
  const dialog = page.getByRole('dialog', { name: title })
  await dialog.waitFor()
  return dialog
}

t.test('from signing in to a closed conversation by keyboard alone, in 25 keys at most', { skip, timeout: 60_000 }, async (t) => {
  const built = await house(t)
  const { me, host, settled } = built
  const { id } = (await me.post('/v1/agents', { name: 'Korni', systemPrompt: 'You help.', ...HANDING })).json().data
  const visitor = (await me.post('/v1/visitors', { agent: id, name: 'Ada Visitor' })).json().data.id
  const conversation = (await me.post(`/v1/agents/${id}/conversations`, { visitor })).json().data.id
  await me.put('/v1/me/duty', { on: true })
  await me.post(`/v1/conversations/${conversation}/messages`, { text: 'A human please' })
  const page = await (await (await theBrowser(t)).newContext({ viewport: { width: 1280, height: 800 } })).newPage()
  await page.clock.install()
  await page.goto(`${host}/console/#/`)
  await page.getByRole('textbox', { name: 'E-mail address' }).first().waitFor()
  let pressed = 0
  /** Typed text is what the user wants to say; every other key is counted. */
  const press = async (key: string) => {
    pressed += 1
    await page.keyboard.press(key)
  }
  if (await page.evaluate('document.activeElement.type') !== 'email') await press('Tab')
  await page.keyboard.type(EMAIL)
  await press('Tab')
  await page.keyboard.type(PASSWORD)
  await press('Enter')
  await page.getByRole('heading', { name: 'First steps' }).waitFor()
  await press('Control+k')
  await page.keyboard.type('inb')
  await page.getByRole('option', { name: 'Inbox' }).waitFor()
  await press('Enter')
  const row = page.getByRole('link', { name: 'Ada Visitor' })
  await row.waitFor()
  await press('j')
  t.match(await page.evaluate('document.activeElement.textContent'), /Ada Visitor/, 'the first row has the focus')
  await press('Enter')
  await page.getByRole('button', { name: 'Take over' }).waitFor()
  await press('t')
  const reply = page.getByLabel('Your answer')
  await page.getByRole('button', { name: 'Give back to the agent' }).waitFor()
  await page.waitForFunction(() => document.activeElement?.localName === 'textarea')
  await page.keyboard.type('Here I am.')
  await press('Enter')
  await page.locator('.told.person').getByText('Here I am.').waitFor()
  t.equal(await reply.inputValue(), '')
  await press('Escape')
  await press('e')
  await page.getByText('Closed: Ada Visitor').waitFor()
  await row.waitFor({ state: 'detached' })
  t.equal((await me.get(`/v1/conversations/${conversation}`)).json().data.status, 'open', 'nobody is told before it is sure')
  await Promise.all([
    page.waitForResponse((answer) => answer.url().endsWith('/close')), page.clock.fastForward(10_000)
  ])
  t.match((await me.get(`/v1/conversations/${conversation}`)).json().data, { status: 'closed', outcome: 'handed_off' })
  t.ok(pressed <= 25, `${pressed} keys`)
  t.comment(`${pressed} keys`)
  await settled()
})

t.test('a conversation is tagged, given to a colleague with a note, put off, and found by each', { skip }, async (t) => {
  const { me, page, faults, row, now, bruno, made } = await desk(t, ['María', 'Jonas'])
  await row('María').click()
  await page.getByRole('heading', { name: 'María', exact: true }).waitFor()
  const sort = await opened(page, 'l', 'Tags and priority')
  await sort.getByLabel('Tags').fill('VIP, Rücksendung')
  await sort.getByLabel('Priority').selectOption('Urgent')
  await sort.getByRole('button', { name: 'Save' }).click()
  await row('María').getByText('rücksendung').waitFor()
  t.match(await now(0), { tags: ['vip', 'rücksendung'], priority: 'urgent' })
  t.match(await page.locator('.inbox-entry').first().innerText(), /María/, 'what is urgent stands first')
  const again = await opened(page, 'l', 'Tags and priority')
  await seenByAxe(t, page, 'tags and priority')
  await again.getByRole('button', { name: 'Remove the tag: vip' }).click()
  await again.getByRole('button', { name: 'Save' }).click()
  await row('María').getByText('vip').waitFor({ state: 'detached' })
  const assign = await opened(page, 'a', 'Give to a colleague')
  await assign.getByLabel('Whose it is').selectOption('Bruno')
  await assign.getByLabel('A note for them').fill('Knows the parcel.')
  await seenByAxe(t, page, 'assigning')
  await assign.getByRole('button', { name: 'Assign' }).click()
  await assign.waitFor({ state: 'hidden' })
  await row('María').getByText('For Bruno').waitFor()
  t.match(await now(0), { assignee: bruno.id })
  t.match((await me.get(`/v1/conversations/${made[0]}/notes`)).json().data, [{ text: 'Knows the parcel.' }])
  const snooze = await opened(page, 's', 'Snooze')
  await seenByAxe(t, page, 'snoozing')
  await snooze.getByRole('button', { name: 'Tomorrow morning' }).click()
  await row('María').getByText(/^Until/).waitFor()
  t.match(await page.locator('.inbox-entry').last().innerText(), /María/, 'what is put off stands last')
  await page.getByRole('button', { name: 'Narrow the list' }).click()
  await page.getByLabel('Tags', { exact: true }).selectOption('rücksendung')
  await row('Jonas').waitFor({ state: 'detached' })
  await row('María').waitFor()
  await page.getByLabel('Whose it is').selectOption('Bruno')
  await page.getByLabel('Priority', { exact: true }).selectOption('Low')
  await page.getByText('Nothing matches these filters.').waitFor()
  await page.getByLabel('Priority', { exact: true }).selectOption('Any priority')
  await row('María').waitFor()
  await seenByAxe(t, page, 'an inbox that is narrowed')
  t.strictSame(faults, [])
})

t.test('an empty tab says why, and a button leads from it and from filters back to all', { skip }, async (t) => {
  const { page, faults, row } = await desk(t, ['María'])
  // Was wrong: with no filter set, each said "Nothing matches these filters." and led nowhere.
  for (const [tab, said] of [
    ['Waiting', 'Nobody is waiting'], ['Mine', 'You have no conversations'], ['Closed', 'Nothing is closed yet']
  ] as const) {
    await page.getByRole('button', { name: tab, exact: true }).click()
    await page.getByRole('heading', { name: said }).waitFor()
  }
  await seenByAxe(t, page, 'an empty tab')
  const search = page.getByLabel('People, words, tags')
  await search.fill('xylophone')
  await page.getByText('Nothing matches these filters.').waitFor()
  await page.getByRole('button', { name: 'Show all conversations' }).click()
  await row('María').waitFor()
  t.equal(await search.inputValue(), '', 'what was searched for is gone')
  t.equal(await page.evaluate('document.activeElement.textContent'), 'All', 'the focus stays in the inbox')
  t.strictSame(faults, [])
})

t.test('several are closed at once and taken back; the keys and the palette say what can be done', { skip }, async (t) => {
  const { page, faults, row, now } = await desk(t, ['María', 'Jonas', 'Priya'])
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  await page.getByText('2 chosen').waitFor()
  // Was wrong: how many are chosen was written across the buttons in languages with longer words than English.
  for (const said of ['2 chosen', '2 ausgewählt, und mehr']) {
    await page.locator('.bulk > .grow').evaluate((place, text) => { place.textContent = text }, said)
    const [count, ...buttons] = await page.locator('.bulk > *').all()
    const edges = await Promise.all([count, ...buttons].map(async (one) => await one?.boundingBox()))
    const [text, ...others] = edges.map((one) => one ?? { x: 0, y: 0, width: 0, height: 0 })
    const isUnder = others.some(({ x, y }) => text && x < text.x + text.width && y < text.y + text.height)
    t.notOk(isUnder, said)
    t.notOk(await page.locator('.bulk > .grow').evaluate((one) => one.scrollWidth > one.clientWidth), 'nor cut')
  }
  await seenByAxe(t, page, 'chosen conversations')
  await page.getByRole('button', { name: 'Close them' }).click()
  await page.getByText('Closed: 2').waitFor()
  t.equal(await page.locator('.inbox-entry').count(), 2)
  await page.keyboard.press('z')
  for (const name of ['María', 'Jonas', 'Priya']) await row(name).waitFor()
  for (const n of [0, 1, 2]) t.equal((await now(n)).status, 'open', 'nothing has happened')
  await opened(page, '?', 'Keys')
  await seenByAxe(t, page, 'the keys')
  await page.keyboard.press('Escape')
  await row('Priya').click()
  await page.getByRole('heading', { name: 'Priya', exact: true }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('option', { name: 'Take over' }).waitFor()
  await page.keyboard.type('jonas')
  await page.getByRole('option', { name: 'Jonas' }).waitFor()
  await seenByAxe(t, page, 'the palette')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Jonas', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Close', exact: true }).click()
  await page.getByRole('button', { name: 'Question answered' }).click()
  await row('Jonas').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Closed', exact: true }).click()
  await row('Jonas').waitFor()
  t.match(await now(1), { status: 'closed', outcome: 'abandoned' })
  // Leaving a page carries out a pending close.
  await page.getByRole('button', { name: 'All', exact: true }).click()
  await row('María').click()
  await page.getByRole('heading', { name: 'María', exact: true }).waitFor()
  await page.keyboard.press('e')
  await page.getByText('Closed: María').waitFor()
  // Was wrong: beside "Question answered" and "Undo" there was room for "Clos…" alone.
  const wide = await page.evaluate('(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector(".undo .grow"))')
  t.equal(wide, 0, 'what was closed can be read')
  await page.reload()
  await row('María').waitFor({ state: 'detached' })
  t.strictSame(faults, [])
})

t.test('a label matches by the beginnings of its words, without signs above letters', async (t) => {
  t.ok(matches('Rücksendung öffnen', 'off ruck'))
  t.ok(matches('Inbox', ''))
  t.notOk(matches('Inbox', 'box'))
})

t.test('times to put off to are mornings of days to come, also over the night in which clocks change', async (t) => {
  for (const day of [1, 2, 5, 7, 28, 29]) {
    for (const month of [2, 9]) {
      const now = new Date(2026, month, day, 23, 30)
      const [soon, tomorrow, monday] = timesFrom(now)
      t.equal(soon!.at.getTime() - now.getTime(), 3 * 3_600_000)
      t.ok(tomorrow!.at > now)
      t.equal(tomorrow!.at.getHours(), 9)
      // Was wrong: on Sundays tomorrow morning and Monday morning were offered, the same time under two names.
      t.equal(monday === undefined, now.getDay() === 0)
      if (monday) t.ok(monday.at > tomorrow!.at && monday.at.getHours() === 9 && monday.at.getDay() === 1)
    }
  }
})

t.test('a switch says whether one is there; how many one takes at once stands in one\'s own menu, and a lead sets a colleague\'s', { skip }, async (t) => {
  const built = await shop(t)
  const { me } = built
  const { page, faults } = await consoleAt(await signedIn(t, built, me.id), built, '/inbox')
  const field = page.getByLabel('Conversations at once (empty: no limit)')
  const capacity = async () => (await me.get('/v1/me/duty')).json().data.capacity
  async function set (value: string) {
    const answered = page.waitForResponse((one) => one.request().method() === 'PUT' && one.url().endsWith('/me/duty'))
    await field.fill(value)
    await field.blur()
    await answered
  }
  await page.locator('.own').click()
  t.equal(await field.inputValue(), '')
  await set('3')
  t.equal(await capacity(), 3)
  await field.fill('many')
  await field.blur()
  t.equal(await field.inputValue(), '3', 'what is no number is taken back')
  await page.keyboard.press('Escape')
  const isOn = page.getByRole('switch', { name: 'Are you available to visitors?' })
  t.ok(await isOn.isChecked())
  const turn = async () => await Promise.all([
    page.waitForResponse((one) => one.request().method() === 'PUT' && one.url().endsWith('/me/duty')), isOn.click()
  ])
  await turn()
  await page.locator('.duty').getByText('Away', { exact: true }).waitFor()
  t.match((await me.get('/v1/me/duty')).json().data, { on: false, capacity: 3 }, 'one does not change the other')
  await turn()
  await page.locator('.duty').getByText('Available', { exact: true }).waitFor()
  t.match((await me.get('/v1/me/duty')).json().data, { on: null, capacity: 3 }, 'as long as the console is open')
  await page.goto(`${built.host}/console/#/team`)
  await page.getByRole('button', { name: /^Change / }).first().click()
  const theirs = page.getByRole('dialog').getByLabel('Conversations at once (empty: no limit)')
  t.equal(await theirs.inputValue(), '3')
  await theirs.fill('')
  await seenByAxe(t, page, 'a member and how many conversations they take')
  const answered = page.waitForResponse((one) => one.url().endsWith('/capacity'))
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await answered
  t.equal(await capacity(), null)
  t.strictSame(faults, [])
})

t.test('keys are named as the keyboard of the reader labels them', { skip }, async (t) => {
  // Was wrong: a German console said "Ctrl K", and a French one "Enter" and "Esc".
  const built = await shop(t)
  for (const [locale, ...keys] of [['de-DE', 'Strg K', 'Enter', 'Esc'], ['fr-FR', 'Ctrl K', 'Entrée', 'Échap']] as const) {
    const { page } = await consoleAt(await signedIn(t, built, built.me.id, { locale }), built, '/inbox')
    t.equal(await page.locator('.jump kbd').innerText(), keys[0])
    await page.locator('.inbox-none').waitFor()
    await page.keyboard.press('?')
    const labels = await page.getByRole('dialog').locator('kbd').allInnerTexts()
    t.strictSame(keys.filter((key) => !labels.includes(key)), [], locale)
  }
})
