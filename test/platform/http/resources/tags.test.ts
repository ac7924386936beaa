import { readFileSync } from 'node:fs'
import t from 'tap'
import { talkative } from '../../../conversations/helper.ts'

interface Operation {
  parameters?: Array<{ in: string, name: string }>
  responses: Record<string, { headers?: Record<string, object> }>
}
type Paths = Record<string, Record<string, Operation>>

const { paths } = JSON.parse(readFileSync('openapi.json', 'utf8')) as { paths: Paths }

/** People's own settings, and what the owner alone sets: nobody else overwrites it. */
const OWN = [
  '/v1/me', '/v1/me/duty', '/v1/me/push', '/v1/account', '/v1/widget/visitor',
  // A read mark is its reader's alone, and never goes back.
  '/v1/conversations/{id}/seen'
]
/** Things that are created once and not changed again, and an erasure, which nothing may delay. */
const REMOVED_AS_IT_IS = ['/v1/visitors/{id}']

const heeds = ({ parameters = [] }: Operation, name: string) => parameters.some((one) => one.name === name)
const tells = ({ responses }: Operation) => 'ETag' in (responses[200]?.headers ?? {})

/** What can be read and changed, so that somebody may overwrite a concurrent change. */
function unguarded (of: Paths): string[] {
  return Object.entries(of).flatMap(([path, { get, put, patch, delete: remove }]) => {
    const change = put ?? patch
    if (!get || !change || OWN.includes(path)) return []
    const isGuarded = tells(get) && heeds(get, 'If-None-Match') && heeds(change, 'If-Match') && tells(change) &&
      '412' in change.responses && (!remove || heeds(remove, 'If-Match') || REMOVED_AS_IT_IS.includes(path))
    return isGuarded ? [] : [path]
  })
}

// Was wrong: of what can be changed only agents, their texts, sources and conversations had an ETag.
t.test('whatever can be read and changed has an ETag, and is changed with If-Match', async (t) => {
  t.strictSame(unguarded(paths), [])
  const planted = { ...paths, '/v1/things/{id}': { get: { responses: { 200: {} } }, patch: { responses: { 200: {} } } } }
  t.strictSame(unguarded(planted), ['/v1/things/{id}'])
})

