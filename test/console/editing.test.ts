import t, { type Test } from 'tap'
import { closeBrowser, consoleAt, seenByAxe, signedIn, withoutChromium } from './helper.ts'
import { EMAIL, house, PASSWORD } from './visit.ts'

t.teardown(closeBrowser)

const skip = withoutChromium
const HOSTILE = '<img src=x onerror="document.title=1"><script>alert(1)</script>'

/** Ada at the settings of an agent. */
async function editing (t: Test, agent: object = {}, part = 'general') {
  const built = await house(t)
  const { me, id } = built
  const made = (await me.post('/v1/agents', { name: 'Shop', systemPrompt: 'You help.', ...agent })).json().data
  const context = await signedIn(t, built, id)
  const seen = await consoleAt(context, built, `/agents/${made.id}?part=${part}`)
  const at = `/v1/agents/${made.id}`
  return { ...built, ...seen, context, at, saved: async () => (await me.get(at)).json().data }
}

t.test(
  'what was changed is sent and nothing else, by the button or by the keys that people know',
  { skip },
  async (t) => {
    const { page, saved, faults } = await editing(t, { description: 'Old' })
    const sent: unknown[] = []
    page.on('request', (request) => {
      if (request.method() === 'PUT') sent.push([request.postDataJSON(), request.headers()['if-match'] !== undefined])
    })
    await page.getByLabel('Description').fill('New')
    await page.keyboard.press('Control+s')
    await page.locator('.toast', { hasText: 'Saved' }).last().waitFor()
    t.strictSame(sent, [[{ description: 'New' }, true]])
    await page.getByRole('button', { name: 'Behaviour' }).click()
    await page.getByRole('button', { name: 'Add a line' }).click()
    await page.getByLabel('Suggested questions, line 1').fill('Where is my order?')
    await page.getByRole('button', { name: 'Add a line' }).click()
    await page.getByLabel('Opens by itself after').fill('7')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.locator('.save-bar').waitFor({ state: 'detached' })
    t.match(await saved(), { description: 'New', behavior: { suggestions: ['Where is my order?'], autoShowAfter: 7 } })
    t.equal((await saved()).behavior.suggestions.length, 1, 'an empty line is none')
    t.strictSame(faults, [])
  }
)

t.test('what is wrong is said at its field, on whichever part of the settings it is', { skip }, async (t) => {
  const { page, saved } = await editing(t, {}, 'people')
  await page.getByLabel('E-mail address for hand-offs').fill('nobody')
  await page.getByRole('button', { name: 'General' }).click()
  await page.getByLabel('Description').fill('Kept')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  const field = page.getByLabel('E-mail address for hand-offs')
  await page.getByRole('alert').getByText('Not saved').waitFor()
  await field.waitFor()
  t.equal(await field.getAttribute('aria-invalid'), 'true')
  t.equal(await field.inputValue(), 'nobody')
  await field.fill('help@shop.example')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.locator('.toast', { hasText: 'Saved' }).last().waitFor()
  t.match(await saved(), { description: 'Kept', behavior: { email: 'help@shop.example' } })
})

t.test('the ticket systems and the models of an agent are chosen from what the account has', { skip }, async (t) => {
  // Was wrong: both were typed, and a mistyped name was noticed when a ticket went elsewhere.
  const { me, page, saved, faults, at } = await editing(t, {}, 'people')
  const systems = page.getByRole('group', { name: 'Ticket systems' })
  await systems.getByText('There is no ticket system yet').waitFor()
  t.equal(await systems.getByRole('link').getAttribute('href'), '#/business/ticketing')
  const credentials = { token: 'x' }
  for (const name of ['Desk', 'Zendesk <b>', 'Old']) {
    const made = await me.post('/v1/ticketing_providers', { name, kind: 'linear', settings: { team: 'x' }, credentials })
    t.equal(made.statusCode, 201)
    if (name !== 'Old') continue
    await me.put(at, { ticketing_providers: ['Old'] })
    await me.delete(`/v1/ticketing_providers/${made.json().data.id}`)
  }
  await me.post('/v1/model_providers', { name: 'Ours', provider: 'openai', key: 'sk-x', models: ['gpt-*', 'o3-mini'] })
  await page.reload()
  await systems.getByLabel('Old (no longer there)').uncheck()
  await systems.getByLabel('Zendesk <b>').check()
  await systems.getByLabel('Desk', { exact: true }).check()
  await page.getByLabel('Default ticket system').selectOption('Zendesk <b>')
  await systems.getByLabel('Zendesk <b>').uncheck()
  t.equal(await page.getByLabel('Default ticket system').inputValue(), '', 'what is not chosen is not the default')
  await page.getByLabel('Default ticket system').selectOption('Desk')
  await seenByAxe(t, page, 'ticket systems')
  await page.getByRole('button', { name: 'Model', exact: true }).click()
  const model = page.getByLabel('Language model')
  await page.locator('#own-models option').waitFor({ state: 'attached' })
  t.equal(await model.getAttribute('list'), 'own-models')
  t.equal(await page.locator('#own-models option').getAttribute('value'), 'o3-mini', 'and no pattern')
  await model.fill('o3-mini')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.locator('.save-bar').waitFor({ state: 'detached' })
  t.match(await saved(), {
    ticketing_providers: ['Desk'], default_ticketing_provider: 'Desk', model: { response_model: 'o3-mini' }
  })
  t.strictSame(faults, [])
})

