import '../bare-children.ts'
import t from 'tap'
import { conversing, NOTICE, partsIn, QUESTION, talkative } from './helper.ts'

t.test('a client that goes away does not stop the answer; two readers see the same order', async (t) => {
  const { model, app, me, at, seen, messages } = await conversing(t)
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const headers = { authorization: `Bearer ${me.key}`, 'content-type': 'application/json' }
  const watch = async (id: string) => {
    const cut = new AbortController()
    const { body } = await fetch(`${url}${at}/events`, {
      headers: { ...headers, 'last-event-id': id }, signal: cut.signal
    })
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
  const gone = fetch(`${url}${at}/messages`, {
    method: 'POST', headers, body: JSON.stringify({ text: QUESTION }), signal: away.signal
  }).catch(() => 'gone')
  const asked = await model.next()
  await asked.say('30 days [1]')
  await seen('30')
  away.abort()
  t.equal(await gone, 'gone')
  await asked.say(', that is all.')
  asked.end()
  await Promise.all(readers.map(({ done }) => done))
  const types = readers.map(({ read }) =>
    partsIn(read())
      .filter(({ type }) => type !== 'text-delta')
      .map(({ type, data }) => [type, (data as { seq?: number })?.seq])
  )
  t.strictSame(types[0], types[1])
  const texts = readers.map(({ read }) => partsIn(read()).map(({ delta = '' }) => delta).join(''))
  t.strictSame(texts, Array(2).fill(`${NOTICE}30 days [1], that is all.`))
  t.match((await messages())[1], { status: 'complete', text: texts[0] })
})

t.test('reconnects in mid-answer give the text once, emoji included, whatever else happens meanwhile', async (t) => {
  // Was wrong: events besides an answer moved the reader's position in it, and its text came twice.
  const { model, app, me, at, say, seen, clock } = await conversing(t)
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  let id = '0'
  let text = ''
  const readTo = async (wanted: string) => {
    const cut = new AbortController()
    const { body } = await fetch(`${url}${at}/events`, {
      headers: { authorization: `Bearer ${me.key}`, 'last-event-id': id }, signal: cut.signal
    })
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
  const waiting = say('And are returns accepted?')
  await readTo('And are returns accepted?')
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

t.test('a stream of a conversation ends when its key is revoked, or the agent is deleted', async (t) => {
  for (const which of ['key', 'agent'] as const) {
    const { app, me, id, at } = await conversing(t)
    const url = await app.listen({ port: 0, host: '127.0.0.1' })
    const made = (await me.post('/v1/api_keys', { name: 'Watcher' })).json().data
    const { status, body } = await fetch(`${url}${at}/events`, { headers: { authorization: `Bearer ${made.key}` } })
    t.equal(status, 200)
    t.equal((await me.delete(which === 'key' ? `/v1/api_keys/${made.id}` : `/v1/agents/${id}`)).statusCode, 200)
    let read = ''
    for await (const piece of body!.pipeThrough(new TextDecoderStream())) read += piece
    t.match(read, ': watching', which)
  }
})

t.test('a message that is sent again as a stream shows its answer again', async (t) => {
  // Was wrong: the second stream contained nothing but its end.
  const { say } = await talkative(t)
  const deltas = async () =>
    partsIn((await say(QUESTION, { client_id: 'c1', stream: true })).body)
      .map(({ type, delta = '' }) => (type === 'text-delta' ? delta : ''))
      .join('')
  const first = await deltas()
  t.match(first, /within 30 days/)
  t.equal(await deltas(), first)
})

t.test('while an answer grows, its readers ask nothing of the file', async (t) => {
  const { model, app, me, at, answer, seen, stores: { conversations: { store } } } = await conversing(t)
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const { body } = await fetch(`${url}${at}/events`, {
    headers: { authorization: `Bearer ${me.key}`, 'last-event-id': '0' }
  })
  const reader = body!.pipeThrough(new TextDecoderStream()).getReader()
  let read = ''
  const readTo = async (wanted: string) => { while (!read.includes(wanted)) read += (await reader.read()).value }
  const done = answer(QUESTION)
  const asked = await model.next()
  await asked.say('30 days [1] ')
  await seen('30')
  await readTo('30 days')
  const { events } = store
  let readings = 0
  store.events = async (...which) => {
    readings++
    return await events(...which)
  }
  for (let word = 0; word < 10; word++) {
    await asked.say(`word${word} `)
    await readTo(`word${word}`)
  }
  t.equal(readings, 0)
  asked.end()
  await readTo('"type":"finish"')
  t.ok(readings > 0, 'what happens is read')
  await done
  await reader.cancel()
})

t.test('a Last-Event-ID that was never given out shows what is being written from its beginning', async (t) => {
  // Was wrong: such a reader was shown nothing of the answer but its end.
  const { model, me, at, say, seen, app } = await conversing(t)
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const done = say(QUESTION)
  const asked = await model.next()
  await asked.say('30 days [1]')
  await seen('30 days')
  for (const id of ['999999', '999999.7', '2.999999999']) {
    const cut = new AbortController()
    const { body } = await fetch(`${url}${at}/events`, {
      headers: { authorization: `Bearer ${me.key}`, 'last-event-id': id }, signal: cut.signal
    })
    let read = ''
    for await (const piece of body!.pipeThrough(new TextDecoderStream())) {
      read += piece
      if (read.includes('30 days')) break
    }
    t.ok(partsIn(read).map(({ delta = '' }) => delta).join('').startsWith(`${NOTICE}30 days`), id)
    cut.abort()
  }
  asked.end()
  await done
})
