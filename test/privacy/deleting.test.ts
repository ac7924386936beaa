import t, { type Test } from 'tap'
import { RETURNS } from '../conversations/helper.ts'
import { build } from '../helper.ts'
import { everyRead } from '../platform/storage/reads.ts'
import { changedRows } from '../postgres/looking.ts'
import { SHOP, site } from '../widget/helper.ts'
import { multiply } from './helper.ts'
import { settled as given } from '../../src/platform/storage/work.ts'

type Me = Awaited<ReturnType<typeof site>>['me']

const FILE = Buffer.from(
  '--x\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\ncontent-type: text/plain\r\n\r\nquagga\r\n--x--\r\n'
)

/** An agent with some of everything that can belong to one, and the name of each. */
async function furnish (t: Test, me: Me, provider: string) {
  async function made (url: string, body: object, headers = {}) {
    const answer = await me.post(url, body, headers)
    t.equal(answer.statusCode < 300, true, `${url}: ${answer.body.slice(0, 200)}`)
    return answer.json().data
  }
  const { id } = await made('/v1/agents', {
    name: 'Quagga', systemPrompt: 'You help.', ticketing_providers: [provider], behavior: { email: 'quagga@example.com' }
  })
  const at = `/v1/agents/${id}`
  const fid = (await made(`${at}/knowledge_folders`, { name: 'Quagga' })).id
  const [{ id: sid }] = await made(`${at}/knowledge_sources`, { title: 'Quagga', plain_text: `${RETURNS} quagga` })
  const { id: key } = await made(`${at}/widget_keys`, { name: 'Quagga', origins: [SHOP] })
  const visitor = (await made('/v1/visitors', { agent: id, name: 'Quagga', email: 'quagga@example.com' })).id
  const conversation = (await made(`${at}/conversations`, { visitor })).id
  const talk = `/v1/conversations/${conversation}`
  const [file] = await made(`${talk}/attachments`, FILE, { 'content-type': 'multipart/form-data; boundary=x' })
  const message = (await made(`${talk}/messages`, { text: 'What is a quagga?', attachments: [file.id] })).id
  await me.put(`${talk}/messages/${message}/feedback`, { score: -1, comment: 'quagga' })
  const note = (await made(`${talk}/notes`, { text: 'quagga' })).id
  const ticket = (await made(`${talk}/tickets`, { subject: 'quagga' })).id
  await made('/v1/tickets', { agent: id, subject: 'quagga', requester: { email: 'quagga@example.com' } })
  await made(`${talk}/close`, {})
  return { id, fid, sid, key, visitor, conversation, file: file.url as string, message, note, ticket }
}

/** The production app whose account has an agent that is kept, and one that is to be deleted. */
async function two (t: Test) {
  const built = await site(t, {}, {}, {})
  const { me, visit, begin, settled } = built
  const provider = { name: 'desk', kind: 'webhook', settings: { url: 'https://desk.example.com' }, credentials: { signing_secret: `whsec_${'abcdefgh'.repeat(4)}` } }
  const answer = await me.post('/v1/ticketing_providers', provider)
  t.equal(answer.statusCode, 201, answer.body)
  await me.post('/v1/webhooks', { url: 'https://example.com/hook', events: ['message.completed'] })
  const kept = await begin(await visit())
  t.equal((await kept.say('How many days do I have for returns?')).statusCode, 201)
  const names = await furnish(t, me, provider.name)
  await settled()
  return { ...built, names, kept: kept.conversation }
}

/** The responses of everything that can be read, by address. */
async function everything (me: Me, names: object): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const url of everyRead(names as Record<string, string>)) {
    const { statusCode, body } = await me.get(url)
    found[url] = `${statusCode} ${body.replace(/"request_id":"[^"]+"/, '').replaceAll(/"(?:last_used_at|checked_at)":"[^"]+"/g, '')}`
  }
  return found
}

