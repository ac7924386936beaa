import t from 'tap'
import type { MessageRecord } from '../../schema/conversations.ts'
import { previewOf } from '../../src/conversations/storage/rows.ts'
import { build, draft } from '../helper.ts'
import { QUESTION, talkative } from './helper.ts'

t.test('conversations are counted exactly, and move nobody\'s If-Match', async (t) => {
  const { me, id, at } = await talkative(t)
  const read = await me.get(`/v1/agents/${id}`)
  t.equal(read.json().data.conversations, 1)
  const { headers: { etag } } = await me.get(`/v1/agents/${id}`)
  await me.post(`/v1/agents/${id}/conversations`, {})
  t.equal((await me.get(`/v1/agents/${id}`)).json().data.conversations, 2)
  t.equal((await me.get('/v1/agents')).json().data[0].conversations, 2)
  t.equal(
    (await me.put(`/v1/agents/${id}`, { description: 'x' }, { 'if-match': String(etag) })).statusCode,
    200,
    'a chat in between does not matter'
  )
  await me.delete(at)
  t.equal((await me.get(`/v1/agents/${id}`)).json().data.conversations, 1)
})

t.test('a list shows the count of now, also where it was kept', async (t) => {
  const { me, id } = await talkative(t)
  for (let count = 1; count <= 3; count++) {
    const list = await me.get('/v1/agents')
    t.equal(list.json().data[0].conversations, count)
    t.equal((await me.get('/v1/agents', undefined, { 'if-none-match': String(list.headers.etag) })).statusCode, 304)
    await me.post(`/v1/agents/${id}/conversations`, {})
    t.equal((await me.get('/v1/agents', undefined, { 'if-none-match': String(list.headers.etag) })).statusCode, 200)
  }
})

t.test('a conversation is read, changed and deleted with its ETag', async (t) => {
  const { me, at, say } = await talkative(t)
  const { headers: { etag } } = await me.get(at)
  t.equal((await me.get(at, undefined, { 'if-none-match': String(etag) })).statusCode, 304)
  await say('Hi')
  t.equal((await me.patch(at, { status: 'closed' }, { 'if-match': String(etag) })).statusCode, 412)
  const closed = await me.patch(at, { status: 'closed', subject: 'Returns', language: 'en' })
  t.match(closed.json().data, { status: 'closed', subject: 'Returns', language: 'en', episode: 1 })
  t.equal((await me.patch(at, {})).statusCode, 400)
  await say(QUESTION)
  t.match((await me.get(at)).json().data, { status: 'open', episode: 2 }, 'a message takes it up again')
  t.equal((await me.delete(at, undefined, { 'if-match': String(etag) })).statusCode, 412)
  t.strictSame((await me.delete(at)).json().data, { id: at.split('/').at(-1) })
  for (const gone of [
    me.get(at),
    me.delete(at),
    me.patch(at, { status: 'open' }),
    me.get(`${at}/messages`),
    me.post(`${at}/messages`, { text: 'x' }),
    me.get(`${at}/events`)
  ]) {
    t.match((await gone).json().error, { code: 'not_found' })
  }
})

t.test('what was said last is answered for many at once, however long it is, and nothing of what the system says', async (t) => {
  const { me, id, at, conversation, say, settled, user } = await talkative(t, {}, { behavior: { expertHandoff: true } })
  const empty = (await me.post(`/v1/agents/${id}/conversations`, {})).json().data.id as string
  const gone = `conv_${'x'.repeat(22)}`
  const previews = async (...ids: string[]) => (await me.get(`/v1/conversations/previews?ids=${ids.join()}`)).json().data
  await say('Hi')
  await settled()
  t.match(await previews(conversation, empty, gone, conversation), [{ conversation, seq: 2, role: 'agent', author: null }])
  await me.post(`${at}/takeover`, {})
  t.match(await previews(conversation), [{ seq: 2, role: 'agent' }], 'that a person has come is a notice')
  await me.post(`${at}/messages`, { role: 'person', text: 'One\n\n  moment' })
  t.strictSame(await previews(conversation), [{ conversation, seq: 4, role: 'person', author: me.id, text: 'One moment', visitor_is_here: false }])
  await say(`${'x'.repeat(199)}😀 and so on ${'y '.repeat(500)}`)
  t.match(await previews(conversation), [{ seq: 5, role: 'visitor', text: 'x'.repeat(199) }], 'no half of a character')
  t.strictSame((await me.get('/v1/conversations/previews')).json().data, [])
  t.strictSame((await (await user()).get(`/v1/conversations/previews?ids=${conversation}`)).json().data, [], 'another account')
  t.equal((await me.get('/v1/conversations/previews?ids=x')).statusCode, 400)
  t.equal((await me.get(`/v1/conversations/previews?ids=${Array(101).fill(gone).join()}`)).statusCode, 400)
})

