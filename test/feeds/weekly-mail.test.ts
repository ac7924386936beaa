import fc from 'fast-check'
import t from 'tap'
import type { KnowledgeGaps } from '../../schema/feeds.ts'
import { letterOf } from '../../src/feeds/fresh/letter.ts'
import { build, draft } from '../helper.ts'
import { FROM, mailServer } from '../tickets/helper.ts'

const DAY_MS = 86_400_000
const LINK = 'https://agents.example.com/console/#/suggestions'

/** A report of one question. */
const gapsOf = (question: string, more: Partial<KnowledgeGaps> = {}): KnowledgeGaps => ({
  from: '2026-11-16T07:00:00.000000Z',
  to: '2026-11-23T07:00:00.000000Z',
  answers: 1240,
  unknown: 12,
  known_share: 0.99,
  known_share_before: 0.85,
  questions: [{ question, times: 3, language: 'en', answered_by_people: true, draft: null }],
  never_cited: [{ source: 1, title: 'Old' }],
  ...more
})

t.test('those who teach agents are mailed once a week what these did not know, all agents in one mail', async (t) => {
  const server = await mailServer(t)
  const { user, stores, clock, settled } = await build(t, {
    AGENTHALL_SMTP_URL: server.url, AGENTHALL_MAIL_FROM: FROM, AGENTHALL_BASE_URL: 'https://agents.example.com'
  })
  const me = await user()
  const { raw } = stores.db
  // Somebody else has left, has no address, or may not train.
  const others = await Promise.all(['Ann', 'Bob', 'Cyd'].map(async (name) => await user({ name })))
  const setEmail = raw.prepare('update users set email = ? where id = ?')
  for (const [n, one] of [me, ...others].entries()) setEmail.run(n === 2 ? null : `p${n}@example.com`, one.id)
  const join = raw.prepare("insert into members (account_id, user_id, permissions, created_at) values (?, ?, ?, '2026-01-01T00:00:00.000000Z')")
  for (const [n, one] of others.entries()) {
    join.run(me.id, one.id, JSON.stringify(n === 2 ? ['VIEW_ANALYTICS'] : ['MANAGE_KNOWLEDGE_BASE']))
  }
  const agents: number[] = []
  for (const name of ['Shop', 'Returns']) {
    agents.push((await me.post('/v1/agents', { ...draft, name, behavior: { continuousLearning: true } })).json().data.id)
  }
  async function week (questions: string[]) {
    for (const agent of agents) {
      const conversation = (await me.post(`/v1/agents/${agent}/conversations`, {})).json().data.id
      for (const text of questions) await me.post(`/v1/conversations/${conversation}/messages`, { text })
    }
    for (let day = 0; day < 8; day++) {
      await settled()
      clock.advance(DAY_MS)
    }
    await settled()
    return server.got.splice(0)
  }
  await settled()
  clock.advance(DAY_MS)
  const first = await week(['How heavy are gift cards?', 'Why was I told to go to https://evil.example/pay about gift cards?'])
  t.strictSame(first.map(({ to }) => to[0]).toSorted(), ['p0@example.com', 'p1@example.com'])
  const [{ mail, header }] = first as [typeof first[0]]
  t.equal(mail.subject, 'What your agents did not know this week')
  t.equal(header('auto-submitted'), 'auto-generated')
  t.match(mail.text, /Shop: 2 of 2 answers did not know\nKnown: 0%\n {2}1 × /)
  t.match(mail.text, '  1 × How heavy are gift cards?')
  t.match(mail.text, /Returns: 2 of 2/)
  t.match(mail.text, `Teach them what they lack: ${LINK}`)
  t.notMatch(mail.text, /evil/, 'what a visitor wrote leads nobody to a page of their choice')
  t.match((await me.get('/v1/deliveries?channel=gaps_mail')).json().data, [{ state: 'sent', type: 'knowledge.gaps' }, {}])

  t.strictSame(await week([]), [], 'nothing is told of a week in which nothing was asked')
  t.equal((await me.put('/v1/business', { gaps_mail: 'de' })).statusCode, 200)
  t.match((await week(['How heavy are gift cards?']))[0]!.mail.text, /Shop: bei 1 von 1 Antworten nicht gewusst/)
  await me.put('/v1/business', { gaps_mail: 'off' })
  t.strictSame(await week(['How heavy are gift cards?']), [], 'it is switched off')
  t.equal((await me.put('/v1/business', { gaps_mail: 'xx' })).statusCode, 400)
})

t.test('what is asked for is not mailed to who has left meanwhile, nor where it was switched off meanwhile', async (t) => {
  const server = await mailServer(t)
  const { user, stores, clock, settled } = await build(t, { AGENTHALL_SMTP_URL: server.url, AGENTHALL_MAIL_FROM: FROM })
  const me = await user()
  stores.db.raw.prepare('update users set email = ? where id = ?').run('ada@example.com', me.id)
  const { id } = (await me.post('/v1/agents', draft)).json().data
  server.state.mood = 'busy'
  const ask = async () => {
    await stores.feeds.store.tellGaps(me.id, id)
    await settled()
  }
  const states = async () => (await me.get('/v1/deliveries?channel=gaps_mail')).json().data
    .map(({ state, error }: { state: string, error: { code: string } | null }) => [state, error?.code])
  await ask()
  t.strictSame(await states(), [['dead', 'report_gone']], 'there is nothing to tell')
  await ask()
  t.equal((await states()).length, 1, 'it is asked for once a week')
  clock.advance(7 * DAY_MS)
  await me.put('/v1/business', { gaps_mail: 'off' })
  await ask()
  t.equal((await states()).length, 1)
  t.strictSame(server.got, [])
})

t.test('the mail is in the language of the business, and holds no link but its own', (t) => {
  const at = { zone: 'Europe/Berlin', link: LINK }
  const lacks = [{ name: 'Shop', gaps: gapsOf('How heavy are gift cards?') }]
  t.match(letterOf(lacks, { ...at, language: 'fr' }), {
    subject: 'Ce que vos agents ne savaient pas cette semaine',
    text: /Du 16 novembre 2026 au 23 novembre 2026[^]*connues\u202f: 99.%; la semaine précédente\u202f: 85.%\n {2}3 × How heavy are gift cards\? \(un conseiller y a répondu\)/
  })
  t.match(letterOf(lacks, { ...at, language: 'de' }).text, /12 von 1\.240/)
  const many = gapsOf('', { questions: Array.from({ length: 50 }, () => gapsOf('Why?').questions[0]!), known_share: null })
  t.match(letterOf([{ name: 'Shop', gaps: many }], { ...at, language: 'en' }).text, /Further questions: 40\nSources/)
  const words = fc.array(fc.oneof(
    fc.string({ unit: 'binary' }), fc.webUrl(), fc.emailAddress(), fc.domain(), fc.constantFrom('\n', '\r\n', ' ', '。')
  ))
  fc.assert(fc.property(words, fc.string(), (some, name) => {
    const { text } = letterOf([{ name: `${name} evil.example`, gaps: gapsOf(some.join('')) }], { ...at, language: 'en' })
    const rest = text.replace(LINK, '')
    return !/[^\s.][.。][^\s.]|:\//.test(rest) && text.split('\n').length === 11
  }))
  t.end()
})
