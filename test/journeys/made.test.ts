import { readFileSync } from 'node:fs'
import t from 'tap'
import { signedUp } from '../access/people.ts'
import { build, draft } from '../helper.ts'
import { unplaced } from '../platform/http/documented.ts'
import { QUESTION, talkative } from '../conversations/helper.ts'

type Paths = Record<string, Record<string, { responses: Record<string, { headers?: object }> }>>
const { paths } = JSON.parse(readFileSync('openapi.json', 'utf8')) as { paths: Paths }

const withoutAddress = (of: Paths) => Object.entries(of).flatMap(([path, operations]) =>
  Object.entries(operations).flatMap(([method, { responses }]) =>
    responses[201] && !('Location' in (responses[201].headers ?? {})) ? [`${method} ${path}`] : []
  )
)

// Every client of test/helper.ts fails for a 201 whose Location is missing or leads nowhere, in all tests.
t.test('the document tells the address of whatever is made, and that it can be read there', async (t) => {
  t.strictSame(withoutAddress(paths), [])
  t.strictSame(withoutAddress({ ...paths, '/v1/things': { post: { responses: { 201: {} } } } }), ['post /v1/things'])
  const { app } = await build(t)
  t.match(unplaced(app, 'POST', '/v1/things', undefined), /without a Location/)
  t.match(unplaced(app, 'POST', '/v1/things', '/v1/things/1'), /nothing can be read/)
  t.equal(unplaced(app, 'POST', '/v1/agents', '/v1/agents/1'), undefined)
})

// Was wrong: sign-ins, visitors' sessions, visitors' messages and all files were created without an address.
t.test('who signs in is told where the session is', async (t) => {
  const built = await build(t)
  const { as } = await signedUp(built, { email: 'ada@example.com' })
  const sessions = (await as.get('/v1/me/sessions')).json().data
  const { headers } = await built.app.inject({
    method: 'POST',
    url: '/v1/session',
    headers: { 'sec-fetch-site': 'same-origin' },
    payload: { email: 'ada@example.com', password: 'correct horse battery staple' }
  })
  t.match(headers.location, /^\/v1\/me\/sessions\/\d+$/)
  t.match((await as.get(headers.location as string)).json().data, { is_current: false })
  t.match((await as.get(`/v1/me/sessions/${sessions[0].id}`)).json().data, { is_current: true })
  t.equal((await (await built.user()).get(headers.location as string)).statusCode, 404, "another's is not there")
})

// Was wrong: half of what was created had no address, and seven addresses led nowhere.
t.test('what is made says where it is, and is there', async (t) => {
  const { me, id, at } = await talkative(t, {}, { behavior: { continuousLearning: true } })
  const made = async (url: string, body: object = {}) => {
    const { statusCode, headers, json } = await me.post(url, body)
    t.equal(statusCode, 201, `${url} ${JSON.stringify(json())}`)
    const read = await me.get(headers.location as string)
    t.equal(read.statusCode, 200, `${url}: ${headers.location}`)
    return { made: json().data, read: read.json().data }
  }
  for (const [url, body] of [
    ['/v1/agents', draft],
    [`/v1/agents/${id}/knowledge_sources`, { plain_text: 'Text.' }],
    [`/v1/agents/${id}/knowledge_folders`, { name: 'Sites' }],
    [`/v1/agents/${id}/widget_keys`, { origins: ['https://shop.example'] }],
    [`/v1/agents/${id}/conversations`, {}],
    [`${at}/messages`, { text: QUESTION }],
    [`${at}/notes`, { text: 'Call back.' }],
    ['/v1/visitors', { agent: id }],
    ['/v1/invitations', { role: 'viewer' }],
    ['/v1/api_keys', { name: 'x' }],
    ['/v1/webhooks', { url: 'https://example.com/hook', events: ['message.completed'] }],
    ['/v1/model_providers', { name: 'Mine', provider: 'openai', key: 'sk', models: ['m'] }],
    ['/v1/tickets', { agent: id, subject: 'x', requester: { email: 'ada@example.com' } }]
  ] as const) {
    const { made: { id: own }, read } = await made(url, body)
    t.equal(read.id, Array.isArray(own) ? own[0] : own ?? read.id, url)
    t.notMatch(JSON.stringify(read), /whsec_|"agh_\w{20}|#token=/, `${url}: no secret is shown again`)
  }
})

t.test('a list of messages says whether there are more', async (t) => {
  const { me, at, say } = await talkative(t)
  for (let i = 0; i < 2; i++) await say(QUESTION)
  const read = async (query: string) => {
    const { data, has_more: more } = (await me.get(`${at}/messages${query}`)).json()
    return [data.map(({ seq }: { seq: number }) => seq), more]
  }
  t.strictSame(await read(''), [[1, 2, 3, 4], false])
  t.strictSame(await read('?limit=4'), [[1, 2, 3, 4], false])
  t.strictSame(await read('?limit=3'), [[1, 2, 3], true])
  t.strictSame(await read('?after=1&limit=2'), [[2, 3], true])
  t.strictSame(await read('?after=2&limit=2'), [[3, 4], false])
  t.strictSame(await read('?before=4&limit=2'), [[2, 3], true])
  t.strictSame(await read('?before=4&limit=3'), [[1, 2, 3], false])
})
