import t, { type Test } from 'tap'
import { joined } from '../access/people.ts'
import { partsIn, QUESTION, talkative } from '../conversations/helper.ts'
import { slowModel } from '../conversations/slow-model.ts'
import { build } from '../helper.ts'
import { longestTurn } from '../linear/turns.ts'

const PLEASE = 'Can I talk to a human?'
const HANDING = { behavior: { expertHandoff: true, email: 'help@example.com' } }

/** An agent that hands over, with the account's owner on duty unless said otherwise. */
async function handing (
  t: Test,
  { env = {}, agent = HANDING, onDuty = true }: { env?: Record<string, string>, agent?: object, onDuty?: boolean } = {}
) {
  const built = await talkative(t, env, agent)
  const { me, at, clock, settled, stores, conversation } = built
  if (onDuty) await me.put('/v1/me/duty', { on: true })
  const ticketed: object[] = []
  stores.eventBus.on('all', function * ({ type, agent, owner, data }) {
    if (type === 'handoff.ticketed') {
      ticketed.push({
        agent, owner, reason: data.reason, conversation: data.conversation.id, epoch: data.conversation.epoch
      })
    }
  })
  const messages = async (where = at) =>
    (await me.get(`${where}/messages?limit=100`)).json().data as Array<Record<string, any>>
  return {
    ...built,
    messages,
    now: async (where = at) => (await me.get(where)).json().data as Record<string, any>,
    inShort: async (where = at) => (await messages(where)).map(({ role, text }) => `${role}: ${text.slice(0, 24)}`),
    /** Lets time pass, and runs what is due. */
    pass: async (ms: number) => {
      clock.advance(ms)
      await settled()
    },
    /** The announcements about tickets, in the transaction that requests them. */
    tickets: () => ticketed,
    episodes: () =>
      stores.db.raw
        .prepare<[string], Record<string, unknown>>(
          'select e.* from episodes e join conversations c on c.number = e.conversation where c.id = ? order by e.episode'
        )
        .all(conversation)
  }
}

/** The next answer requested of a model; its calls about searching are answered. */
async function nextAnswer ({ next }: Awaited<ReturnType<typeof slowModel>>) {
  for (;;) {
    const asked = await next()
    if (!asked.body.messages[0]!.content.startsWith('Write the query')) return asked
    await asked.say('{"query":"bills"}')
    asked.end()
  }
}

// Was wrong: a console closed together with the server was logged as a fault of the background work.
t.test('a console that closes with the server is no fault', async (t) => {
  const faults: unknown[] = []
  const { stores, settled, close, user } = await build(t, {}, { faults })
  const { id } = await user()
  await settled()
  const leave = stores.duty.enter(id, id)
  await close()
  leave()
  await new Promise(setImmediate)
  t.strictSame(faults, [])
})

t.test('a person is asked for, takes over, answers and gives back; the visitor is told each time', async (t) => {
  const { me, say, at, now, inShort, pass, episodes } = await handing(t)
  const asked = (await say(PLEASE)).json().data
  t.match(asked, { role: 'visitor', text: PLEASE }, 'no model and no search')
  t.match(await now(), { status: 'waiting', handled_by: 'queue', reason: 'visitor_asked', epoch: 1 })
  await say('It is about my order.')
  t.match((await me.post(`${at}/takeover`, {})).json().data, { status: 'open', handled_by: 'person', person: me.id })
  const replied = await me.post(`${at}/messages`, { text: 'I am Ben. What is it?', role: 'person', client_id: 'b1' })
  t.equal(replied.statusCode, 201, replied.body)
  t.match(replied.json().data, { role: 'person', author: me.id })
  t.match(
    (await me.post(`${at}/messages`, { text: 'I am Ben. What is it?', role: 'person', client_id: 'b1' })).headers,
    { 'idempotency-replayed': 'true' }
  )
  t.match((await say('Nothing more.')).json().data, { role: 'visitor' }, 'the agent does not talk over a person')
  await me.post(`${at}/messages`, { text: 'Bye.', role: 'person' })
  t.match((await me.post(`${at}/release`)).json().data, { handled_by: 'agent', person: null, epoch: 3 })
  t.match((await say(QUESTION)).json().data, { role: 'agent', answered_by: 'extract' })
  t.strictSame(await inShort(), [
    'visitor: Can I talk to a human?',
    'system: I am looking for a perso',
    'visitor: It is about my order.',
    'system: A person is here now and',
    'person: I am Ben. What is it?',
    'visitor: Nothing more.',
    'person: Bye.',
    'system: The AI assistant is answ',
    `visitor: ${QUESTION.slice(0, 24)}`,
    'agent: You are talking to an AI'
  ])
  await pass(24 * 3_600_000)
  t.match(await now(), { status: 'closed', outcome: 'handed_off' })
  t.match(episodes(), [{ episode: 1, outcome: 'handed_off', reason: 'visitor_asked', reopened_at: null }])
})

