import '../bare-children.ts'
import t, { type Test } from 'tap'
import { partsIn, QUESTION, talkative } from './helper.ts'
import { slowModel } from './slow-model.ts'

const NOTICE = 'You are talking to an AI assistant.\n\n'

/** An agent whose model says what the test tells it to. */
async function conversing (t: Test, agent: object = {}) {
  const model = await slowModel(t)
  const built = await talkative(t, { AGENTHALL_MODEL_URL: model.url }, agent)
  const { me, at, conversation, stores: { conversations: { talk } } } = built
  const messages = async () => (await me.get(`${at}/messages`)).json().data as Array<Record<string, any>>
  /** Resolves when so much of the answer can be seen. */
  const seen = async (text: string) => {
    while (!talk.runs.of(conversation)?.text.includes(text)) await new Promise(setImmediate)
  }
  return { ...built, model, messages, seen, answer: async (text: string) => (await built.say(text)).json().data }
}

const inShort = (messages: Array<Record<string, any>>) => messages.map(({ seq, role, status, text }) => [seq, role, status, text])

t.test('a further message before anything is seen: one answer to both, and no gap in the order', async (t) => {
  const { model, answer, messages } = await conversing(t)
  const first = answer('How many days do I have?')
  const asked = await model.next()
  const second = answer('For returns, I mean.')
  await asked.gone
  const again = await model.next()
  t.match(again.body.messages.at(-1), { role: 'user', content: 'How many days do I have?\nFor returns, I mean.' })
  await again.say('30 days [1].')
  again.end()
  const [one, other] = await Promise.all([first, second])
  t.equal(one.id, other.id)
  t.strictSame(inShort(await messages()), [
    [1, 'visitor', 'complete', 'How many days do I have?'], [2, 'visitor', 'complete', 'For returns, I mean.'], [3, 'agent', 'complete', `${NOTICE}30 days [1].`]
  ])
})

t.test('messages sent in the same moment have one answer', async (t) => {
  // Was wrong: the second of them found no run to take away, and had an answer of its own.
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
  t.strictSame((await messages()).map(({ seq, role }) => `${seq} ${role}`), ['1 visitor', '2 visitor', '3 visitor', '4 agent'])
})