// Planted faults: each of the reads without its OF_KEPT_AGENT.
t.test('of a deleted agent nothing is seen from then on, while all of it is still in the file', async (t) => {
  const built = await two(t)
  const { me, names, settled, kept, page, visit, stores: { db, outbox } } = built
  const goOn = pause(built)
  const had = await everything(me, names)
  const mine = Object.entries(had).filter(([, found]) => /quagga/i.test(found))
  t.ok(mine.length > 20, `${mine.length} answers show something of it`)
  const before = await page({ origin: SHOP }).post('/v1/widget/session', { key: names.key })
  const token = before.json().data.token as string
  const url = (await me.get(`/v1/conversations/${names.conversation}/messages`)).json().data
    .flatMap((one: any) => one.attachments)[0].url as string
  const path = new URL(url).pathname
  t.equal((await me.get(path)).statusCode, 200)
  const sent = (await me.get(`/v1/deliveries?about=conversations/${names.conversation}`)).json().data
  t.ok(sent.length > 0, 'something of it is to leave')

  t.equal((await me.delete(`/v1/agents/${names.id}`)).statusCode, 200)
  const rows = (table: string) => db.raw.prepare(`select count(*) from ${table} where agent_id = ?`).pluck().get(names.id)
  t.ok(rows('conversations') && rows('visitors') && rows('tickets') && rows('knowledge_sources') && rows('figures'))
  const hidden = await everything(me, names)
  t.strictSame(Object.entries(hidden).filter(([, found]) => /quagga/i.test(found)), [])
  t.match(hidden, {
    [`/v1/agents/${names.id}?`]: /^404/,
    [`/v1/conversations/${names.conversation}?`]: /^404/,
    [`/v1/visitors/${names.visitor}?`]: /^404/,
    [`/v1/tickets/${names.ticket}?`]: /^404/
  })
  t.match(hidden['/v1/conversations?'], kept, 'the other agent is as it was')

  const talk = `/v1/conversations/${names.conversation}`
  const agent = `/v1/agents/${names.id}`
  const changes = [
    await me.patch(talk, { subject: 'x' }),
    await me.delete(talk),
    await me.post(`${talk}/messages`, { text: 'x' }),
    await me.post(`${talk}/takeover`, {}),
    await me.post(`${talk}/notes`, { text: 'x' }),
    await me.delete(`${talk}/notes/${names.note}`),
    await me.post(`${talk}/tickets`, { subject: 'x' }),
    await me.post(`${talk}/attachments`, FILE, { 'content-type': 'multipart/form-data; boundary=x' }),
    await me.put(`${talk}/messages/${names.message}/feedback`, { score: 1 }),
    await me.patch(`/v1/visitors/${names.visitor}`, { name: 'x' }),
    await me.delete(`/v1/visitors/${names.visitor}`),
    await me.post('/v1/visitors', { agent: names.id }),
    await me.patch(`/v1/tickets/${names.ticket}`, { subject: 'x' }),
    await me.post(`/v1/tickets/${names.ticket}/messages`, { text: 'x' }),
    await me.post('/v1/tickets', { agent: names.id, subject: 'x' }),
    await me.put(agent, { name: 'x' }),
    await me.delete(agent),
    await me.post(`${agent}/conversations`, {}),
    await me.post(`${agent}/knowledge_sources`, { title: 'x', plain_text: 'x' }),
    await me.put(`${agent}/knowledge_sources/${names.sid}`, { title: 'x' }),
    await me.delete(`${agent}/knowledge_sources/${names.sid}`),
    await me.post(`${agent}/knowledge_sources/${names.sid}/train`, {}),
    await me.delete(`${agent}/knowledge_folders/${names.fid}`),
    await me.delete(`${agent}/widget_keys/${names.key}`),
    await me.post(`${agent}/widget_keys/${names.key}/identity_secrets`, {}),
    await me.post(`${agent}/search`, { query: 'quagga' }),
    await me.get(path),
    await page({ origin: SHOP }).post('/v1/widget/session', { key: names.key })
  ]
  t.strictSame(changes.map(({ statusCode, raw: { req } }) => [statusCode, req.method, req.url])
    .filter(([status]) => status !== 404), [])
  t.equal((await page({ origin: SHOP, token }).post('/v1/widget/conversations', {})).statusCode, 401)
  t.equal(await outbox.begin(sent[0].id, () => given(0)), undefined, 'nothing more of it is sent')
  t.equal((await visit()).session.visitor.verified, false, 'the other widget goes on')

  await settled()
  t.equal(rows('conversations'), 1, 'it is still there')
  const still = await everything(me, names)
  goOn()
  await settled()
  t.strictSame(await everything(me, names), still, 'what is answered is the same when all of it is removed')
  t.strictSame(
    ['conversations', 'visitors', 'tickets', 'knowledge_sources', 'figures', 'widget_keys', 'stored_bytes'].map(rows),
    [0, 0, 0, 0, 0, 0, 0]
  )
  t.equal(db.raw.prepare('select 1 from agents where id = ?').get(names.id), undefined, 'the row goes last')
  t.equal(db.raw.prepare('select count(*) from jobs where kind = ?').pluck().get('agents.remove'), 0)
})

