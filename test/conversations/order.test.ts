import '../bare-children.ts'
import t from 'tap'
import { conversing, NOTICE, QUESTION } from './helper.ts'
import { settled } from '../../src/platform/storage/work.ts'

const inShort = (messages: Array<Record<string, any>>) =>
  messages.map(({ seq, role, status, text }) => [seq, role, status, text])

t.test('a further message before anything is seen: one answer to both, and no gap in the order', async (t) => {
  const { model, answer, messages, clock } = await conversing(t)
  const first = answer('How many days do I have?')
  const asked = await model.next()
  // However long ago the first was said. Was wrong where only recent ones are regenerated.
  clock.advance(60_000)
  const second = answer('For returns, I mean.')
  await asked.gone
  const again = await model.next()
  t.match(again.body.messages.at(-1), { role: 'user', content: 'How many days do I have?\nFor returns, I mean.' })
  await again.say('30 days [1].')
  again.end()
  const [one, other] = await Promise.all([first, second])
  t.equal(one.id, other.id)
  t.strictSame(inShort(await messages()), [
    [1, 'visitor', 'complete', 'How many days do I have?'],
    [2, 'visitor', 'complete', 'For returns, I mean.'],
    [3, 'agent', 'complete', `${NOTICE}30 days [1].`]
  ])
})

t.test('messages sent in the same moment have one answer', async (t) => {
  // Was wrong: the second of them found no generation to cancel, and had an answer of its own.
  const { model, say, messages } = await conversing(t)
  const all = Promise.all([say('How many days'), say('do I have'), say('for returns?')])
  const play = async () => {
    for (;;) {
      const asked = await model.next()
      await asked.say('30 days [1].')
      asked.end()
    }
  }
  play()
  const ids = new Set((await all).map(({ json }) => json().data.id))
  t.equal(ids.size, 1)
  t.strictSame(
    (await messages()).map(({ seq, role }) => `${seq} ${role}`), ['1 visitor', '2 visitor', '3 visitor', '4 agent']
  )
})

t.test(
  'a further message within 800 ms begins the answer anew, a later one waits for one further answer',
  async (t) => {
    const { model, answer, messages, seen, clock } = await conversing(t)
    const first = answer(QUESTION)
    const asked = await model.next()
    await asked.say('30 days [1]')
    await seen('30')
    clock.advance(800)
    const second = answer('Or less?')
    const anew = await model.next()
    t.match(anew.body.messages.at(-1)!.content, `${QUESTION}\nOr less?`)
    await anew.say('30 days [1]')
    await seen('30')
    clock.advance(801)
    const third = answer('And are returns accepted?')
    const fourth = answer('After delivery?')
    while ((await messages()).length < 5) await new Promise(setImmediate)
    await anew.say(', no less.')
    anew.end()
    const further = await model.next()
    t.match(further.body.messages.at(-1)!.content, 'And are returns accepted?\nAfter delivery?')
    await further.say('Then none [1].')
    further.end()
    const ids = (await Promise.all([first, second, third, fourth])).map(({ seq }) => seq)
    t.strictSame(ids, [3, 3, 6, 6])
    t.strictSame(
      (await messages()).map(({ text }) => text),
      [
        QUESTION,
        'Or less?',
        `${NOTICE}30 days [1], no less.`,
        'And are returns accepted?',
        'After delivery?',
        'Then none [1].'
      ]
    )
  }
)

t.test('an answer that was taken away stays so until it is given back, and one that is being stopped is not taken', async (t) => {
  // Was wrong without the check why it ends, once for each.
  const { model, answer, messages, seen, clock, conversation, stores } = await conversing(t)
  const { runs } = stores.conversations.talk
  const first = answer(QUESTION)
  const asked = await model.next()
  await asked.say('30 days [1]')
  await seen('30')
  t.equal(runs.supersede(conversation), true)
  clock.advance(801)
  t.equal(runs.supersede(conversation), true, 'by then it is not fresh any more')
  t.equal(runs.of(conversation), undefined)
  runs.restore(conversation)
  const anew = await model.next()
  await anew.say('30 days [1]')
  await seen('30')
  const stopped = runs.stop(conversation, (await messages())[1]!.id)
  t.equal(runs.supersede(conversation), false)
  await stopped
  t.equal((await first).status, 'stopped')
})

