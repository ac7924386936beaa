import t from 'tap'
import { foldingOf, MANY } from '../../../src/console/browser/pages/inbox/shown/folding.ts'
import { closeBrowser, consoleAt, seenByAxe, shop, signedIn, withoutChromium as skip } from '../helper.ts'

t.teardown(closeBrowser)

const HANDING = { behavior: { expertHandoff: true } }
const LONG = 'Where is the parcel that I ordered of you the day before yesterday?'

t.test('what agents answer alone is folded where it is much, below something else, and everything is listed', async (t) => {
  const ids = (count: number) => Array.from({ length: count }, (_none, i) => String(i))
  const parts = (queue: number, agent: number) => [
    { group: { name: 'queue' as const }, ids: ids(queue) }, { group: { name: 'agent' as const }, ids: ids(agent) }
  ]
  const all = { view: 'all' as const, search: '' }
  t.strictSame(foldingOf(all, parts(1, MANY + 1)), { canFold: true, isFolded: true })
  t.strictSame(foldingOf(all, parts(0, MANY + 1)), { canFold: true, isFolded: false }, 'nothing else would be seen')
  const open = { canFold: false, isFolded: false }
  t.strictSame(foldingOf(all, parts(1, MANY)), open, 'few')
  t.strictSame(foldingOf({ view: 'agent', search: '' }, parts(1, MANY + 1)), open, 'they were asked for')
  t.strictSame(foldingOf({ ...all, search: 'x' }, parts(1, MANY + 1)), open)
  t.strictSame(foldingOf({ ...all, tag: 'vip' }, parts(1, MANY + 1)), open)
  t.strictSame(foldingOf({ ...all, tag: undefined }, parts(1, MANY + 1)), { canFold: true, isFolded: true })
  t.strictSame(foldingOf(all, []), open)
})

t.test('many conversations of agents are one line until they are asked for, and the choice is kept', { skip, timeout: 90_000 }, async (t) => {
  const built = await shop(t, { agent: HANDING })
  const { me, id, settled } = built
  await me.put('/v1/me/duty', { on: true })
  const talk = async (subject: string) => (await me.post(`/v1/agents/${id}/conversations`, { subject })).json().data.id as string
  const waiting = await talk('Somebody waits')
  await me.post(`/v1/conversations/${waiting}/handoff`, {})
  for (let i = 0; i <= MANY; i++) await talk(`Order ${i}`)
  await settled()
  const { page, faults } = await consoleAt(await signedIn(t, built, me.id), built, '/inbox')
  const line = page.getByRole('button', { name: /^Answered by the agent 2\d/ })
  const rows = page.locator('.inbox-entry')
  await line.waitFor()
  t.equal(await line.getAttribute('aria-expanded'), 'false')
  t.equal(await rows.count(), 1, 'who waits is seen')
  await seenByAxe(t, page, 'a folded section')
  // What comes to a folded section neither moves nor asks for anything.
  await rows.first().hover()
  const fresh = await talk('Order of now')
  await page.getByRole('button', { name: 'Answered by the agent 28' }).waitFor()
  t.equal(await page.locator('.fresh').count(), 0)
  await line.click()
  await page.locator(`[data-id="${fresh}"]`).waitFor()
  t.ok(await rows.count() > MANY)
  await page.reload()
  await page.locator(`[data-id="${fresh}"]`).waitFor()
  t.equal(await line.getAttribute('aria-expanded'), 'true', 'also when the page is loaded anew')
  await page.locator(`[data-id="${fresh}"]`).click()
  await line.focus()
  await page.keyboard.press('Enter')
  t.equal(await line.getAttribute('aria-expanded'), 'false')
  t.strictSame(
    await page.locator('.inbox-entry').evaluateAll((all) => all.map((one) => (one as unknown as { dataset: { id: string } }).dataset.id)),
    [waiting, fresh], 'the open one stays in sight'
  )
  t.strictSame(faults, [])
})

