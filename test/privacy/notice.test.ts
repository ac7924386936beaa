import t from 'tap'
import { dataHosts } from '../../src/privacy/hosts.ts'
import {
  checkCollected, collectedBy, consentTo, hasConsented, noticeOf, onlyCollected
} from '../../src/privacy/notice.ts'
import { decided, type Refusal } from '../../src/platform/errors.ts'
import { languagesWith } from '../../src/locales/list.ts'
import { keeping } from './helper.ts'

async function agentWith (t: Parameters<typeof keeping>[0], change: object) {
  const { me, id, stores } = await keeping(t)
  await me.put(`/v1/agents/${id}`, change)
  return (await stores.agents.get(me.id, id))!.agent
}

const refused = (check: () => void) => decided(check) as Refusal

t.test('a visitor is shown what the settings say, and what is recorded is what was shown', async (t) => {
  const shown = { data_retention_message: 'We keep this for 30 days.', gdpr_message_display: true }
  const agent = await agentWith(t, { privacy_url: 'https://example.com/privacy', gdpr_settings: shown })
  const notice = noticeOf(agent)!
  const text = 'We keep this for 30 days.\nhttps://example.com/privacy'
  t.strictSame(notice, { text: 'We keep this for 30 days.', privacy_url: 'https://example.com/privacy' })
  t.equal(consentTo(agent, notice.text), text)
  const consent = { text, hash: '', at: '' }
  t.equal(hasConsented(agent, { consent }), true)
  t.equal(hasConsented(agent, { consent: null }), false)
  const gdpr = agent.gdpr_settings
  const changed = { ...agent, gdpr_settings: { ...gdpr, data_retention_message: 'We keep this for ever.' } }
  t.throws(() => consentTo(changed, notice.text), { code: 'notice_changed' }, 'nobody agrees to what they have not seen')
  t.equal(hasConsented(changed, { consent }), false)
  t.equal(
    hasConsented({ ...agent, privacy_url: 'https://example.com/other' }, { consent }),
    false,
    'another page is another notice'
  )
  const hidden = { ...agent, gdpr_settings: { ...gdpr, gdpr_message_display: false } }
  t.equal(noticeOf(hidden), undefined)
  t.equal(hasConsented(hidden, { consent: null }), true, 'where nothing is shown nobody has to agree')
  const silent = { ...agent, gdpr_settings: { ...gdpr, data_retention_days: null, data_retention_message: ' ' } }
  t.equal(noticeOf(silent), undefined)
  t.throws(() => consentTo(silent, notice.text), { code: 'notice_changed' })
  t.match(noticeOf({ ...agent, privacy_url: null }), { text: 'We keep this for 30 days.', privacy_url: null })
})

t.test('where data is deleted after a time and the business says nothing of it, a sentence of ours is shown in the visitor\'s language', async (t) => {
  // Was wrong: the switch was on, and nothing was shown.
  const agent = await agentWith(t, { gdpr_settings: { data_retention_days: 30, gdpr_message_display: true } })
  const english = 'We keep what you write here for 30 days after the last message, then delete it.'
  t.equal(noticeOf(agent)?.text, english)
  const german = 'Was Sie hier schreiben, bewahren wir ab der letzten Nachricht 30 Tage lang auf und löschen es dann.'
  t.equal(noticeOf(agent, 'de-AT')?.text, german)
  t.equal(noticeOf(agent, 'constructor')?.text, english)
  t.strictSame(languagesWith('keptFor').sort(), [...languagesWith('notices')].sort(), 'in each language of fixed sentences')
  for (const language of languagesWith('notices')) {
    const { text } = noticeOf(agent, language)!
    t.match(text, /30|٣٠|۳۰/, language)
    t.notMatch(text, '{{')
    t.equal(hasConsented(agent, { consent: { text: consentTo(agent, text), hash: '', at: '' } }), true, language)
  }
  const gdpr = agent.gdpr_settings
  t.match(noticeOf({ ...agent, gdpr_settings: { ...gdpr, data_retention_days: 1 } })?.text, /for 1 day after/)
  const consent = { text: english, hash: '', at: '' }
  t.equal(
    hasConsented({ ...agent, gdpr_settings: { ...gdpr, data_retention_days: 60 } }, { consent }), false,
    'another time is another notice'
  )
  const own = { ...agent, gdpr_settings: { ...gdpr, data_retention_message: 'We keep it.' } }
  t.equal(noticeOf(own, 'de')?.text, 'We keep it.')
  t.throws(() => consentTo(own, english), { code: 'notice_changed' })
  t.equal(noticeOf({ ...agent, gdpr_settings: { ...gdpr, gdpr_message_display: false } }), undefined)
})

