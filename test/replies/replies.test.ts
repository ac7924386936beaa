import fc from 'fast-check'
import t from 'tap'
import { joined } from '../access/people.ts'
import { build } from '../helper.ts'
import { MOST_REPLIES, placeholderFault } from '../../src/replies/reply.ts'
import { PLACEHOLDERS } from '../../schema/replies.ts'
import { longestTurn } from '../linear/turns.ts'

/** An owner, and a colleague who may answer. */
async function team (t: Parameters<typeof build>[0]) {
  const built = await build(t)
  const me = await built.user()
  const colleague = await built.user()
  joined(built.stores, me.id, colleague.id, ['REPLY_CONVERSATION'])
  const grace = { key: undefined, ...await built.withSession(colleague.id, me.id) }
  return { ...built, me, colleague, grace }
}

t.test('a reply is saved for the team or for oneself, and changed and removed by those who see it', async (t) => {
  const { me, grace } = await team(t)
  const shipping = { key: 'shipping', texts: { en: 'On its way, {{visitor|dear customer}}.', de: 'Unterwegs.' } }
  const made = await me.post('/v1/saved_replies', shipping)
  t.equal(made.statusCode, 201, made.body)
  t.match(made.json().data, { ...shipping, scope: 'team' })
  t.equal(made.headers.location, `/v1/saved_replies/${made.json().data.id}`)
  const own = (await grace.post('/v1/saved_replies', { key: 'Bye', texts: { en: 'Bye.' }, scope: 'mine' })).json().data
  const keys = async (who: typeof grace | typeof me) =>
    (await who.get('/v1/saved_replies')).json().data.map(({ key }: { key: string }) => key)
  t.strictSame(await keys(grace), ['Bye', 'shipping'])
  t.strictSame(await keys(me), ['shipping'], 'a colleague\'s own is theirs alone')
  const theirs = `/v1/saved_replies/${own.id}`
  for (const answer of [await me.get(theirs), await me.patch(theirs, { key: 'x' }), await me.delete(theirs)]) {
    t.equal(answer.statusCode, 404)
  }
  const at = `/v1/saved_replies/${made.json().data.id}`
  t.match((await grace.patch(at, { texts: { en: 'Sent.' } })).json().data, { key: 'shipping', texts: { en: 'Sent.' } })
  t.equal((await grace.get(at)).json().data.texts.de, 'Unterwegs.', 'what is not sent stays')
  t.strictSame((await grace.patch(at, { texts: { de: null } })).json().data.texts, { en: 'Sent.' })
  t.match((await grace.patch(at, { texts: { en: null } })).json().error, { details: [{ field: 'texts', message: /one language/ }] })
  t.match((await grace.patch(at, { key: 'Shipping' })).json().data, { key: 'Shipping' }, 'its own key is no other')
  t.equal((await me.patch(at, { key: 'x' }, { 'if-match': String(made.headers.etag) })).statusCode, 412)
  t.equal((await me.delete(at, undefined, { 'if-match': String(made.headers.etag) })).statusCode, 412)
  t.equal((await me.delete(at)).statusCode, 200)
  t.equal((await me.delete(at)).statusCode, 404)
  t.equal((await grace.delete(theirs)).statusCode, 200)
})

// Was wrong: beside "ä" there could be "Ä", in a data file and not in PostgreSQL, and a key of nothing that is seen.
t.test('a key is the same however its letters are written, and has something that can be typed', async (t) => {
  const { me } = await team(t)
  const save = async (key: string) => (await me.post('/v1/saved_replies', { key, texts: { en: 'Hello' } })).json()
  t.match(await save('Ärger'), { data: { key: 'Ärger' } })
  for (const same of ['ärger', 'ÄRGER', 'A\u0308rger']) t.match(await save(same), { error: { code: 'taken' } }, same)
  t.match(await save('e\u0301te'), { data: { key: 'éte' } }, 'kept as a keyboard writes it')
  // Was wrong: a joiner, a filler or an empty braille cell alone was a key.
  for (const odd of ['\u200b', '\u202ex', 'x\u2066', 'x\u0007', '\u200d', '\u3164', '\u2800']) {
    t.match(await save(odd), { error: { details: [{ field: 'key' }] } }, JSON.stringify(odd))
  }
  t.match(await save('👩‍👧'), { data: { key: '👩‍👧' } })
})

