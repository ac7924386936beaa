import t from 'tap'
import { signed, site } from './helper.ts'

const NOTICE = { data_retention_message: 'We keep this for 30 days.', gdpr_message_display: true }
const own = '/v1/widget/visitor'

t.test('before the first message a visitor has agreed to the notice and said who they are', async (t) => {
  // Was wrong: only the widget's script checked; callers without it wrote without either.
  const { visit, begin, me, id, stores } = await site(t, {}, {
    privacy_url: 'https://shop.example/privacy',
    gdpr_settings: NOTICE,
    behavior: {
      collectVisitorData: true, expertHandoff: true
    }
  })
  const visitor = await visit()
  t.match(visitor.session.visitor, { introduced: false, consented: false })
  const { at, say } = await begin(visitor)
  const refused = await say('Hello')
  t.match(
    [refused.statusCode, refused.json().error],
    [409, { code: 'consent_missing', message: /notice about your data/, fields: { missing: ['consent'] } }]
  )
  t.equal((await visitor.post(`${at}/handoff`)).statusCode, 409, 'a person is not asked for either')
  t.equal(
    (
      await visitor.post(`${at}/attachments`, Buffer.from(''), { 'content-type': 'multipart/form-data; boundary=x' })
    ).statusCode,
    409
  )
  t.match(
    (await visitor.patch(own, { consent: NOTICE.data_retention_message })).json().data,
    { introduced: false, consented: true }
  )
  t.match(
    (await say('Hello')).json().error,
    { message: /your name and your e-mail address/, fields: { missing: ['name', 'email'] } }
  )
  await visitor.patch(own, { name: 'Ada' })
  t.match((await say('Hello')).json().error.fields, { missing: ['email'] })
  t.match(
    (await visitor.patch(own, { email: 'ada@example.com', phone: '1' })).json().data,
    { introduced: true, reachable: true }
  )
  t.equal((await say('Hello')).statusCode, 201)
  const text = 'We keep this for 30 days.\nhttps://shop.example/privacy'
  t.match(
    await stores.conversations.visitors.get(me.id, visitor.session.visitor.id),
    { consent: { text, hash: /^[0-9a-f]{64}$/, at: /Z$/ }, phone: '1' }
  )
  await me.put(`/v1/agents/${id}`, { gdpr_settings: { data_retention_message: 'For a year.' } })
  t.equal((await say('And another thing')).statusCode, 201, 'nobody is interrupted by a change of the notice')
  t.equal((await (await begin(visitor)).say('Hello')).statusCode, 409, 'but asked before the next conversation')
})

t.test('without a text of the business\'s own, the notice says in the visitor\'s language how long data is kept', async (t) => {
  const { page, visit, begin, key } = await site(t, {}, {
    gdpr_settings: { gdpr_message_display: true, data_retention_days: 90 }
  })
  const shown = async (language: string) =>
    (await page().get(`/v1/widget/${key}/config?language=${language}`)).json().data.consent
  t.match(await shown('en'), /for 90 days after the last message/)
  const consent = await shown('es')
  t.match(consent, /durante 90 días después del último mensaje/)
  const visitor = await visit()
  const { say } = await begin(visitor)
  t.equal((await say('Hola')).statusCode, 409)
  t.match((await visitor.patch(own, { consent })).json().data, { consented: true })
  t.equal((await say('Hola')).statusCode, 201)
})

t.test('whom the business vouches for need not say who they are', async (t) => {
  const { visit, begin, me, id, key, clock } = await site(t, {}, { behavior: { collectVisitorData: true } })
  const secret = (await me.post(`/v1/agents/${id}/widget_keys/${key}/identity_secrets`)).json().data.secret as string
  const visitor = await visit({
    identity: signed({ sub: 'customer-7', aud: key, exp: Math.floor(clock.micros() / 1e6) + 3600 }, secret)
  })
  t.match(visitor.session.visitor, { verified: true, introduced: true, reachable: false })
  t.equal((await (await begin(visitor)).say('Hello')).statusCode, 201)
})

t.test('an agent that does not collect keeps nothing, but for an address once a ticket needs one', async (t) => {
  // Was wrong: anything that was sent was stored.
  const { visit, begin, me, stores } = await site(t, {}, { behavior: { expertHandoff: true } })
  const visitor = await visit()
  const kept = async () => await stores.conversations.visitors.get(me.id, visitor.session.visitor.id)
  t.match(
    (await visitor.patch(own, { name: 'Ada', email: 'ada@example.com', phone: '1' })).json().data,
    { introduced: true, reachable: false }
  )
  t.match(await kept(), { name: null, email: null, phone: null })
  const { at, conversation, say } = await begin(visitor)
  t.equal((await say('Hello')).statusCode, 201)
  const tickets = async () => (await me.get(`/v1/tickets?conversation=${conversation}`)).json().data
  await me.post(`/v1/conversations/${conversation}/tickets`, { requester: { name: 'Ada' } })
  await me.post(`/v1/conversations/${conversation}/tickets`, { requester: { email: 'bob@example.com' } })
  t.match((await visitor.get(at)).json().data, { handled_by: 'agent' })
  t.match((await visitor.patch(own, { name: 'Ada', email: 'ada@example.com' })).json().data, { reachable: true })
  t.match(await kept(), { name: null, email: 'ada@example.com' })
  t.match(
    await tickets(),
    [{ requester: { email: 'bob@example.com' } }, { requester: { name: 'Ada', email: 'ada@example.com' } }],
    'the ticket that had none gets it'
  )
})
