import t from 'tap'
import { fixedClock } from '../../helper.ts'
import { closeBrowser, consoleAt, seenByAxe, shop, signedIn, withoutChromium } from '../helper.ts'

t.teardown(closeBrowser)

t.test('a rule is made, refused by its tests, tried, kept, confirmed, moved and removed', {
  skip: withoutChromium
}, async (t) => {
  // Figures show the last 30 days by the browser's clock.
  const built = await shop(t, { clock: fixedClock(Date.now()) })
  const { me, id, say } = built
  for (const text of ['There will be a lawsuit', 'Where is my parcel?', 'My lawyer prepares a lawsuit']) await say(text)
  const context = await signedIn(t, built, me.id)
  const { page, faults } = await consoleAt(context, built, `/agents/${id}/rules`)
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const dialog = page.getByRole('dialog')
  const kept = async () => (await me.get(`/v1/agents/${id}`)).json().data.behavior.guardRules
  await page.getByText('No rules yet').waitFor()

  await button('Add a rule').first().click()
  await dialog.getByLabel('Name').fill('Lawsuits')
  await dialog.getByLabel('Words and phrases').fill('lawsuit\n legal action \n')
  await dialog.getByLabel('What the visitor is told').fill('We write to you.')
  await dialog.getByLabel('Must act on').fill('Law books')
  await button('Save').click()
  await dialog.getByText('The rule does not act on “Law books”, and it must.', { exact: false }).waitFor()
  await dialog.getByLabel('Must act on').fill('Two lawsuits')
  await button('Try it on the last 30 days').click()
  await dialog.getByText('2 of 3 messages').waitFor()
  await dialog.getByText('The newest ones').click()
  await dialog.getByText('My lawyer prepares a lawsuit').waitFor()
  await seenByAxe(t, page, 'a rule that is tried')
  await button('Save').click()
  await dialog.waitFor({ state: 'detached' })
  t.match(await kept(), [{ name: 'Lawsuits', match: { by: 'words', of: ['lawsuit', 'legal action'] }, do: 'refuse' }])

  await button('Add a rule').first().click()
  await dialog.getByLabel('Name').fill('Everything')
  await dialog.getByLabel('Does').selectOption('Masks the words')
  await dialog.getByLabel('Words and phrases').fill('the\nis\nmy\nhow\nwhere\nI\ndo\na\nare')
  await button('Save').click()
  await dialog.getByText('This rule would act on most messages', { exact: false }).waitFor()
  await dialog.getByLabel('It may act on most messages').check()
  await button('Save').click()
  await dialog.waitFor({ state: 'detached' })
  await button('Move Everything up').click()
  await button('Move Lawsuits up').waitFor()
  t.strictSame((await kept()).map(({ name }: { name: string }) => name), ['Everything', 'Lawsuits'])
  await button('Try on the last 30 days').click()
  await page.getByText('2 of 3 messages').first().waitFor()
  await seenByAxe(t, page, 'rules that are tried')
  await button('Remove: Everything').click()
  await dialog.getByRole('button', { name: 'Remove' }).click()
  await page.getByText('Everything').waitFor({ state: 'detached' })

  await say('One more lawsuit')
  await page.goto(`${built.host}/console/#/inbox/${built.conversation}`)
  await page.getByText('Rule “Lawsuits”: refused').waitFor()
  await seenByAxe(t, page, 'a message on which a rule has acted')
  await page.goto(`${built.host}/console/#/figures`)
  await page.getByText('Rule “Lawsuits”: refused').waitFor()
  t.strictSame(faults.filter((one) => !/422/.test(one)), [])
})