t.test('a key is there once for a team and once for each of its members, and a repeat saves nothing twice', async (t) => {
  const { me, grace } = await team(t)
  const hello = { key: 'hello', texts: { en: 'Hello' } }
  const headers = { 'idempotency-key': 'one' }
  const first = await me.post('/v1/saved_replies', hello, headers)
  t.strictSame((await me.post('/v1/saved_replies', hello, headers)).json(), first.json())
  t.match((await grace.post('/v1/saved_replies', { ...hello, key: 'HELLO' })).json().error, { code: 'taken', status: 409 })
  t.equal((await grace.post('/v1/saved_replies', { ...hello, scope: 'mine' })).statusCode, 201)
  t.equal((await me.post('/v1/saved_replies', { ...hello, scope: 'mine' })).statusCode, 201)
  const other = (await me.post('/v1/saved_replies', { ...hello, key: 'other' })).json().data.id
  t.match((await me.patch(`/v1/saved_replies/${other}`, { key: 'Hello' })).json().error, { code: 'taken' })
})

t.test('what a visitor would read as braces is refused, and so is one too many', async (t) => {
  const { me, stores } = await team(t)
  const refused = async (body: object) => (await me.post('/v1/saved_replies', body)).json().error
  t.match(await refused({ key: 'x', texts: { en: 'Hello {{nmae}}' } }), {
    code: 'VALIDATION_ERROR', details: [{ field: 'texts.en', message: /"\{\{nmae\}\}" is not a placeholder/ }]
  })
  t.match(await refused({ key: 'a b', texts: { en: 'x' } }), { details: [{ field: 'key' }] })
  t.match(await refused({ key: 'x', texts: {} }), { details: [{ field: 'texts' }] })
  // Was wrong: what is no language code was stored as nothing, or answered 500.
  for (const text of ['x', 1]) t.match(await refused({ key: 'x', texts: { plan: text } }), { code: 'VALIDATION_ERROR' })
  const { id } = (await me.post('/v1/saved_replies', { key: 'x', texts: { en: 'x' } })).json().data
  t.equal((await me.patch(`/v1/saved_replies/${id}`, { texts: { en: '{{' } })).statusCode, 400)
  const insert = stores.db.raw.prepare(
    "insert into saved_replies (owner_id, key, texts, created_at, updated_at) values (?, ?, '{}', '', '')"
  )
  for (let n = 1; n < MOST_REPLIES; n++) insert.run(me.id, `k${n}`)
  t.match(await refused({ key: 'more', texts: { en: 'x' } }), { code: 'limit_reached' })
})

t.test('placeholders are those that there are, however a text is made', async (t) => {
  const known = fc.tuple(fc.constantFrom(...PLACEHOLDERS), fc.constantFrom('', '|there', '|'))
    .map(([name, otherwise]) => `{{${name}${otherwise}}}`)
  const plain = fc.string().map((text) => text.replaceAll('{', '(').replaceAll('}', ')'))
  fc.assert(fc.property(fc.array(fc.oneof(known, plain)), (parts) => placeholderFault(parts.join(' ')) === undefined))
  fc.assert(fc.property(plain, fc.array(fc.oneof(known, plain)), (name, parts) => (
    [...PLACEHOLDERS, ''].includes(name.split('|')[0]!.trim() as never) && name.trim() !== ''
      ? true
      : placeholderFault([...parts, `{{x${name}}}`].join(' ')) !== undefined
  )))
  for (const text of ['{{visitor}'.repeat(100_000), '{'.repeat(1_000_000)]) {
    t.ok(await longestTurn(100, async () => placeholderFault(text)) <= 100)
  }
})

t.test('what is somebody\'s own goes with them', async (t) => {
  const { me, colleague, grace, stores } = await team(t)
  await grace.post('/v1/saved_replies', { key: 'mine', texts: { en: 'x' }, scope: 'mine' })
  await me.post('/v1/saved_replies', { key: 'team', texts: { en: 'x' } })
  t.equal(await stores.privacy.deletion.user(colleague.id), true)
  t.strictSame(stores.db.raw.prepare('select key from saved_replies').pluck().all(), ['team'])
  await stores.privacy.deletion.user(me.id)
  t.strictSame(stores.db.raw.prepare('select key from saved_replies').pluck().all(), [])
})
