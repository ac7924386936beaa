import { readFileSync } from 'node:fs'
import { Ajv2020, type AnySchema } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import t from 'tap'
import { build, draft } from '../helper.ts'

type Json = Record<string, any>
const document: Json = JSON.parse(readFileSync('openapi.json', 'utf8').replaceAll('#/components/', 'api#/components/'))
const ajv = new Ajv2020({ strict: false, validateFormats: false })
ajv.addSchema({ $id: 'api', components: document.components })
const CHARACTERS = fc.constantFrom(
  'a', 'Z', '0', ' ', 'é', 'Ω', '漢', '😀', '%', '_', '"', '\\', '{', '<', '\n', 'e\u0301'
)
const SEED = 20_260_101

/** Values that fit a schema of the document. */
function valid (schema: Json): fc.Arbitrary<any> {
  if (schema.$ref) return valid(document.components.schemas[schema.$ref.split('/').at(-1)!])
  const [type, alternative] = [schema.type].flat()
  if (alternative === 'null') {
    return fc.option(valid({ ...schema, type, ...(schema.enum && { enum: schema.enum.filter(Boolean) }) }))
  }
  if (schema.enum) return fc.constantFrom(...schema.enum)
  switch (type) {
    case 'object': return schema.additionalProperties?.$ref
      // Its names are of a kind, such as languages; the example has some.
      ? fc.dictionary(fc.constantFrom(...Object.keys(schema.examples[0])), valid(schema.additionalProperties))
      : schema.patternProperties || !schema.properties
        ? fc.dictionary(fc.constantFrom('a', 'plan'), fc.constantFrom('x', ''))
        : fc.record(
          Object.fromEntries(Object.entries<Json>(schema.properties).map(([name, part]) => [name, valid(part)])),
          { requiredKeys: schema.required ?? [] }
        )
    case 'array': {
      const size = { minLength: schema.minItems ?? 0, maxLength: Math.min(schema.maxItems, 4) }
      return schema.uniqueItems ? fc.uniqueArray(valid(schema.items), size) : fc.array(valid(schema.items), size)
    }
    case 'boolean': return fc.boolean()
    case 'integer': return fc.integer({ min: schema.minimum, max: Math.min(schema.maximum, 2 ** 31) })
    case 'number': return fc.double({ min: schema.minimum, max: schema.maximum, noNaN: true })
    case 'string': return schema.pattern && schema.pattern !== '\\S'
      ? fc.constantFrom(...(schema.examples ?? [schema.example]))
      : fc
        .string({
          minLength: schema.minLength ?? 0, maxLength: Math.min(schema.maxLength ?? 12, 12), unit: CHARACTERS
        })
        .filter((text) => !schema.pattern || /\S/.test(text))
    // Such a key is refused anywhere.
    default: return fc.jsonValue({ maxDepth: 2 }).filter((value) => !JSON.stringify(value).includes('__proto__'))
  }
}

const strange = fc.constantFrom<unknown>(
  null,
  -1,
  0,
  1.5,
  1e308,
  -0,
  '',
  ' ',
  'x',
  'x'.repeat(300),
  '\0',
  '\ud800',
  '{{x}}',
  'ftp://x',
  [],
  [null],
  [[]],
  {},
  { a: 1 },
  true,
  [1, 2],
  ['a', 'a'],
  Array(101).fill('x')
)

/** A mutated body: at one place anything else, something missing, something more, or not an object at all. */
function mutated (body: Json, pick: number, value: unknown): unknown {
  const places: Array<[holder: Json, key: string]> = []
  const walk = (holder: Json) => {
    for (const [key, item] of Object.entries(holder)) {
      places.push([holder, key])
      if (typeof item === 'object' && item !== null) walk(item as Json)
    }
  }
  walk(body)
  const [holder, key] = places[pick % (places.length || 1)] ?? [body, 'name']
  switch (pick % 5) {
    case 0:
      delete holder[key]
      return body
    case 1:
      Object.defineProperty(holder, ['nmae', '__proto__x', 'constructor', '0', 'système'][pick % 5]!, {
        value, enumerable: true, configurable: true
      })
      return body
    case 2:
      return pick % 3 ? value : [body]
    default:
      holder[key] = value
      return body
  }
}

