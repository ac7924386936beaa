import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { placeIn } from '../../src/widget/routes/visitor.ts'
import { keptBytes } from '../postgres/looking.ts'
import { SHOP, site } from './helper.ts'

const PROXY = '10.0.0.7'
const STRANGER = '203.0.113.9'
/** A server behind a proxy that reports where visitors are. */
const BEHIND = { AGENTHALL_TRUST_PROXY: PROXY, AGENTHALL_CITY_HEADER: 'CF-IPCity' }
/** What a proxy adds to a request. */
const from = (city: string) => ({ 'x-forwarded-for': STRANGER, 'cf-ipcity': city })

/** A visitor who writes, and what is stored about them. */
async function talking (t: Test, env: Record<string, string> = BEHIND, agent: object = {}, ip = PROXY) {
  const directory = t.testdir({})
  const built = await site(t, env, agent, { directory })
  const visitor = await built.visit({ ip })
  const { id } = visitor.session.visitor
  const { conversation, at } = await built.begin(visitor)
  const say = async (more: object = {}, headers: Record<string, string> = {}) =>
    await visitor.post(`${at}/messages`, { text: 'Hello', ...more }, headers)
  const kept = async () => {
    const { place, time_zone: zone } = (await built.me.get(`/v1/visitors/${id}`)).json().data
    return [place, zone]
  }
  return { ...built, directory, visitor, id, conversation, at, say, kept }
}

t.test('the town that a proxy names is kept with a visitor, and replaced when it changes', async (t) => {
  const { me, id, say, kept, conversation } = await talking(t)
  t.strictSame(await kept(), [null, null])
  t.equal((await say({}, from('Leipzig'))).statusCode, 201)
  t.strictSame(await kept(), ['Leipzig', null])
  for (const city of ['', '?', 'XX-1', 'Leipzig, Ulm']) await say({}, from(city))
  await say()
  t.strictSame(await kept(), ['Leipzig', null], 'what names no town changes nothing')
  const { etag } = (await me.get(`/v1/visitors/${id}`)).headers
  await say({}, from('Ulm'))
  t.strictSame(await kept(), ['Ulm', null])
  t.equal(
    (await me.patch(`/v1/visitors/${id}`, { phone: '1' }, { 'if-match': String(etag) })).statusCode, 200,
    'and makes no change of others fail'
  )
  t.strictSame((await me.get(`/v1/visitors/names?ids=${id}`)).json().data, [{ id, name: null, place: 'Ulm' }])
  t.match((await me.get('/v1/conversations?search=ulm')).json().data, [{ id: conversation }], 'they are found by it')
  t.equal((await me.patch(`/v1/visitors/${id}`, { place: 'Bonn' })).statusCode, 400, 'nobody says it but the network')
})

t.test('it is known as soon as a conversation begins, or a person is asked for', async (t) => {
  const { visit, me } = await talking(t, BEHIND, { behavior: { expertHandoff: true } })
  const placeOf = async (id: string) => (await me.get(`/v1/visitors/${id}`)).json().data.place
  const one = await visit({ ip: PROXY })
  const begun = await one.post('/v1/widget/conversations', {}, from('Gera'))
  t.equal(await placeOf(one.session.visitor.id), 'Gera')
  await one.post(`/v1/widget/conversations/${begun.json().data.id}/handoff`, undefined, from('Jena'))
  t.equal(await placeOf(one.session.visitor.id), 'Jena')
})

t.test('whoever asks without the proxy is not believed, and nobody is where no header is named', async (t) => {
  for (const [env, ip, headers] of [
    [BEHIND, STRANGER, from('Leipzig')],
    [BEHIND, STRANGER, { ...from('Leipzig'), 'x-forwarded-for': PROXY }],
    [BEHIND, PROXY, { 'cf-ipcity': 'Leipzig' }],
    [{ AGENTHALL_TRUST_PROXY: PROXY }, PROXY, from('Leipzig')]
  ] as const) {
    const { say, kept } = await talking(t, env, {}, ip)
    t.equal((await say({}, headers)).statusCode, 201)
    t.strictSame(await kept(), [null, null])
  }
})

t.test('a name comes through as it was sent: in UTF-8, in Latin-1, or escaped', async (t) => {
  const { app, visitor, at, kept } = await talking(t, { ...BEHIND, AGENTHALL_TRUST_PROXY: '127.0.0.1' })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  for (const [bytes, city] of [
    [Buffer.from('Köln'), 'Köln'], [Buffer.from('Zürich', 'latin1'), 'Zürich'], [Buffer.from('%C5%81%C3%B3d%C5%BA'), 'Łódź'],
    [Buffer.from('M%FCnchen'), 'München'], [Buffer.from('東京'), '東京']
  ] as const) {
    await new Promise<void>((resolve, reject) => {
      // Node writes a header's characters as bytes, unless some of what follows has to be encoded.
      const headers = {
        ...from(bytes.toString('latin1')),
        origin: SHOP,
        authorization: `Bearer ${visitor.token}`,
        'content-type': 'application/json'
      }
      request({ port, path: `${at}/messages`, method: 'POST', headers }, (answer) => {
        answer.resume().once('end', () => resolve())
      }).once('error', reject).end(Buffer.from(JSON.stringify({ text: 'Hello' })))
    })
    t.strictSame(await kept(), [city, null], city)
  }
})