t.test('nobody comes in two minutes: a ticket, and the agent goes on', async (t) => {
  const { say, now, pass, tickets, inShort, conversation, id, me } = await handing(t)
  await say(PLEASE)
  await pass(119_000)
  t.equal((await now()).handled_by, 'queue')
  await pass(1000)
  t.match(await now(), { status: 'open', handled_by: 'agent', reason: 'no_one_available' })
  t.match(tickets(), [{ conversation, agent: id, owner: me.id, reason: 'no_one_available', epoch: 2 }])
  t.match((await inShort()).at(-1), /^system: Nobody is available/)
  t.match((await say(QUESTION)).json().data, { role: 'agent' })
})

t.test(
  "nobody on duty: a ticket at once; in the language of the conversation, or the business's own words",
  async (t) => {
    const { me, say, now, messages, tickets, at } = await handing(t, { onDuty: false })
    await say('Ich möchte bitte mit einem Mitarbeiter sprechen.')
    t.match(await now(), { handled_by: 'agent', language: 'de', reason: 'no_one_available' })
    t.match((await messages()).at(-1), { role: 'system', text: /^Gerade ist niemand da/ })
    t.equal(tickets().length, 1)
    await me.put('/v1/business', { notices: { closed: 'Bis bald!' } })
    t.match((await me.post(`${at}/close`, {})).json().data, { status: 'closed', outcome: 'ticketed' })
    t.equal((await messages()).at(-1)!.text, 'Bis bald!')
  }
)

t.test(
  'duty is what was said, or an open console, within the hours; who waits when it ends is looked after',
  async (t) => {
    const { me, at, say, now, pass, app, settled } = await handing(t, { onDuty: false })
    const duty = async () => (await me.get('/v1/me/duty')).json().data
    t.match(await duty(), { on: null, is_console_open: false, is_open: true, is_on_duty: false })
    t.match((await me.put('/v1/me/duty', { on: true })).json().data, { on: true, is_on_duty: true })
    await me.put('/v1/business', { closed_on: ['2026-01-01'] })
    t.match(await duty(), { is_open: false, is_on_duty: false })
    await me.put('/v1/business', { closed_on: [] })
    await say(PLEASE)
    await me.put('/v1/me/duty', { on: false })
    await settled()
    t.match(await now(), { handled_by: 'agent', reason: 'no_one_available' })
    t.match((await me.put('/v1/me/duty', { on: null })).json().data, { on: null, is_on_duty: false })

    const url = await app.listen({ port: 0, host: '127.0.0.1' })
    const cut = new AbortController()
    const { status } = await fetch(`${url}/v1/events`, {
      headers: { authorization: `Bearer ${me.key}` }, signal: cut.signal
    })
    t.equal(status, 200)
    t.match(await duty(), { is_console_open: true, is_on_duty: true })
    t.match((await me.post(`${at}/handoff`, { reason: 'rule' })).json().data, { handled_by: 'queue', reason: 'rule' })
    cut.abort()
    while (!(await duty()).is_console_open) await new Promise(setImmediate)
    await new Promise((resolve) => setTimeout(resolve, 100))
    await settled()
    t.equal((await now()).handled_by, 'queue', 'a console that is loaded anew comes back')
    await pass(20_000)
    t.match(await duty(), { is_console_open: false, is_on_duty: false })
    t.equal((await now()).handled_by, 'agent')
  }
)

t.test('of two who take over at once one is refused; a colleague takes it by name', async (t) => {
  const { me, at, now, stores, conversation } = await handing(t)
  const { talk } = stores.conversations
  const [one, other] = await Promise.allSettled(
    [7, 8].map(async (person) => await talk.handOver(me.id, conversation, { type: 'taken', person, from: null }))
  )
  t.equal(one!.status, 'fulfilled')
  t.match(other, { status: 'rejected', reason: { code: 'taken_over', fields: { person: 7 } } })
  t.match((await me.post(`${at}/takeover`, {})).json().error, { status: 409, fields: { person: 7 } })
  t.match((await me.post(`${at}/messages`, { role: 'person', text: 'Hello' })).json().error, { status: 409 })
  t.match((await me.post(`${at}/release`)).json().error, { status: 409 })
  t.match((await me.post(`${at}/takeover`, { from: 7 })).json().data, { person: me.id })
  t.equal((await now()).epoch, 2)
})