t.test('a further message within 800 ms begins the answer anew, a later one waits for one further answer', async (t) => {
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
  const third = answer('And for late returns?')
  const fourth = answer('Are returns free?')
  while ((await messages()).length < 5) await new Promise(setImmediate)
  await anew.say(', no less.')
  anew.end()
  const further = await model.next()
  t.match(further.body.messages.at(-1)!.content, 'And for late returns?\nAre returns free?')
  await further.say('Then none [1].')
  further.end()
  const ids = (await Promise.all([first, second, third, fourth])).map(({ seq }) => seq)
  t.strictSame(ids, [3, 3, 6, 6])
  t.strictSame((await messages()).map(({ text }) => text), [QUESTION, 'Or less?', `${NOTICE}30 days [1], no less.`, 'And for late returns?', 'Are returns free?', 'Then none [1].'])
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

t.test('a client that goes away does not stop the answer; two readers see the same order', async (t) => {
  const { model, app, me, at, seen, messages } = await conversing(t)
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const headers = { authorization: `Bearer ${me.key}`, 'content-type': 'application/json' }
  const watch = async (id: string) => {
    const cut = new AbortController()
    const { body } = await fetch(`${url}${at}/events`, { headers: { ...headers, 'last-event-id': id }, signal: cut.signal })
    let read = ''
    const done = (async () => {
      for await (const piece of body!.pipeThrough(new TextDecoderStream())) {
        read += piece
        if (read.includes('"type":"finish"')) break
      }
    })().catch(() => {})
    return { cut, done, read: () => read }
  }
  const readers = [await watch('0'), await watch('0')]
  const away = new AbortController()
  const gone = fetch(`${url}${at}/messages`, { method: 'POST', headers, body: JSON.stringify({ text: QUESTION }), signal: away.signal }).catch(() => 'gone')
  const asked = await model.next()
  await asked.say('30 days [1]')
  await seen('30')
  away.abort()
  t.equal(await gone, 'gone')
  await asked.say(', that is all.')
  asked.end()
  await Promise.all(readers.map(({ done }) => done))
  const types = readers.map(({ read }) => partsIn(read()).filter(({ type }) => type !== 'text-delta').map(({ type, data }) => [type, (data as { seq?: number })?.seq]))
  t.strictSame(types[0], types[1])
  const texts = readers.map(({ read }) => partsIn(read()).map(({ delta = '' }) => delta).join(''))
  t.strictSame(texts, Array(2).fill(`${NOTICE}30 days [1], that is all.`))
  t.match((await messages())[1], { status: 'complete', text: texts[0] })
})

t.test('reconnects in mid-answer give the text once, emoji included, whatever else happens meanwhile', async (t) => {
  // Was wrong: what happened beside an answer moved the reader's place in it, and its text came twice.
  const { model, app, me, at, say, seen, clock } = await conversing(t)
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  let id = '0'
  let text = ''
  const readTo = async (wanted: string) => {
    const cut = new AbortController()
    const { body } = await fetch(`${url}${at}/events`, { headers: { authorization: `Bearer ${me.key}`, 'last-event-id': id }, signal: cut.signal })
    let rest = ''
    for await (const piece of body!.pipeThrough(new TextDecoderStream())) {
      const events = (rest + piece).split('\n\n')
      rest = events.pop()!
      for (const event of events) {
        id = /^id: (.*)$/m.exec(event)?.[1] ?? id
        const { type, delta } = JSON.parse(/^data: (.*)$/m.exec(event)?.[1] ?? '{}')
        if (type === 'text-delta') text += delta
        if (event.includes(wanted)) return cut.abort()
      }
      if (text.endsWith(wanted)) return cut.abort()
    }
  }
  const done = say(QUESTION)
  const asked = await model.next()
  const words = ['30 🙂', ' days 👩‍👩‍👧', ' of delivery 🇪🇺', ' – wörtlich…', ' 🙂 [1]']
  for (const word of words.slice(0, -1)) {
    await asked.say(word)
    await seen(word)
    await readTo(word)
    await readTo(word)
  }
  clock.advance(1000)
  const waiting = say('And for late returns?')
  await readTo('And for late returns?')
  await readTo(words[3]!)
  await asked.say(words.at(-1)!)
  asked.end()
  await readTo('"type":"finish"')
  t.equal(text, NOTICE + words.join(''))
  const further = await model.next()
  await further.say('No [1].')
  further.end()
  await Promise.all([done, waiting])
})

t.test('deleting the conversation, or the agent, ends the answer that is being written', async (t) => {
  // Was wrong: an agent that was deleted wrote on, and who waited was told 201.
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
    // What was replaced is no part of what was said before.
    const next = answer('And then?')
    const last = await model.next()
    t.strictSame(last.body.messages.slice(1).map(({ role }) => role), ['user', 'assistant', 'user'])
    await last.say('Nothing [1].')
    last.end()
    await next
    t.equal((await messages()).length, 5)
  }
})

t.test('a stream of a conversation ends when its key is revoked, or the agent is deleted', async (t) => {
  for (const which of ['key', 'agent'] as const) {
    const { app, me, id, at } = await conversing(t)
    const url = await app.listen({ port: 0, host: '127.0.0.1' })
    const made = (await me.post('/v1/api_keys', { name: 'Watcher' })).json().data
    const { status, body } = await fetch(`${url}${at}/events`, { headers: { authorization: `Bearer ${made.key}` }, signal: AbortSignal.timeout(20_000) })
    t.equal(status, 200)
    t.equal((await me.delete(which === 'key' ? `/v1/api_keys/${made.id}` : `/v1/agents/${id}`)).statusCode, 200)
    let read = ''
    for await (const piece of body!.pipeThrough(new TextDecoderStream())) read += piece
    t.match(read, ': watching', which)
  }
})

t.test('a client of openai in a conversation hears of its deletion, and is not left hanging', async (t) => {
  // Was wrong: nobody heard the rejection, which ended the whole server.
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
  const streamed = me.post('/v1/chat/completions', { model: `agent-${id}`, messages: [{ role: 'user', content: QUESTION }], metadata: { conversation }, stream: true })
  const asked = await model.next()
  await asked.say('30 days [1]')
  await seen('30')
  for (let turns = 0; turns < 20; turns++) await new Promise(setImmediate)
  const further = say('Or less?')
  const anew = await model.next()
  await anew.say('Not less than 30 days [1].')
  anew.end()
  await further
  const text = [...(await streamed).body.matchAll(/"delta":\{(?:"role":"assistant",)?"content":"((?:[^"\\]|\\.)*)"/g)].map(([, piece]) => JSON.parse(`"${piece}"`)).join('')
  t.equal(text, `${NOTICE}30 days\n\n${NOTICE}Not less than 30 days [1].`)
})
