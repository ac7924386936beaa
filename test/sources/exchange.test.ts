import t from 'tap'
import { build, draft } from '../helper.ts'
import { agentOf, form, serve, trainAll } from './parts.ts'

// Was wrong: one source was answered as an object, several as a list, so that every client had to check which it was.
t.test(
  'adding answers with the list of what was added, also for one, whose tag and address come with it',
  async (t) => {
    const built = await build(t)
    const as = await built.user()
    const { sources } = await agentOf(as)
    const one = await as.post(sources, { plain_text: 'one' })
    const [source] = one.json().data
    t.same([one.statusCode, one.json().data.length, one.headers.location], [201, 1, `${sources}/${source.id}`])
    t.equal(one.headers.etag, (await as.get(`${sources}/${source.id}`)).headers.etag)
    const file = { name: 'file', file: 'a.txt', body: 'a' }
    t.equal((await as.post(sources, ...form(file))).json().data.length, 1)
    const two = await as.post(sources, ...form(file, file))
    t.same([two.json().data.length, two.headers.location, two.headers.etag], [2, `${sources}/`, undefined])
  }
)

// Was wrong: sources had no ETags, so that of two people who changed one the first lost his changes.
t.test('a source is changed and removed only as it was read, and training is no change of it', async (t) => {
  const built = await build(t)
  const as = await built.user()
  const { sources, add } = await agentOf(as)
  const { id } = await add({ plain_text: 'The zebra eats grass.' })
  const at = `${sources}/${id}`
  const { etag } = (await as.get(at)).headers as Record<string, string>
  t.equal((await as.get(at, undefined, { 'if-none-match': etag! })).statusCode, 304)
  await trainAll(t, built)
  t.equal((await as.get(at, undefined, { 'if-none-match': etag! })).statusCode, 200, 'it shows that it was trained')
  const first = await as.put(at, { title: 'Mine' }, { 'if-match': etag! })
  t.equal(first.statusCode, 200)
  const second = await as.put(at, { plain_text: 'Theirs' }, { 'if-match': etag! })
  t.match(
    [second.statusCode, second.json().error],
    [412, { code: 'precondition_failed', message: /^The source has changed/ }]
  )
  t.equal(built.stores.db.raw.prepare("select count(*) from blobs where state = 'staged'").pluck().get(), 0)
  t.equal((await as.delete(at, undefined, { 'if-match': etag! })).statusCode, 412)
  const again = await as.put(at, { title: 'Mine' }, { 'if-match': first.headers.etag as string })
  t.equal(again.headers.etag, first.headers.etag, 'the same again is no change')
  t.equal((await as.delete(at, undefined, { 'if-match': first.headers.etag as string })).statusCode, 200)
})

// Was wrong: fields that the server assigns, and null, were refused.
t.test('what a GET showed of a source can be put back, edited or not', async (t) => {
  const built = await build(t)
  const as = await built.user()
  const { sources, add, read } = await agentOf(as)
  const all = [
    await add({ plain_text: 'The zebra eats grass.' }), await add({ plain_text: 'x'.repeat(20_000), title: 'Long' }),
    await add({ urls: ['https://a.test/'], count: 5, refresh_hours: 2, include: ['/help/*'] }), await add({ google_drive_file_id: 'abc' }),
    (await as.post(sources, ...form({ name: 'file', file: 'a.txt', body: 'a' }))).json().data[0]
  ]
  for (const { id, type } of all) {
    const shown = await read(id)
    const same = await as.put(`${sources}/${id}`, shown)
    t.same([same.statusCode, same.json().data], [200, shown], `${type}: ${same.body}`)
    const edited = await as.put(`${sources}/${id}`, { ...shown, title: 'Edited' })
    t.same({ ...edited.json().data, updated_at: '' }, { ...shown, title: 'Edited', updated_at: '' })
  }
  const [text, , site, drive] = all
  t.match((await as.put(`${sources}/${site.id}`, { ...(await read(site.id)), count: 7 })).json().data, {
    count: 7, depth: 3, refresh_hours: 2, include: ['/help/*'], exclude: []
  })
  for (const [id, body, field] of [
    [site.id, { urls: ['https://b.test/'] }, 'urls'],
    [drive.id, { google_drive_file_id: 'other' }, 'google_drive_file_id'],
    [text.id, { type: 'docs' }, 'type'],
    [text.id, { count: 3 }, 'count'],
    [text.id, { refresh_hours: 3 }, 'refresh_hours'],
    [site.id, { plain_text: 'x' }, 'plain_text'],
    [text.id, { nonsense: 1 }, 'nonsense']
  ] as const) {
    t.match(
      (await as.put(`${sources}/${id}`, body)).json().error, { code: 'VALIDATION_ERROR', details: [{ field }] }, field
    )
  }
})

// Was wrong: a body over 256 KiB was refused, so that an agent could not be created with a text that a source may have.
t.test('an agent can be made with inline texts up to the ceiling', async (t) => {
  const built = await build(t)
  const as = await built.user()
  const body = {
    ...draft, knowledge_sources: [{ plain_text: 'x'.repeat(2 ** 20) }, { plain_text: 'y'.repeat(2 ** 20) }]
  }
  const made = await as.post('/v1/agents/', body)
  t.match(
    [made.statusCode, made.json().data],
    [201, { total_training_usage_bytes: 2 * 2 ** 20, knowledge_sources_total: 2 }]
  )
  const over = await as.post('/v1/agents/', { ...draft, knowledge_sources: [{ plain_text: 'x'.repeat(31_457_281) }] })
  t.match([over.statusCode, over.json().error.code], [413, 'training_limit_exceeded'])
})