t.test('a takeover cuts off what the agent writes, and what comes late is not said', async (t) => {
  const model = await slowModel(t)
  const { me, say, at, messages, conversation, stores, inShort } = await handing(t, {
    env: { AGENTHALL_MODEL_URL: model.url }
  })
  const waiting = say(QUESTION)
  const asked = await model.next()
  await asked.say('Within 30 days [1]')
  while (!stores.conversations.talk.runs.of(conversation)?.text.whole().includes('30')) await new Promise(setImmediate)
  await me.post(`${at}/takeover`, {})
  await asked.gone
  await asked.say(', or whenever you like [1].').catch(() => {})
  t.match((await waiting).json().data, { status: 'stopped', role: 'agent' })
  t.match((await messages())[1], { status: 'stopped', text: /30 days$/ })
  t.strictSame((await inShort()).length, 3, 'nothing is said after the person has come')
  const again = me.post(`${at}/release`)
  const next = await nextAnswer(model)
  t.match(next.body.messages.at(-1)!.content, QUESTION, 'what was cut off is answered when the person is gone')
  await next.say('30 days [1].')
  next.end()
  await again
  await stores.conversations.talk.runs.ended(conversation)
  t.match(await inShort(), [/visitor/, /agent/, /system/, /system/, /agent: 30 days/])
})

t.test('asked again while the agent writes, a person is called and the agent is still', async (t) => {
  const model = await slowModel(t)
  const { say, now, inShort } = await handing(t, { env: { AGENTHALL_MODEL_URL: model.url } })
  const waiting = say(QUESTION)
  const asked = await model.next()
  await say(PLEASE)
  await asked.gone
  t.match((await waiting).json().data, { role: 'agent', status: 'stopped' })
  t.match(await now(), { handled_by: 'queue' })
  t.match(await inShort(), [/visitor/, /agent/, /visitor/, /system: I am looking/])
})

t.test('a visitor who is not answered becomes somebody else\'s, then a ticket', async (t) => {
  const { me, say, at, now, pass, tickets } = await handing(t)
  await me.post(`${at}/takeover`, {})
  await say('Hello?')
  await pass(15 * 60_000)
  t.match(await now(), { handled_by: 'queue', reason: 'no_one_available' })
  await pass(120_000)
  t.match(await now(), { handled_by: 'agent' })
  t.equal(tickets().length, 1)
})

t.test(
  'cancelled, the agent answers what was said meanwhile, and knows what was before in one line only',
  async (t) => {
    const model = await slowModel(t)
    const { me, say, at, messages, stores, conversation } = await handing(t, {
      env: { AGENTHALL_MODEL_URL: model.url }
    })
    await say(PLEASE)
    await say(QUESTION)
    t.equal((await me.delete(`${at}/handoff`)).statusCode, 200)
    const asked = await model.next()
    const [system, ...said] = asked.body.messages
    t.strictSame(said.map(({ role }) => role), ['user'])
    t.match(said[0]!.content, 'Earlier in this conversation, which began with "Can I talk to a human?"')
    t.match(said[0]!.content, QUESTION)
    t.notMatch(system!.content, 'Can I talk', "a visitor's words are no instruction")
    await asked.say('30 days [1].')
    asked.end()
    await stores.conversations.talk.runs.ended(conversation)
    t.match((await messages()).at(-1), { role: 'agent', text: /30 days/ })
    t.equal((await me.delete(`${at}/handoff`)).statusCode, 409)
  }
)

