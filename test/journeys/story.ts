import { readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Test } from 'tap'
import { ownDatabase } from '../postgres/database.ts'
import { client, programOn, type Program, type Server } from './program.ts'

const OPENAPI = readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')

/**
 * The main story of an installation, run against a program as an operator has it; `command` is what is typed before a
 * sub-command.
 */
export async function story (t: Test, command: string[]) {
  const directory = t.testdir({})
  const settings = { AGENTHALL_RATE_LIMITS: '{"free":3}', ...await ownDatabase(t, directory) }
  const program = programOn(t, command, directory, settings)
  let server = await program.serve()
  const key = server.firstKey ?? ''
  t.match(key, /\S{20}/, 'the first start shows the first key')

  await t.test('it answers who looks whether it is there, and shows its documentation', (t) => pages(t, server))
  const id = await agents(t, server, key)
  await t.test('a file that is uploaded is read in the sandbox and found', (t) => knowledge(t, server, key, id))
  await t.test('keys are made and revoked on the command line while the server runs', (t) => keys(t, program, server))
  await t.test('errors have the documented shapes', (t) => errors(t, program, server, key))

  await t.test('a restart keeps the data and shows no key again', async (t) => {
    t.equal(await server.stop(), 0, 'SIGTERM ends it in order')
    t.notMatch(server.notes(), /warning/i, 'it says nothing that is not meant for the operator')
    server = await program.serve()
    t.equal(server.firstKey, undefined)
    const kept = await client(server.address, key).get(`/v1/agents/${id}`)
    t.match(kept, {
      status: 200, json: { data: { id, description: 'Answers on weekends too', model: { temperature: 0.2 } } }
    })
    t.equal(await server.stop(), 0)
  })

  await t.test('the command line works on the data of a server that does not run', async (t) => {
    const users = JSON.parse((await program.cli('users', 'list', '--json')).out)
    t.match(users, [{ id: 1, tier: 'enterprise' }, { id: 2, tier: 'free' }])
  })
}

/**
 * An operator's work on the data of an installation: checks it, backs it up while the server runs, restores the backup.
 */
export async function upkeep (t: Test, command: string[]) {
  const directory = t.testdir({})
  const program = programOn(t, command, path.join(directory, 'data'))
  const copy = path.join(directory, 'copy.db')
  const server = await program.serve()
  const owner = client(server.address, server.firstKey)
  const { id } = (await owner.post('/v1/agents', { name: 'Ada', systemPrompt: 'You help.' })).json.data
  for (const args of [['backup', copy], ['doctor']]) {
    t.match(await program.cli(...args), { code: 0, note: '' }, args.join(' '))
  }
  await owner.delete(`/v1/agents/${id}`)
  await server.stop()
  t.match(await program.cli('restore', copy), { code: 0, note: '' }, 'restore')
  const again = await program.serve()
  t.equal(
    (await client(again.address, server.firstKey).get(`/v1/agents/${id}`)).status,
    200,
    'what was there when the copy was made is there again'
  )
  await again.stop()
}

async function pages (t: Test, { address }: Server) {
  const anyone = client(address)
  for (const path of ['/healthz', '/readyz']) t.equal((await anyone.get(path)).status, 200, path)
  t.match(await anyone.get('/docs'), { status: 200, text: /swagger-ui-bundle\.js/ })
  t.ok((await anyone.get('/docs/swagger-ui-bundle.js')).text.length > 1_000_000, 'the page\'s script is whole')
  t.match(await anyone.get('/docs/swagger-ui.css'), { status: 200, text: /\.swagger-ui/ })
  t.equal((await anyone.get('/openapi.json')).text, OPENAPI, 'the OpenAPI document is the one that is checked in')
}