const IDS = [
  '1', '2', '3', '999999', '0', '-1', '1.5', 'abc', '%00', '1e3', '9007199254740993', 'null', '%5B%5D',
  "1'%20or%201=1", '..%2f1', '%F0%9F%98%80', '1%20', 'NaN', '0x1', '１'
]
const QUERIES = [
  '',
  '?page=1',
  '?page=2&limit=1',
  '?limit=100',
  '?search=a',
  '?search=%00',
  '?search=%ff',
  '?status=Active',
  '?agent_type=x',
  '?page=-1',
  '?limit=1e9',
  '?limit=101',
  '?x=1',
  '?page=1&page=2',
  '?search[]=a',
  '?__proto__=1',
  '?status=Gone',
  '?search=' + 'é'.repeat(200),
  '?%',
  '?=&&=',
  '?page=9007199254740993'
]
/** A body that fits its schema can still be refused by a rule between fields; this is the complete list. */
const RULES =
  /is not a placeholder|is not a source that this agent|visitor is not a visitor|agent is not|default_ticketing_provider must be|no such ticketing provider|expires_at must be in the future|holds a character that is not text|exclude each other|role is required, or permissions|is required for (?:webhook|zendesk|freshdesk|jira|github|linear|hubspot)\.|is not the name of a time zone|is the same term as terms|one word that is not the term itself|"agw_|no such (?:action|connection)|is not a valid address|not on the public internet|the host of base_url|is not a host:|is needed for (?:bearer|header|basic|oauth_client)|not a header that can be set|must not have a colon|openapi is missing|not an OpenAPI document|read neither as JSON|MCP server|cannot be reached|expect must say something|reason is required with force|first line must name the columns|csv must be a table|points outside the directory|give its text or its base64|agenthall\.yaml is missing|is not known to \w+; it takes|is needed: |cannot be used\. Expected|not in a folder that may be watched|is not a folder of this agent|takes no secret|are those of expect\.action|Enter the secret again|every must be from|like that of another rule|must be a language by its code|a text with a letter or a digit|is required to (?:refuse|tag)|is only for rules that tag|must be words to mask words|^(?:name|part) (?:must not be blank|does not have the expected form, for example "support")|exactly one of plain_text|are for urls alone|is needed to create an agent|^Line \d+:/

/** What an address and a header identify. */
const NAMES = ['id', 'sid', 'message', 'call', 'number', 'question', 'run', 'feed', 'Idempotency-Key']

interface Operation { method: string, path: string, about: Json }
const operations: Operation[] = Object.entries<Json>(document.paths).flatMap(([path, item]) =>
  Object.entries<Json>(item).map(([method, about]) => ({ method, path, about }))
)
/**
 * A stream that never ends, previews that read from the network, files, and bodies of other vendors' clients have
 * their own tests.
 */
const APART = /\/events$|\/preview$|\/pages$|\/chat|\/attachments$|\/imports$/
const guarded = operations.filter(({ about, path }) => about.security && !APART.test(path))

/** What is wrong with a response, according to the document; undefined if nothing is. */
function complaint (
  operation: Operation,
  { statusCode, body, headers }: { statusCode: number, body: string, headers: Json },
  bodyFits: boolean
): string | undefined {
  const told = operation.about.responses[statusCode]
  const documented = told?.$ref ? document.components.responses[told.$ref.split('/').at(-1)] : told
  if (!documented) return `status ${statusCode} is not documented`
  // Every operation documents how it fails; here nothing gives it a reason to.
  if (statusCode >= 500) return `status ${statusCode}`
  const schema: AnySchema | undefined = documented.content?.['application/json']?.schema
  const text = Object.keys(documented.content ?? {}).find((type) => type.startsWith('text/') && type !== 'text/event-stream')
  if (text) return headers['content-type'].startsWith(text) ? undefined : `not ${text}`
  if (!schema) return body === '' ? undefined : 'a body where none is documented'
  if (headers['content-type'] !== 'application/json; charset=utf-8') return `content type ${headers['content-type']}`
  const answer = JSON.parse(body)
  if (!ajv.validate(schema, answer)) return ajv.errorsText()
  if (!bodyFits && statusCode < 300) return 'a body was accepted that does not fit'
  if (
    bodyFits &&
    statusCode === 400 &&
    operation.about.requestBody &&
    !operation.path.includes('knowledge') &&
    !answer.error.details?.every(
      ({ field, message }: Json) => NAMES.includes(field) || RULES.test(message)
    )
  ) { return 'a body was refused that fits' }
}

