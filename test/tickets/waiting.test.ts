import t from 'tap'
import { build } from '../helper.ts'
import { ADA, desk, FROM, SUPPORT } from './helper.ts'

const DAY_MS = 86_400_000
const LEAVE_MS = 5 * 60_000

t.test('a ticket that waits for an address leaves once the agent has one, by a delivery of its own', async (t) => {
  // Was wrong: it waited here indefinitely, whatever the settings.
  const { got, ticket, read, me, id, clock, settled } = await desk(t, { behavior: { email: null } })
  const waits = await ticket()
  t.match(await read(waits), { status: 'open', error: { code: 'not_sent', message: /is sent once that is fixed/ } })
  const [closed, answered] = [await ticket(), await ticket()]
  t.equal((await me.patch(`/v1/tickets/${closed}`, { status: 'closed' })).statusCode, 200)
  t.equal((await me.post(`/v1/tickets/${answered}/messages`, { text: 'I look after it here.' })).statusCode, 201)
  clock.advance(LEAVE_MS)
  await settled()
  t.match(await read(waits), { status: 'open', error: { code: 'not_sent' } }, 'there is still no way')
  got.length = 0
  await me.put(`/v1/agents/${id}`, { behavior: { email: SUPPORT } })
  clock.advance(LEAVE_MS)
  await settled()
  t.match(await read(waits), { status: 'sent', channel: 'email', error: null })
  t.match(got, [{ to: [SUPPORT], mail: { text: /From: Ada/ } }], 'and no other')
  t.match((await me.get(`/v1/deliveries?about=tickets/${waits}`)).json().data, [{ type: 'ticket.create', state: 'sent' }])
  t.match((await read(closed)).status, 'closed')
  t.match(await read(answered), { status: 'open', error: { code: 'not_sent' } }, 'somebody works on it here')
  clock.advance(LEAVE_MS)
  await settled()
  t.equal(got.length, 1, 'once')
})

t.test('tickets that wait for mail leave once the server is started with it, those of the last 30 days', async (t) => {
  const { server, got, ticket, me, clock, config, directory, close, stores } = await desk(t, {
    env: { AGENTHALL_SMTP_URL: '' }
  })
  const old = await ticket()
  clock.advance(20 * DAY_MS)
  // More than are taken at once.
  const fresh = [await ticket()]
  for (let n = 1; n < 120; n++) {
    fresh.push((await me.post('/v1/tickets', {
      agent: 1, subject: `No. ${n}`, requester: { email: ADA }
    })).json().data.id)
  }
  t.equal(stores.db.raw.prepare('select count(*) from tickets where error is not null').pluck().get(), 121)
  await close()
  clock.advance(11 * DAY_MS)
  const again = await build(t, {
    AGENTHALL_SMTP_URL: server.url, AGENTHALL_MAIL_FROM: FROM, AGENTHALL_ALLOWED_HOSTS: config.ALLOWED_HOSTS.join()
  }, { directory, clock })
  await again.settled()
  const { get } = again.withKey(me.key)
  const statuses = []
  for (const id of fresh) statuses.push((await get(`/v1/tickets/${id}`)).json().data.status)
  t.strictSame([...new Set(statuses)], ['sent'])
  t.equal(got.length, fresh.length)
  t.match((await get(`/v1/tickets/${old}`)).json().data, { status: 'open', error: { code: 'not_sent' } })
})
