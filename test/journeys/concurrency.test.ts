import { readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import t from 'tap'
import { dataFile } from '../../src/data-file.ts'
import { build, draft } from '../helper.ts'
import { fileAlone } from '../postgres/database.ts'

const DAY = 86_400_000
const statuses = (answers: Array<{ statusCode: number }>) => {
  const counts: Record<number, number> = {}
  for (const { statusCode } of answers) counts[statusCode] = (counts[statusCode] ?? 0) + 1
  return counts
}

// Planted fault: If-Match compared before the write queue instead of inside the transaction.
t.test('of 100 updates with one If-Match one wins and 99 are told', async (t) => {
  const { user } = await build(t)
  const as = await user()
  const { etag } = (await as.post('/v1/agents', draft)).headers as Record<string, string>
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_none, i) => as.put('/v1/agents/1', { name: `n${i}` }, { 'if-match': etag! }))
  )
  t.strictSame(statuses(answers), { 200: 1, 412: 99 })
  const winner = answers.find(({ statusCode }) => statusCode === 200)!
  t.strictSame((await as.get('/v1/agents/1')).json().data, winner.json().data)
  t.match(answers.find(({ statusCode }) => statusCode === 412)!.json(), {
    error: { code: 'precondition_failed', status: 412, fields: {} }
  })
})

t.test('100 updates of different fields at once all count', async (t) => {
  const { user } = await build(t)
  const as = await user()
  let { appearance } = (await as.post('/v1/agents', draft)).json().data
  const fields = ['welcomeMessage', 'buttonText', 'chatbotName', 'fontFamily']
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_none, i) => as.put('/v1/agents/1', { appearance: { [fields[i % 4]!]: `v${i}` } }))
  )
  t.strictSame(statuses(answers), { 200: 100 })
  const made = answers.map((answer, i) => ({ i, ...answer.json().data }))
    .sort((a, b) => (a.updated_at < b.updated_at ? -1 : 1))
  for (const { i, ...shown } of made) {
    appearance = { ...appearance, [fields[i % 4]!]: `v${i}` }
    if (!isDeepStrictEqual(shown.appearance, appearance)) t.fail(`update ${i} knows nothing of those before it`)
  }
  t.strictSame((await as.get('/v1/agents/1')).json().data.appearance, appearance)
  t.equal(new Set(answers.map(({ headers }) => headers.etag)).size, 100, 'each state has a tag of its own')
})

t.test('If-Match and If-None-Match read lists of tags, weak ones and *', async (t) => {
  const { user } = await build(t)
  const as = await user()
  const { etag } = (await as.post('/v1/agents', draft)).headers as Record<string, string>
  const tag = etag!
  t.match(tag, /^"[^"]+"$/, 'a strong one')
  const read = async (header: string, url = '/v1/agents/1') => await as.get(url, undefined, { 'if-none-match': header })
  for (const header of [tag, `W/${tag}`, `"x", ${tag}`, `"x",W/${tag} , "y"`, '*']) {
    const same = await read(header)
    t.strictSame([same.statusCode, same.body, same.headers.etag], [304, '', tag], header)
    t.equal((await as.head('/v1/agents/1', undefined, { 'if-none-match': header })).statusCode, 304)
  }
  for (const header of ['"x"', '', tag.slice(1, -1), `"${tag}"`]) t.equal((await read(header)).statusCode, 200, header)
  const list = (await as.get('/v1/agents')).headers.etag as string
  for (const header of [list, `W/${list}`, `"x", ${list}`, '*']) {
    t.equal((await read(header, '/v1/agents')).statusCode, 304, header)
  }
  t.equal((await read(tag, '/v1/agents')).statusCode, 200, 'an agent is not a list')
  const write = async (header: string) => (await as.put('/v1/agents/1', {}, { 'if-match': header })).statusCode
  for (const header of [tag, `"x", ${tag}`, '*', `${tag} , "y"`]) t.equal(await write(header), 200, header)
  for (const header of [`W/${tag}`, '"x"', '', tag.slice(1, -1), 'W/"x", "y"']) {
    t.equal(await write(header), 412, header)
  }
  t.equal((await as.delete('/v1/agents/1', undefined, { 'if-match': '"x"' })).statusCode, 412)
  t.equal((await as.put('/v1/agents/9', {}, { 'if-match': '*' })).statusCode, 404)
  t.equal((await as.delete('/v1/agents/1', undefined, { 'if-match': tag })).statusCode, 200)
})

t.test('a tag that stood for other settings is stale', async (t) => {
  const first = await build(t)
  const as = await first.user()
  const { etag } = (await as.post('/v1/agents', draft)).headers
  await first.close()
  const second = await build(t, { AGENTHALL_TRAINING_LIMITS: '{"enterprise":7}' }, first)
  const again = await second.withKey(as.key).get('/v1/agents/1', undefined, { 'if-none-match': etag as string })
  t.strictSame([again.statusCode, again.json().data.max_training_usage_bytes], [200, 7])
})

// Planted fault: the record looked up before the transaction.
t.test('50 POSTs at once with one Idempotency-Key make one agent and get one answer, byte for byte', async (t) => {
  const { user } = await build(t)
  const as = await user()
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => as.post('/v1/agents', draft, { 'idempotency-key': 'once' }))
  )
  t.strictSame(statuses(answers), { 201: 50 })
  t.equal(new Set(answers.map(({ body, headers }) => `${body} ${headers.location} ${headers.etag}`)).size, 1)
  t.equal(answers.filter(({ headers }) => headers['idempotency-replayed'] === 'true').length, 49)
  t.equal((await as.get('/v1/agents')).json().data.length, 1)
})

