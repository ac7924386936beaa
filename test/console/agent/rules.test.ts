import t from 'tap'
import { fixedClock } from '../../helper.ts'
import { closeBrowser, consoleAt, seenByAxe, shop, signedIn, withoutChromium } from '../helper.ts'

t.teardown(closeBrowser)

t.test('a rule is made, refused by its tests, tried, kept, confirmed, moved and removed', {
  skip: withoutChromium
}, async (t) => {
  // Figures show the last 30 days of the browser.
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

t.test('in every language the page says what it means', { skip: withoutChromium }, async (t) => {
  const guardRules = [{ name: 'Anwälte', when: 'asked', match: { by: 'words', of: ['Anwalt'] }, do: 'hand_off' }]
  const built = await shop(t, { agent: { behavior: { guardRules } } })
  const context = await signedIn(t, built, built.me.id, { locale: 'de-DE' })
  const { page } = await consoleAt(context, built, `/agents/${built.id}/rules`)
  await page.getByText('Ruft einen Menschen').waitFor()
  await page.getByRole('button', { name: 'Ändern: Anwälte' }).click()
  await page.getByRole('dialog').getByLabel('Wörter und Wendungen').waitFor()
  await seenByAxe(t, page, 'a rule in German')
})
