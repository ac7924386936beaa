import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { QUESTION, talkative } from '../conversations/helper.ts'

/** A team's chat on loopback, and an agent that may write there. */
async function chatting (t: Test, agent: object = { is_chatapp_enabled: true }) {
  const heard: Array<{ text: string }> = []
  const state = { status: 200 }
  const server = createServer(async (request, reply) => {
    heard.push(await json(request) as { text: string })
    reply.writeHead(state.status).end('ok')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => { server.close() })
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const env = { AGENTHALL_ALLOWED_HOSTS: host, AGENTHALL_BASE_URL: 'https://agents.example.com' }
  const appearance = { chatbotName: 'Ada' }
  const built = await talkative(t, env, { appearance, behavior: { expertHandoff: true }, ...agent })
  const url = `http://${host}/services/T0/s3cret`
  const texts = () => heard.map(({ text }) => text)
  return {
    ...built, state, url, host, texts, chat: async () => await built.me.put('/v1/business', { team_chat_url: url })
  }
}

t.test(
  'the team chat is told of hand-offs, tickets and disliked answers, with a link and no word of the visitor',
  async (t) => {
    // Was wrong: `is_chatapp_enabled` had no effect.
    const {
      me, at, conversation, say, settled, texts, chat, url, host, stores: { db }
    } = await chatting(t)
    const link = `https://agents.example.com/console/#/inbox/${conversation}`
    const set = await chat()
    t.match(
      [set.statusCode, set.json().data], [200, { team_chat_host: host, data_hosts: [{ purposes: ['team_chat'] }] }]
    )
    t.notMatch(set.body, /s3cret|team_chat_url/, 'the address is never shown again')
    await me.put('/v1/me/duty', { on: true })
    const answer = (await say(QUESTION)).json().data
    const judge = async (score: number) => await me.put(`${at}/messages/${answer.id}/feedback`, { score })
    for (const score of [1, -1, -1]) await judge(score)
    await settled()
    t.strictSame(texts(), [`A visitor of Ada disliked an answer. ${link}`], 'once')
    await say('I want to talk to a person')
    await settled()
    t.strictSame(texts().slice(1), [`A visitor of Ada is waiting for a person. ${link}`])
    await me.post(`${at}/tickets`, { subject: 'The parcel' })
    await me.post('/v1/tickets', { agent: 1, subject: 'Another' })
    await settled()
    const opened = ['A ticket of Ada was opened. ']
    t.strictSame(texts().slice(2).sort(), [`${opened}https://agents.example.com/console/`, `${opened}${link}`].sort())
    const kept = db.raw.prepare('select team_chat_url from businesses').pluck().get() as Buffer
    t.notMatch(kept.toString('latin1'), url, 'it is kept sealed')
    t.match((await me.get('/v1/deliveries?channel=team_chat')).json().data, [
      { to: 'team_chat', state: 'sent' }, {}, {}, {}
    ])
  }
)

t.test(
  'nothing is told of agents without it, nor where there is no chat, nor after the chat was removed',
  async (t) => {
    const { me, id, at, say, settled, texts, chat } = await chatting(t, {})
    await chat()
    await me.post(`${at}/tickets`, {})
    await me.put(`/v1/agents/${id}`, { is_chatapp_enabled: true })
    const gone = await me.put('/v1/business', { team_chat_url: null })
    t.match(gone.json().data, { team_chat_host: null, data_hosts: [] })
    await me.post(`${at}/tickets`, {})
    await say('Hello')
    await settled()
    t.strictSame(texts(), [])
  }
)

t.test('a chat that refuses is tried again, one that is gone is not', async (t) => {
  const { me, at, settled, texts, chat, state, clock, stores } = await chatting(t)
  await chat()
  const states = async () => (await me.get('/v1/deliveries')).json().data.map(
    (one: { state: string, error: { code: string } | null }) => [one.state, one.error?.code]
  )
  state.status = 500
  await me.post(`${at}/tickets`, {})
  await settled()
  t.strictSame(await states(), [['waiting', 'chat_refused']])
  state.status = 200
  clock.advance(60_000)
  await settled()
  t.strictSame(await states(), [['sent', undefined]])
  state.status = 404
  await me.post(`${at}/tickets`, {})
  await settled()
  t.strictSame((await states())[0], ['dead', 'chat_refused'])
  t.equal(texts().length, 3)
  state.status = 500
  await me.post(`${at}/tickets`, {})
  await settled()
  await me.put('/v1/business', { team_chat_url: null })
  await me.put('/v1/agents/1', { appearance: { chatbotName: 'Bob' } })
  clock.advance(60_000)
  await settled()
  t.strictSame((await states())[0], ['dead', 'chat_gone'])
  t.ok(stores.senderOf('team_chat'))
})

t.test('an address that nothing may be sent to is refused, and one that nobody answers is tried again', async (t) => {
  const { me, at, settled, host } = await chatting(t)
  const set = async (url: string) => await me.put('/v1/business', { team_chat_url: url })
  const refused = await set('http://127.0.0.2/x')
  t.match([refused.statusCode, refused.json().error.details], [400, [{ field: 'team_chat_url' }]])
  t.equal((await set('ftp://chat.example/x')).statusCode, 400)
  t.equal((await set(`https://${host}/x`)).statusCode, 200)
  await me.post(`${at}/tickets`, {})
  await settled()
  t.match((await me.get('/v1/deliveries')).json().data, [{ error: { code: /\w/ } }])
})