t.test('a list shows what an answer says, without the signs of its headings and bold type', (t) => {
  // Was wrong: the inbox showed "This may help: # Returns You have **30 days**".
  const said = (role: string, text: string) =>
    previewOf({ role, text, attachments: [] } as unknown as MessageRecord).text
  const text = 'This may help:\n\n## Returns\nYou have **30 days**, see #4.'
  t.equal(said('agent', text), 'This may help: Returns You have 30 days, see #4.')
  t.equal(said('visitor', '# 4 is **mine**'), '# 4 is **mine**', 'what visitors and people write is as they wrote it')
  t.end()
})

t.test('a repeat of a beginning is the same conversation', async (t) => {
  const { me, id } = await talkative(t)
  const begin = () => me.post(`/v1/agents/${id}/conversations`, { subject: 'x' }, { 'idempotency-key': 'k' })
  const [first, second] = [await begin(), await begin()]
  t.equal(second.headers['idempotency-replayed'], 'true')
  t.strictSame(first.json().data, second.json().data)
  t.match(first.headers.location, /^\/v1\/conversations\/conv_/)
})

t.test('lists come newest first in parts, by agent, by what they are and by what was said', async (t) => {
  const { me, id, at, say } = await talkative(t)
  await say(QUESTION)
  await me.patch(at, { status: 'closed' })
  const other = (await me.post('/v1/agents', draft)).json().data.id
  for (let i = 0; i < 3; i++) await me.post(`/v1/agents/${other}/conversations`, { subject: `Number ${i}` })
  const subjects = async (query: string) =>
    (await me.get(`/v1/conversations?${query}`)).json().data.map(({ subject }: { subject: string }) => subject)
  t.strictSame(await subjects(''), ['Number 2', 'Number 1', 'Number 0', QUESTION])
  const first = (await me.get('/v1/conversations?limit=3')).json()
  t.equal(first.data.length, 3)
  t.strictSame(await subjects(`limit=3&cursor=${first.next_cursor}`), [QUESTION])
  t.equal((await me.get(`/v1/conversations?cursor=${first.next_cursor}`)).json().next_cursor, null)
  t.strictSame(await subjects('status=closed'), [QUESTION])
  t.strictSame(await subjects(`agent=${other}&limit=1`), ['Number 2'])
  t.strictSame(await subjects('search=original packaging'), [QUESTION], 'the answer quoted it')
  t.strictSame(await subjects('search=number 1'), ['Number 1'])
  t.strictSame(await subjects('search=number&limit=2'), ['Number 2', 'Number 1'])
  t.strictSame(await subjects('handled_by=person'), [])
  t.strictSame(await subjects('since=2030-01-01'), [])
  // Was wrong: compared as texts, a time without its last digits came after those that follow it.
  const last = (await me.get(at)).json().data.last_message_at
  for (const since of [last, `${last.slice(0, 19)}Z`, `${last.slice(0, 16)}Z`, last.slice(0, 10)]) {
    t.ok((await subjects(`since=${since}`)).includes(QUESTION), since)
  }
  // Was wrong: a day that February does not have was the third of March, or whichever the texts' order made it.
  for (const wrong of ['2026-02-31', '2026-13-01', '2026-02-31T10:00:00Z', '2026-02-20T25:00:00Z', '2026-02-20T1Z']) {
    for (const list of ['/v1/conversations', `/v1/agents/${id}/conversations`]) {
      const refused = await me.get(`${list}?since=${wrong}`)
      t.match([refused.statusCode, refused.json()], [400, { error: { details: [{ field: 'since' }] } }], wrong)
    }
  }
  t.equal((await me.get(`/v1/agents/${id}/conversations`)).json().data.length, 1)
  t.equal((await me.get('/v1/agents/999/conversations')).statusCode, 404)
  t.equal((await me.post('/v1/agents/999/conversations', {})).statusCode, 404)
})

t.test('somebody else\'s conversation is as if it were not there, in the same bytes', async (t) => {
  const { user, at } = await talkative(t)
  const other = await user()
  const absent = `/v1/conversations/conv_${'x'.repeat(22)}`
  for (const path of ['', '/messages', '/events']) {
    t.equal((await other.get(at + path)).body, (await other.get(absent + path)).body)
  }
  t.equal(
    (await other.post(`${at}/messages`, { text: 'x' })).body,
    (await other.post(`${absent}/messages`, { text: 'x' })).body
  )
  t.equal((await other.get('/v1/conversations')).json().data.length, 0)
})

