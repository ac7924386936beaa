import t from 'tap'
import { drawn } from '../../src/actions/telling.ts'
import { respond } from '../../src/actions/importing/child.ts'
import { plannedFromOpenapi } from '../../src/actions/importing/openapi.ts'

const path = { name: 'id', in: 'path', required: true, schema: { type: 'string' } }
const json = (schema: object, more: object = {}) => ({ content: { 'application/json': { schema } }, ...more })

/** What one operation becomes. */
function planned (operation: object, { method = 'post', at = '/things/{id}', ...document }: Record<string, unknown> = {}) {
  const [one] = plannedFromOpenapi({
    openapi: '3.1.0', ...document, paths: { [at as string]: { parameters: [path], [method as string]: operation } }
  })
  return one!
}

t.test('fields of bodies within bodies are parameters, by references too, and what the system sets itself is none', async (t) => {
  const components = {
    schemas: {
      Address: { type: 'object', required: ['city'], properties: { city: { type: ['string', 'null'] }, zip: { $ref: '#/components/schemas/Zip~1Code' } } },
      'Zip/Code': { type: 'string', maxLength: 5, pattern: '\\d{5}' }
    }
  }
  const { canImport, draft, notes } = planned({
    operationId: 'moveThing',
    requestBody: json({
      type: 'object',
      required: ['to'],
      properties: { to: { $ref: '#/components/schemas/Address' }, at: { type: 'string', readOnly: true }, fast: { type: 'boolean' } }
    }, { required: true })
  }, { components })
  t.ok(canImport, notes.join(' '))
  t.match(draft, { name: 'move_thing', effect: 'write', confirm: 'visitor', enabled: false })
  t.match(draft.parameters!.map(({ name, in: place, required }) => [name, place, required]), [
    ['id', 'path', true], ['to.city', 'body', true], ['to.zip', 'body', false], ['fast', 'body', false]
  ])
  t.match(draft.parameters![2], { pattern: '\\d{5}', max: 5 })
})

t.test('what cannot be carried is said, and an operation that needs it cannot be imported', async (t) => {
  const text = { type: 'string' }
  for (const [operation, note, document = {}] of [
    [{ requestBody: json({ oneOf: [] }, { required: true }) }, /only objects with fields are supported\./],
    [{ requestBody: { required: true, content: { 'text/csv': {} } } }, /Its body is not JSON\./],
    [{ requestBody: json({ properties: { a: { type: 'array' } }, required: ['a'] }, { required: true }) },
      /body a: its schema \(array\) is not supported, and it is required\./],
    [{ requestBody: json({ properties: { id: text } }) }, /id is there in two places/],
    [{ requestBody: json({ properties: { a: text } }) }, /A GET with a body is not supported\./, { method: 'get' }],
    [{ requestBody: json({ $ref: 'https://elsewhere.example/a.json' }, { required: true }) }, /only objects with fields/],
    [{ requestBody: json({ $ref: '#/components/schemas/Loop' }, { required: true }) }, /only objects with fields/,
      { components: { schemas: { Loop: { $ref: '#/components/schemas/Loop' } } } }],
    [{ parameters: [{ name: 'a', in: 'cookie', required: true, schema: text }] }, /cookies are not supported/],
    [{ parameters: [{ name: 'a', in: 'moon', required: true, schema: text }] }, /there is no such place/],
    [{ parameters: [{ name: 'a', in: 'query', required: true, content: {} }] }, /encoded contents are not supported/],
    [{ parameters: [{ name: 'a b', in: 'query', required: true, schema: text }] }, /its name is not supported/]
  ] as Array<[object, RegExp, Record<string, unknown>?]>) {
    const { canImport, notes } = planned(operation, document)
    t.match([canImport, notes.join(' ')], [false, note], String(note))
  }
  const { canImport, notes } = planned({
    deprecated: true,
    callbacks: {},
    parameters: [{ name: 'Accept', in: 'header', schema: text }, { name: 'when', in: 'query', schema: { ...text, format: 'date' } }],
    requestBody: json({ properties: { list: { type: 'array' }, inner: { type: 'object' } } })
  })
  t.ok(canImport)
  t.match(notes.join(' '), /Accept: it is set automatically.*format date is not checked.*body list: .*left out.*body inner\.: .*left out.*deprecated.*callbacks/)
})