t.test('an Idempotency-Key belongs to one user, one route and one body', async (t) => {
  const { user, withKey } = await build(t)
  const [as, other] = [await user(), await user()]
  const once = { 'idempotency-key': 'k' }
  t.equal((await as.post('/v1/agents', draft, once)).statusCode, 201)
  const mismatch = await as.post('/v1/agents', { ...draft, name: 'Other' }, once)
  t.match([mismatch.statusCode, mismatch.json().error.code], [422, 'idempotency_mismatch'])
  t.match((await other.post('/v1/agents', draft, once)).json().data, { owner: other.id }, 'another user is independent')
  t.equal((await as.post('/v1/api_keys', {}, once)).statusCode, 201, 'another route is another request')
  const second = withKey((await as.post('/v1/api_keys', {})).json().data.key)
  t.equal(
    (await second.post('/v1/agents', draft, once)).headers['idempotency-replayed'],
    'true',
    'another key of the same user is the same user'
  )
  t.equal(
    (await as.post('/v1/agents/', draft, once)).headers['idempotency-replayed'],
    'true',
    'the same route however it is written'
  )
  t.equal((await as.get('/v1/agents')).json().data.length, 1)
  for (const key of ['', ' ', 'ä', 'x'.repeat(256)]) {
    t.match((await as.post('/v1/agents', draft, { 'idempotency-key': key })).json().error.details, [
      { field: 'Idempotency-Key' }
    ])
  }
  t.equal((await as.post('/v1/agents', draft, { 'idempotency-key': 'x'.repeat(255) })).statusCode, 201)
  t.strictSame(
    (await Promise.all([1, 2].map(() => as.post('/v1/api_keys', undefined, { 'idempotency-key': 'none' })))).map(
      ({ statusCode }) => statusCode
    ),
    [201, 201],
    'no body is a body too'
  )
  t.equal((await as.post('/v1/agents', {}, { 'idempotency-key': 'bad' })).statusCode, 400)
  t.equal((await as.post('/v1/agents', draft, { 'idempotency-key': 'bad' })).statusCode, 201, 'a refusal is not kept')
})

t.test('a repeat is answered for 24 hours, also after a restart and after the agent has changed or gone', async (t) => {
  const first = await build(t)
  const as = await first.user()
  const once = { 'idempotency-key': 'k' }
  const made = await as.post('/v1/agents', draft, once)
  await as.put('/v1/agents/1', { name: 'Changed' })
  t.equal((await as.post('/v1/agents', draft, once)).body, made.body, 'the first answer, not the present state')
  await as.delete('/v1/agents/1')
  await first.close()
  first.clock.advance(DAY - 1000)
  const second = await build(t, {}, first)
  const again = second.withKey(as.key)
  const repeat = await again.post('/v1/agents', draft, once)
  t.strictSame([repeat.statusCode, repeat.body, repeat.headers['idempotency-replayed']], [201, made.body, 'true'])
  t.strictSame((await again.get('/v1/agents')).json().data, [])
  second.clock.advance(1000)
  const anew = await again.post('/v1/agents', draft, once)
  t.strictSame([anew.statusCode, anew.json().data.id, anew.headers['idempotency-replayed']], [201, 2, undefined])
  t.equal(
    second.stores.db.raw.prepare('select count(*) from idempotency_records').pluck().get(),
    1,
    'what is too old is forgotten'
  )
})

t.test('a repeat is answered although what it did would be refused by now', async (t) => {
  const { user, clock, stores } = await build(t)
  const as = await user()
  const once = { 'idempotency-key': 'k' }
  const agent = { ...draft, is_white_label: true }
  const key = { expires_at: '2026-01-01T01:00:00Z' }
  const made = [await as.post('/v1/agents', agent, once), await as.post('/v1/api_keys', key, once)]
  await stores.access.setTier(as.id, 'pro')
  clock.advance(2 * 3_600_000)
  const again = [await as.post('/v1/agents', agent, once), await as.post('/v1/api_keys', key, once)]
  t.strictSame(again.map(({ body }) => body), made.map(({ body }) => body))
  t.equal((await as.post('/v1/agents', agent)).statusCode, 403)
  t.equal((await as.post('/v1/api_keys', key)).statusCode, 400)
})

t.test('a repeat of making a key answers the same secret, although nothing readable is stored', { skip: fileAlone }, async (t) => {
  const { user, withKey, directory, close } = await build(t)
  const as = await user()
  const once = { 'idempotency-key': 'k' }
  const answers = await Promise.all(Array.from({ length: 10 }, () => as.post('/v1/api_keys', { name: 'x' }, once)))
  t.equal(new Set(answers.map(({ body }) => body)).size, 1)
  t.equal(answers.filter(({ headers }) => headers['idempotency-replayed']).length, 9)
  const { key } = answers[0]!.json().data
  t.equal((await withKey(key).get('/v1/me')).statusCode, 200)
  t.equal((await as.get('/v1/api_keys')).json().data.length, 2)
  t.equal(
    (await withKey(key).post('/v1/api_keys', { name: 'x' }, once)).statusCode,
    422,
    'only the key that asked can ask again'
  )
  const stored = () => ['', '-wal'].map((suffix) => readFileSync(dataFile(directory) + suffix, 'latin1')).join()
  for (const secret of [key, as.key!]) t.notOk(stored().includes(secret.slice(12)))
  t.notOk(stored().includes(Buffer.from(key).toString('base64').slice(4, 40)))
  await close()
  t.notOk(readFileSync(dataFile(directory), 'latin1').includes(key.slice(12)))
})