t.test('deleting an agent deletes its conversations', async (t) => {
  const { me, id, at, say } = await talkative(t)
  await say(QUESTION)
  await me.delete(`/v1/agents/${id}`)
  t.equal((await me.get(at)).statusCode, 404)
  t.strictSame((await me.get('/v1/conversations')).json().data, [])
})

t.test('reading and speaking need their permissions', async (t) => {
  const { user } = await build(t)
  const viewer = await user({ permissions: ['VIEW_ANALYTICS'] })
  const nobody = await user({ permissions: ['MANAGE_KNOWLEDGE_BASE'] })
  t.equal((await viewer.get('/v1/conversations')).statusCode, 200)
  t.equal((await viewer.post('/v1/agents/1/conversations', {})).statusCode, 403)
  for (const path of ['/v1/conversations', '/v1/visitors', '/v1/agents/1/conversations']) {
    t.equal((await nobody.get(path)).statusCode, 403, path)
  }
})

t.test('visitors are made, read and changed; consent is kept as it was shown', async (t) => {
  const { me, id, user, clock } = await talkative(t)
  const made = await me.post(
    '/v1/visitors', { agent: id, name: 'Grace', attributes: { plan: 'gold' } }, { 'idempotency-key': 'v' }
  )
  t.equal(made.statusCode, 201, made.body)
  const { data } = made.json()
  t.match(data, { name: 'Grace', verified: false, email: null, consent: null, attributes: { plan: 'gold' } })
  t.equal(
    (
      await me.post(
        '/v1/visitors', { agent: id, name: 'Grace', attributes: { plan: 'gold' } }, { 'idempotency-key': 'v' }
      )
    ).json().data.id,
    data.id
  )
  clock.advance(1000)
  const changed = (
    await me.patch(`/v1/visitors/${data.id}`, { email: 'grace@example.com', consent: 'I agree.' })
  ).json().data
  t.match(changed, { name: 'Grace', email: 'grace@example.com', consent: { text: 'I agree.', hash: /^[0-9a-f]{64}$/ } })
  t.ok(changed.last_seen_at > data.last_seen_at)
  // Was wrong: setting one attribute removed the others.
  const attributes = async (change: object) => await me.patch(`/v1/visitors/${data.id}`, { attributes: change })
  t.strictSame((await attributes({ city: 'Rome' })).json().data.attributes, { plan: 'gold', city: 'Rome' })
  t.strictSame((await attributes({ city: null })).json().data.attributes, { plan: 'gold' })
  const many = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`a${at}`, 'x']))
  t.match((await attributes(many)).body, /more than 50/, 'fifty in all')
  // Was wrong: a name that shows nothing was kept, and stood in the inbox as a value beside nothing.
  for (const name of ['', ' ', '\u200b', 'x'.repeat(65), 'two\nlines']) {
    t.equal((await attributes({ [name]: 'x' })).statusCode, 400, JSON.stringify(name))
    t.equal((await me.post('/v1/visitors', { agent: id, attributes: { [name]: 'x' } })).statusCode, 400)
  }
  t.match((await me.get(`/v1/visitors/${data.id}`)).json().data, { ...changed, last_seen_at: String })
  t.equal((await me.patch(`/v1/visitors/${data.id}`, { consent: null })).json().data.consent, null)
  await me.post('/v1/visitors', { agent: id })
  const part = (await me.get(`/v1/visitors?limit=1&agent=${id}`)).json()
  t.equal(part.data.length, 1)
  t.strictSame(
    (await me.get(`/v1/visitors?agent=${id}&cursor=${part.next_cursor}`)).json().data.map(({ id }: { id: string }) => id),
    [data.id]
  )
  const other = await user()
  t.equal((await other.get(`/v1/visitors/${data.id}`)).statusCode, 404)
  t.equal((await other.patch(`/v1/visitors/${data.id}`, { name: 'x' })).statusCode, 404)
  t.equal((await other.post('/v1/visitors', { agent: id })).statusCode, 404)
  t.strictSame((await other.get('/v1/visitors')).json().data, [], 'another account sees none of them')
  const theirs = (await other.post('/v1/agents', draft)).json().data.id
  const taken = await other.post(`/v1/agents/${theirs}/conversations`, { visitor: data.id })
  t.match(taken.json().error, { code: 'VALIDATION_ERROR' }, 'nor talks in the name of one')
  const conversation = await me.post(`/v1/agents/${id}/conversations`, { visitor: data.id })
  t.equal(conversation.json().data.visitor, data.id)
  t.strictSame((await me.get(`/v1/conversations?visitor=${data.id}`)).json().data.length, 1)
  t.match((await me.post(`/v1/agents/${id}/conversations`, { visitor: `vis_${'x'.repeat(22)}` })).json().error, {
    code: 'VALIDATION_ERROR'
  })
})
