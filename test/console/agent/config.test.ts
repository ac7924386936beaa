import t from 'tap'
import { applying } from '../../config-as-code/helper.ts'
import { closeBrowser, consoleAt, seenByAxe, shop, signedIn, withoutChromium } from '../helper.ts'

t.teardown(closeBrowser)

const skip = withoutChromium

t.test('an editor says which file keeps an agent, and settings tell what was changed beside it', { skip }, async (t) => {
  const built = await shop(t)
  const { me, id } = built
  const context = await signedIn(t, built, me.id)
  const { page, faults } = await consoleAt(context, built, '/business/config')
  await page.getByText('No files have been applied yet.').waitFor()
  const { apply, exported } = applying(me)
  const files = await exported()
  await apply(files, {}, { ref: '4f2a9c1' })
  await me.put(`/v1/agents/${id}`, { description: 'By hand' })
  await page.reload()
  await page.getByText('Commit 4f2a9c1').waitFor()
  await page.getByRole('region', { name: 'Changed here since then: What' }).getByText('description').waitFor()
  await seenByAxe(t, page, 'files')
  t.equal(await page.getByText('business.yaml').count(), 1, 'what was never set is not told as gone')
  const download = page.getByRole('link', { name: 'Download everything' })
  const [file] = await Promise.all([page.waitForEvent('download'), download.click()])
  t.equal(file.suggestedFilename(), 'agenthall-config.tar')
  const { page: editor, faults: others } = await consoleAt(context, built, `/agents/${id}`)
  const path = Object.keys(files).find((name) => name.endsWith('/agent.yaml'))!
  await editor.getByText(`Kept in code: ${path}. The file may overwrite what is changed here.`).waitFor()
  t.equal(await editor.getByLabel('Name', { exact: true }).isEnabled(), true)
  await apply({ ...files, [path]: `lock: true\n${files[path]}` }, {})
  await editor.reload()
  await editor.getByText(`Kept in code: ${path}. It can only be changed there.`).waitFor()
  t.equal(await editor.getByLabel('Name', { exact: true }).isEnabled(), false)
  await seenByAxe(t, editor, 'an agent that is kept in code')
  t.strictSame([...faults, ...others], [])
})