t.test('a model proposes another agent, which gets the reason and the last ten messages, and nothing of the first one\'s prompt', async (t) => {
  const model = await slowModel(t)
  const behavior = { aiToAiHandoff: true, agentHandoffPrompt: 'Over to {{name}}!' }
  const { me, say, now, messages, stores, conversation } = await handing(t, {
    env: { AGENTHALL_MODEL_URL: model.url }, agent: { behavior, systemPrompt: 'The first secret.' }
  })
  const other = (
    await me.post('/v1/agents', {
      name: 'Billing',
      description: 'Knows bills',
      systemPrompt: 'The second prompt.',
      appearance: { chatbotName: 'Bill $&' },
      behavior: { aiToAiHandoff: true }
    })
  ).json().data.id
  const waiting = say('Why was I billed twice?')
  const asked = await nextAnswer(model)
  t.match(asked.body.messages[0]!.content, `act(transfer_${other}): Billing, Knows bills`)
  await asked.propose(`transfer_${other}`, 'complaint')
  asked.end()
  const second = await nextAnswer(model)
  t.match(second.body.messages[0]!.content, 'The second prompt.')
  t.notMatch(JSON.stringify(second.body), 'The first secret')
  const { role, content } = second.body.messages.at(-1)!
  t.match({ role, content }, {
    role: 'user', content: /passed this conversation on to you \(complaint\)[^]*Why was I billed twice\?/
  })
  await second.say('I look into it.')
  second.end()
  await waiting
  await stores.conversations.talk.runs.ended(conversation)
  t.match(await now(), { speaker: other, reason: 'transferred', handled_by: 'agent' })
  t.match(
    (await messages()).map(({ role, text }) => `${role} ${text}`),
    [/visitor/, /agent .*One moment/s, 'system Over to Bill $&!', /agent/]
  )
  await me.put(`/v1/agents/${other}`, { status: 'Inactive' })
  const third = say('And now?')
  const back = await nextAnswer(model)
  t.match(back.body.messages[0]!.content, 'The first secret', 'an agent that answers no more gives back')
  await back.say('Now me.')
  back.end()
  await third
})

t.test('two answers that know nothing offer a person, and the offer is understood', async (t) => {
  const { say, messages, now } = await handing(t)
  await say('Who won the football world cup in Brazil?')
  await say('Which zebra sings in the opera of Vienna?')
  const offer = (await messages()).at(-1)!
  t.match(offer, {
    role: 'system', text: 'Would you like to talk to a person?', suggestions: ['I would like to talk to a person']
  })
  t.match((await messages()).filter(({ unknown }) => unknown).length, 2)
  await say(offer.suggestions[0])
  t.equal((await now()).handled_by, 'queue')
})

t.test('closed: a message within 7 days is a new episode, later a new conversation, however often the old one is written to', async (t) => {
  const { me, id, say, at, now, clock, conversation, episodes } = await handing(t)
  await say(QUESTION)
  t.match((await me.post(`${at}/close`, { resolved: true })).json().data, {
    status: 'closed', outcome: 'resolved_confirmed'
  })
  clock.advance(6 * 86_400_000)
  t.match((await say(QUESTION)).json().data, { role: 'agent', conversation })
  t.match(await now(), { status: 'open', episode: 2, outcome: null })
  t.match(episodes(), [{ outcome: 'resolved_confirmed', reopened_at: /^2026/ }])
  await me.post(`${at}/close`, {})
  clock.advance(8 * 86_400_000)
  const later = (await say(QUESTION, { client_id: 'x' })).json().data
  t.not(later.conversation, conversation)
  t.equal((await say(QUESTION, { client_id: 'x' })).json().data.id, later.id)
  t.match(await now(), { status: 'closed', successor: later.conversation })
  t.match(await now(`/v1/conversations/${later.conversation}`), { status: 'open', episode: 1, agent: id })
  const streamed = await say('Streamed', { stream: true })
  t.match(streamed.body, later.conversation)
  t.equal((await me.get(`/v1/agents/${id}/conversations`)).json().data.length, 2)
})

t.test('many notes of a conversation are read a few at a time, in their order', async (t) => {
  // Was wrong: 500 notes of 4,000 characters were decrypted at a stretch, 29 ms.
  const { me, id, at, conversation, stores } = await talkative(t)
  const texts = Array.from({ length: 120 }, (_, n) => `${n} ${'x'.repeat(3990)}`)
  await Promise.all(texts.map((text) => stores.notes.add(me.id, conversation, me.id, text)))
  let found: string[] = []
  const longest = await longestTurn(20, async () => {
    found = (await stores.notes.list(me.id, conversation))!.map(({ text }) => text)
  })
  t.strictSame(found, texts)
  t.ok(longest <= 20, `${longest} ms at one stretch`)
  const other = (await me.post(`/v1/agents/${id}/conversations`, {})).json().data.id
  t.strictSame((await me.get(at.replace(conversation, other) + '/notes')).json().data, [])
})

