import t from 'tap'
import { said } from '../../src/tickets/life.ts'
import { ticketRows } from '../../src/tickets/rows.sqlite.ts'
import { build } from '../helper.ts'

t.test('a ticket is opened message by message, others having their turn, and is what it is at one stretch', async (t) => {
  // Was wrong: all messages of a ticket were decrypted at a stretch, inside one transaction.
  const { user, stores } = await build(t)
  const me = await user()
  const { id: agent } = (await me.post('/v1/agents', { name: 'Ada', systemPrompt: 'Help.' })).json().data
  const made = await me.post('/v1/tickets', {
    agent, subject: 'Lamp', description: 'It is broken.', requester: { email: 'ada@visitor.example' }
  })
  t.equal(made.statusCode, 201, made.body)
  const { id } = made.json().data
  const rows = ticketRows(stores.db, stores.secrets)
  for (let n = 0; n < 20; n++) {
    await stores.db.atomically(function * () {
      const row = (yield * rows.find(me.id, id))!
      const words = { role: 'visitor' as const, from: 'ada@visitor.example', text: `Message ${n}`, held: false, to: null }
      yield * rows.write(row, said(yield * rows.keptOf(row), words, row.created_at))
    })
  }
  const [opening, whole] = await stores.db.read(function * () {
    const row = (yield * rows.find(me.id, id))!
    return [yield * rows.sealedOf(row), yield * rows.keptOf(row)] as const
  })
  const work = opening()
  let stops = 0
  let taken = work.next()
  for (; !taken.done; taken = work.next()) stops++
  t.ok(stops >= 20, `${stops} stops`)
  t.strictSame(taken.value, whole)
  t.strictSame((await me.get(`/v1/tickets/${id}`)).json().data.messages.length, whole.messages.length)
})