/** An agent with this many conversations of two messages and a visitor each, beside one that is kept. */
async function crowded (t: Test, count: number, options: Parameters<typeof build>[2] = {}) {
  const built = await site(t, {}, {}, options)
  const { me, visit, begin, settled, stores: { db: { raw } } } = built
  const kept = (await begin(await visit())).conversation
  const { id } = (await me.post('/v1/agents', { name: 'Quagga', systemPrompt: 'You help.' })).json().data
  const visitor = (await me.post('/v1/visitors', { agent: id, name: 'Quagga' })).json().data.id
  const conversation = (await me.post(`/v1/agents/${id}/conversations`, { visitor })).json().data.id
  await me.post(`/v1/conversations/${conversation}/messages`, { text: 'Hello' })
  await settled()
  multiply(raw, id, count)
  return { ...built, id, kept, conversation, visitor }
}

/** Blocks all removal until the returned function is called. */
function pause ({ stores: { jobs } }: Pick<Awaited<ReturnType<typeof build>>, 'stores'>): () => void {
  let isPaused = true
  const { claim, isAnyDue } = jobs
  const wanted = (kinds: readonly string[]) => kinds.filter((kind) => !isPaused || !kind.endsWith('.remove'))
  jobs.claim = (asked) => claim({ ...asked, kinds: wanted(asked.kinds) })
  jobs.isAnyDue = (kinds) => isAnyDue(wanted(kinds))
  return () => { isPaused = false }
}

/** How many rows each write changes from now on, cascades included. */
function changesOf ({ stores: { db } }: Pick<Awaited<ReturnType<typeof build>>, 'stores'>): number[] {
  const pieces: number[] = []
  const changes = changedRows(db.raw)
  const { atomically } = db
  db.atomically = (work, options) => atomically(function * () {
    const before = changes()
    const done = yield * work()
    pieces.push(changes() - before)
    return done
  }, options)
  return pieces
}

const leftOf = ({ stores: { db } }: Pick<Awaited<ReturnType<typeof build>>, 'stores'>, agent: number) =>
  db.raw.prepare<[number], number>('select count(*) from conversations where agent_id = ?').pluck().get(agent)!

// Planted fault: the job deletes the row of the agent first, and everything cascades.
t.test('an agent with thousands of conversations is hidden in a small commit and removed in small ones', async (t) => {
  const built = await crowded(t, 3000)
  const { me, id, kept, settled } = built
  const goOn = pause(built)
  const pieces = changesOf(built)
  t.equal((await me.get(`/v1/agents/${id}`)).json().data.conversations, 3001)
  t.equal((await me.delete(`/v1/agents/${id}`)).statusCode, 200)
  t.ok(Math.max(...pieces) <= 10, `the commit that answers changes ${Math.max(...pieces)} rows`)
  t.equal(leftOf(built, id), 3001)
  pieces.length = 0
  goOn()
  await settled()
  t.equal(leftOf(built, id), 0)
  const all = pieces.reduce((sum, one) => sum + one, 0)
  t.ok(all > 25_000, `${all} rows are removed`)
  t.ok(Math.max(...pieces) <= 2000, `${Math.max(...pieces)} at most in one commit`)
  t.match((await me.get('/v1/conversations')).json().data.map((one: any) => one.id), [kept])
})