// Was wrong: a Range was ignored, and the whole file sent again.
t.test('a part of a stored file is answered with that part', async (t) => {
  const built = await build(t)
  const as = await built.user()
  const { sources } = await agentOf(as)
  const bytes = Buffer.from(Array.from({ length: 600_000 }, (_, i) => i % 251))
  const [{ file }] = (await as.post(sources, ...form({ name: 'file', file: 'a.bin', body: bytes }))).json().data
  const path = new URL(file).pathname
  const anyone = built.withKey(undefined)
  const get = (range: string, headers = {}) => anyone.get(path, undefined, { range, ...headers })
  const { headers: { etag } } = await anyone.get(path)
  for (const [range, from, to] of [
    ['bytes=0-0', 0, 0],
    ['bytes=262143-262144', 262_143, 262_144],
    ['bytes=599999-', 599_999, 599_999],
    ['bytes=-10', 599_990, 599_999],
    ['bytes=500000-9999999', 500_000, 599_999]
  ] as const) {
    const answer = await get(range, { 'if-range': etag })
    t.same(
      [answer.statusCode, answer.headers['content-range'], answer.headers['content-length']],
      [206, `bytes ${from}-${to}/600000`, String(to - from + 1)],
      range
    )
    t.ok(answer.rawPayload.equals(bytes.subarray(from, to + 1)), range)
  }
  for (const range of ['bytes=0-1,5-6', 'lines=1-2', 'bytes=-', 'bytes=9-2']) {
    t.same([(await get(range)).statusCode, (await get(range)).rawPayload.length], [200, 600_000], range)
  }
  t.equal((await get('bytes=0-0', { 'if-range': '"another"' })).statusCode, 200, 'of another file the whole')
  const beyond = await get('bytes=600000-')
  t.match(
    [beyond.statusCode, beyond.headers['content-range'], beyond.json().error.code],
    [416, 'bytes */600000', 'range_not_satisfiable']
  )
  t.equal((await anyone.get(path)).headers['accept-ranges'], 'bytes')
})

// Was wrong: a file has an ETag, and was sent whole again to clients that had it.
t.test('a stored file is not sent again to whoever has it', async (t) => {
  const built = await build(t)
  const as = await built.user()
  const { sources } = await agentOf(as)
  const [{ file }] = (await as.post(sources, ...form({ name: 'file', file: 'a.bin', body: 'abc' }))).json().data
  const anyone = built.withKey(undefined)
  const path = new URL(file).pathname
  const { headers: { etag } } = await anyone.get(path)
  const get = (tag: unknown) => anyone.get(path, undefined, { 'if-none-match': String(tag), range: 'bytes=9-9' })
  const same = await get(etag)
  t.match([same.statusCode, same.headers.etag, same.payload], [304, etag, ''], 'before its range is looked at')
  t.equal((await get('"another"')).statusCode, 416)
})

// Was wrong: the code was lost on the way, so that a program could not tell a locked file from an empty one.
t.test('a preview keeps the code of why something cannot be read', async (t) => {
  const site = await serve(t, (_request, reply) => { reply.writeHead(404).end() })
  const built = await build(t, { AGENTHALL_ALLOWED_HOSTS: '127.0.0.1' })
  const as = await built.user()
  const { sources } = await agentOf(as)
  const why = async (...args: [unknown, Record<string, string>?]) =>
    (await as.post(`${sources}/preview`, ...args)).json().error.details
  t.match(await why({ urls: [`${site}/missing`] }), [{ field: 'urls[0]', code: 'http_status', message: /\.$/ }])
  t.match(await why(...form({ name: 'file', file: 'a.txt', body: ' ' })), [{ field: 'file', code: 'no_text' }])
})

// Was wrong: an empty response looked as if the agent knew nothing.
t.test('an empty search while sources are training says how many', async (t) => {
  const built = await build(t)
  const as = await built.user()
  const { at, add } = await agentOf(as)
  const search = async () => {
    const { message, data, training } = (await as.post(`${at}/search`, { query: 'zebra' })).json()
    return { message, found: data.length, training }
  }
  t.same(await search(), { message: 'Search done', found: 0, training: 0 })
  await add({ plain_text: 'The zebra eats grass.' })
  await add({ plain_text: 'The lion sleeps.' })
  await add({ plain_text: 'Not used.', is_selected: false })
  t.same(await search(), {
    message: "Nothing found; 2 of the agent's sources are still to be trained", found: 0, training: 2
  })
  await trainAll(t, built)
  t.same(await search(), { message: 'Search done', found: 1, training: 0 })
})

// Was wrong: two folders of one name could not be told apart.
t.test('two folders of one name in one place are refused, whether made, renamed, moved, or left over', async (t) => {
  const built = await build(t)
  const as = await built.user()
  const { at } = await agentOf(as)
  const folders = `${at}/knowledge_folders`
  const make = async (name: string, parent?: number) =>
    (await as.post(folders, { name, ...(parent && { parent }) })).json().data
  const shop = await make('Shop')
  const prices = await make('Prices', shop.id)
  const other = await make('Prices')
  const answers = [
    await as.post(folders, { name: 'Shop' }), await as.put(`${folders}/${other.id}`, { name: 'Shop' }),
    await as.put(`${folders}/${prices.id}`, { parent: shop.parent }), await as.delete(`${folders}/${shop.id}`)
  ]
  for (const answer of answers) {
    t.match(
      [answer.statusCode, answer.json().error],
      [409, { code: 'taken', message: /There is a folder named "(Shop|Prices)" here already/ }]
    )
  }
  t.equal((await as.get(folders)).json().data.length, 4)
})
