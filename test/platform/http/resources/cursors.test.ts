import { readFileSync } from 'node:fs'
import t from 'tap'
import { talkative } from '../../../conversations/helper.ts'

interface Shape { $ref?: string, type?: string, properties?: Record<string, Shape> }
interface Operation {
  operationId: string
  parameters?: Array<{ name: string }>
  responses: Record<string, { content?: Record<string, { schema: Shape }> }>
}
interface Document { paths: Record<string, Record<string, Operation>>, components: { schemas: Record<string, Shape> } }

const document = JSON.parse(readFileSync('openapi.json', 'utf8')) as Document

/**
 * Lists without pages: a ranking of ten, messages (`before`, `after`, `has_more`), what one visitor sees (of a
 * conversation, or of the few actions that its agent has), and names for as many visitors, or messages of as many
 * conversations, as were requested.
 */
const WHOLE = [
  'listSuggestions', 'listMessages', 'listOwnMessages', 'listOwnConversations', 'listOwnActions', 'listOwnCalls',
  'listVisitorNames', 'listPreviews'
]

/** The lists of a document, with what they say about paging. */
function listsIn ({ paths, components }: Document) {
  const shapeOf = (shape: Shape | undefined): Shape => shape?.$ref
    ? components.schemas[shape.$ref.split('/').at(-1)!]!
    : shape ?? {}
  return Object.entries(paths).flatMap(([path, { get }]) => {
    const { properties = {} } = shapeOf(get?.responses[200]?.content?.['application/json']?.schema)
    return get && shapeOf(properties.data).type === 'array' && !WHOLE.includes(get.operationId)
      ? [{
          path,
          hasParts: 'next_cursor' in properties &&
            ['cursor', 'limit'].every((name) => get.parameters?.some((one) => one.name === name))
        }]
      : []
  })
}

// Was wrong: ten lists of an account came whole, however long, and two only in pages that shift.
t.test('every list of an account comes in parts where a cursor or a limit asks for them', async (t) => {
  const lists = listsIn(document)
  t.ok(lists.length >= 18, `${lists.length} lists`)
  t.strictSame(lists.filter(({ hasParts }) => !hasParts), [])
  const planted = structuredClone(document)
  planted.paths['/v1/things'] = {
    get: {
      operationId: 'listThings',
      responses: { 200: { content: { 'application/json': { schema: { properties: { data: { type: 'array' } } } } } } }
    }
  }
  t.strictSame(listsIn(planted).filter(({ hasParts }) => !hasParts).map(({ path }) => path), ['/v1/things'])
})

/** What identifies the entries of a list: versions have numbers. */
const ids = (answer: { json (): { data: Array<{ id?: unknown, number?: unknown }> } }) =>
  answer.json().data.map(({ id, number }) => id ?? number)

/** An account that has three of everything that is listed, signed in as its owner. */
async function threefold (t: Parameters<typeof talkative>[0]) {
  const built = await talkative(t)
  const { me, id, stores } = built
  const agent = `/v1/agents/${id}`
  await me.put('/v1/business', { asks_satisfaction: true })
  for (const name of ['A', 'B', 'C']) {
    const make = async (url: string, body: object) => {
      const answer = await me.post(url, body)
      t.ok([200, 201, 202].includes(answer.statusCode), url)
      return answer.json().data
    }
    await make('/v1/agents', { name, systemPrompt: 'You help.' })
    await make(`${agent}/knowledge_sources`, { title: name, plain_text: name })
    await make(`${agent}/knowledge_folders`, { name })
    await make(`${agent}/widget_keys`, { name, origins: ['https://shop.example'] })
    const rated = await make(`${agent}/conversations`, {})
    const answer = await make(`/v1/conversations/${rated.id}/messages`, { text: 'Hello?' })
    await me.put(`/v1/conversations/${rated.id}/messages/${answer.id}/feedback`, { score: -1 })
    await make(`/v1/conversations/${rated.id}/close`, {})
    await me.put(`/v1/conversations/${rated.id}/satisfaction`, { score: 5 })
    const visitor = await make('/v1/visitors', { agent: id, name })
    const conversation = await make(`${agent}/conversations`, { visitor: visitor.id })
    await me.patch(`/v1/conversations/${conversation.id}`, { tags: [name] })
    for (const text of ['1', '2', '3']) await make(`/v1/conversations/${conversation.id}/notes`, { text })
    const hook = await make('/v1/webhooks', { url: `https://example.com/${name}`, events: ['message.completed'] })
    await make(`/v1/webhooks/${hook.id}/test`, {})
    await make('/v1/ticketing_providers', {
      name, kind: 'linear', settings: { team: 'x' }, credentials: { token: 'x' }
    })
    await make('/v1/tickets', { agent: id, subject: name })
    await make('/v1/model_providers', { name, provider: 'openai', key: 'sk-x', models: [`${name}-*`] })
    await make('/v1/api_keys', { name })
    await make('/v1/saved_replies', { key: name, texts: { en: name } })
    await make(`${agent}/questions`, { text: name, expect: { says: [name] } })
    await make(`${agent}/runs`, {})
    const form = `--x\r\ncontent-disposition: form-data; name="files"; filename="${name}.json"\r\n\r\n{}\r\n--x--\r\n`
    await me.post('/v1/imports', Buffer.from(form), { 'content-type': 'multipart/form-data; boundary=x' })
    await make(`${agent}/feeds`, { name, kind: 'drive_folder', config: { folder: name } })
    const connection = await make('/v1/connections', { name, base_url: 'https://shop.example' })
    const action = await make('/v1/actions', {
      connection: connection.id,
      name: name.toLowerCase(),
      title: name,
      effect: 'write',
      confirm: 'person',
      method: 'POST',
      path: '/x',
      enabled: true
    })
    await me.put(agent, { behavior: { actionIds: [action.id] } })
    await make(`/v1/conversations/${conversation.id}/calls`, { action: action.id })
    await make('/v1/invitations', { permissions: ['SEND_INVITE'], email: `${name}@example.com` })
    const other = await built.user({ name })
    stores.db.raw.prepare('insert into members (account_id, user_id, permissions, created_at) values (?, ?, ?, ?)')
      .run(me.id, other.id, '["SEND_INVITE"]', '2026-01-01T00:00:00.000000Z')
    stores.db.raw.prepare(
      `insert into passkeys (user_id, name, credential, public_key, counter, transports, created_at)
      values (?, ?, ?, ?, 0, '[]', '2026-01-01T00:00:00.000000Z')`
    ).run(me.id, name, name, Buffer.from(name))
    await stores.signIn.begin(me.id, name)
  }
  stores.db.raw.exec("update knowledge_sources set stale = 'old'")
  const signedIn = await built.withSession(me.id)
  const [{ id: conversation }] = (await me.get('/v1/conversations?limit=1')).json().data
  return {
    ...built,
    signedIn,
    agent,
    conversation,
    addressOf: (path: string) =>
      path.replace('/agents/{id}', `/agents/${id}`).replace('{id}', conversation)
  }
}