t.test('of two who change the same thing, the second is told that it has changed, and nothing is lost', async (t) => {
  const { me, id, user, stores } = await talkative(t)
  const agent = `/v1/agents/${id}`
  const made = async (url: string, body: object) => (await me.post(url, body)).headers.location as string
  const colleague = await user()
  const { lastInsertRowid: member } = stores.db.raw
    .prepare('insert into members (account_id, user_id, permissions, created_at) values (?, ?, ?, ?)')
    .run(me.id, colleague.id, '["SEND_INVITE"]', '2026-01-01T00:00:00.000000Z')
  const system = { name: 'Shop', base_url: 'https://shop.example' }
  const { id: connection } = (await me.post('/v1/connections', system)).json().data
  const action = { connection, name: 'x', title: 'x', effect: 'read', method: 'GET', path: '/x' }
  const question = { text: 'How long?', expect: { says: ['30 days'] } }
  const provider = { name: 'Ours', kind: 'linear', settings: { team: 'x' }, credentials: { token: 'x' } }
  const things: Array<[at: string, method: 'put' | 'patch', one: object, other: object]> = [
    ['/v1/business', 'put', { time_zone: 'Europe/Berlin' }, { time_zone: 'Europe/Paris' }],
    [
      await made('/v1/webhooks', { url: 'https://example.com/', events: ['message.completed'] }),
      'patch', { description: 'One' }, { description: 'Other' }
    ],
    [await made('/v1/ticketing_providers', provider), 'patch', { name: 'One' }, { name: 'Other' }],
    [await made('/v1/visitors', { agent: id, name: 'Ada' }), 'patch', { name: 'One' }, { name: 'Other' }],
    [
      await made('/v1/tickets', { agent: id, subject: 'x' }),
      'patch', { requester: { email: 'one@example.com' } }, { requester: { email: 'other@example.com' } }
    ],
    [
      `/v1/members/${member}`,
      'patch', { permissions: ['CREATE_TICKET'] }, { permissions: ['REPLY_CONVERSATION'] }
    ],
    [await made(`${agent}/knowledge_folders`, { name: 'x' }), 'put', { name: 'One' }, { name: 'Other' }],
    [
      await made(`${agent}/widget_keys`, { name: 'x', origins: ['https://shop.example'] }),
      'patch', { name: 'One' }, { name: 'Other' }
    ],
    [await made('/v1/connections', system), 'put', { ...system, name: 'One' }, { ...system, name: 'Other' }],
    [await made('/v1/actions', action), 'patch', { title: 'One' }, { title: 'Other' }],
    [await made('/v1/saved_replies', { key: 'x', texts: { en: 'x' } }), 'patch', { key: 'One' }, { key: 'Other' }],
    [
      await made(`${agent}/feeds`, { name: 'x', kind: 'drive_folder', config: { folder: 'x' } }),
      'patch', { name: 'One' }, { name: 'Other' }
    ],
    [await made(`${agent}/questions`, question), 'patch', { text: 'One' }, { text: 'Other' }],
    [agent, 'put', { description: 'One' }, { description: 'Other' }]
  ]
  for (const [at, method, one, other] of things) {
    const read = await me.get(at)
    const tag = String(read.headers.etag)
    t.match(tag, /^".+"$/, at)
    t.strictSame([(await me.get(at, undefined, { 'if-none-match': tag })).statusCode], [304], at)
    const first = await me[method](at, one, { 'if-match': tag })
    t.equal(first.statusCode, 200, `${at} ${first.body}`)
    const second = await me[method](at, other, { 'if-match': tag })
    t.match([second.statusCode, second.json()], [412, { error: { code: 'precondition_failed' } }], at)
    const now = await me.get(at, undefined, { 'if-none-match': tag })
    t.strictSame([now.statusCode, now.headers.etag, now.json().data], [200, first.headers.etag, first.json().data], at)
    const again = await me[method](at, other, { 'if-match': `"another", ${now.headers.etag}` })
    t.equal(again.statusCode, 200, `${at} ${again.body}`)
    if (['/v1/business', '/v1/tickets', '/v1/visitors'].some((kept) => at.startsWith(kept))) continue
    t.equal((await me.delete(at, undefined, { 'if-match': tag })).statusCode, 412, `${at} is not removed`)
    t.equal((await me.get(at)).statusCode, 200, at)
    t.equal((await me.delete(at, undefined, { 'if-match': String(again.headers.etag) })).statusCode, 200, at)
  }
})

t.test('what happens by itself makes nobody\'s change fail, and is read anew all the same', async (t) => {
  const { me, id, stores } = await talkative(t)
  const visitor = `/v1/visitors/${(await me.post('/v1/visitors', { agent: id, name: 'Ada' })).json().data.id}`
  const { headers: { etag } } = await me.get(visitor)
  await me.patch(visitor, { name: 'Ada' })
  t.not((await me.get(visitor)).headers.etag, etag, 'they were seen')
  t.equal((await me.patch(visitor, { name: 'Ada L.' }, { 'if-match': String(etag) })).statusCode, 200)

  const made = await me.post('/v1/tickets', { agent: id, subject: 'x' })
  const [ticket, before] = [String(made.headers.location), String(made.headers.etag)]
  await stores.tickets.store.named(me.id, made.json().data.id, { external_id: 'T-1', external_url: null })
  t.not((await me.get(ticket)).headers.etag, before, 'the ticketing system has given it a number')
  t.equal((await me.patch(ticket, { status: 'closed' }, { 'if-match': before })).statusCode, 200)
})
