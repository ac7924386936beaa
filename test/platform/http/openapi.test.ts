import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import openapiTypescript, { astToString } from 'openapi-typescript'
import t from 'tap'
import ts from 'typescript'
import { Timestamp } from '../../../schema/common.ts'
import { EVENT_TYPES } from '../../../schema/webhooks.ts'
import { build } from '../../helper.ts'

interface Operation {
  operationId?: string
  parameters?: Array<{
    in: string, name: string, schema: { examples?: unknown }, example?: unknown, examples?: unknown
  }>
  requestBody?: { content: Record<string, { schema: { $ref: string } }> }
  responses: Record<
    string,
    { $ref?: string, description: string, headers?: object, content?: Record<string, { schema: { $ref?: string } }> }
  >
}
interface Document {
  paths: Record<string, Record<string, Operation>>
  components: {
    schemas: Record<
      string,
      { properties: Record<string, { anyOf?: Array<{ type?: string }>, type?: string, items?: { format?: string } }> }
    >
    securitySchemes: object
    responses: Record<string, Operation['responses'][string]>
  }
  webhooks: Record<string, { post: Operation }>
}

const text = readFileSync('openapi.json', 'utf8')
const document = JSON.parse(text) as Document
const operations = Object.entries(document.paths).flatMap(([url, of]) =>
  Object.entries(of).map(([method, operation]) => ({ at: `${method} ${url}`, ...operation }))
)

// Was wrong on the document of 0.3: 2 errors, and 25 operations without a name.
t.test('a public linter finds no error in the API document', async (t) => {
  const problems = await lintFromString({
    source: text, absoluteRef: path.resolve('openapi.json'), config: await createConfig({ extends: ['recommended'] })
  })
  t.strictSame(
    problems
      .filter(({ severity, ruleId }) => severity === 'error' || ruleId === 'operation-operationId')
      .map(({ message, location }) => `${message} ${location[0]?.pointer}`),
    []
  )
})

// Each should fail on the document of 0.3.
t.test('every operation has a name, says what its success is, and prefills no condition', async (t) => {
  const names = operations.map(({ operationId }) => operationId)
  t.equal(new Set(names).size, operations.length)
  for (const { at, operationId, responses, parameters = [] } of operations) {
    t.match(operationId, /^[a-z][A-Za-z]+$/, at)
    for (const [status, { description }] of Object.entries(responses)) {
      t.not(description, 'Default Response', `${at} ${status}`)
    }
    for (const parameter of parameters) {
      if (parameter.in === 'header') {
        t.strictSame(
          [parameter.example, parameter.examples, parameter.schema.examples],
          [undefined, undefined, undefined],
          `${at} ${parameter.name}`
        )
      }
    }
  }
  t.strictSame(
    Object.keys(document.components.securitySchemes), ['bearer', 'session', 'visitor'], 'tools take the bare key'
  )
})

t.test('uploads are files, headers are declared, and adding answers a list', async (t) => {
  const at = '/v1/agents/{id}/knowledge_sources'
  const { schemas } = document.components
  const { requestBody, responses } = document.paths[at]!.post!
  t.strictSame(Object.keys(requestBody!.content), ['application/json', 'multipart/form-data'])
  t.equal(schemas.KnowledgeUpload!.properties.file!.items!.format, 'binary')
  const limit = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']
  t.strictSame(Object.keys(responses[201]!.headers!), ['ETag', 'Location', 'Idempotency-Replayed', ...limit])
  t.strictSame(Object.keys(document.paths['/v1/agents/{id}']!.get!.responses[200]!.headers!), ['ETag', ...limit])
  t.equal(schemas.KnowledgeSourcesAdded!.properties.data!.type, 'array')
  for (const [name, { properties = {} }] of Object.entries(schemas)) {
    for (const [field, { anyOf = [] }] of Object.entries(properties)) {
      t.notOk(
        anyOf.some(({ type }) => type === 'array'), `${name}.${field}`
      )
    }
  }
})

