import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t from 'tap'
import { closeBrowser, consoleAt, seenByAxe, signedIn, withoutChromium } from '../helper.ts'
import { house } from '../visit.ts'

t.teardown(closeBrowser)

const skip = withoutChromium

t.test('a feed is added, paused, looked at, approved and removed, and what is old is shown', { skip }, async (t) => {
  const docs = mkdtempSync(path.join(tmpdir(), 'agenthall-docs-'))
  t.teardown(() => rmSync(docs, { recursive: true, force: true }))
  for (const n of [1, 2, 3]) {
    const file = path.join(docs, `${n}.md`)
    writeFileSync(file, `Page ${n} says something.`)
    // A file just written waits until it is quiet.
    utimesSync(file, 1_600_000_000, 1_600_000_000)
  }
  const built = await house(t, { AGENTHALL_FOLDERS: docs })
  const { me, settled, stores } = built
  const { id } = (await me.post('/v1/agents', { name: 'Shop', systemPrompt: 'You help.' })).json().data
  const at = `/v1/agents/${id}`
  await settled()
  const context = await signedIn(t, built, built.id)
  const { page, faults } = await consoleAt(context, built, `/agents/${id}/knowledge`)
  await page.getByRole('button', { name: 'New feed' }).click()
  const dialog = page.getByRole('dialog')
  // Was wrong: "1 hours", "1 days".
  t.match(await dialog.getByRole('combobox').last().locator('option').allTextContents(), ['15 minutes', '1 hour', '6 hours', '1 day'])
  await dialog.getByLabel('Name').fill('Our documents')
  await dialog.getByLabel('What it is').selectOption('Folder on the server')
  await dialog.getByLabel('Path').fill('/etc')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('AGENTHALL_FOLDERS').waitFor()
  await seenByAxe(t, page, 'a feed that is refused')
  await dialog.getByLabel('Path').fill(docs)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  await settled()
  await page.reload()
  await page.getByText('Sources: 3').waitFor()
  await page.getByText(/^What it found/).click()
  await page.getByText(/^New ?1\.md$/).waitFor()
  await seenByAxe(t, page, 'what a look found')

  writeFileSync(path.join(docs, '2.md'), 'Page 2 says something else.')
  utimesSync(path.join(docs, '2.md'), 1_600_000_100, 1_600_000_100)
  await page.getByRole('button', { name: 'Look now: Our documents' }).click()
  await page.getByText('Our documents is being checked').waitFor()
  await settled()
  await page.reload()
  await page.getByText(/^What it found/).click()
  await page.getByRole('button', { name: 'What changed: 2.md' }).click()
  await dialog.getByText('lines added: 1, removed: 1').waitFor()
  t.equal(await dialog.locator('.removed').textContent(), 'Before: Page 2 says something.')
  t.equal(await dialog.locator('.added').textContent(), 'After: Page 2 says something else.')
  await seenByAxe(t, page, 'what has changed of a text')
  await page.keyboard.press('Escape')

  rmSync(docs, { recursive: true })
  mkdirSync(docs)
  await page.getByRole('button', { name: 'Look now: Our documents' }).click()
  await page.getByText('Our documents is being checked').waitFor()
  await settled()
  stores.db.raw.exec("update knowledge_sources set stale = 'unreachable' where id = 1")
  await page.reload()
  await page.getByText('3 sources are gone there').waitFor()
  await page.getByRole('heading', { name: 'May be out of date' }).waitFor()
  await seenByAxe(t, page, 'feeds, and what may not hold any more')
  await page.getByText('What would be removed').click()
  await page.getByRole('button', { name: 'What it says: 1.md' }).click()
  await dialog.getByText('All of this would be removed with it').waitFor()
  t.equal(await dialog.locator('.removed').textContent(), 'Before: Page 1 says something.')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Approve: Our documents' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click()
  await page.getByText('3 sources are gone there').waitFor({ state: 'detached' })
  await settled()
  t.equal((await me.get(`${at}/knowledge_sources`)).json().data.length, 0)

  await page.reload()
  await page.getByRole('button', { name: 'Pause: Our documents' }).click()
  await page.getByRole('button', { name: 'Switch on: Our documents' }).waitFor()
  await page.getByRole('button', { name: 'Change Our documents' }).click()
  await dialog.getByLabel('Name').fill('Manuals')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Switch on: Manuals' }).waitFor()
  await page.getByRole('button', { name: 'Remove Manuals' }).click()
  await dialog.getByLabel('Delete what it has brought too').check()
  await seenByAxe(t, page, 'what becomes of the sources')
  await dialog.getByRole('button', { name: 'Remove' }).click()
  await page.getByText('Manuals', { exact: true }).waitFor({ state: 'detached' })
  t.strictSame((await me.get(`${at}/feeds`)).json().data, [])
  t.strictSame(faults.filter((fault) => !/400/.test(fault)), [])
})
