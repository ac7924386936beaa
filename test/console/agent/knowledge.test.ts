import t from 'tap'
import { closeBrowser, consoleAt, seenByAxe, shop, signedIn, withoutChromium } from '../helper.ts'

t.teardown(closeBrowser)

const skip = withoutChromium

t.test('several sources are chosen, and used, trained again, moved or deleted at once', { skip }, async (t) => {
  const built = await shop(t)
  const { me, id, settled } = built
  const at = `/v1/agents/${id}`
  for (const title of ['Hours', 'Shipping']) await me.post(`${at}/knowledge_sources`, { title, plain_text: `${title}.` })
  const [{ id: top }] = (await me.get(`${at}/knowledge_folders`)).json().data
  const { id: folder } = (await me.post(`${at}/knowledge_folders`, { name: 'Old', parent: top })).json().data
  await settled()
  const sources = async () => (await me.get(`${at}/knowledge_sources`)).json().data as Array<Record<string, unknown>>
  const { page, faults } = await consoleAt(await signedIn(t, built, me.id), built, `/agents/${id}/knowledge`)
  const chosen = page.getByRole('region', { name: 'Selected sources' })
  const choose = async (...names: string[]) => {
    for (const name of names) await page.getByRole('checkbox', { name: `Select ${name}` }).check()
  }
  const done = async (n: number) => {
    await page.getByText(`Done: ${n}`).last().waitFor()
    await page.locator('.chosen[aria-busy=false]').waitFor()
  }
  await choose('Hours', 'Shipping')
  await chosen.getByText('2 selected').waitFor()
  await seenByAxe(t, page, 'sources that are chosen')
  await chosen.getByRole('button', { name: 'Do not use' }).click()
  await done(2)
  t.strictSame((await sources()).map(({ title, is_selected: is }) => [title, is]), [
    ['Returns', true], ['Hours', false], ['Shipping', false]
  ])
  await chosen.getByRole('button', { name: 'Select all 3' }).click()
  await chosen.getByRole('button', { name: 'Use in answers' }).click()
  await done(3)
  t.ok((await sources()).every(({ is_selected: is }) => is))
  await page.keyboard.press('Escape')
  await chosen.waitFor({ state: 'detached' })
  await choose('Hours', 'Shipping')
  await chosen.getByRole('button', { name: 'Move' }).click()
  await page.getByRole('dialog').getByLabel('Folder').selectOption('Old')
  await page.getByRole('dialog').getByRole('button', { name: 'Move' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  t.strictSame((await sources()).map(({ agent_knowledge_folder: one }) => one), [top, folder, folder])
  await chosen.getByRole('button', { name: 'Train again' }).click()
  await page.getByText('Done: 2').last().waitFor()
  await settled()
  // What is gone meanwhile, from elsewhere, is no fault.
  await me.delete(`${at}/knowledge_sources/${(await sources())[1]!['id']}`)
  await chosen.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByText('go for good').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.locator('.source').nth(1).waitFor({ state: 'detached' })
  await chosen.waitFor({ state: 'detached' })
  t.match(await sources(), [{ title: 'Returns' }])
  // A stream that ended under load is read anew.
  t.ok(faults.every((fault) => fault.includes('404') || fault.includes('/events')), faults.join())
})