t.test('a rule that adds tags is made with those that exist, acts beside one that refuses, and is read in the inbox', {
  skip: withoutChromium
}, async (t) => {
  const built = await shop(t, { clock: fixedClock(Date.now()) })
  const { me, id, say, conversation } = built
  const guardRules = [{ name: 'Lawsuits', when: 'asked', match: { by: 'words', of: ['lawsuit'] }, do: 'refuse', text: 'We write to you.' }]
  await me.put(`/v1/agents/${id}`, { behavior: { guardRules } })
  await say('Hello')
  await me.patch(`/v1/conversations/${conversation}`, { tags: ['urgent'] })
  const context = await signedIn(t, built, me.id)
  const { page, faults } = await consoleAt(context, built, `/agents/${id}/rules`)
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const dialog = page.getByRole('dialog')
  const kept = async () => (await me.get(`/v1/agents/${id}`)).json().data.behavior.guardRules

  await button('Add a rule').first().click()
  await dialog.getByLabel('Name').fill('Complaints')
  await dialog.getByLabel('Words and phrases').fill('broken\nlawsuit')
  await dialog.getByLabel('What the visitor is told').fill('Left behind')
  await dialog.getByLabel('Does').selectOption('Adds tags')
  t.equal(await dialog.getByLabel('What the visitor is told').count(), 0, 'a rule that tags says nothing')
  await button('Save').click()
  await dialog.getByText('Tags: This is required.').waitFor()
  const tags = dialog.getByLabel('Tags')
  await tags.fill('Complaint, u')
  const offered = await tags.evaluate(
    (input: HTMLInputElement) => [...input.list?.options ?? []].map(({ value }) => value)
  )
  t.strictSame(offered, ['Complaint, urgent'], 'behind what is typed already')
  await tags.fill('1,2,3,4,5,6')
  await button('Save').click()
  await dialog.getByText('Tags: Up to 5 are allowed.').waitFor()
  await tags.fill('Complaint, urgent')
  await seenByAxe(t, page, 'a rule that adds tags')
  await button('Save').click()
  await dialog.waitFor({ state: 'detached' })
  t.match((await kept())[1], { do: 'tag', tags: ['complaint', 'urgent'], text: '' })
  await page.locator('li', { hasText: 'Complaints' }).getByText('complaint', { exact: true }).waitFor()

  await button('Change: Complaints').click()
  await dialog.getByRole('button', { name: 'Remove the tag: urgent' }).click()
  await button('Save').click()
  await dialog.waitFor({ state: 'detached' })
  t.strictSame((await kept())[1].tags, ['complaint'])
  await button('Change: Complaints').click()
  await dialog.getByLabel('Does').selectOption('Refuses')
  await dialog.getByLabel('What the visitor is told').fill('Sorry.')
  await button('Save').click()
  await dialog.waitFor({ state: 'detached' })
  t.notOk('tags' in (await kept())[1], 'of another rule no tags are left')
  await button('Change: Complaints').click()
  await dialog.getByLabel('Does').selectOption('Adds tags')
  await dialog.getByLabel('Tags').fill('complaint')
  await button('Save').click()
  await dialog.waitFor({ state: 'detached' })

  await say('A lawsuit over a broken lamp')
  await page.goto(`${built.host}/console/#/inbox/${conversation}`)
  await page.getByText('Rule “Lawsuits”: refused').waitFor()
  await page.getByText('Rule “Complaints”: added tags').waitFor()
  t.match((await me.get(`/v1/conversations/${conversation}`)).json().data.tags, ['urgent', 'complaint'])
  await page.goto(`${built.host}/console/#/figures`)
  await page.getByText('Rule “Complaints”: added tags').waitFor()
  t.strictSame(faults.filter((one) => !/40[0-9]|422/.test(one)), [])
})

t.test('in every language the page says what it means', { skip: withoutChromium }, async (t) => {
  const guardRules = [{ name: 'Anwälte', when: 'asked', match: { by: 'words', of: ['Anwalt'] }, do: 'hand_off' }]
  const built = await shop(t, { agent: { behavior: { guardRules } } })
  const context = await signedIn(t, built, built.me.id, { locale: 'de-DE' })
  const { page } = await consoleAt(context, built, `/agents/${built.id}/rules`)
  await page.getByText('Ruft einen Menschen').waitFor()
  await page.getByRole('button', { name: 'Ändern: Anwälte' }).click()
  await page.getByRole('dialog').getByLabel('Wörter und Ausdrücke').waitFor()
  await seenByAxe(t, page, 'a rule in German')
})