t.test('stop keeps what was seen; of a stop and the end that race, exactly one counts', async (t) => {
  const { model, say, me, at, messages, seen, answer } = await conversing(t)
  const stopped = answer(QUESTION)
  const asked = await model.next()
  await asked.say('30 days [1]')
  await seen('30')
  const { id } = (await messages())[1]!
  t.match((await me.post(`${at}/messages/${id}/stop`)).json().data, { status: 'stopped', text: `${NOTICE}30 days` })
  await asked.gone
  t.equal((await stopped).status, 'stopped')
  for (let round = 0; round < 10; round++) {
    const done = say(QUESTION)
    const raced = await model.next()
    await raced.say('30 days [1]')
    await seen('30')
    const { id } = (await messages()).at(-1)!
    raced.end()
    for (let turns = 0; turns < round; turns++) await new Promise(setImmediate)
    const told = (await me.post(`${at}/messages/${id}/stop`)).json().data
    const kept = (await messages()).at(-1)!
    t.strictSame(told, kept)
    t.match(kept.text, /^30 days/)
    t.match((await done).json().data.status, kept.status)
    t.match(kept.status, /^(stopped|complete)$/)
  }
})

t.test('deleting the conversation, or the agent, ends the answer that is being written', async (t) => {
  // Was wrong: a deleted agent went on writing, and waiting callers got 201.
  for (const which of ['conversation', 'agent'] as const) {
    const { model, me, id, at, say, seen } = await conversing(t)
    const waiting = say(QUESTION)
    const asked = await model.next()
    await asked.say('30 days [1]')
    await seen('30')
    t.equal((await me.delete(which === 'agent' ? `/v1/agents/${id}` : at)).statusCode, 200)
    await asked.gone
    t.match((await waiting).json().error, { code: 'not_found', status: 404 }, which)
    t.equal((await me.get(at)).statusCode, 404)
  }
})

t.test('a provider that fails before the first word is replaced by the sources; no word of it is shown', async (t) => {
  const { model, answer } = await conversing(t)
  const refused = answer(QUESTION)
  ;(await model.next()).refuse(429, { 'retry-after': '600' })
  const extract = await refused
  t.match(extract, { answered_by: 'extract', status: 'complete', text: /within 30 days of delivery/, error: null })
  t.equal(model.all.length, 1, 'nobody waits for ten minutes')
  const failed = answer(QUESTION)
  for (let i = 0; i < 3; i++) (await model.next()).refuse(500)
  t.match(await failed, { answered_by: 'extract', status: 'complete' })
  t.notMatch(JSON.stringify([extract, await failed]), /SECRET/)
})

t.test('what breaks off keeps its text and fails in our words; it can be written anew', async (t) => {
  for (const how of ['cut', 'stopShort'] as const) {
    const { model, answer, me, at, seen, messages } = await conversing(t)
    const broken = answer(QUESTION)
    const asked = await model.next()
    await asked.say('30 days [1]')
    await seen('30')
    asked[how]()
    const failed = await broken
    t.match(failed, { status: 'failed', text: `${NOTICE}30 days`, error: { code: /^model_/, message: /\w/ } }, how)
    const anew = me.post(`${at}/messages/${failed.id}/regenerate`)
    const again = await model.next()
    await again.say('30 days [1].')
    again.end()
    t.match((await anew).json().data, { status: 'complete', replaces: failed.id, seq: 3 })
    // What was replaced is not part of the history.
    const next = answer('And then?')
    const last = await model.next()
    t.strictSame(last.body.messages.slice(1).map(({ role }) => role), ['user', 'assistant', 'user'])
    await last.say('Nothing [1].')
    last.end()
    await next
    t.equal((await messages()).length, 5)
  }
})

