import { randomBytes } from 'node:crypto'
import t from 'tap'
import { Visitor } from '../../schema/conversations.ts'
import { exportOf } from '../../src/privacy/index.ts'
import { keeping } from './helper.ts'

t.test('an export is one JSON file with everything that is kept of a visitor', async (t) => {
  const { me, stores, visitor, begin, attach, say } = await keeping(t, null)
  const about = {
    name: 'Ada',
    email: 'ada@example.com',
    phone: '+1 555',
    external_id: 'u-1',
    attributes: { plan: 'pro' },
    consent: 'I agree to be written to.'
  }
  const ada = await visitor(about)
  const [first, second] = [await begin(ada), await begin(ada)]
  await say('Nothing of hers')
  const bytes = randomBytes(256 * 1024 + 7)
  const [file] = (await attach(first, 'bill 1.pdf', bytes)).json().data
  for (let i = 0; i < 60; i++) {
    await me.post(`${first}/messages`, { text: `Question ${i}`, ...(i === 0 && { attachments: [file.id] }) })
  }
  await me.post(`${second}/messages`, { text: 'How many days do I have for returns?' })
  const { data: said } = (await me.get(`${second}/messages`)).json()
  await me.put(`${second}/messages/${said[1].id}/feedback`, { score: -1, comment: 'No' })
  const mark = await stores.seen.markByVisitor(me.id, first.split('/').at(-1)!, 3)

  const answer = await me.get(`/v1/visitors/${ada}/export`)
  t.equal(answer.statusCode, 200)
  t.match(answer.headers, {
    'content-type': /^application\/json/,
    'content-disposition': `attachment; filename="${ada}.json"`,
    'cache-control': 'no-store'
  })
  const found = answer.json()
  t.strictSame(Object.keys(found.visitor).sort(), Object.keys(Visitor.properties).sort())
  t.match(found.visitor, {
    id: ada,
    name: 'Ada',
    email: 'ada@example.com',
    phone: '+1 555',
    external_id: 'u-1',
    attributes: { plan: 'pro' },
    consent: { text: about.consent, hash: /^[0-9a-f]{64}$/, at: /Z$/ }
  })
  t.equal(found.conversations.length, 2)
  const [newer, older] = found.conversations
  t.strictSame([newer.id, older.id], [second, first].map((at) => at.split('/').at(-1)))
  t.strictSame(older.messages.map(({ seq }: { seq: number }) => seq), Array.from({ length: 120 }, (_, i) => i + 1))
  t.strictSame(newer.messages[1], { ...said[1], feedback: { score: -1, comment: 'No' } })
  t.strictSame([older.seen, newer.seen], [[mark], []], 'and what they have seen')
  const [{ content, ...shown }] = older.attachments
  t.match([shown], [{ id: file.id, name: 'bill 1.pdf', bytes: bytes.length }])
  t.ok(Buffer.from(content, 'base64').equals(bytes), 'the file is whole')
  t.notOk('owner' in older || 'revision' in older || 'attempts' in older.messages[0])
  t.notMatch(answer.body, /Nothing of hers/)
})

t.test('a visitor of whom little is known is exported as well; another account\'s is not there', async (t) => {
  const { me, user, visitor } = await keeping(t, null)
  const ada = await visitor({})
  t.match((await me.get(`/v1/visitors/${ada}/export`)).json(), {
    exported_at: /Z$/, visitor: { id: ada, name: null, consent: null }, conversations: []
  })
  const stranger = await user()
  t.equal((await stranger.get(`/v1/visitors/${ada}/export`)).statusCode, 404)
  t.equal((await stranger.delete(`/v1/visitors/${ada}`)).statusCode, 404)
  t.equal((await me.get(`/v1/visitors/vis_${'x'.repeat(22)}/export`)).statusCode, 404)
})

// Was wrong: 200 conversations were read at a stretch, 1.5 s in which nobody else got a response.
t.test('an export leaves a turn of the event loop to others between its pieces', async (t) => {
  const { me, visitor, begin, stores: { privacy } } = await keeping(t, null)
  const ada = await visitor()
  for (let i = 0; i < 5; i++) await begin(ada)
  let turns = 0
  let timer = setImmediate(function turn () {
    turns++
    timer = setImmediate(turn)
  })
  const pieces: string[] = []
  for await (const piece of (await exportOf(privacy.exporting, me.id, ada))!) pieces.push(piece)
  clearImmediate(timer)
  t.equal(JSON.parse(pieces.join('')).conversations.length, 5)
  t.ok(turns > 10, `${turns} turns`)
})
