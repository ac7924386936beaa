import t, { type Test } from 'tap'
import { QUESTION, RETURNS } from '../conversations/helper.ts'
import { slowModel } from '../conversations/slow-model.ts'
import { closeBrowser, consoleAt, seenByAxe, signedIn, withoutChromium } from './helper.ts'
import { serve } from '../sources/parts.ts'
import { house } from './visit.ts'

t.teardown(closeBrowser)

const skip = withoutChromium

/** An agent that knows about returns, with a key for its widget, and a browser in which Ada is signed in. */
async function shop (t: Test, env: Record<string, string> = {}) {
  const built = await house(t, env)
  const { me, settled } = built
  const { id } = (await me.post('/v1/agents', { name: 'Shop', systemPrompt: 'You help.' })).json().data
  await me.post(`/v1/agents/${id}/widget_keys`, { name: 'Our shop' })
  await me.post(`/v1/agents/${id}/knowledge_sources`, { title: 'Returns', plain_text: RETURNS })
  await settled()
  const context = await signedIn(t, built, built.id)
  return {
    ...built,
    agent: id as number,
    at: `/v1/agents/${id}`,
    open: async (address: string) => await consoleAt(context, built, address)
  }
}

t.test('axe finds nothing on the pages of an agent, in both themes and at two widths', { skip }, async (t) => {
  const { agent, me, at, open } = await shop(t)
  await me.post(`${at}/knowledge_sources`, { title: 'Away', urls: ['http://127.0.0.1:1/'] })
  for (const [address, shown] of [
    ['/agents', '.item'],
    [`/agents/${agent}?part=look`, 'agenthall-preview .panel'],
    [`/agents/${agent}?part=people`, 'agenthall-preview .panel'],
    [`/agents/${agent}/knowledge`, '.source'],
    [`/agents/${agent}/try`, '.composer'],
    [`/agents/${agent}/site`, 'pre']
  ] as const) {
    const { page, faults } = await open(address)
    await page.locator(shown).first().waitFor()
    await seenByAxe(t, page, address)
    t.strictSame(faults, [], address)
    await page.close()
  }
})

t.test('the widget beside the settings follows what is typed, before it is saved', { skip }, async (t) => {
  const { agent, at, me, open } = await shop(t)
  const { page, faults } = await open(`/agents/${agent}?part=look`)
  const widget = page.locator('agenthall-preview')
  await widget.locator('.panel').waitFor()
  // Was 14 px: measured before it was shown, so that its placeholder was cut off.
  t.ok((await widget.getByRole('textbox').boundingBox())!.height > 30, 'there is room for a line')
  await page.getByLabel('Name in the widget').fill('Velo')
  await widget.getByRole('heading', { name: 'Velo' }).waitFor()
  await page.getByLabel('Greeting').fill('Good **day**')
  await widget.locator('strong', { hasText: 'day' }).waitFor()
  await page.getByLabel('Place on the page').selectOption('Top left')
  await page.locator('agenthall-preview.top-left').waitFor()
  await widget.getByRole('textbox').fill(QUESTION)
  await page.keyboard.press('Enter')
  await widget.locator('.cite').first().waitFor()
  t.equal((await me.get(at)).json().data.appearance.chatbotName === 'Velo', false, 'nothing is saved by it')
  t.strictSame(faults, [])
})

t.test('agents are found by name and by state, and an empty list says what to do', { skip }, async (t) => {
  const { me, open } = await shop(t)
  await me.post('/v1/agents', { name: 'Night', systemPrompt: 'x', status: 'Inactive' })
  const { page } = await open('/agents')
  await page.locator('.item').nth(1).waitFor()
  await page.getByRole('searchbox').fill('nig')
  await page.locator('.item').nth(1).waitFor({ state: 'detached' })
  t.match(await page.locator('.item').innerText(), /Night/)
  await page.getByLabel('State').selectOption('Active')
  await page.getByText('Nothing found').waitFor()
})

