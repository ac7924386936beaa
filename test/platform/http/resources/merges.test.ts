import { readFileSync } from 'node:fs'
import t from 'tap'
import { site } from '../../../widget/helper.ts'

interface Shape { $ref?: string, type?: string | string[], properties?: Record<string, Shape> }
type Fields = Record<string, unknown>
type Sender = (url: string, body?: object) => Promise<{ statusCode: number, body: string, json (): { data: Fields } }>

const { paths, components: { schemas } } = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
  paths: Record<string, { patch?: { requestBody: { content: Record<string, { schema: Shape }> } } }>
  components: { schemas: Record<string, Shape> }
}
const shapeOf = (shape: Shape): Shape => shape.$ref ? schemas[shape.$ref.split('/').at(-1)!]! : shape

const isNullable = (shape: Shape) => [shapeOf(shape).type].flat().includes('null')

/** What each PATCH of the document accepts. */
const patches = new Map(Object.entries(paths).flatMap(([path, { patch }]) =>
  patch ? [[path, shapeOf(patch.requestBody.content['application/json']!.schema).properties!]] : []))

/** A thing to be changed: its address, the values, and what else of it changes with a field. */
interface Thing {
  at: string
  patch: Sender
  read (): Promise<Fields>
  /** What is set first, and what is then sent alone; for what cannot be sent, why. */
  fields: Record<string, [first: unknown, other: unknown] | string>
  /** By field: others that say the same in other words, or follow from it. */
  follows?: Record<string, string[]>
}

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const without = (of: Fields, names: readonly string[]) =>
  Object.fromEntries(Object.entries(of).filter(([name]) => !names.includes(name)))
/** What changes on its own. */
const TIMES = ['updated_at', 'last_seen_at']

/** The production app with one of everything that the document says can be changed by PATCH. */
async function things (t: Parameters<typeof site>[0]): Promise<Record<string, Thing>> {
  const { me, id, at, visit, user, withSession, stores } = await site(
    t, { AGENTHALL_ACCOUNTS_CHOOSE_TIER: 'true' }, { behavior: { collectVisitorData: true } }
  )
  const session = await withSession(me.id)
  const made = async (url: string, body: object) => {
    const answer = await me.post(url, body)
    t.equal(answer.statusCode, 201, `${url} ${answer.body}`)
    return answer.headers.location as string
  }
  const thing = (at: string, fields: Thing['fields'], more: Partial<Thing> = {}): Thing => ({
    at, fields, patch: me.patch as Sender, read: async () => (await me.get(at)).json().data, ...more
  })
  const { id: connection } = (await me.post('/v1/connections', { name: 'Shop', base_url: 'https://shop.example' })).json().data
  const action: Thing['fields'] = {
    title: ['One', 'Other'],
    when: ['They ask.', 'They beg.'],
    effect: ['write', 'read'],
    method: ['POST', 'GET'],
    path: ['/one', '/other'],
    parameters: [[{ name: 'one', in: 'query', type: 'string' }], [{ name: 'other', in: 'query', type: 'string' }]],
    result: [{ pick: ['/one'], max_bytes: 1000 }, { max_bytes: 2000 }],
    confirm: ['visitor', 'person'],
    needs_verified: [true, false],
    as_form: [true, false],
    button: ['Track my order', 'Find it'],
    limits: [{ timeout_ms: 1000, per_day: 5 }, { per_day: 6 }],
    lookup: ['/one/{key}', '/other/{key}'],
    enabled: [true, false]
  }
  const { lastInsertRowid: member } = stores.db.raw
    .prepare('insert into members (account_id, user_id, permissions, created_at) values (?, ?, ?, ?)')
    .run(me.id, (await user()).id, '["SEND_INVITE"]', '2026-01-01T00:00:00.000000Z')
  const feed = await made(`/v1/agents/${id}/feeds`, {
    name: 'x', kind: 'git', config: { url: 'https://example.com/docs.tar.gz' }
  })
  await me.patch(feed, { paused: true })
  const visited = await visit()
  const visitor = (await visited.get('/v1/widget/visitor')).json().data.id
  const about = {
    name: ['Ada', 'Bea'], email: ['ada@example.com', 'bea@example.com'], phone: ['1', '2']
  } satisfies Thing['fields']
  return {
    '/v1/conversations/{id}': thing(at, {
      subject: ['Returns', 'Parcels'],
      language: ['de', 'fr'],
      status: ['open', 'closed'],
      priority: ['high', 'low'],
      tags: [['vip'], ['vip', 'returns']],
      snoozed_until: 'only what is open can be put off: test/handoff/desk'
    }, { follows: { status: ['outcome', 'closed_at', 'handled_by', 'epoch', 'messages'] } }),
    '/v1/visitors/{id}': thing(await made('/v1/visitors', { agent: id }), {
      ...about,
      external_id: ['x-1', 'x-2'],
      attributes: [{ size: 'L', town: 'Ulm' }, { size: 'M' }],
      consent: ['Yes.', 'Indeed.'],
      time_zone: ['Asia/Tokyo', 'Europe/Berlin']
    }),
    '/v1/widget/visitor': thing('/v1/widget/visitor', {
      ...about, consent: 'only the notice that is shown can be agreed to'
    }, { patch: visited.patch, read: async () => (await me.get(`/v1/visitors/${visitor}`)).json().data }),
    '/v1/tickets/{id}': thing(await made('/v1/tickets', { agent: id, subject: 'x' }), {
      subject: ['One', 'Other'],
      requester: [{ name: 'Ada', email: 'ada@example.com' }, { name: 'Bea' }],
      status: ['open', 'closed']
    }, { follows: { status: ['closed_at'] } }),
    '/v1/ticketing_providers/{id}': thing(await made('/v1/ticketing_providers', {
      name: 'Ours', kind: 'hubspot', credentials: { token: 'x' }
    }), {
      name: ['One', 'Other'],
      settings: [{ pipeline: '2', stage: '3' }, { stage: '4' }],
      credentials: 'never shown again; see test/tickets/providers.test.ts'
    }),
    '/v1/webhooks/{id}': thing(
      await made('/v1/webhooks', { url: 'https://example.com/', events: ['ticket.created'] }), {
        url: ['https://example.com/one', 'https://example.com/other'],
        events: [['message.completed'], ['ticket.created']],
        description: ['One', 'Other'],
        is_active: [true, false]
      }
    ),
    '/v1/actions/{id}': thing(await made('/v1/actions', {
      connection, name: 'x', title: 'x', effect: 'read', method: 'GET', path: '/x'
    }), action, { follows: Object.fromEntries(Object.keys(action).map((name) => [name, ['version']])) }),
    '/v1/agents/{id}/feeds/{feed}': thing(feed, {
      name: ['One', 'Other'],
      config: [{ path: 'one' }, { path: 'other' }],
      every: ['1h', '2h'],
      folder: 'a number of the agent; see test/feeds/routes.test.ts',
      secret: 'never shown again; see test/feeds/routes.test.ts',
      paused: 'shown as state; see test/feeds/routes.test.ts'
    }, { follows: { config: ['error', 'state', 'next_at'] } }),
    '/v1/agents/{id}/questions/{question}': thing(
      await made(`/v1/agents/${id}/questions`, { text: 'x', expect: { says: ['x'] } }), {
        text: ['One?', 'Other?'],
        language: ['de', 'fr'],
        turns: [[{ role: 'visitor', text: 'Hello' }], [{ role: 'agent', text: 'Hello' }]],
        actions: [[{ name: 'one', result: 'x' }], [{ name: 'other', result: 'x' }]],
        expect: [{ says: ['one'], unknown: true }, { unknown: false }],
        enabled: [true, false],
        blocking: [true, false]
      }
    ),
    '/v1/saved_replies/{id}': thing(await made('/v1/saved_replies', { key: 'x', texts: { en: 'x' } }), {
      key: ['one', 'other'], texts: [{ en: 'One', de: 'Eins' }, { de: 'Anderes' }]
    }),
    '/v1/agents/{id}/widget_keys/{key}': thing(await made(`/v1/agents/${id}/widget_keys`, { name: 'x', origins: [] }), {
      name: ['One', 'Other'], origins: [['https://one.example'], ['https://other.example']]
    }),
    '/v1/members/{id}': thing(`/v1/members/${member}`, {
      role: 'the same as permissions, by a name', permissions: [['CREATE_TICKET'], ['REPLY_CONVERSATION']]
    }, { follows: { permissions: ['role'] } }),
    '/v1/me': thing('/v1/me', {
      name: ['Ada', 'Bea'], email: 'takes the password', current_password: 'proves who asks'
    }, { patch: session.patch as Sender, read: async () => (await me.get('/v1/me')).json().data.user }),
    '/v1/account': thing(
      '/v1/account', { tier: ['enterprise', 'pro'] }, { follows: { tier: ['limits', 'features'] } }
    )
  }
}

