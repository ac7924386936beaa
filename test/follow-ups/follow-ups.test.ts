import t, { type Test } from 'tap'
import { talkative, QUESTION } from '../conversations/helper.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const FOLLOWED = {
  behavior: { followupCount: 2, followupInterval: 30, followupMessages: ['Still there?', 'I am here if you need me.'] }
}

/** An agent with follow-ups, a visitor who has been answered, and what the agent says as time passes. */
async function following (t: Test, agent: object = FOLLOWED, env: Record<string, string> = {}) {
  const built = await talkative(t, env, agent)
  const { me, at, clock, settled } = built
  const said = async () =>
    (await me.get(`${at}/messages?limit=100`))
      .json()
      .data.slice(2)
      .map(({ text }: { text: string }) => text)
  const after = async (ms: number) => {
    clock.advance(ms)
    await settled()
    return await said()
  }
  return { ...built, said, after }
}

t.test('a silent visitor is written to twice, and a day later the conversation is closed', async (t) => {
  const { me, at, say, after } = await following(t)
  await say(QUESTION)
  t.strictSame(await after(29 * MINUTE_MS), [])
  t.strictSame(await after(MINUTE_MS), ['Still there?'])
  t.strictSame(await after(29 * MINUTE_MS), ['Still there?'])
  t.strictSame(await after(MINUTE_MS), ['Still there?', 'I am here if you need me.'])
  const { data } = (await me.get(`${at}/messages`)).json()
  t.match(data.at(-1), { role: 'agent', status: 'complete', answered_by: 'canned', model: null, usage: null })
  await after(23 * HOUR_MS + 58 * MINUTE_MS)
  t.equal((await me.get(at)).json().data.status, 'open', 'a day is counted from the last one')
  await after(3 * MINUTE_MS)
  t.equal((await me.get(at)).json().data.status, 'closed')
  const all = await after(48 * HOUR_MS)
  t.equal(all.filter((text: string) => text === 'Still there?').length, 1, 'nothing is said twice')
})

t.test('night holds nothing back: what is said in the conversation is read when the visitor comes back', async (t) => {
  const { say, after, clock } = await following(t)
  // The fixed clock starts at midnight.
  t.equal(new Date(clock.micros() / 1000).getUTCHours(), 0)
  await say(QUESTION)
  t.strictSame(await after(30 * MINUTE_MS), ['Still there?'])
})

t.test('a message, typing and the end cancel what was to come', async (t) => {
  for (const what of ['message', 'typing', 'close', 'takeover', 'delete']) {
    const { me, at, say, after, stores, conversation, id } = await following(t)
    await say(QUESTION)
    await after(29 * MINUTE_MS)
    if (what === 'message') await say('Thanks!')
    if (what === 'typing') {
      const asked = stores.db.raw.prepare("select count(*) from jobs where kind = 'follow-up'").pluck()
      stores.conversations.typing.say(me.id, conversation, 'visitor')
      // A typing visitor is not interrupted by follow-ups.
      while (asked.get() !== 0) await new Promise(setImmediate)
    }
    if (what === 'close') await me.patch(at, { status: 'closed' })
    if (what === 'takeover') await me.post(`${at}/takeover`, {})
    if (what === 'delete') await me.delete(at)
    if (what === 'delete') {
      await me.post(`/v1/agents/${id}/conversations`, {})
      t.strictSame(await after(5 * MINUTE_MS).catch(() => []), [], what)
      continue
    }
    const all = await after(5 * MINUTE_MS)
    t.notOk(all.includes('Still there?'), what)
    t.notOk((await after(2 * HOUR_MS)).includes('I am here if you need me.'), what)
  }
})

t.test('nothing follows a greeting, "I do not know", or an agent that was not asked to', async (t) => {
  const { say, after } = await following(t)
  await say('Hello')
  t.strictSame(await after(2 * HOUR_MS), [])
  const other = await following(t)
  await other.say('What does the moon weigh in kilograms?')
  t.notOk((await other.after(2 * HOUR_MS)).includes('Still there?'))
  const silent = await following(t, {})
  await silent.say(QUESTION)
  t.strictSame(await silent.after(2 * HOUR_MS), [])
})

t.test('a machine that was off for two days says nothing that is too late, and nothing twice', async (t) => {
  const { say, after, said } = await following(t)
  await say(QUESTION)
  await after(0)
  const all = await after(48 * HOUR_MS)
  t.notOk(all.includes('Still there?'), 'over a day late')
  t.strictSame((await said()).filter((text: string) => text.startsWith('I am here')), [])
})

t.test('a new answer is followed anew, from its own time', async (t) => {
  const { say, after } = await following(t)
  await say(QUESTION)
  await after(20 * MINUTE_MS)
  await say('And what about the packaging of returns?')
  t.notOk((await after(20 * MINUTE_MS)).includes('Still there?'))
  t.ok((await after(10 * MINUTE_MS)).includes('Still there?'))
})

t.test('killed after it was said and before the job ended, it is not said again', async (t) => {
  const { say, after, said, stores: { db, jobs } } = await following(t)
  await say(QUESTION)
  await after(0)
  const job = db.raw.prepare("select * from jobs where kind = 'follow-up'").get() as {
    payload: string, subject: number
  }
  t.ok(job)
  await after(30 * MINUTE_MS)
  t.strictSame(await said(), ['Still there?'])
  // The same job once more, as the queue has it when the process died before the job's end.
  await jobs.ask([{ kind: 'follow-up', subject: job.subject, owner: 1, payload: JSON.parse(job.payload) }])
  t.strictSame(await after(0), ['Still there?'])
  t.strictSame(
    await after(30 * MINUTE_MS), ['Still there?', 'I am here if you need me.'], 'and the next one comes in its time'
  )
})

t.test(
  'follow-ups further apart than a day are waited for: silence does not end the conversation before',
  async (t) => {
    const { me, at, say, after } = await following(t, {
      behavior: { ...FOLLOWED.behavior, followupInterval: 2 * 24 * 60 }
    })
    await say(QUESTION)
    await after(25 * HOUR_MS)
    t.equal((await me.get(at)).json().data.status, 'open')
    t.strictSame(await after(23 * HOUR_MS), ['Still there?'])
    await after(48 * HOUR_MS)
    t.equal((await me.get(at)).json().data.status, 'open')
    await after(25 * HOUR_MS)
    t.equal((await me.get(at)).json().data.status, 'closed')
  }
)
