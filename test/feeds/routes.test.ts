import { rmSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { fed, sends, system } from './helper.ts'

const article = { id: 1, title: 'Article', body: '<p>Words.</p>', updated_at: 'a' }

/** A help centre that answers with one article. */
const centre = (t: Test) => system(t, (_asked, reply) => sends(reply, { articles: [article], meta: {} }))

t.test('a feed is told what its kind is told, and nothing else', async (t) => {
  const { me, at, docs } = await fed(t)
  const wrong = async (body: object) => {
    const answer = await me.post(`${at}/feeds`, { name: 'x', ...body })
    t.equal(answer.statusCode, 400)
    return answer.json().error.details?.map(({ field, message }: { field: string, message: string }) => `${field}: ${message}`) ?? answer.body
  }
  t.match(await wrong({ kind: 'folder', config: {} }), [/config\.path: config\.path is needed: where it is/])
  t.match(await wrong({ kind: 'folder', config: { path: docs, url: 'x' } }), [/config\.url is not known to folder; it takes path/])
  t.match(await wrong({ kind: 'folder', config: { path: docs }, secret: 'x' }), [/takes no secret/])
  t.match(await wrong({ kind: 'folder', config: { path: docs }, every: '5m' }), [/from 15m to 30d/])
  t.match(await wrong({ kind: 'notion', config: { a: 'b' } }), [/it takes none/, /secret is needed: the secret of the internal integration/])
  t.match(await wrong({ kind: 's3', config: { url: 'ftp://x', bucket: 'No', region: 'eu', access_key: 'a' }, secret: 'x' }), [/config\.url cannot be used/, /config\.bucket/])
  t.match(await wrong({ kind: 'folder', config: { path: docs }, folder: 99 }), [/folder is not a folder of this agent/])
  t.match(await wrong({ kind: 'intercom', config: { region: 'mars' }, secret: 'x' }), [/config\.region/])
  t.equal((await me.post(`${at}/feeds`, { name: 'x', kind: 'nothing' })).statusCode, 400)
})

t.test('its secret is never shown, and goes to no other host', async (t) => {
  const { url, env, asked } = await centre(t)
  const { make, me, at, feed, feeds, settled, stores, look } = await fed(t, env)
  const id = await make({ kind: 'zendesk', config: { url, user: 'ada@example.com' }, secret: 'heron-token' })
  t.match(await feed(id), { has_secret: true, state: 'idle', every: '6h' })
  t.notMatch(JSON.stringify(await feeds()), /heron/)
  t.notMatch(JSON.stringify((await me.get(`${at}/feeds/${id}`)).json()), /heron|cursor|interval/)
  // Was wrong without the comparison of hosts: 200, and the token was sent to another host.
  const moved = await me.patch(`${at}/feeds/${id}`, { config: { url: 'https://elsewhere.example', user: 'ada@example.com' } })
  t.match([moved.statusCode, moved.body], [400, /Enter the secret again: it was not entered for elsewhere\.example/])
  t.equal((await me.patch(`${at}/feeds/${id}`, { config: { url }, name: 'Other' })).statusCode, 200)
  await settled()
  t.match(asked.at(-1)!.headers.authorization, /^Basic /)
  stores.vault.renew()
  await look(id)
  t.match(await feed(id), { state: 'broken', error: { code: 'denied' } }, 'what was sealed with a key that was given up is entered again')
  t.notMatch(String(stores.db.raw.prepare('select cast(secret as text) from feeds').pluck().get()), /heron/)
})

t.test('it is changed, paused and switched on again; looks are nobody\'s change', async (t) => {
  const { write, watch, look, me, at, feed, feeds, settled, after, clock } = await fed(t)
  write('a.md', 'Page a.')
  const id = await watch({ every: '1h' })
  const { etag } = (await me.get(`${at}/feeds/${id}`)).headers
  const due = async () => Math.round((Date.parse((await feed(id)).next_at!) - clock.micros() / 1000) / 60_000)
  t.equal(await due(), 60)
  await look(id)
  t.equal(await due(), 120, 'while nothing changes it waits longer')
  await after(121 * 60_000)
  t.equal(await due(), 240)
  t.equal((await me.patch(`${at}/feeds/${id}`, { name: 'Docs' }, { 'if-match': etag as string })).statusCode, 200, 'the looks moved nothing')
  t.equal((await me.patch(`${at}/feeds/${id}`, { name: 'x' }, { 'if-match': etag as string })).statusCode, 412)
  await me.patch(`${at}/feeds/${id}`, { every: '2h' })
  t.equal(await due(), 120)
  await me.patch(`${at}/feeds/${id}`, { paused: true })
  t.match(await feed(id), { state: 'paused', next_at: null })
  write('b.md', 'Page b.')
  await after(40 * 86_400_000)
  t.match(await feed(id), { sources: 1 })
  t.match((await me.patch(`${at}/feeds/${id}`, { every: '3h' })).json().data, { state: 'paused', next_at: null })
  await me.patch(`${at}/feeds/${id}`, { paused: false })
  await settled()
  t.match(await feed(id), { state: 'idle', sources: 2 })
  t.match(await feeds(), [{ id, name: 'Docs', every: '3h' }])
  for (const [method, place] of [['get', ''], ['patch', ''], ['delete', ''], ['post', '/look'], ['post', '/approve_removal']] as const) {
    t.equal((await me[method](`${at}/feeds/99${place}`, method === 'patch' ? { name: 'x' } : undefined)).statusCode, 404)
  }
  t.equal((await me.get('/v1/agents/99/feeds')).statusCode, 404)
  t.equal((await me.post('/v1/agents/99/feeds', { name: 'x', kind: 'notion', secret: 'x' })).statusCode, 404)
})

t.test('its sources stay when it goes, or go with it', async (t) => {
  const { write, watch, me, at, sources, texts, settled, docs, stores } = await fed(t)
  write('a.md', 'Page a.')
  const kept = await watch()
  t.equal((await me.delete(`${at}/feeds/${kept}`)).statusCode, 200)
  t.match(await sources(), [{ feed: null, origin_key: null, title: 'a.md' }])
  rmSync(path.join(docs, 'a.md'))
  write('b.md', 'Page b.')
  const gone = await watch()
  t.strictSame((await sources()).map(({ title }) => title), ['a.md', 'b.md'])
  t.equal((await me.delete(`${at}/feeds/${gone}?sources=remove`)).statusCode, 200)
  await settled()
  t.equal(Object.values(await texts()).join(), 'Page a.')
  t.equal(stores.db.raw.prepare("select count(*) from jobs where kind = 'feed'").pluck().get(), 0)
})

t.test('an agent has so many feeds, and limits hold for what they bring', async (t) => {
  const { write, watch, me, at, feed, sources, docs, look } = await fed(t, { AGENTHALL_STORAGE_LIMITS: '{"enterprise":2000}', AGENTHALL_TRAINING_LIMITS: '{"enterprise":2000}' })
  for (let n = 0; n < 4; n++) write(`${n}.md`, `${n} says. `.repeat(60))
  const id = await watch()
  t.match(await feed(id), { error: { code: 'storage_limit_exceeded' }, last: { failed: 1 } })
  t.equal((await sources()).length, 3)
  for (let n = 1; n < 4; n++) rmSync(path.join(docs, `${n}.md`))
  await look(id)
  t.match(await feed(id), { error: null, last: { gone: 2 } })
  for (let n = 1; n < 50; n++) await me.post(`${at}/feeds`, { name: 'x', kind: 'folder', config: { path: docs } })
  t.match((await me.post(`${at}/feeds`, { name: 'x', kind: 'folder', config: { path: docs } })).json(), { error: { code: 'limit_reached' } })
})

t.test('what changes has the questions that rest on it asked again', async (t) => {
  const { write, watch, look, me, at, sources, after, told } = await fed(t)
  write('returns.md', 'Returns are accepted within 30 days of delivery.')
  const id = await watch()
  const [source] = await sources()
  await me.post('/v1/webhooks', { url: 'https://example.com/hook', events: ['knowledge.changed', 'source.trained'] })
  const question = (await me.post(`${at}/questions`, { text: 'How long may I return something?', expect: { sources: [source!.id], says: ['30 days'] } })).json().data.id
  write('returns.md', 'Returns are accepted within 14 days of delivery.')
  await look(id)
  t.match(told('knowledge.changed'), [{ refs: { feed: id, sources: [source!.id], questions_affected: [question] } }])
  t.equal(told('source.trained').length, 0, 'the feed tells for all of its sources')
  await after(600_000)
  t.match((await me.get(`${at}/runs`)).json().data, [{ cause: 'knowledge', total: 1 }])
})