t.test('a client of openai in a conversation hears of its deletion, and is not left hanging', async (t) => {
  // Was wrong: the rejection was unhandled, which ended the whole server.
  const { model, me, id, at, conversation, seen } = await conversing(t)
  const body = { model: `agent-${id}`, messages: [{ role: 'user', content: QUESTION }], metadata: { conversation } }
  const whole = me.post('/v1/chat/completions', body)
  const asked = await model.next()
  await asked.say('30 days [1]')
  await seen('30')
  await me.delete(at)
  t.match((await whole).json().error, { code: 'unavailable' })
})

t.test('what is begun anew follows after a blank line for a client of openai', async (t) => {
  const { model, me, id, conversation, say, seen } = await conversing(t)
  const streamed = me.post('/v1/chat/completions', {
    model: `agent-${id}`, messages: [{ role: 'user', content: QUESTION }], metadata: { conversation }, stream: true
  })
  const asked = await model.next()
  await asked.say('30 days [1]')
  await seen('30')
  for (let turns = 0; turns < 20; turns++) await new Promise(setImmediate)
  const further = say('Or less?')
  const anew = await model.next()
  await anew.say('Not less than 30 days [1].')
  anew.end()
  await further
  const text = [...(await streamed).body.matchAll(/"delta":\{(?:"role":"assistant",)?"content":"((?:[^"\\]|\\.)*)"/g)]
    .map(([, piece]) => JSON.parse(`"${piece}"`))
    .join('')
  t.equal(text, `${NOTICE}30 days\n\n${NOTICE}Not less than 30 days [1].`)
})

t.test('an answer whose end could not be kept is ended by a stop, and what waited behind it is answered', async (t) => {
  // Was wrong: the further answer began in the file alone, and nothing wrote it before the next start.
  const { model, say, me, at, messages, stores: { conversations: { talk, store } } } = await conversing(t)
  const first = say(QUESTION)
  const asked = await model.next()
  const [question, lost] = await messages() as [Record<string, any>, Record<string, any>]
  talk.runs.drop(question['conversation'])
  await asked.gone
  await store.change(1, question['conversation'], {}, ({ conversation }) => settled({
    conversation: { ...conversation, messages: 3 },
    messages: [{ ...question, id: `msg_${'x'.repeat(22)}`, seq: 3, text: 'Hello', attempts: 0 } as never],
    events: []
  }))
  t.equal((await me.post(`${at}/messages/${lost['id']}/stop`)).json().data.status, 'stopped')
  t.match((await first).json().error, { code: 'unavailable' })
  while ((await messages()).some(({ status }) => status === 'generating')) await new Promise(setImmediate)
  t.match(
    (await messages()).map(({ role, status }) => [role, status]),
    [
      ['visitor', 'complete'], ['agent', 'stopped'], ['visitor', 'complete'], ['agent', 'complete']
    ]
  )
})

t.test(
  'models write as many answers at the same time as the operator lets them; the others wait for their turn',
  async (t) => {
    const { model, me, id, answer } = await conversing(t, {}, { AGENTHALL_MODEL_ANSWERS_PER_ACCOUNT: '1' })
    const other = (await me.post(`/v1/agents/${id}/conversations`, {})).json().data.id
    const first = answer(QUESTION)
    const asked = await model.next()
    const second = me.post(`/v1/conversations/${other}/messages`, { text: QUESTION })
    while ((await me.get(`/v1/conversations/${other}/messages`)).json().data.length < 2) await new Promise(setImmediate)
    for (let turns = 0; turns < 200; turns++) await new Promise(setImmediate)
    t.equal(model.all.length, 1)
    for (const one of [asked, model.next()]) {
      const { say, end } = await one
      await say('30 days [1].')
      end()
    }
    t.strictSame([(await first).answered_by, (await second).json().data.answered_by], ['model', 'model'])
  }
)