t.test('notes are for the team: sealed, and no part of what the visitor sees', async (t) => {
  const { me, at, messages, stores, user } = await handing(t)
  const made = (await me.post(`${at}/notes`, { text: 'Has called before.' }, { 'idempotency-key': 'n' })).json().data
  t.match(made, { text: 'Has called before.', person: me.id })
  t.match((await me.post(`${at}/notes`, { text: 'Has called before.' }, { 'idempotency-key': 'n' })).headers, {
    'idempotency-replayed': 'true'
  })
  t.strictSame((await me.get(`${at}/notes`)).json().data, [made])
  t.strictSame(await messages(), [])
  t.notOk(stores.db.raw.prepare<[], Buffer>('select sealed from notes').pluck().get()!.includes('called'))
  const stranger = await user()
  for (const answer of [
    await stranger.get(`${at}/notes`),
    await stranger.post(`${at}/notes`, { text: 'x' }),
    await stranger.delete(`${at}/notes/${made.id}`)
  ]) { t.equal(answer.statusCode, 404) }
  t.equal((await me.delete(`${at}/notes/${made.id}`)).statusCode, 200)
  t.equal((await me.delete(`${at}/notes/${made.id}`)).statusCode, 404)
  for (let i = 0; i < 500; i++) stores.notes.add(me.id, at.slice('/v1/conversations/'.length), me.id, `${i}`)
  t.match((await me.post(`${at}/notes`, { text: 'x' })).json().error, { code: 'limit_reached', message: /500 notes/ })
})

t.test('the stream of an account tells what happens in all conversations, goes on where it was left, and says who types', async (t) => {
  const { me, id, at, say, app, conversation, stores, user } = await handing(t)
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const reader = async (after?: string) => {
    const cut = new AbortController()
    const { body } = await fetch(`${url}/v1/events`, {
      headers: { authorization: `Bearer ${me.key}`, ...(after && { 'last-event-id': after }) }, signal: cut.signal
    })
    let read = ''
    const pieces = body!.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]()
    const until = async (wanted: string) => {
      while (!read.includes(wanted)) read += (await pieces.next()).value ?? ''
      return read
    }
    return { cut, until, ids: () => [...read.matchAll(/^id: (\d+)$/gm)].map(([, id]) => id!) }
  }
  const first = await reader()
  await first.until(': watching')
  await say(PLEASE)
  const seen = await first.until('"type":"handoff.requested"')
  t.match(seen, '"handled_by":"queue"')
  t.notMatch(seen, /"course"|"owner"/)
  t.equal((await me.post(`${at}/typing`, { role: 'person' })).statusCode, 202)
  await first.until(`{"type":"typing","id":"${conversation}","role":"person"}`)
  first.cut.abort()
  await me.post(`${at}/takeover`, {})
  const other = (await me.post(`/v1/agents/${id}/conversations`, {})).json().data.id
  await me.delete(`/v1/conversations/${other}`)
  const second = await reader(first.ids().at(-1))
  const rest = await second.until('"type":"conversation.deleted"')
  t.match(rest, /handoff\.taken[^]*conversation\.created[^]*conversation\.deleted/)
  t.match(rest, `"type":"conversation.deleted","id":"${other}","conversation":null`)
  t.equal(Number(second.ids()[0]), Number(first.ids().at(-1)) + 1, 'nothing is missing and nothing comes twice')
  second.cut.abort()
  stores.db.raw.prepare('delete from account_events where seq < 4').run()
  const third = await reader('1')
  await third.until('"type":"events.missed"')
  third.cut.abort()
  const stranger = await user()
  t.equal((await stranger.post(`${at}/typing`, {})).statusCode, 404)
  t.equal((await me.get('/v1/events', undefined, { 'last-event-id': 'x' })).statusCode, 400)
  t.equal((await me.head('/v1/events')).statusCode, 200)
})

// Was wrong: each of them read and serialised every event, 91 ms an event with a thousand watchers.
t.test('all who watch an account share one reading of what happens', async (t) => {
  const { me, say, app, stores: { conversations: { store } } } = await handing(t)
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const cut = new AbortController()
  const watchers = await Promise.all(Array.from({ length: 20 }, async () => {
    const { body } = await fetch(`${url}/v1/events`, {
      headers: { authorization: `Bearer ${me.key}` }, signal: cut.signal
    })
    const pieces = body!.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]()
    let read = ''
    return async (wanted: string) => {
      while (!read.includes(wanted)) read += (await pieces.next()).value ?? ''
      return read
    }
  }))
  for (const until of watchers) await until(': watching')
  let readings = 0
  const { happened } = store
  store.happened = async (...asked) => {
    readings++
    return await happened(...asked)
  }
  await say(PLEASE)
  const [first, ...others] = await Promise.all(watchers.map((until) => until('"type":"handoff.requested"')))
  for (const other of others) t.equal(other, first)
  t.ok(readings > 0 && readings < 20, `${readings} readings for 20 watchers and several events`)
  cut.abort()
})

