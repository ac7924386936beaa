import t, { type Test } from 'tap'
import { closeBrowser, consoleAt, seenByAxe, shop, signedIn, withoutChromium } from '../helper.ts'

t.teardown(closeBrowser)

const skip = withoutChromium

/** An agent that keeps its changes in a draft, in the console of its creator. */
async function draftOf (t: Test, path: string, locale = 'en-US') {
  const built = await shop(t)
  const { me, id } = built
  const at = `/v1/agents/${id}`
  await me.put(at, { systemPrompt: 'Be kind.\nBe brief.' })
  await me.put(at, { publish_on_save: false })
  await me.put(at, { systemPrompt: 'Be kind.\nBe exact.', behavior: { conversationMemory: false } })
  const context = await signedIn(t, built, me.id, { locale })
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

// Was wrong: rules stood there as JSON under behavior.guardRules, and translations under their path.
t.test('changed guard rules and translations are compared in words', { skip }, async (t) => {
  const { page, faults, me, at, button } = await draftOf(t, 'versions')
  const rule = (name: string, of: string[]) => ({
    name, when: 'asked', match: { by: 'words', of }, do: 'refuse', text: 'No.', tests: { match: [], no_match: [] }
  })
  await me.put(at, { behavior: { guardRules: [rule('Prices', ['cheap']), rule('Lawsuits', ['lawyer'])] } })
  await me.post(`${at}/publish`, {})
  await me.put(at, {
    behavior: { guardRules: [rule('Prices', ['cheap']), rule('Lawsuits', ['lawyer', 'sue'])] },
    translations: { fr: { welcomeMessage: 'Bonjour' } }
  })
  await page.reload()
  await button('Review and publish').click()
  const changes = page.getByRole('dialog').locator('.changes > li')
  const rules = changes.filter({ has: page.getByRole('heading', { name: 'Guard rules', exact: true }) })
  await rules.getByText('Lawsuits').first().waitFor()
  t.match(await rules.locator('.lines p').allInnerTexts(), [
    /Before:\s+Lawsuits: Refuses · What visitors write · Words: lawyer · What the visitor is told: No\./,
    /After:\s+Lawsuits: Refuses · What visitors write · Words: lawyer, sue · /
  ])
  await changes.getByRole('heading', { name: 'In other languages · French' }).waitFor()
  t.equal(await page.getByRole('dialog').getByText(/[{}"]|guardRules|translations/).count(), 0)
  // Rules act from top to bottom, so a new order is a change.
  await me.put(at, { behavior: { guardRules: [rule('Lawsuits', ['lawyer']), rule('Prices', ['cheap'])] } })
  await page.reload()
  await button('Review and publish').click()
  await rules.getByText('Prices').first().waitFor()
  t.equal(await rules.locator('.lines p').count(), 4)
  t.strictSame(faults, [])
})

// Was wrong: ids of actions, and values of the API such as "Inactive", "bottom-left" and "General Assistant".
t.test('what was chosen is compared by its name, in the reader\'s language', { skip }, async (t) => {
  const { page, faults, me, at, button } = await draftOf(t, 'versions', 'de-DE')
  const connection = (await me.post('/v1/connections', { name: 'Shop', base_url: 'https://shop.example' })).json().data.id
  const made = async (title: string) => (await me.post('/v1/actions', {
    connection, name: title.toLowerCase(), title, when: 'Asked.', effect: 'read', method: 'GET', path: '/orders'
  })).json().data.id as number
  const [track, cancel] = [await made('Verfolgen'), await made('Stornieren')]
  await me.put(at, { behavior: { actionIds: [track] } })
  await me.post(`${at}/publish`, {})
  await me.put(at, {
    status: 'Inactive',
    agentType: 'Verkauf',
    appearance: { position: 'bottom-left' },
    model: { temperature: 0.2 },
    behavior: { actionIds: [track, cancel] }
  })
  await page.reload()
  await button('Prüfen und veröffentlichen').click()
  const changes = page.getByRole('dialog').locator('.changes > li')
  await changes.getByText('Stornieren').waitFor()
  t.match((await changes.allInnerTexts()).map((text) => text.replaceAll('\n', ' ')).sort(), [
    /Unten rechts.*Unten links/, /Aktiv.*Inaktiv/, /0,7.*0,2/, /Allgemeiner Assistent.*Verkauf/,
    /Verfolgen.*Verfolgen.*Stornieren/
  ])
  t.strictSame(faults, [])
})

// Was wrong: "General Assistant" stood under "Typ" in a German form.
t.test('the default type of an agent is shown in the reader\'s language, and stored as before', { skip }, async (t) => {
  const built = await shop(t)
  const { me, id } = built
  const { page } = await consoleAt(await signedIn(t, built, me.id, { locale: 'de-DE' }), built, `/agents/${id}`)
  const type = page.getByLabel('Typ', { exact: true })
  await type.waitFor()
  t.equal(await type.inputValue(), 'Allgemeiner Assistent')
  const saved = async (typed: string) => {
    await type.fill(typed)
    await page.getByRole('button', { name: 'Speichern', exact: true }).click()
    await page.locator('.save-bar').waitFor({ state: 'detached' })
    return (await me.get(`/v1/agents/${id}`)).json().data.agentType
  }
  t.equal(await saved('Verkauf'), 'Verkauf')
  t.equal(await saved('Allgemeiner Assistent'), 'General Assistant')
})