// Was wrong: one operation of 144 said who may call it, errors had any text as code, and none documented Retry-After.
t.test('every operation says who may call it, and every error which codes it has', async (t) => {
  const asked: Array<[at: string, permissions: readonly string[]]> = []
  for (const { at, description, security, 'x-permissions': permissions, responses, parameters } of operations as any[]) {
    t.match(description, /Needs the permission|Needs a session|Any valid key|no key is needed|For the visitor/, at)
    if (permissions) asked.push([at, permissions])
    t.equal(Boolean(security.length), !/no key is needed/.test(description), at)
    for (const [status, told] of Object.entries<any>(responses)) {
      if (status < '400') continue
      const answer = told.$ref ? document.components.responses[told.$ref.split('/').at(-1)] : told
      const { schema, ...shown } = answer.content['application/json']
      if (status === '400') continue
      const codes = schema.properties.error.properties.code.enum as string[]
      const examples = shown.examples ? Object.values<any>(shown.examples).map(({ value }) => value) : [shown.example]
      t.strictSame(examples.map(({ error }) => error.code), codes.slice(0, examples.length), `${at} ${status}`)
      t.ok(examples.every(({ error }) => error.status === Number(status)), `${at} ${status}`)
      if (status === '429' || status === '503') t.ok(answer.headers['Retry-After'], `${at} ${status}`)
      const isCounted = parameters?.some(({ name }: { name: string }) => name === 'Agenthall-Account')
      if (status === '429' && isCounted) t.ok(answer.headers['x-ratelimit-reset'], at)
    }
    t.ok(['500', '503'].every((status) => status in responses), at)
  }
  t.ok(asked.length > 80, `${asked.length} need a permission`)
})

t.test('timestamps are date-times, and every event of a webhook has its shape', async (t) => {
  const formats: unknown[] = []
  JSON.parse(text, (_key, value) => {
    if (value?.pattern === Timestamp.pattern) formats.push(value.format)
    return value
  })
  t.ok(formats.length > 20 && formats.every((one) => one === 'date-time'), `${formats.length} timestamps`)
  t.strictSame(Object.keys(document.webhooks), [...EVENT_TYPES])
})

/** Code by somebody who has only the document: no cast, no `any`. Reports what it found. */
const CLIENT = `
import createClient from 'openapi-fetch'
import type { components, paths } from './api.d.ts'

export async function drive (baseUrl: string, key: string) {
  const { GET, POST } = createClient<paths>({ baseUrl, headers: { Authorization: \`Bearer \${key}\` } })
  const made = await POST('/v1/agents', { body: { name: 'Ada', systemPrompt: 'You help.' } })
  if (!made.data) throw new Error(made.error.error.message)
  const id: number = made.data.data.id
  const stop = new AbortController()
  const events = await GET('/v1/agents/{id}/events', { params: { path: { id } }, parseAs: 'stream', signal: stop.signal })
  if (!events.data) throw new Error('There is no stream.')
  const told = events.data.pipeThrough(new TextDecoderStream()).getReader()

  const added = await POST('/v1/agents/{id}/knowledge_sources', {
    params: { path: { id }, header: { 'Idempotency-Key': 'upload-1' } },
    body: { file: [new Blob(['Returns are accepted within 30 days.'])] },
    bodySerializer (body) {
      const form = new FormData()
      if ('file' in body) for (const file of body.file) form.append('file', file, 'returns.txt')
      return form
    }
  })
  if (!added.data) throw new Error(added.error.error.message)
  const sources: Array<components['schemas']['KnowledgeSource']> = added.data.data

  let seen = ''
  while (!seen.includes('"training_status":"Success"')) {
    const { value, done } = await told.read()
    if (done) throw new Error('The stream ended early.')
    seen += value
  }
  stop.abort()
  const found = await POST('/v1/agents/{id}/search', { params: { path: { id } }, body: { query: 'returns', limit: 5 } })
  if (!found.data) throw new Error(found.error.error.message)
  return { titles: sources.map(({ title }) => title), passages: found.data.data.map(({ text }) => text) }
}
`

// Was wrong on the document of 0.3: no name for a file, and a response that is one or several.
t.test('a client generated from the document creates, uploads, watches and searches without a cast', async (t) => {
  const types = astToString(await openapiTypescript(text, {
    // The generator's own option for files as what browsers send.
    transform: ({ format }) => format === 'binary' ? ts.factory.createTypeReferenceNode('Blob') : undefined
  }))
  const directory = t.testdir({ 'api.d.ts': types, 'client.ts': CLIENT })
  const file = path.join(directory, 'client.ts')
  const program = ts.createProgram([file], {
    strict: true,
    noEmit: true,
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    lib: ['lib.esnext.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    types: []
  })
  t.strictSame(
    ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')), []
  )
  t.notMatch(CLIENT, /\bas\b|\bany\b/)

  const { drive } = (await import(pathToFileURL(file).href)) as {
    drive (baseUrl: string, key: string): Promise<{ titles: string[], passages: string[] }>
  }
  const { app, user, settled } = await build(t)
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { key } = await user()
  const driving = drive(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}`, key!)
  const training = setInterval(settled, 50)
  t.teardown(() => clearInterval(training))
  t.match(await driving, { titles: ['returns.txt'], passages: [/within 30 days/] })
})