/** Creates, lists, changes and deletes agents; returns the number of the one that stays. */
async function agents (t: Test, { address }: Server, key: string): Promise<number> {
  const owner = client(address, key)
  const draft = {
    name: 'Support Agent',
    description: 'Answers questions about orders',
    systemPrompt: 'You are a helpful support agent.'
  }
  const made = await owner.post('/v1/agents/', draft, { 'idempotency-key': 'first' })
  t.match(made, { status: 201, json: { status: 'success', data: { ...draft, status: 'Active' } } }, 'an agent is made')
  const { id } = made.json.data

  await t.test('a repeated request is answered, not done again', async (t) => {
    const again = await owner.post('/v1/agents/', draft, { 'idempotency-key': 'first' })
    t.equal(again.headers.get('idempotency-replayed'), 'true')
    t.equal(again.text, made.text)
  })
  await t.test('agents are listed, and not sent again while nothing has changed', async (t) => {
    const list = await owner.get('/v1/agents/')
    t.match(list, { status: 200, json: { data: [{ id }] } })
    const tag = list.headers.get('etag')!
    t.equal((await owner.get('/api/v1/agents', undefined, { 'if-none-match': tag })).status, 304)
  })
  await t.test('an update changes what it names, under both prefixes', async (t) => {
    await owner.put(`/api/v1/agents/${id}`, { model: { temperature: 0.2 } })
    const updated = await owner.put(`/v1/agents/${id}/`, { description: 'Answers on weekends too' })
    t.match(updated, {
      status: 200,
      json: {
        data: {
          name: draft.name, description: 'Answers on weekends too', model: { temperature: 0.2, token_length: 16_000 }
        }
      }
    })
  })
  await t.test('a deleted agent is gone', async (t) => {
    const { id: other } = (await owner.post('/v1/agents', draft)).json.data
    t.equal((await owner.delete(`/v1/agents/${other}`)).status, 200)
    t.equal((await owner.get(`/v1/agents/${other}`)).status, 404)
  })
  return id
}

async function knowledge (t: Test, { address }: Server, key: string, agent: number) {
  const owner = client(address, key)
  const body = new FormData()
  body.append(
    'file', new Blob(['<title>Returns</title><p>A bicycle can be returned within thirty days.</p>']), 'returns.html'
  )
  const sources = `/v1/agents/${agent}/knowledge_sources`
  const added = await fetch(address + sources, {
    method: 'POST', headers: { authorization: `Api-Key ${key}`, connection: 'close' }, body
  })
  t.equal(added.status, 201)
  const { data: [{ id }] } = await added.json() as { data: [{ id: number }] }
  let source
  do {
    await setTimeout(50)
    source = (await owner.get(`${sources}/${id}`)).json.data
  } while (!['Success', 'Failed'].includes(source.training_status))
  t.match(source, { training_status: 'Success', error: null })
  t.match((await owner.post(`/v1/agents/${agent}/search`, { query: 'When can I return my bicycle?' })).json, {
    data: [{ text: /thirty days/ }]
  })
}

async function keys (t: Test, program: Program, { address }: Server) {
  const made = await program.cli(
    'keys', 'create', '--user', '1', '--name', 'Till', '--permissions', 'VIEW_ANALYTICS', '--json'
  )
  t.equal(made.code, 0, made.note)
  const { id, key } = JSON.parse(made.out)
  const limited = client(address, key)
  t.equal((await limited.get('/v1/agents')).status, 200, 'the running server knows the new key')
  t.match(await limited.post('/v1/agents', { name: 'Ada', systemPrompt: 'You help.' }), {
    status: 403, json: { error: { code: 'permission_denied', status: 403 } }
  })
  t.equal((await program.cli('keys', 'revoke', String(id))).code, 0)
  t.equal((await limited.get('/v1/agents')).status, 401, 'its very next request is refused')
}

async function errors (t: Test, program: Program, { address }: Server, key: string) {
  const owner = client(address, key)
  t.match(await client(address).get('/v1/agents'), {
    status: 401, json: { error: { code: 'authentication_required', message: String, status: 401, fields: {} } }
  })
  t.match(await owner.get('/v1/agents/999'), {
    status: 404, json: { error: { code: 'not_found', message: String, status: 404, fields: {} } }
  })
  const invalid = await owner.post('/v1/agents', { name: 'Ada', model: { temperature: 'warm' } })
  t.match(invalid, {
    status: 400,
    json: {
      error: {
        code: 'VALIDATION_ERROR',
        details: [
          { field: 'systemPrompt', message: String }, { field: 'model.temperature', message: String }
        ]
      }
    }
  })

  const made = await program.cli('users', 'create', '--name', 'Guest', '--tier', 'free', '--json')
  const { key: free } = JSON.parse(made.out)
  const guest = client(address, free)
  for (let i = 0; i < 3; i++) t.equal((await guest.get('/v1/agents')).status, 200)
  const refused = await guest.get('/v1/agents')
  t.match(refused, {
    status: 429, json: { error: { code: 'rate_limited', message: String, status: 429, fields: { limit: 3 } } }
  })
  t.ok(Number(refused.headers.get('retry-after')) > 0, 'it says when to come back')
}