t.test('an agent that collects visitors\' data wants name and address before the first message, another one nothing', async (t) => {
  const agent = await agentWith(t, { behavior: { collectVisitorData: true } })
  const nobody = { name: null, email: null, phone: null }
  t.strictSame(collectedBy(agent), { name: 'required', email: 'required', phone: 'optional' })
  t.match(
    refused(() => checkCollected(agent, nobody)),
    {
      code: 'details_missing',
      message: 'Please tell us your name and your e-mail address first.',
      fields: { missing: ['name', 'email'] }
    }
  )
  t.match(refused(() => checkCollected(agent, { ...nobody, name: 'Ada' })).fields, { missing: ['email'] })
  t.doesNotThrow(
    () => checkCollected(agent, { ...nobody, name: 'Ada', email: 'ada@example.com' }),
    'the phone number is theirs to give'
  )
  const said = { name: 'Ada', email: 'ada@example.com', phone: '1', external_id: 'x' }
  t.strictSame(onlyCollected(agent, said), said)

  const shy = { behavior: { ...agent.behavior, collectVisitorData: false } } as typeof agent
  t.doesNotThrow(() => checkCollected(shy, nobody))
  t.strictSame(onlyCollected(shy, said), { external_id: 'x' }, 'nothing is kept that nobody asked for')
  t.strictSame(
    onlyCollected(shy, said, true), { email: 'ada@example.com', external_id: 'x' }, 'a ticket needs an address'
  )
  t.match(refused(() => checkCollected(shy, nobody, true)).fields, { missing: ['email'] })
})

t.test('hosts that personal data is sent to are listed once each, with what they get', async (t) => {
  t.strictSame(dataHosts([]), [])
  t.match(
    dataHosts([
      { url: 'https://api.openai.com/v1', purpose: 'answers' },
      { url: 'smtps://user:pass@mail.example.com:465', purpose: 'mail' },
      { url: 'https://api.openai.com/v1', purpose: 'search' },
      { url: 'https://help.example.com', purpose: 'tickets' },
      { url: 'https://mail.example.com', purpose: 'tickets' }
    ]),
    [
      { host: 'api.openai.com', purposes: ['answers', 'search'], data: [/language model/, /meaning/] },
      { host: 'help.example.com', purposes: ['tickets'] },
      { host: 'mail.example.com', purposes: ['mail', 'tickets'], data: [/tickets/] }
    ]
  )
})

t.test('the settings of the account list every host that its visitors\' data is sent to', async (t) => {
  const { me, user } = await keeping(
    t,
    30,
    {},
    {
      AGENTHALL_MODEL_URL: 'http://models.internal:8080/v1',
      AGENTHALL_EMBEDDINGS_URL: 'https://embed.example.com/v1',
      AGENTHALL_EMBEDDINGS_MODEL: 'm',
      // Without a mail server, mail goes nowhere.
      AGENTHALL_MAIL_FROM: 'help@example.com'
    }
  )
  await me.post('/v1/model_providers', { name: 'Ours', provider: 'openai', key: 'sk-x', models: ['gpt-*'] })
  const hosts = (answer: Awaited<ReturnType<typeof me.get>>) =>
    answer.json().data.data_hosts.map(({ host, purposes }: { host: string, purposes: string[] }) => [host, ...purposes])
  const all = [['api.openai.com', 'answers'], ['embed.example.com', 'search'], ['models.internal', 'answers']]
  t.strictSame(hosts(await me.get('/v1/business')), all)
  t.strictSame(hosts(await me.put('/v1/business', { time_zone: 'Europe/Berlin' })), all)
  t.strictSame(
    hosts(await (await user()).get('/v1/business')), all.slice(1), 'what another account brought is not theirs'
  )
})

t.test('the same list names webhooks, ticketing systems, the chat of the team and the mail server', async (t) => {
  // Was wrong: without webhooks, without the mail server, and with another address for every ticketing system.
  const { me, user } = await keeping(t, 30, {}, {
    AGENTHALL_SMTP_URL: 'smtps://user:pass@mail.example.com:465', AGENTHALL_MAIL_FROM: 'help@example.com'
  })
  const made = [
    await me.post('/v1/webhooks', { url: 'https://one.example.com/in', events: ['message.completed'] }),
    await me.post('/v1/webhooks', { url: 'https://two.example.com/in', events: ['message.completed'] }),
    await me.post('/v1/ticketing_providers', {
      name: 'Theirs',
      kind: 'zendesk',
      settings: { url: 'https://help.example.com' },
      credentials: { email: 'a@example.com', token: 'x' }
    }),
    await me.post('/v1/ticketing_providers', {
      name: 'Linear', kind: 'linear', settings: { team: 'x' }, credentials: { token: 'x' }
    })
  ]
  t.strictSame(made.map(({ statusCode }) => statusCode), [201, 201, 201, 201])
  await me.put('/v1/business', { team_chat_url: 'https://chat.example.com/hooks/x' })
  const hosts = async (client: typeof me) =>
    (await client.get('/v1/business')).json().data.data_hosts.map(
      ({ host, purposes }: { host: string, purposes: string[] }) => [host, ...purposes]
    )
  t.strictSame(await hosts(me), [
    ['api.linear.app', 'tickets'],
    ['chat.example.com', 'team_chat'],
    ['help.example.com', 'tickets'],
    ['mail.example.com', 'mail'],
    ['one.example.com', 'webhooks'],
    ['two.example.com', 'webhooks']
  ])
  t.strictSame(await hosts(await user()), [['mail.example.com', 'mail']], 'what another account set up is not theirs')
})
