import { writeFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { TRACK } from '../../actions/helper.ts'
import { QUESTION } from '../../conversations/helper.ts'
import { closeBrowser, consoleAt, seenByAxe, shop, signedIn, withoutChromium } from '../helper.ts'

t.teardown(closeBrowser)

const skip = withoutChromium

/** An agent in the console of its creator. */
async function opened (t: Test, at: (built: Awaited<ReturnType<typeof shop>>) => string, questions: object[] = []) {
  const built = await shop(t)
  const { me, id } = built
  const route = `/v1/agents/${id}`
  for (const question of questions) await me.post(`${route}/questions`, question)
  const context = await signedIn(t, built, me.id)
  const { page, faults } = await consoleAt(context, built, at(built))
  const kept = async () => (await me.get(`${route}/questions`)).json().data
  return { ...built, route, page, faults, kept, button: (name: string) => page.getByRole('button', { name, exact: true }) }
}
const onQuestions = ({ id }: { id: number }) => `/agents/${id}/questions`

t.test('a question is added, asked, changed and removed', { skip }, async (t) => {
  const { page, faults, kept, button } = await opened(t, onQuestions)
  await button('Add a question').click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByRole('alert').or(dialog.locator('.error')).first().waitFor()
  await dialog.getByLabel('What a customer asks').fill(QUESTION)
  await dialog.getByLabel('The answer must say', { exact: true }).fill('30 days\n60 days')
  await dialog.getByLabel('The answer must cite').selectOption('Returns')
  await seenByAxe(t, page, 'question')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Not asked yet').waitFor()
  t.match(await kept(), [{ text: QUESTION, expect: { says: ['30 days', '60 days'], sources: [1], unknown: null } }])

  await button('Ask what is live').click()
  await page.getByText('0 of 1 passed.').waitFor()
  await page.getByText('"60 days" is not in the answer.').waitFor()
  await page.getByRole('img', { name: 'Failed' }).waitFor()
  await button(`Change: ${QUESTION}`).click()
  await dialog.getByLabel('The answer must say', { exact: true }).fill('30 days')
  await dialog.getByLabel('Whether the agent knows it').selectOption('It must know it')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  await button('Ask what is live').click()
  await page.getByRole('img', { name: 'Failed, Passed' }).waitFor()
  t.match(await kept(), [{ expect: { says: ['30 days'], unknown: false } }])
  await seenByAxe(t, page, 'questions')
  await button(`Remove: ${QUESTION}`).click()
  await dialog.getByRole('button', { name: 'Remove' }).click()
  await page.getByText('No test questions yet').waitFor()
  t.match(faults, [/400/], 'but for the refusal that is told')
  t.equal(faults.length, 1)
})

t.test('a question names the action that must be chosen, and what actions answer', { skip }, async (t) => {
  const { me, id, page, kept, button } = await opened(t, onQuestions)
  const connection = (await me.post('/v1/connections', { name: 'Shop', base_url: 'https://shop.example' })).json().data.id
  const action = (await me.post('/v1/actions', { ...TRACK, connection, enabled: true })).json().data.id
  await me.put(`/v1/agents/${id}`, { behavior: { actionIds: [action] } })
  await page.reload()
  await button('Add a question').click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('What a customer asks').fill('Where is my order 1001?')
  await dialog.getByLabel('Which action it must choose').selectOption('Looking up your order')
  await dialog.getByLabel('With these values').fill('number = 1001')
  await dialog.getByLabel('What “Looking up your order” answers in a run').fill('{"status":"here"}')
  await seenByAxe(t, page, 'a question about an action')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Not asked yet').waitFor()
  t.match(await kept(), [{
    actions: [{ name: 'track_order', result: '{"status":"here"}' }],
    expect: { action: 'track_order', arguments: { number: '1001' } }
  }])
  await button('Change: Where is my order 1001?').click()
  t.equal(await dialog.getByLabel('With these values').inputValue(), 'number = 1001')
  await dialog.getByLabel('Which action it must choose').selectOption('')
  await dialog.getByLabel('What “Looking up your order” answers in a run').fill('')
  await dialog.getByLabel('The answer must say', { exact: true }).fill('x')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  t.match(await kept(), [{ actions: [], expect: { action: null, arguments: null, says: ['x'] } }])
})

t.test('questions are read from a CSV file', { skip }, async (t) => {
  const { page, kept } = await opened(t, onQuestions)
  const file = path.join(t.testdir({}), 'questions.csv')
  writeFileSync(file, 'text,says\nHow long?,30 days\nWhere?,here')
  await page.locator('input[type=file]').setInputFiles(file)
  await page.getByText('Added: 2, changed: 0.').waitFor()
  t.match(await kept(), [{ text: 'How long?' }, { text: 'Where?' }])
})

t.test('an answer in the inbox becomes a test question by one click', { skip }, async (t) => {
  const { page, faults, kept, say } = await opened(t, ({ conversation }) => `/inbox/${conversation}`)
  await say(QUESTION)
  await page.getByRole('button', { name: 'Make it a test question' }).first().click()
  await page.getByText('It is a test question now.').waitFor()
  t.equal((await kept()).length, 1)
  t.strictSame(faults, [])
})

t.test('a draft with which a question fails is published with a reason alone', { skip }, async (t) => {
  const { page, me, route, button } = await opened(
    t, ({ id }) => `/agents/${id}/versions`, [{ text: 'Hello', expect: { says: ['good evening'] } }]
  )
  await me.put(route, { publish_on_save: false })
  await me.put(route, { description: 'New' })
  await page.reload()
  await button('Review and publish').click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Publish' }).click()
  await dialog.getByText('"good evening" is not in the answer.').waitFor()
  await seenByAxe(t, page, 'gate')
  await dialog.getByLabel('Reason').fill('It is morning')
  await dialog.getByRole('button', { name: 'Publish all the same' }).click()
  await page.getByText('Version 2 is live.').waitFor()
  await page.getByText('Published although test questions failed: It is morning').waitFor()
  t.match((await me.get(`${route}/versions/2`)).json().data, { force_reason: 'It is morning' })
})

t.test('what got worse by changed knowledge is said on the pages of the agent', { skip }, async (t) => {
  const { page, me, route, stores, clock, settled } = await opened(
    t, ({ id }) => `/agents/${id}/words`, [{ text: QUESTION, expect: { sources: [1], says: ['30 days'] } }]
  )
  await me.post(`${route}/runs`, { of: 'live' })
  await settled()
  await me.put(`${route}/knowledge_sources/1`, { plain_text: 'Returns are accepted within 14 days of delivery.' })
  await settled()
  clock.advance(600_000)
  await stores.jobs.ask([])
  await settled()
  await page.reload()
  await page.getByText('What the agent knows has changed: 1 test questions').waitFor()
  t.pass('the banner is there')
})