t.test('somebody else saved meanwhile: both versions are shown, and what is chosen is saved', { skip }, async (t) => {
  const { page, me, at, saved } = await editing(t, { description: 'Old' })
  await page.getByLabel('Description').fill('Mine')
  await page.getByLabel('Category').fill('My category')
  await me.put(at, { description: 'Theirs', name: 'Their name' })
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  const dialog = page.locator('dialog')
  t.match(await dialog.getByRole('group', { name: /Description/ }).innerText(), /changed by both[^]*Mine[^]*Theirs/)
  await seenByAxe(t, page, 'two versions')
  await dialog.getByRole('group', { name: /Description/ }).getByRole('radio').last().check()
  await dialog.getByRole('button', { name: 'Save what I chose' }).click()
  await dialog.waitFor({ state: 'detached' })
  t.match(await saved(), { name: 'Their name', description: 'Theirs', agent_category: 'My category' })
  t.equal(await page.getByLabel('Description').inputValue(), 'Theirs')
})

t.test(
  'the session ends in the middle of an edit: one signs in over it, and nothing typed is lost',
  { skip },
  async (t) => {
    const { page, context, saved } = await editing(t)
    await page.getByLabel('Description').fill('A long text that nobody wants to type twice')
    await context.clearCookies()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Your session has ended.').waitFor()
    await page.getByLabel('E-mail address').fill(EMAIL)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.locator('dialog').getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.locator('.toast', { hasText: 'Saved' }).last().waitFor()
    t.match(await saved(), { description: 'A long text that nobody wants to type twice' })
  }
)

t.test('nobody leaves with unsaved changes without being asked', { skip }, async (t) => {
  const { page } = await editing(t)
  await page.getByLabel('Description').fill('Not saved')
  await page.getByRole('link', { name: 'Knowledge' }).click()
  await page.locator('dialog').getByRole('button', { name: 'Stay here' }).click()
  t.equal(await page.getByLabel('Description').inputValue(), 'Not saved')
  await page.getByRole('link', { name: 'Knowledge' }).click()
  await page.locator('dialog').getByRole('button', { name: 'Leave' }).click()
  await page.waitForURL(/#\/agents\/\d+\/knowledge$/)
})

t.test('hostile names stay names, and deleting names what is lost', { skip }, async (t) => {
  const { page, me, at, faults } = await editing(t, {
    name: HOSTILE, description: HOSTILE, appearance: { chatbotName: HOSTILE, welcomeMessage: HOSTILE }
  })
  await me.post(`${at}/knowledge_sources`, { title: HOSTILE, plain_text: HOSTILE })
  await page.getByRole('button', { name: 'Make a widget key' }).click()
  await page.locator('agenthall-preview .panel h2').getByText(HOSTILE).waitFor()
  await page.getByRole('link', { name: 'Knowledge' }).click()
  await page.locator('.source').getByText(HOSTILE).waitFor()
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('button', { name: 'Delete the agent' }).click()
  const dialog = page.locator('dialog')
  t.match(await dialog.innerText(), /its sources \(1\)/)
  t.ok((await dialog.innerText()).includes(HOSTILE))
  t.equal(await page.locator('img[src=x]').count(), 0)
  await dialog.getByRole('button', { name: /^Delete/ }).click()
  await page.getByText('No agents yet').waitFor()
  t.equal((await me.get(at)).statusCode, 404)
  t.strictSame(faults, [])
})