t.test('a document of another version, or none, is refused, and names are given once', async (t) => {
  for (const none of ['openapi: 2.0', '{', 'a: &a [1]\nb: *a', { swagger: '2.0' }]) {
    t.throws(() => plannedFromOpenapi(none), { code: 'VALIDATION_ERROR' })
  }
  const paths = { '/a': { get: { operationId: 'same' }, post: { operationId: 'same' } }, '/b': { get: null } }
  t.match(plannedFromOpenapi({ openapi: '3.0.3', paths }).map(({ draft }) => draft.name), ['same', 'same_2'])
})

// Was wrong: visitors saw `cancelOrder` and `DELETE /orders/{id}` as what is done for them.
t.test('an operation without a summary is called by its name, or by what is done where, in words', async (t) => {
  t.equal(planned({ operationId: 'cancelOrder' }).draft.title, 'Cancel order')
  const paths = { '/orders/{id}/notes': { delete: { parameters: [] } } }
  t.match(plannedFromOpenapi({ openapi: '3.0.3', paths }), [{ draft: { title: 'Delete orders notes', name: 'delete_orders_id_notes' } }])
})

t.test('a document that refers to itself is no larger than what is told of it', async (t) => {
  // Was wrong: five kilobytes with a free key took all memory, and the server crashed.
  const object = (properties: object) => ({ type: 'object', properties })
  const loop = { $ref: '#/components/schemas/Loop' }
  const fields = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`field${n}`, loop]))
  const wide = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`field${n}`, { type: 'string', readOnly: true }]))
  const methods = ['get', 'put', 'post', 'patch', 'delete']
  let looked = 0
  /** Counts the nodes visited. */
  const counted = (value: object): object => new Proxy(value, {
    get (target, name, receiver) {
      looked++
      const got = Reflect.get(target, name, receiver)
      return typeof got === 'object' && got !== null ? counted(got) : got
    }
  })
  for (const schema of [object(fields), object({ a: object({ b: object({ c: object(wide) }), d: object(wide) }) })]) {
    const one = { requestBody: json(loop), parameters: [{ name: 'a', in: 'query', schema: { $ref: `#${'/a'.repeat(5000)}` } }] }
    const paths = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [
      `/${n}`, Object.fromEntries(methods.map((method) => [method, one]))
    ]))
    looked = 0
    const planned = plannedFromOpenapi(counted({ openapi: '3.1.0', components: { schemas: { Loop: schema } }, paths }) as never)
    t.equal(planned.length, 500)
    t.ok(looked < 500 * 10_000, `${looked} looks`)
    t.ok(planned.every(({ canImport, notes }) => !canImport && notes.length <= 20))
    t.ok(JSON.stringify(planned).length < 2 ** 21)
  }
  const parameters = Array.from({ length: 2000 }, (_, n) => ({ name: `p${n % 999}`, in: 'query', schema: { type: 'string' } }))
  t.match(planned({ parameters }), { canImport: false, notes: [/more than 40 parameters/] })
  const values = Array.from({ length: 5000 }, (_, n) => String(n))
  const [, listed] = planned({ parameters: [{ name: 'a', in: 'query', schema: { type: 'string', enum: values, pattern: 'a'.repeat(5000) } }] })
    .draft.parameters!
  t.equal(listed?.enum, undefined)
  t.equal(listed?.pattern, undefined)
})

t.test('a document is read apart, and what is none is refused in the words of the reader', async (t) => {
  // Was wrong: YAML of 1 MB with 60,000 anchors blocked the loop for a minute.
  const lines = [...respond(JSON.stringify({ openapi: '3.1.0', paths: { '/a': { get: {} } } }))]
  t.match(lines, [{ operation: { key: 'GET /a' } }, { isWhole: true }])
  t.match([...respond('openapi: 2.0')], [{ error: /not an OpenAPI document/ }])
})

t.test('a result is drawn field by field, and as it is where it has none', async (t) => {
  t.strictSame(drawn('{"/status":"on its way","/items_left":2,"/items":[1]}'), ['Status: on its way', 'Items left: 2'])
  t.strictSame([drawn(null), drawn('null'), drawn('7'), drawn('no JSON')], [[], [], ['7'], ['no JSON']])
})
