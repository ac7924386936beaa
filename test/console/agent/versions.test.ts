import t, { type Test } from 'tap'
import { closeBrowser, consoleAt, seenByAxe, shop, signedIn, withoutChromium } from '../helper.ts'

t.teardown(closeBrowser)

const skip = withoutChromium

/** An agent that keeps its changes in a draft, in the console of who made it. */
async function draftOf (t: Test, path: string) {
  const built = await shop(t)
  const { me, id } = built
  const at = `/v1/agents/${id}`
  await me.put(at, { systemPrompt: 'Be kind.\nBe brief.' })
  await me.put(at, { publish_on_save: false })
  await me.put(at, { systemPrompt: 'Be kind.\nBe exact.', behavior: { conversationMemory: false } })
  const context = await signedIn(t, built, me.id)
  const { page, faults } = await consoleAt(context, built, `/agents/${id}/${path}`)
  const agent = async () => (await me.get(at)).json().data
  const button = (name: string) => page.getByRole('button', { name })
  return { ...built, at, page, faults, agent, button }
}

t.test('a draft that waits is seen on every page of the agent, compared and published', { skip }, async (t) => {
  const { page, faults, agent, button, me, at } = await draftOf(t, 'knowledge')
  await button('Review and publish').click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Be exact.').waitFor()
  t.match(await dialog.locator('.changes li').allInnerTexts(), [/on[^]*off/, /Be kind\.[^]*Be brief\.[^]*Be exact\./])
  await seenByAxe(t, page, 'publish')
  await me.put(at, { description: 'Meanwhile' })
  await dialog.getByLabel('Note').fill('More exact')
  await dialog.getByRole('button', { name: 'Publish' }).click()
  await dialog.getByText('Somebody has changed the draft meanwhile').waitFor()
  t.equal((await agent()).has_unpublished, true, 'what nobody looked at is not published')
  await page.reload()
  await button('Review and publish').click()
  await dialog.getByLabel('Note').fill('More exact')
  await dialog.getByRole('button', { name: 'Publish' }).click()
  await page.getByText('Version 3 is live.').waitFor()
  await dialog.waitFor({ state: 'detached' })
  t.equal(await button('Review and publish').count(), 0)
  t.match(await agent(), { has_unpublished: false, live_version: 3 })
  t.match((await me.get(`${at}/versions/3`)).json().data, { note: 'More exact' })
  t.match(faults, [/412/], 'but for the refusal that is told')
  t.equal(faults.length, 1)
})

t.test('versions are listed, compared, brought back into the draft, and published again', { skip }, async (t) => {
  const { page, faults, agent, me, at } = await draftOf(t, 'versions')
  await me.post(`${at}/publish`, { note: 'More exact' })
  await page.reload()
  const row = (n: number) => page.locator('.version-row').nth(n)
  await row(1).waitFor()
  t.match(await row(0).innerText(), /Version 3[^]*Live[^]*More exact/)
  t.match(await row(1).innerText(), /Version 2[^]*Earlier/)
  await seenByAxe(t, page, 'versions')
  await row(1).getByRole('button', { name: 'Compare' }).click()
  await page.getByRole('dialog').getByText('Be exact.').waitFor()
  await page.keyboard.press('Escape')
  await row(1).getByRole('button', { name: 'Restore into the draft' }).click()
  await page.getByText('Version 2 is in the draft.').waitFor()
  t.match(await agent(), { systemPrompt: 'Be kind.\nBe brief.', has_unpublished: true, live_version: 3 })
  await row(1).getByRole('button', { name: 'Publish again' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
  await page.getByText('Version 4 is live.').waitFor()
  t.match(await agent(), { has_unpublished: false, live_version: 4 })
  await page.getByText('as version 2').waitFor()
  t.strictSame(faults, [])
})

t.test('whether changes are live at once is decided there, and what waits is not published unasked', { skip }, async (t) => {
  const { page, agent } = await draftOf(t, 'versions')
  const atOnce = page.getByRole('switch', { name: 'Changes are live at once' })
  await atOnce.click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  t.match(await agent(), { publish_on_save: false, has_unpublished: true })
  await page.reload()
  await atOnce.click()
  await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
  await page.getByText('Version 3').waitFor()
  t.match(await agent(), { publish_on_save: true, has_unpublished: false, live_version: 3 })
})