t.test('a compact list has one line of each message, in this browser from then on', { skip, timeout: 60_000 }, async (t) => {
  const built = await shop(t, { agent: HANDING })
  const { me, id, settled } = built
  for (const [name, tags] of [['Last', []], ['Plain', []], ['Tagged', ['vip']]] as const) {
    const visitor = (await me.post('/v1/visitors', { agent: id, name })).json().data.id
    const one = (await me.post(`/v1/agents/${id}/conversations`, { visitor })).json().data.id
    await me.post(`/v1/conversations/${one}/takeover`, {})
    await me.post(`/v1/conversations/${one}/messages`, { text: LONG })
    await me.patch(`/v1/conversations/${one}`, { tags })
  }
  await settled()
  const context = await signedIn(t, built, me.id)
  const { page, faults } = await consoleAt(context, built, '/inbox')
  const height = async (name: string) => {
    await page.locator('.inbox-list li', { hasText: name }).getByText('parcel').waitFor()
    return (await page.locator('.inbox-list li', { hasText: name }).boundingBox())!.height
  }
  t.strictSame([await height('Plain'), await height('Tagged')], [83, 109])
  await page.getByRole('button', { name: 'Narrow the list' }).click()
  const dense = page.getByRole('switch', { name: 'Compact list' })
  t.notOk(await dense.isChecked())
  await dense.check()
  t.strictSame([await height('Plain'), await height('Tagged')], [57, 83])
  const row = page.locator('.inbox-list li', { hasText: 'Plain' })
  const [face, name] = [(await row.locator('.face').first().boundingBox())!, (await row.boundingBox())!]
  t.equal(face.y - name.y, 8)
  await seenByAxe(t, page, 'a compact list')
  await page.reload()
  t.equal(await height('Plain'), 57)
  await page.getByRole('button', { name: 'Narrow the list' }).click()
  await dense.uncheck()
  t.equal(await height('Plain'), 83)
  t.strictSame(faults, [])
})

t.test('while the inbox is read, shapes of its rows and messages stand where these come', { skip, timeout: 60_000 }, async (t) => {
  // Was wrong: eight grey bars across the column, in the shape of nothing.
  const built = await shop(t)
  const { me, id } = built
  const conversation = (await me.post(`/v1/agents/${id}/conversations`, { subject: 'Order 1' })).json().data.id as string
  await me.post(`/v1/conversations/${conversation}/messages`, { text: LONG })
  const context = await signedIn(t, built, me.id)
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const isHeld = (url: URL) => url.pathname === '/v1/conversations' || url.pathname.startsWith(`/v1/conversations/${conversation}`)
  await context.route(isHeld, async (route) => {
    await released
    await route.continue()
  })
  const { page, faults } = await consoleAt(context, built, `/inbox/${conversation}`)
  const rows = page.locator('.inbox-list .coming-row')
  await rows.first().waitFor()
  await page.locator('.inbox-talk .coming-said').first().waitFor()
  const shape = (await rows.nth(1).boundingBox())!
  const [face, name] = [(await rows.nth(1).locator('b').boundingBox())!, (await rows.nth(1).locator('i').first().boundingBox())!]
  t.strictSame([shape.height, face.width, face.x - shape.x, name.x - face.x], [83, 32, 16, 44], 'as a row is')
  t.equal((await page.locator('.inbox-talk .inbox-head').boundingBox())!.height, 56)
  await page.waitForFunction(() => {
    const { document, getComputedStyle } = globalThis as unknown as {
      document: { querySelector (selector: string): unknown }, getComputedStyle (node: unknown): { opacity: string }
    }
    return getComputedStyle(document.querySelector('.coming')).opacity === '1'
  })
  await seenByAxe(t, page, 'an inbox that is being read')
  await page.setViewportSize({ width: 390, height: 844 })
  const head = (await page.locator('.inbox-talk .inbox-head').boundingBox())!
  t.strictSame([head.y, head.height], [0, 56])
  await page.locator('.inbox-head').getByRole('link', { name: 'Back to the list' }).waitFor()
  await page.setViewportSize({ width: 1280, height: 800 })
  release()
  await page.locator('.inbox-entry').first().waitFor()
  await page.locator('.told.visitor').waitFor()
  t.equal(await page.locator('.coming').count(), 0)
  t.strictSame(faults, [])
})
