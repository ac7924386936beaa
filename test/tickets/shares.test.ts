import t from 'tap'
import { QUESTION } from '../conversations/helper.ts'
import { ADA, desk, SUPPORT } from './helper.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

t.test('the desk is mailed of one visitor once in ten minutes; what they ask for meanwhile is mailed after', async (t) => {
  // Was wrong: a visitor who began conversations and requested a person in each sent a mail with each.
  const { got, me, id, visitor, clock, settled } = await desk(t, { behavior: { expertHandoff: true } })
  async function handOff (who: string) {
    const conversation = (await me.post(`/v1/agents/${id}/conversations`, { visitor: who })).json().data.id as string
    await me.post(`/v1/conversations/${conversation}/messages`, { text: QUESTION })
    t.equal((await me.post(`/v1/conversations/${conversation}/handoff`, {})).statusCode, 200)
    await settled()
  }
  for (let n = 0; n < 3; n++) await handOff(visitor)
  t.strictSame(got.map(({ to }) => to), [[SUPPORT]])
  await handOff((await me.post('/v1/visitors', { agent: id, name: 'Bea' })).json().data.id)
  t.equal(got.length, 2, 'another visitor is told at once')
  const tickets = (await me.get('/v1/tickets')).json().data as Array<{ status: string }>
  t.strictSame(tickets.map(({ status }) => status), ['sent', 'pending', 'pending', 'sent'], 'each has its ticket')
  for (const sent of [3, 4, 4]) {
    clock.advance(10 * MINUTE_MS)
    await settled()
    t.equal(got.length, sent)
  }
})

t.test('while the desk cannot be reached the next ticket of a visitor is tried once the first has failed for a while', async (t) => {
  const { me, id, visitor, clock, settled, server } = await desk(t, { behavior: { expertHandoff: true } })
  server.state.mood = 'busy'
  for (let n = 0; n < 3; n++) {
    const conversation = (await me.post(`/v1/agents/${id}/conversations`, { visitor })).json().data.id as string
    t.equal((await me.post(`/v1/conversations/${conversation}/handoff`, {})).statusCode, 200)
    await settled()
  }
  const attempts = async () => (await me.get('/v1/deliveries')).json().data.map((one: { attempts: number }) => one.attempts).reverse()
  t.strictSame(await attempts(), [1, 0, 0])
  for (let n = 0; n < 9; n++) {
    clock.advance(MINUTE_MS)
    await settled()
  }
  t.strictSame(await attempts(), [3, 0, 0])
  clock.advance(MINUTE_MS)
  await settled()
  t.strictSame(await attempts(), [3, 1, 0])
})

t.test('tickets that the business opens by itself are mailed at once, of whichever visitor', async (t) => {
  const { got, ticket } = await desk(t)
  await ticket()
  await ticket()
  t.equal(got.length, 2)
})

t.test('an account of the free tier mails 50 times a day, whomever; the rest leaves when there is room', async (t) => {
  // Was wrong: with a free key 50 mails per minute went to addresses and with texts of its choice.
  const { got, stores, clock, settled, ...built } = await desk(t)
  const free = await built.user({ tier: 'free' })
  const agent = (await free.post('/v1/agents', { name: 'B', systemPrompt: 'You help.' })).json().data.id
  async function write (n: number) {
    const requester = { email: `stranger-${n}@elsewhere.example` }
    const ticket = (await free.post('/v1/tickets', { agent, subject: `No. ${n}`, requester })).json().data.id as string
    t.equal((await free.post(`/v1/tickets/${ticket}/messages`, { text: 'Look here' })).statusCode, 201)
    await settled()
    clock.advance(2 * MINUTE_MS)
    return ticket
  }
  let last = ''
  for (let n = 0; n < 53; n++) last = await write(n)
  t.equal(got.length, 50)
  const [waits] = (await free.get(`/v1/deliveries?about=tickets/${last}`)).json().data
  t.match(waits, { state: 'waiting', attempts: 0 })
  t.ok(waits.next_attempt_at, 'it is told when it is tried')
  clock.advance(DAY_MS)
  await settled()
  t.equal(got.length, 53, 'none is lost')
})

t.test('how many mails an account sends is a setting, and 0 is no limit', async (t) => {
  const env = { AGENTHALL_MAIL_LIMITS: '{"free":1,"enterprise":2,"pro":0}' }
  const { got, settled, user } = await desk(t, { env })
  for (const [tier, most] of [['free', 1], ['enterprise', 2], ['pro', 60]] as const) {
    const one = await user({ tier })
    const agent = (await one.post('/v1/agents', {
      name: 'B', systemPrompt: 'You help.', behavior: { email: ADA }
    })).json().data.id
    got.length = 0
    for (let n = 0; n < 60; n++) await one.post('/v1/tickets', { agent, subject: `No. ${n}` })
    await settled()
    t.equal(got.length, most, tier)
  }
})
