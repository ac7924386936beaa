import t from 'tap'
import { build, draft } from '../helper.ts'

const TERMS = [
  { term: 'Aurora', means: ['kettle', 'Wasserkocher'] }, { term: 'PSU', means: ['power supply unit'] }
]

/** A user with an agent, and its vocabulary. */
async function owned (t: Parameters<typeof build>[0]) {
  const built = await build(t)
  const me = await built.user()
  const { id } = (await me.post('/v1/agents', draft)).json().data
  const at = `/v1/agents/${id}/vocabulary`
  return { ...built, me, id, at, put: (terms: unknown, headers = {}) => me.put(at, { terms }, headers) }
}

t.test('a vocabulary is read as it was written, all of it at once, blanks and repetitions gone', async (t) => {
  const { me, at, put } = await owned(t)
  t.strictSame((await me.get(at)).json().data, { terms: [], updated_at: null }, 'none at first')
  const written = await put(TERMS)
  t.equal(written.statusCode, 200, written.body)
  t.strictSame(written.json().data.terms, TERMS)
  t.match(written.json().data.updated_at, /^\d{4}-.*Z$/)
  t.strictSame((await me.get(at)).json(), { ...written.json(), message: 'Vocabulary retrieved successfully' })
  t.equal((await me.put(at, (await me.get(at)).json().data)).statusCode, 200, 'what was read can be sent back')
  const untidy = [{ term: '  Aurora ', means: ['kettle', ' Kettle', 'aurora', 'boiling  machine'] }]
  t.strictSame((await put(untidy)).json().data.terms, [{ term: 'Aurora', means: ['kettle', 'boiling machine'] }])
  t.strictSame((await put([])).json().data.terms, [])
})

t.test('what no vocabulary can be is refused, each field with what is wrong', async (t) => {
  const { put } = await owned(t)
  const cases: Array<[terms: unknown, field: string]> = [
    ['x', 'terms'],
    [[{ term: 'Aurora' }], 'terms[0].means'],
    [[{ term: 'Aurora', means: [] }], 'terms[0].means'],
    [[{ term: '', means: ['x'] }], 'terms[0].term'],
    [[{ term: '?!', means: ['x'] }], 'terms[0].term'],
    [[{ term: 'x'.repeat(101), means: ['x'] }], 'terms[0].term'],
    [[{ term: 'Aurora', means: ['x'.repeat(101)] }], 'terms[0].means[0]'],
    [[{ term: 'Aurora', means: Array.from({ length: 11 }, (_, i) => `x${i}`) }], 'terms[0].means'],
    [[{ term: 'Aurora', means: ['kettle'], language: 'en' }], 'terms[0].language'],
    [[TERMS[0], { term: 'AURORA', means: ['lamp'] }], 'terms[1].term'],
    [[{ term: 'Aurora', means: ['aurora'] }], 'terms[0].means'],
    [Array.from({ length: 501 }, (_, i) => ({ term: `t${i}`, means: ['x'] })), 'terms']
  ]
  for (const [terms, field] of cases) {
    const { statusCode, body } = await put(terms)
    t.equal(statusCode, 400, body)
    const { code, details } = JSON.parse(body).error
    t.equal(code, 'VALIDATION_ERROR')
    t.equal(details[0].field, field, body)
  }
  const most = Array.from({ length: 500 }, (_, i) => ({
    term: `${i} ${'語'.repeat(90)}`, means: Array.from({ length: 10 }, (_, j) => `${j} ${'語'.repeat(90)}`)
  }))
  const written = await put(most)
  t.equal(written.statusCode, 200, written.body.slice(0, 500))
})

t.test('with If-Match nobody writes over what another has changed, and what has not changed is not sent', async (t) => {
  const { me, at, put } = await owned(t)
  const tag = (await me.get(at)).headers.etag as string
  t.match(tag, /^".*"$/)
  t.equal((await put(TERMS, { 'if-match': tag })).statusCode, 200)
  const stale = await put([], { 'if-match': tag })
  t.equal(stale.statusCode, 412)
  t.match(stale.json().error, { code: 'precondition_failed', message: /vocabulary has changed/ })
  const read = await me.get(at)
  t.strictSame(read.json().data.terms, TERMS)
  t.equal((await me.get(at, undefined, { 'if-none-match': read.headers.etag as string })).statusCode, 304)
  t.equal((await put(TERMS, { 'if-match': read.headers.etag as string })).headers.etag, read.headers.etag, 'the same again')
})

t.test('a vocabulary belongs to its agent alone: strangers find nothing, and it goes with the agent', async (t) => {
  const { me, user, id, at, put, stores, settled } = await owned(t)
  await put(TERMS)
  const other = await user()
  const nothing = (await other.get('/v1/agents/999/vocabulary')).json().error
  for (const { statusCode, body } of [await other.get(at), await other.put(at, { terms: [] })]) {
    t.equal(statusCode, 404)
    t.strictSame(JSON.parse(body).error.message, nothing.message)
  }
  t.strictSame((await me.get(at)).json().data.terms, TERMS)
  await me.delete(`/v1/agents/${id}`)
  t.equal((await me.get(at)).statusCode, 404)
  await settled()
  t.equal(stores.db.raw.prepare('select count(*) from vocabularies').pluck().get(), 0)
})