// Planted fault: partOf requests all rows at once.
t.test('a list goes on behind thousands of conversations that are being removed, and looks at a few at a time', async (t) => {
  const built = await crowded(t, 3000)
  const { me, id, kept, conversation: gone, stores: { db } } = built
  pause(built)
  const newest = db.raw.prepare('select max(number) from conversations').pluck().get()
  await me.delete(`/v1/agents/${id}`)
  let reads = 0
  const { read } = db
  db.read = (work) => {
    reads++
    return read(work)
  }
  for (const url of ['/v1/conversations?limit=1', `/v1/conversations?limit=1&cursor=${newest}`]) {
    const { data } = (await me.get(url)).json()
    t.equal(data.length, 1, url)
    t.not(data[0].id, gone)
  }
  reads = 0
  t.match((await me.get('/v1/conversations')).json().data.map((one: any) => one.id), [kept])
  t.ok(reads >= 3, `${reads} looks`)
  t.equal((await me.get('/v1/visitors')).json().data.length, 1)
  t.equal((await me.get('/v1/conversations?search=hello')).json().data.length, 0)
})

t.test('what a server has begun to remove when it stops, the next one goes on with', async (t) => {
  const directory = t.testdir({})
  const first = await crowded(t, 3000, { directory })
  const { me, id } = first
  await me.delete(`/v1/agents/${id}`)
  while (leftOf(first, id) > 2500) await new Promise(setImmediate)
  await first.close()
  const second = await build(t, {}, { directory })
  const again = second.withKey(me.key)
  const left = leftOf(second, id)
  t.ok(left > 0 && left < 3001, `${left} are left`)
  t.equal((await again.get(`/v1/agents/${id}`)).statusCode, 404)
  t.equal((await again.get('/v1/conversations')).json().data.length, 2)
  await second.settled()
  t.equal(leftOf(second, id), 0)
  t.equal(second.stores.db.raw.prepare('select 1 from agents where id = ?').get(id), undefined)
})

t.test('a deleted user is nobody any more at once; the account is removed in slices, the row last', async (t) => {
  const built = await crowded(t, 1000)
  const { me, id, key, page, settled, user, stores: { db, access, privacy: { deletion }, agents } } = built
  db.raw.prepare("update users set email = 'ada@example.com' where id = ?").run(me.id)
  const { cookie } = await built.withSession(me.id)
  const other = await user()
  const goOn = pause(built)
  const pieces = changesOf(built)
  t.equal(await deletion.user(me.id), true)
  t.ok(Math.max(...pieces) <= 30, `the commit that hides it changes ${Math.max(...pieces)} rows`)
  t.equal((await me.get('/v1/me')).statusCode, 401)
  t.equal((await built.sending({ cookie, 'sec-fetch-site': 'same-origin' }).get('/v1/me')).statusCode, 401)
  t.equal((await page({ origin: SHOP }).post('/v1/widget/session', { key })).statusCode, 404)
  t.strictSame((await access.users()).map((one) => one.id), [other.id])
  t.equal(await access.user(me.id), undefined)
  t.equal(await access.setTier(me.id, 'free'), undefined)
  t.strictSame(await agents.usage(me.id), { agents: 0, training_bytes: 0 })
  t.equal(await deletion.user(me.id), false, 'nobody is deleted twice')
  const { user: anew } = await access.createUser({ name: 'Ada', email: 'ada@example.com' })
  t.not(anew.id, me.id, 'the address is free')
  t.match(await deletion.left(me.id), { jobs: 2, conversations: 1003 })
  t.equal(leftOf(built, id), 1001)
  pieces.length = 0
  goOn()
  await settled()
  t.ok(Math.max(...pieces) <= 2000, `${Math.max(...pieces)} rows at most in one commit`)
  t.match(await deletion.left(me.id), { jobs: 0, conversations: 0 })
  for (const table of ['conversations', 'visitors', 'knowledge_sources', 'outbox', 'word_secrets']) {
    t.equal(db.raw.prepare(`select count(*) from ${table} where owner_id = ?`).pluck().get(me.id), 0, table)
  }
  t.equal(db.raw.prepare('select 1 from users where id = ?').get(me.id), undefined)
})
