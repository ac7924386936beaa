import { readFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { accounting, dataFile } from '../../src/data-file.ts'
import { form } from '../sources/parts.ts'
import { QUESTION, RETURNS, talkative } from './helper.ts'
import { fileAlone } from '../postgres/database.ts'

const SECRET = 'quaggainthefile'
const file = (name: string, body: string | Uint8Array = 'A picture') => ({ name: 'file', file: name, body })

/** An agent with a conversation, and a way to send files to it. */
async function attachable (t: Test, env: Record<string, string> = {}) {
  const built = await talkative(t, env)
  const attach = async (...parts: Parameters<typeof form>) =>
    await built.me.post(`${built.at}/attachments`, ...form(...parts))
  const used = async () => (await built.me.get('/v1/me')).json().data.usage.stored_bytes - Buffer.byteLength(RETURNS)
  const path = (url: string) => new URL(url).pathname
  return { ...built, attach, used, path }
}

t.test('files are added, named by a message, shown with it, and read at their address as a download', async (t) => {
  const { me, at, attach, say, withKey, path } = await attachable(t)
  const added = await attach(file('C:\\photos\\broken cup.jpg'), file('', 'B'))
  t.equal(added.statusCode, 201, added.body)
  const { data } = added.json()
  t.match(data, [
    { id: /^att_[\w-]{22}$/, name: 'broken cup.jpg', bytes: 9, url: /^http:\/\/127\.0\.0\.1:\d+\/media\/[\w-]{32}$/ },
    { name: 'file', bytes: 1 }
  ])
  const answer = await say(QUESTION, { attachments: [data[1].id, data[0].id] })
  t.equal(answer.statusCode, 201, answer.body)
  t.strictSame(answer.json().data.attachments, [], 'an answer has none')
  const [question] = (await me.get(`${at}/messages`)).json().data
  t.strictSame(question.attachments, [data[1], data[0]], 'in the order in which they were named')
  const read = await withKey(undefined).get(path(data[0].url))
  t.match([read.statusCode, read.body, read.headers], [200, 'A picture', {
    'content-type': 'application/octet-stream',
    'content-disposition': "attachment; filename*=UTF-8''broken%20cup.jpg",
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox"
  }])
  t.match([(await withKey(undefined).get(path(data[0].url), undefined, { range: 'bytes=2-4' })).body], ['pic'])
  const events = await say('Thanks', { attachments: [data[0].id], stream: true })
  t.ok(events.body.includes(data[0].url), 'who watches is shown the whole address')
})

t.test('a message names only files of its own conversation', async (t) => {
  const { me, id, attach, say, at } = await attachable(t)
  const other = (await me.post(`/v1/agents/${id}/conversations`, {})).json().data.id
  const foreign = (await me.post(`/v1/conversations/${other}/attachments`, ...form(file('a.txt')))).json().data[0].id
  const own = (await attach(file('a.txt'))).json().data[0].id
  const refused = []
  for (const attachments of [['att_none'], [own, foreign]]) refused.push((await say(QUESTION, { attachments })).body)
  t.match(JSON.parse(refused[0]!).error, { code: 'VALIDATION_ERROR', details: [{ field: 'attachments' }] })
  t.equal(refused[0], refused[1], 'the same words for what is not there and what is another\'s')
  t.equal(
    (await say(QUESTION, { attachments: Array.from({ length: 6 }, (_, i) => `att_${i}`) })).statusCode,
    400,
    'five at most'
  )
  t.strictSame((await me.get(`${at}/messages`)).json().data, [], 'nothing was said')
})

t.test('a repeat with an Idempotency-Key adds nothing, and with other files is refused', async (t) => {
  const { me, at, attach, say, used } = await attachable(t)
  const [body, headers] = form(file('a.txt'))
  const send = (sent: Buffer) => me.post(`${at}/attachments`, sent, { ...headers, 'idempotency-key': 'k' })
  const [first, second] = [await send(body), await send(body)]
  t.strictSame([second.headers['idempotency-replayed'], second.json().data], ['true', first.json().data])
  t.equal(await used(), 9)
  t.equal((await send(form(file('b.txt'))[0])).statusCode, 422)
  const b = (await attach(file('b.txt'))).json().data[0].id
  const key = { 'idempotency-key': 'm' }
  const said = await say(QUESTION, { attachments: [first.json().data[0].id] }, key)
  t.equal((await say(QUESTION, { attachments: [first.json().data[0].id] }, key)).json().data.id, said.json().data.id)
  t.match((await say(QUESTION, { attachments: [b] }, key)).json().error, { code: 'idempotency_mismatch' })
})

t.test('what is no form, too large or too much is refused, and leaves nothing', async (t) => {
  const { me, at, user, attach, used, stores } = await attachable(t)
  const many = Array.from({ length: 6 }, (_, i) => file(`${i}.txt`))
  t.match((await attach(...many)).json().error, {
    code: 'payload_too_large', message: /^A request takes at most 5 files/
  })
  t.match((await attach(file('a.txt'), file('large', new Uint8Array(10 * 2 ** 20 + 1)))).json().error, {
    code: 'payload_too_large', message: /10 MiB/
  })
  t.match((await attach()).json().error, { details: [{ field: 'file' }] })
  t.match((await attach({ name: 'title', body: 'x' }, file('a.txt'))).json().error, {
    details: [{ field: 'title', message: 'title is not a known field; send files as parts named "file".' }]
  })
  t.match((await attach({ name: '', body: 'x' }, file('a.txt'))).json().error, { code: 'VALIDATION_ERROR' })
  t.equal((await me.post(`${at}/attachments`, { file: 'x' })).statusCode, 415)
  const absent = `/v1/conversations/conv_${'x'.repeat(22)}/attachments`
  const stranger = await user()
  t.equal(
    (await stranger.post(`${at}/attachments`, ...form(file('a')))).body,
    (await stranger.post(absent, ...form(file('a')))).body
  )
  t.equal(
    (await (await user({ permissions: ['VIEW_ANALYTICS'] })).post(`${at}/attachments`, ...form(file('a')))).statusCode,
    403
  )
  t.equal(await used(), 0)
  t.equal(stores.db.raw.prepare("select count(*) from blobs where state = 'staged'").pluck().get(), 0)
})

t.test('files are charged to the account, and refused beyond what it may keep', { skip: fileAlone }, async (t) => {
  const { me, at, attach, used, stores } = await attachable(t, {
    AGENTHALL_STORAGE_LIMITS: `{"enterprise":${Buffer.byteLength(RETURNS) + 10}}`
  })
  t.equal((await attach(file('a.txt'))).statusCode, 201)
  t.equal(await used(), 9)
  t.match((await attach(file('b.txt', 'xx'))).json().error, { code: 'storage_limit_exceeded', fields: { asked: 2 } })
  t.equal((await attach(file('b.txt', 'x'))).statusCode, 201, 'the last byte fits')
  t.match(
    (await attach(file('c.txt', 'x'))).json().error, { code: 'storage_limit_exceeded' }, 'known before it is received'
  )
  t.strictSame(accounting(stores.db.raw), [])
  await me.delete(at)
  t.equal(await used(), 0)
  t.strictSame(accounting(stores.db.raw), [])
})

t.test('files go with their conversation, their agent and their account: not a byte, not a name is left', async (t) => {
  const { me, id, at, attach, say, path, settled, stores, directory, close, withKey } = await attachable(t)
  const [{ id: one, url }] = (await attach(file(`${SECRET}.txt`, SECRET.repeat(1000)))).json().data
  await say(QUESTION, { attachments: [one] })
  await me.delete(at)
  t.equal((await withKey(undefined).get(path(url))).statusCode, 404)
  const second = (await me.post(`/v1/agents/${id}/conversations`, {})).json().data.id
  const [{ url: gone }] = (
    await me.post(`/v1/conversations/${second}/attachments`, ...form(file(`${SECRET}.txt`, SECRET)))
  ).json().data
  await me.delete(`/v1/agents/${id}`)
  t.equal((await withKey(undefined).get(path(gone))).statusCode, 404)
  await settled()
  const count = (table: string) => stores.db.raw.prepare(`select count(*) from ${table}`).pluck().get()
  t.strictSame([count('attachments'), count('blobs'), count('blob_chunks'), count('doomed_secrets')], [0, 0, 0, 0])
  await close()
  t.notOk(readFileSync(dataFile(directory)).includes(SECRET))
})

t.test('a damaged file is named with its conversation', { skip: fileAlone }, async (t) => {
  const { conversation, attach, stores, path, withKey } = await attachable(t)
  const [{ id, url }] = (await attach(file('a.txt'))).json().data
  const { raw } = stores.db
  raw.exec('update blob_chunks set data = zeroblob(length(data)) where blob = (select blob from attachments)')
  t.strictSame(accounting(raw), [`a file (${id}) of conversation ${conversation} is damaged: delete that conversation`])
  raw.exec('update conversations set secret = 0')
  t.equal((await withKey(undefined).get(path(url))).statusCode, 500, 'without its key its name is not known')
})

t.test('a file that was swept away while it was being sent is not added', async (t) => {
  const { attach, stores: { db, conversations: { attachments } } } = await attachable(t)
  const { add } = attachments
  // As another process that starts meanwhile does.
  attachments.add = async (...args) => {
    await db.atomically(function * () { db.raw.exec("update blobs set state = 'dropped' where state = 'staged'") })
    return await add(...args)
  }
  const refused = await attach(file('a.txt'))
  t.match([refused.statusCode, refused.json().error.message], [503, /Send it again/])
  attachments.add = add
  t.equal((await attach(file('a.txt'))).statusCode, 201, 'sent again it is taken')
})