t.test('every PATCH merges: a field that is not sent stays, and null takes away what need not be there', async (t) => {
  const all = await things(t)
  t.strictSame(Object.keys(all).sort(), [...patches.keys()].sort(), 'every PATCH of the document is tried')
  for (const [path, { at, patch, read, fields, follows = {} }] of Object.entries(all)) {
    const shapes = patches.get(path)!
    t.strictSame(Object.keys(fields).sort(), Object.keys(shapes).sort(), `every field of ${path}`)
    const sent = Object.entries(fields).flatMap(([name, values]) => typeof values === 'string' ? [] : [[name, values] as const])
    const first = await patch(at, Object.fromEntries(sent.map(([name, [value]]) => [name, value])))
    t.equal(first.statusCode, 200, `${path} ${first.body}`)
    for (const [name, [, other]] of sent) {
      const moving = [name, ...TIMES, ...follows[name] ?? []]
      const change = async (value: unknown) => {
        const before = await read()
        const answer = await patch(at, { [name]: value })
        const after = await read()
        t.strictSame(without(after, moving), without(before, moving), `${path}: what is beside ${name} stays`)
        return { before: before[name], after: after[name], answer }
      }
      const { before, after, answer } = await change(other)
      t.equal(answer.statusCode, 200, `${path} ${name} ${answer.body}`)
      t.notSame(after, before, `${path} ${name}`)
      if (isObject(other)) {
        t.strictSame(after, { ...before as Fields, ...other }, `${path}: what is not sent of ${name} stays`)
        const [inner = ''] = Object.keys(other)
        const { after: less, answer } = await change({ [inner]: null })
        const shape = shapeOf(shapes[name]!).properties?.[inner]
        if (shape && !isNullable(shape)) {
          t.equal(answer.statusCode, 400, `${path}: ${name}.${inner} null ${answer.body}`)
          t.strictSame(less, after, `${path}: ${name}.${inner} has to be there`)
        } else t.notOk((less as Fields)[inner], `${path}: null takes ${name}.${inner} away`)
      }
      const mayBeNull = isNullable(shapes[name]!)
      const cleared = await change(null)
      t.equal(cleared.answer.statusCode, mayBeNull ? 200 : 400, `${path}: ${name} null ${cleared.answer.body}`)
      if (mayBeNull) t.equal(cleared.after, null, `${path}: null takes ${name} away`)
    }
  }
})