t.test('who watches a conversation is told that somebody types', async (t) => {
  const { me, at, app } = await handing(t)
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const cut = new AbortController()
  const { body } = await fetch(`${url}${at}/events`, {
    headers: { authorization: `Bearer ${me.key}` }, signal: cut.signal
  })
  let read = ''
  const done = (async () => {
    for await (const piece of body!.pipeThrough(new TextDecoderStream())) if ((read += piece).includes('typing')) break
  })()
  while (!read.includes('watching')) await new Promise((resolve) => setTimeout(resolve, 5))
  await me.post(`${at}/typing`, {})
  await done
  t.match(partsIn(read), [{ type: 'data-event', data: { type: 'typing', data: { role: 'visitor' } } }])
})

// Was wrong: a release sent again, since its response was lost, was refused; a repeated request for a person was
// announced twice.
t.test('what is asked again with the same Idempotency-Key is answered as the first time, and done once', async (t) => {
  const { me, at, inShort, user, withSession, stores } = await handing(t, { onDuty: false })
  const twice = async (what: string, body: object = {}) => {
    const key = { 'idempotency-key': what }
    const first = await me.post(`${at}/${what}`, body, key)
    const again = await me.post(`${at}/${what}`, body, key)
    t.equal(first.statusCode, 200, first.body)
    t.equal(again.headers['idempotency-replayed'], 'true', what)
    t.equal(again.body, first.body, what)
    return first.json().data
  }
  t.match(await twice('handoff'), { handled_by: 'agent', reason: 'no_one_available', epoch: 1 })
  t.match(await twice('takeover'), { handled_by: 'person', epoch: 2 })
  t.match(await twice('release'), { handled_by: 'agent', epoch: 3 })
  t.match(await twice('close', { resolved: true }), { status: 'closed', epoch: 4 })
  t.equal((await inShort()).length, 4, 'one notice each')
  const other = await me.post(`${at}/close`, { resolved: false }, { 'idempotency-key': 'close' })
  t.equal(other.statusCode, 422, other.body)

  // Was answered with what somebody else had done.
  const colleague = await user()
  joined(stores, me.id, colleague.id, ['REPLY_CONVERSATION'])
  const theirs = await withSession(colleague.id, me.id)
  await me.post(`${at}/takeover`, {}, { 'idempotency-key': 'mine' })
  t.equal((await theirs.post(`${at}/takeover`, {}, { 'idempotency-key': 'mine' })).statusCode, 422)
  t.equal((await theirs.post(`${at}/takeover`, {}, { 'idempotency-key': 'theirs' })).statusCode, 409)
})

// Was wrong: PATCH closed as a person, whoever the caller, so that what a visitor leaves was unanswered, not abandoned.
t.test('a conversation that is closed by PATCH ends as one that is closed by POST …/close', async (t) => {
  const { me, id, withKey } = await handing(t)
  const { key } = (await me.post('/v1/api_keys', { name: 'Trying', permissions: ['MANAGE_AGENTS'] })).json().data
  const trying = withKey(key)
  const outcomes = async (close: (by: Pick<typeof me, 'post' | 'patch'>, at: string) => Promise<unknown>) => {
    const ended: string[] = []
    for (const by of [me, trying]) {
      const at = (await me.post(`/v1/agents/${id}/conversations`, {})).headers.location as string
      await me.post(`${at}/messages`, { text: PLEASE })
      t.match((await me.get(at)).json().data, { handled_by: 'queue' })
      await close(by, at)
      const { status, outcome } = (await me.get(at)).json().data
      ended.push(`${status} ${outcome}`)
    }
    return ended
  }
  const expected = ['closed unanswered', 'closed abandoned']
  t.strictSame(await outcomes((by, at) => by.post(`${at}/close`, {})), expected)
  t.strictSame(await outcomes((by, at) => by.patch(at, { status: 'closed' })), expected)
})