t.test('knowledge: a text, a page that fails, one not used, one deleted, each as it happens', { skip }, async (t) => {
  const { agent, settled, open, me, at } = await shop(t)
  const { page } = await open(`/agents/${agent}/knowledge`)
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('button', { name: 'Add a text' }).click()
  await page.getByLabel('Title').fill('Hours')
  await page.getByRole('textbox', { name: 'Text', exact: true }).fill('We are open from nine to five.')
  // The list may already show it as trained when it is read: that it waits at first is what the server answers.
  const answered = page.waitForResponse((answer) => answer.request().method() === 'POST')
  await page.locator('dialog').getByRole('button', { name: 'Add', exact: true }).click()
  t.match(await (await answered).text(), '"status":"Pending"')
  const hours = page.locator('.source', { hasText: 'Hours' })
  await hours.waitFor()
  await settled()
  // What is in order is not mentioned.
  await hours.locator('.badge').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('button', { name: 'Add a page or site' }).click()
  await page.getByLabel('Address').fill('127.0.0.1:1/help')
  await page.locator('dialog').getByRole('button', { name: 'Add', exact: true }).click()
  const away = page.locator('.source', { hasText: 'help' })
  await away.waitFor()
  await settled()
  await away.getByText('not on the public internet').waitFor()
  // It stays as it was until the server has answered.
  await page.getByLabel('The agent uses Hours').click()
  await page.getByRole('switch', { name: 'The agent uses Hours', checked: false }).waitFor()
  await away.getByRole('button', { name: /^More for/ }).click()
  await away.getByRole('button', { name: 'Delete' }).click()
  await page.locator('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
  await away.waitFor({ state: 'detached' })
  await me.post(`${at}/knowledge_sources`, { title: 'From elsewhere', plain_text: 'x' })
  await page.locator('.source', { hasText: 'From elsewhere' }).waitFor()
  await page.getByLabel('State').selectOption('Failed')
  await page.getByText('No source in this state.').waitFor()
})

t.test('folders are made, renamed, filled, looked at alone and deleted, and no source with them', { skip }, async (t) => {
  const { agent, open, me, at, settled } = await shop(t)
  const { page, faults } = await open(`/agents/${agent}/knowledge`)
  const dialog = page.locator('dialog')
  const make = async (name: string, inside?: string) => {
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('button', { name: 'New folder' }).click()
    await dialog.getByLabel('Name').fill(name)
    if (inside) await dialog.getByLabel('Inside').selectOption(inside)
    await dialog.getByRole('button', { name: 'Make the folder' }).click()
    await dialog.waitFor({ state: 'detached' })
  }
  await make('Orders')
  await make('Abroad', 'Orders')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('button', { name: 'New folder' }).click()
  await dialog.getByLabel('Name').fill('Orders')
  await dialog.getByRole('button', { name: 'Make the folder' }).click()
  await dialog.getByRole('alert').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Leave' }).click()
  await page.getByRole('button', { name: 'More for Returns' }).click()
  await page.locator('.source').getByRole('button', { name: 'Move' }).click()
  await dialog.getByLabel('Folder', { exact: true }).selectOption('Orders / Abroad')
  await dialog.getByRole('button', { name: 'Move', exact: true }).click()
  await page.getByText('Returns is now in “Orders / Abroad”').waitFor()
  await page.getByLabel('Folder', { exact: true }).selectOption('Orders')
  await page.getByText('This folder is empty.').waitFor()
  await page.getByRole('button', { name: 'Change the folder Orders' }).click()
  t.strictSame(
    await dialog.getByLabel('Inside').locator('option').allInnerTexts(), ['In no folder'], 'never into itself'
  )
  await dialog.getByLabel('Name').fill('Sales')
  await seenByAxe(t, page, 'a folder')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByLabel('Folder', { exact: true }).selectOption('Sales / Abroad')
  await page.locator('.source', { hasText: 'Returns' }).waitFor()
  // A new source goes into the open folder.
  await page.locator('input[type=file]').setInputFiles({ name: 'far.txt', mimeType: 'text/plain', buffer: Buffer.from('Far.') })
  await page.locator('.source', { hasText: 'far' }).waitFor()
  await settled()
  await page.getByRole('button', { name: 'Delete the folder Abroad' }).click()
  await dialog.getByText('move to “Sales”').waitFor()
  await dialog.getByRole('button', { name: 'Delete the folder' }).click()
  await page.getByText('The folder Abroad is deleted').waitFor()
  await page.locator('.source').nth(1).waitFor()
  const { data } = (await me.get(`${at}/knowledge_folders`)).json()
  const sales = data.find(({ name }: { name: string }) => name === 'Sales').id
  const sources = (await me.get(`${at}/knowledge_sources`)).json().data
  t.strictSame(
    sources.map((source: { agent_knowledge_folder: number }) => source.agent_knowledge_folder), [sales, sales]
  )
  t.equal(data.length, 2)
  t.ok(faults.every((fault) => fault.includes('409')), 'but for the name that was taken nothing is complained of')
})

t.test('a file that is refused says why, can be sent again, and can be taken off the list', { skip }, async (t) => {
  const { agent, open } = await shop(t, { AGENTHALL_UPLOAD_MIB: '1' })
  const { page } = await open(`/agents/${agent}/knowledge`)
  const files = [
    ['large.txt', 'x'.repeat(1_200_000)], ['small.txt', 'Small.']
  ].map(([name, text]) => ({ name: name!, mimeType: 'text/plain', buffer: Buffer.from(text!) }))
  await page.locator('input[type=file]').setInputFiles(files)
  await page.locator('.source', { hasText: 'small' }).waitFor()
  const large = page.locator('.sending', { hasText: 'large.txt' })
  await large.getByRole('alert').waitFor()
  await large.getByRole('button', { name: 'Send again' }).click()
  await large.getByRole('alert').waitFor()
  await large.getByRole('button', { name: 'Take large.txt off the list' }).click()
  await large.waitFor({ state: 'detached' })
})

t.test('trying: an answer is seen while it is written, and can be stopped', { skip }, async (t) => {
  const model = await slowModel(t)
  const { agent, open } = await shop(t, { AGENTHALL_MODEL_URL: model.url })
  const { page } = await open(`/agents/${agent}/try`)
  await page.getByRole('textbox').fill(QUESTION)
  await page.keyboard.press('Enter')
  const asked = await model.next()
  await asked.say('Within **30 days** [1]')
  await page.locator('.said strong', { hasText: '30 days' }).waitFor()
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByText('Stopped').waitFor()
  await page.getByRole('button', { name: 'Start over' }).click()
  await page.getByRole('heading', { name: 'Ask something' }).waitFor()
})

// Was wrong: an hour's text was lost with one press of Escape.
t.test('what was typed into a dialog is not lost by Escape or the cross without a word', { skip }, async (t) => {
  const built = await house(t)
  const { id } = (await built.me.post('/v1/agents', { name: 'Ada', systemPrompt: 'You help.' })).json().data
  const { page, faults } = await consoleAt(await signedIn(t, built, built.id), built, `/agents/${id}/knowledge`)
  const add = page.getByRole('button', { name: 'Add a text' })
  await add.click()
  const dialogs = page.getByRole('dialog')
  await page.keyboard.press('Escape')
  await dialogs.waitFor({ state: 'detached' })
  await add.click()
  const text = dialogs.getByLabel('Text', { exact: true })
  await text.fill('A long text that nobody wants to type twice')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Stay here' }).click()
  t.equal(await text.inputValue(), 'A long text that nobody wants to type twice')
  await dialogs.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('button', { name: 'Leave' }).click()
  await dialogs.waitFor({ state: 'detached' })
  t.strictSame(faults, [])
})

t.test('the pages of a site stand below it, as folders of its address, and a source that was named is shown', { skip }, async (t) => {
  const { agent, at, me, open, settled } = await shop(t, { AGENTHALL_ALLOWED_HOSTS: '127.0.0.1' })
  const text = (about: string) => `<main><h1>${about}</h1><p>Everything that there is to say about ${about}, at length.</p></main>`
  const paths = ['/help/returns', '/help/shipping', '/about']
  const links = paths.map((path) => `<a href="${path}">${path}</a>`).join(' ')
  const origin = await serve(t, ({ url }, reply) => reply.writeHead(
    url === '/robots.txt' ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' }
  ).end(`<title>${url}</title>${links}${text(String(url))}`))
  await me.post(`${at}/knowledge_sources`, { title: 'Our site', urls: [`${origin}/`], count: 50, depth: 3 })
  await settled()
  const { page, faults } = await open(`/agents/${agent}/knowledge`)
  await page.locator('.source', { hasText: 'Our site' }).waitFor()
  t.equal(await page.locator('.source', { hasText: '/help/' }).count(), 0, 'pages do not stand between other sources')
  await page.getByRole('button', { name: 'Pages of Our site' }).click()
  await page.locator('.tree summary', { hasText: '/help/' }).getByText('2 pages').waitFor()
  await page.locator('.tree > ul .source', { hasText: '/about' }).first().waitFor()
  await page.locator('.tree summary').click()
  await page.locator('.tree details .source', { hasText: '/help/returns' }).first().waitFor()
  await seenByAxe(t, page, 'the pages of a site')
  const { data } = (await me.get(`${at}/knowledge_sources?parent=0`)).json()
  const { id } = data.find(({ title }: { title: string }) => title === 'Returns')
  const named = await open(`/agents/${agent}/knowledge?source=${id}`)
  await named.page.locator('dialog').getByText('within 30 days').waitFor()
  await named.page.keyboard.press('Escape')
  await named.page.locator('dialog').waitFor({ state: 'detached' })
  const gone = await open(`/agents/${agent}/knowledge?source=999999`)
  await gone.page.locator('dialog').getByText('This source is gone').waitFor()
  const nobody = await open('/agents/abc')
  await nobody.page.getByRole('heading', { name: 'There is no such agent' }).first().waitFor()
  t.strictSame([...faults, ...named.faults], [])
})