t.test('no request, fitting or not, gets a 5xx or an undocumented answer, and no body that does not fit is accepted', async (t) => {
  const { user } = await build(t, { AGENTHALL_RATE_LIMITS: '{"free":0,"pro":0,"enterprise":0}' })
  const as = await user()
  for (let i = 1; i <= 3; i++) {
    await as.post('/v1/agents', draft)
    await as.post(`/v1/agents/${i}/knowledge_sources`, { plain_text: 'x' })
  }
  const wrong: string[] = []
  const seen: Record<string, number> = {}
  let sent = 0

  async function send (
    operation: Operation, id: string, query: string, body: unknown, headers: Record<string, string>
  ) {
    const schema: Json | undefined = operation.about.requestBody?.content['application/json'].schema
    const text = schema === undefined ? undefined : JSON.stringify(body)
    // Sent and checked as it arrives: JSON has no undefined and no -0.
    const bodyFits = !schema || (ajv.validate(schema, text === undefined ? {} : JSON.parse(text)) as boolean)
    const answer = await as[operation.method as 'post'](operation.path.replaceAll(/\{\w+\}/g, id) + query, text, {
      ...headers, ...(text !== undefined && { 'content-type': 'application/json' })
    })
    sent++
    const key = `${operation.method} ${operation.path} ${answer.statusCode}`
    seen[key] = (seen[key] ?? 0) + 1
    const found = complaint(operation, answer, bodyFits)
    if (found) {
      wrong.push(
        `${operation.method} ${operation.path} ${id}${query} ${text?.slice(0, 300)} → ${answer.statusCode} ${found} ${answer.body.slice(0, 200)}`
      )
    }
  }

  for (const operation of guarded) {
    const schema = operation.about.requestBody?.content['application/json'].schema
    const runs =
      operation.path.includes('{id}/') || !/agents|api_keys/.test(operation.path)
        ? 60
        : schema
          ? 700
          : operation.method === 'delete'
            ? 100
            : 250
    const requests = fc.sample(
      fc.record({
        body: schema ? valid(schema) : fc.constant(undefined),
        mutate: fc.boolean(),
        pick: fc.nat(10_000),
        value: strange,
        id: fc.oneof({ arbitrary: fc.constantFrom('1', '2', '3'), weight: 3 }, fc.constantFrom(...IDS)),
        query:
          operation.method === 'get' && operation.path === '/v1/agents' ? fc.constantFrom(...QUERIES) : fc.constant(''),
        headers:
          operation.method === 'get' || schema
            ? fc.constantFrom<Record<string, string>>(
              {},
              {},
              {},
              { 'if-none-match': '*' },
              { 'if-match': '"a"' },
              { 'if-match': '*' },
              { 'idempotency-key': 'k' },
              { 'idempotency-key': '' }
            )
            : fc.constant({})
      }),
      { numRuns: schema ? 2 * runs : runs, seed: SEED }
    )
    // The agents and the keys that requests name stay: what deletes them comes last, with others.
    for (const { body, pick } of requests) {
      if (pick % 8 && body?.default_ticketing_provider) body.ticketing_providers = [body.default_ticketing_provider]
      if (pick % 8 && body?.behavior?.actionIds) body.behavior.actionIds = []
      if (pick % 8 && body?.behavior?.guardRules) body.behavior.guardRules = []
    }
    for (let i = 0; i < requests.length; i += 100) {
      await Promise.all(
        requests
          .slice(i, i + 100)
          .map(({ body, mutate, pick, value, id, query, headers }) =>
            send(
              operation,
              operation.method === 'delete' && Number(id) < 4 ? '999' : id,
              query,
              schema && mutate ? mutated(structuredClone(body), pick, value) : body,
              headers
            )
          )
      )
    }
  }
  t.strictSame(wrong.slice(0, 8), [], `${wrong.length} of ${sent}`)
  t.comment(`${sent} requests: ${JSON.stringify(seen)}`)
  t.ok(sent >= 5000, `${sent} requests`)
  for (const outcome of [
    'post /v1/agents 201', 'post /v1/agents 400', 'put /v1/agents/{id} 200', 'put /v1/agents/{id} 400',
    'put /v1/agents/{id} 412', 'post /v1/api_keys 201', 'post /v1/agents 422', 'get /v1/agents 304'
  ]) {
    t.ok(seen[outcome]! > 10, `${outcome}: ${seen[outcome]} times`)
  }
})

t.test('a planted fault of each kind is complained about', async (t) => {
  const operation = guarded.find(({ path, method }) => path === '/v1/agents' && method === 'post')!
  const headers = { 'content-type': 'application/json; charset=utf-8' }
  t.match(complaint(operation, { statusCode: 502, body: '{}', headers }, true), 'not documented')
  t.match(complaint(operation, { statusCode: 500, body: '{}', headers }, true), 'status 500')
  t.match(
    complaint(operation, { statusCode: 201, body: '{"status":"success"}', headers }, true),
    'must have required property'
  )
  t.match(complaint(operation, { statusCode: 401, body: '{"error":{"code":1}}', headers }, true), 'must')
  t.match(complaint(operation, { statusCode: 401, body: '{}', headers: {} }, true), 'content type')
  const list = {
    status: 'success',
    message: '',
    data: [],
    features: { WHITE_LABELING: true, PREMIUM_MODELS: true, AUTO_TICKET_RESPONSE: true, ADD_ON_AGENT: true },
    permissions: []
  }
  t.match(
    complaint(
      guarded.find(({ path, method }) => path === '/v1/agents' && method === 'get')!,
      { statusCode: 200, body: JSON.stringify(list), headers },
      false
    ),
    'accepted'
  )
})
