import t from 'tap'
import { old, serving, stateless } from './helper.ts'

const YES = { action: 'accept', content: { approve: true } }

t.test('an assistant changes a draft, asks its test questions, and publishes what a person has said yes to', async (t) => {
  const served = await serving(t)
  const { agent, me, settled } = served
  await me.put(`/v1/agents/${agent}`, { publish_on_save: false })
  await me.post(`/v1/agents/${agent}/questions`, {
    text: 'How long can I return something?', expect: { says: ['30 days'] }, blocking: true
  })
  const { client, asked } = await stateless(t, served, me.key!, YES)
  interface Result { structuredContent: any, isError?: boolean, content: Array<{ text: string }> }
  const call = async (name: string, args: object) =>
    await client.callTool({ name, arguments: { agent, ...args } } as never) as Result
  t.match((await call('publish_agent', {})), { isError: true, content: [{ text: 'The draft changes nothing.' }] })
  const settings = { systemPrompt: 'You help.\nBe brief.', behavior: { suggestions: ['Where is it?'] } }
  const { structuredContent: updated } = await call('update_draft', { settings })
  t.match(updated.changes.map(({ field }: { field: string }) => field), ['systemPrompt', 'behavior.suggestions'].sort())
  t.same((await call('diff_agent', {})).structuredContent, updated)
  t.match((await me.get(`/v1/agents/${agent}`)).json().data, { has_unpublished: true, publish_on_save: false })
  t.match(await call('update_draft', { settings: { nonsense: 1 } }), { isError: true, content: [{ text: /nonsense/ }] })

  const { structuredContent: begun } = await call('run_questions', {})
  t.match(begun, { total: 1, failed: [] })
  await settled()
  t.match((await call('run_questions', { run: begun.run })).structuredContent, { state: 'done', passed: 1, failed: [] })
  const { structuredContent: published } = await call('publish_agent', { note: 'Shorter' })
  t.match(asked, [/^Visitors of agent 1 will see these changes:\n\n[^]*systemPrompt[^]*\+ Be brief\./])
  t.match((await me.get(`/v1/agents/${agent}/versions/${published.version}`)).json().data, { note: 'Shorter' })
  t.same((await call('diff_agent', {})).structuredContent, { changes: [] })
})

t.test('what a person said yes to is the draft as it was: not another one, nor for a client that cannot ask', async (t) => {
  const served = await serving(t)
  const { agent, me } = served
  const args = { name: 'publish_agent', arguments: { agent } }
  t.match(await (await stateless(t, served, me.key!, YES)).client.callTool({
    name: 'update_draft', arguments: { agent, settings: { systemPrompt: 'x' } }
  } as never), { isError: true, content: [{ text: /live at once/ }] }, 'what is saved is live')
  await me.put(`/v1/agents/${agent}`, { publish_on_save: false })
  await me.put(`/v1/agents/${agent}`, { systemPrompt: 'You help gladly.' })
  t.match(await (await old(t, served, me.key!)).callTool(args), { isError: true, content: [{ text: /cannot ask one/ }] })
  const no = await stateless(t, served, me.key!, { action: 'decline' })
  await no.client.callTool(args as never).catch(() => {})
  t.equal((await me.get(`/v1/agents/${agent}`)).json().data.has_unpublished, true)
  // The draft changes back and forth while the person reads: the words are the same, but it is another draft.
  const moving = await stateless(t, served, me.key!, YES, async () => {
    if (moving.asked.length > 1) return
    await me.put(`/v1/agents/${agent}`, { systemPrompt: 'Other.' })
  })
  await moving.client.callTool(args as never)
  t.equal(moving.asked.length, 2, 'another draft is asked about anew')
  t.match(moving.asked[1], /Other\./)
  await me.put(`/v1/agents/${agent}`, { systemPrompt: 'y'.repeat(9000) })
  t.match(await moving.client.callTool(args as never), { isError: true, content: [{ text: /in the console: Versions/ }] })
})

t.test('questions with which a draft fails hold it up, whoever publishes it', async (t) => {
  const served = await serving(t)
  const { agent, me, settled } = served
  await me.put(`/v1/agents/${agent}`, { publish_on_save: false })
  await me.put(`/v1/agents/${agent}`, { systemPrompt: 'You help gladly.' })
  await me.post(`/v1/agents/${agent}/questions`, { text: 'How long can I return something?', expect: { says: ['90 days'] }, blocking: true })
  const { client } = await stateless(t, served, me.key!, YES)
  const begun: any = await client.callTool({ name: 'run_questions', arguments: { agent } } as never)
  await settled()
  const done: any = await client.callTool({ name: 'run_questions', arguments: { agent, run: begun.structuredContent.run } } as never)
  t.match(done.structuredContent, { passed: 0, failed: [{ question: 'How long can I return something?', verdict: 'fail', why: [/90 days/] }] })
  t.match(await client.callTool({ name: 'publish_agent', arguments: { agent } } as never), { isError: true })
  t.equal((await me.get(`/v1/agents/${agent}`)).json().data.has_unpublished, true)
})