t.test('a list that is read item by item has what it has as a whole, in the same order', async (t) => {
  const { signedIn, addressOf } = await threefold(t)
  for (const { path } of listsIn(document)) {
    const at = addressOf(path)
    const whole = ids(await signedIn.get(`${at}?limit=100`))
    if (path !== '/v1/privacy/receipts') t.ok(whole.length >= 3, `${at} has ${whole.length}`)
    const found: unknown[] = []
    for (let cursor: string | null | undefined; cursor !== null;) {
      const part = await signedIn.get(`${at}?limit=1${cursor ? `&cursor=${cursor}` : ''}`)
      if (!t.equal(part.statusCode, 200, at)) return
      found.push(...ids(part))
      cursor = part.json().next_cursor
    }
    t.strictSame(found, whole, at)
  }
})

t.test('a cursor of another list, filter or account, and what is none, is refused with a sentence', async (t) => {
  const { signedIn, user, addressOf, conversation } = await threefold(t)
  const cursors = new Map<string, string>()
  for (const { path } of listsIn(document)) {
    const { next_cursor: cursor } = (await signedIn.get(`${addressOf(path)}?limit=1`)).json()
    if (cursor !== null) cursors.set(addressOf(path), cursor)
  }
  t.ok(cursors.size >= 17, `${cursors.size} lists have more than one`)
  const refused = async (answer: ReturnType<typeof signedIn.get>, at: string) => t.match(
    [(await answer).statusCode, (await answer).json()],
    [400, { error: { code: 'VALIDATION_ERROR', details: [{ field: 'cursor', message: /next_cursor of the part before/ }] } }],
    at
  )
  const other = await user()
  for (const [at, cursor] of cursors) {
    for (const [from, theirs] of cursors) if (from !== at) await refused(signedIn.get(`${at}?cursor=${theirs}`), at)
    if (!at.includes('/1') && !at.includes(conversation) && at !== '/v1/me/passkeys') {
      await refused(other.get(`${at}?cursor=${cursor}`), at)
    }
    await refused(signedIn.get(`${at}?cursor=${cursor.startsWith('a') ? 'b' : 'a'}${cursor.slice(1)}`), at)
    await refused(signedIn.get(`${at}?cursor=nothing`), at)
  }
  await refused(signedIn.get(`/v1/tickets?status=closed&cursor=${cursors.get('/v1/tickets')}`), 'another filter')
  t.match((await signedIn.get(`/v1/agents?page=2&cursor=${cursors.get('/v1/agents')}`)).json().error.details, [
    { field: 'page', message: 'page and cursor exclude each other. Send one of them.' }
  ])
})

t.test('agents and sources that go while a list is read by cursor hide no other', async (t) => {
  const { me, agent } = await threefold(t)
  for (const at of [`${agent}/knowledge_sources`, '/v1/agents']) {
    const whole = ids(await me.get(`${at}?limit=100`))
    const first = await me.get(`${at}?limit=2`)
    t.equal(first.json().pagination.page, 1, 'a page says which it is, and how the list goes on by cursor')
    await me.delete(`${at}/${whole[0]}`)
    const rest = await me.get(`${at}?limit=100&cursor=${first.json().next_cursor}`)
    t.strictSame([ids(rest), rest.json().next_cursor, rest.json().pagination], [whole.slice(2), null, undefined], at)
  }
})

t.test('the Link header of a list of agents leads on by cursor where it was asked by cursor', async (t) => {
  const { me } = await threefold(t)
  const first = await me.get('/v1/agents?limit=1&status=Active')
  const second = await me.get(`/v1/agents?limit=1&status=Active&cursor=${first.json().next_cursor}`)
  const [, next] = /<([^>]+)>; rel="next"/.exec(String(second.headers.link))!
  t.strictSame(ids(await me.get(next!)), ids(await me.get('/v1/agents?limit=1&page=3')))
})