t.test('nothing but the name of a place is one', async (t) => {
  const longest = 'Llanfair'.repeat(10)
  for (const [sent, place] of [
    ['  Halle  ', 'Halle'], ["'s-Hertogenbosch", "'s-Hertogenbosch"], ['St. John%27s', "St. John's"],
    ['Frankfurt am Main', 'Frankfurt am Main'], [longest, longest], ['Ko%CC%88ln', 'Köln']
  ] as const) t.equal(placeIn(sent), place)
  for (const sent of [
    '', ' ', '-', '...', '%', '100%', 'Ulm%0d%0aSet-Cookie: x', '<b>Ulm</b>', 'Ulm%00', `${longest}x`, '%E2%80%AEmlU', 'Ulm 1',
    'Ulm%2C Bonn', 'https://ulm.example', '%F0%9F%8F%99', '%CC%88Ulm', 'Ulm\u009f', 'a%C2%ADb', '{page}'
  ]) t.equal(placeIn(sent), undefined, JSON.stringify(sent))
})

// Was wrong: asia/tokyo was kept as it was written.
t.test('a time zone is kept by its name, however it is written', async (t) => {
  const { me, id, say, kept } = await talking(t)
  await say({ time_zone: 'asia/tokyo' }, from('Osaka'))
  t.strictSame(await kept(), ['Osaka', 'Asia/Tokyo'])
  const { etag } = (await me.get(`/v1/visitors/${id}`)).headers
  await say({ time_zone: 'ASIA/Tokyo' })
  t.equal((await me.get(`/v1/visitors/${id}`)).headers.etag, etag, 'the same again changes nothing')
  const patched = await me.patch(`/v1/visitors/${id}`, { time_zone: 'europe/berlin' })
  t.match(patched.json().data, { time_zone: 'Europe/Berlin' })
  // Was wrong: it was called Europe/Kiev.
  await say({ time_zone: 'Europe/Kyiv' })
  t.strictSame(await kept(), ['Osaka', 'Europe/Kyiv'], 'of several names the one that was given')
})

t.test('the time zone of the browser is kept, one that there is not is none, and neither is anything to a visitor', async (t) => {
  const { visitor, me, id, at, say, kept } = await talking(t)
  t.equal((await say({ time_zone: 'Asia/Tokyo' }, from('Osaka'))).statusCode, 201)
  t.strictSame(await kept(), ['Osaka', 'Asia/Tokyo'])
  for (const zone of ['', 'Mars/Olympus_Mons', '+09:00', 'x'.repeat(5000), '\'; drop table visitors', '__proto__']) {
    t.equal((await say({ time_zone: zone })).statusCode, 201)
  }
  t.strictSame(await kept(), ['Osaka', 'Asia/Tokyo'])
  await say({ time_zone: 'Europe/Berlin' })
  t.strictSame(await kept(), ['Osaka', 'Europe/Berlin'])
  for (const path of ['/v1/widget/visitor', '/v1/widget/conversations', at, `${at}/messages`]) {
    t.notMatch((await visitor.get(path)).body, /Osaka|Berlin|time_zone|place"/, path)
  }
  const patched = async (zone: unknown) => await me.patch(`/v1/visitors/${id}`, { time_zone: zone })
  t.match((await patched('America/Lima')).json().data, { time_zone: 'America/Lima' })
  t.match([(await patched('Mars/Olympus_Mons')).json().error], [{ details: [{ field: 'time_zone', code: 'no_time_zone' }] }])
  t.match((await patched(null)).json().data, { time_zone: null, place: 'Osaka' })
})

t.test('nothing is learnt of a visitor who has yet to agree', async (t) => {
  const notice = { data_retention_message: 'We keep this for 30 days.', gdpr_message_display: true }
  const { visitor, id, me, begin, kept } = await talking(t, BEHIND, { gdpr_settings: notice })
  const begun = async () => await visitor.post('/v1/widget/conversations', {}, from('Leipzig'))
  const { at } = await begin(visitor)
  await begun()
  t.equal((await visitor.post(`${at}/messages`, { text: 'x', time_zone: 'Asia/Tokyo' }, from('Leipzig'))).statusCode, 409)
  t.strictSame(await kept(), [null, null])
  const told = await visitor.patch('/v1/widget/visitor', { consent: notice.data_retention_message })
  t.equal(told.statusCode, 200, told.body)
  await begun()
  t.match((await me.get(`/v1/visitors/${id}`)).json().data, { place: 'Leipzig' })
})

t.test('both are sealed, in the export, and gone with the visitor', async (t) => {
  const { stores, directory, me, id, say, settled } = await talking(t)
  await say({ time_zone: 'Antarctica/Vostok' }, from('Quaggaville'))
  t.match((await me.get(`/v1/visitors/${id}/export`)).json().visitor, { place: 'Quaggaville', time_zone: 'Antarctica/Vostok' })
  const bytes = () => keptBytes({ stores, directory }).toString('latin1')
  t.ok(bytes().includes(id), 'what is not sealed is found')
  t.notMatch(bytes(), /Quaggaville|Vostok/)
  t.equal((await me.delete(`/v1/visitors/${id}`)).statusCode, 200)
  await settled()
  t.equal((await me.get(`/v1/visitors/${id}`)).statusCode, 404)
  t.strictSame((await me.get(`/v1/visitors/names?ids=${id}`)).json().data, [])
  t.notMatch(bytes(), /Quaggaville|Vostok/)
})
