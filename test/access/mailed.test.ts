import t, { type Test } from 'tap'
import { letterOf } from '../../src/access/sign-in/mail.ts'
import { build } from '../helper.ts'
import { FROM, mailServer } from '../tickets/helper.ts'
import { PASSWORD, signedUp } from './people.ts'

/** An app that sends mail, and a visitor's requests to the routes that need no key. */
async function mailing (t: Test) {
  const server = await mailServer(t)
  const env = {
    AGENTHALL_SMTP_URL: server.url, AGENTHALL_MAIL_FROM: FROM, AGENTHALL_BASE_URL: 'https://agents.example.com'
  }
  const built = await build(t, env)
  const ask = async (email: string) => await built.sending({}).post('/v1/links/request', { email })
  const use = async (token: string, more = {}) => await built.sending({}).post(
    '/v1/links/use', { token, password: PASSWORD, ...more }
  )
  const tokenIn = (text = '') => /console\/#\/link\/([\w-]{43})\n/.exec(text)?.[1] ?? ''
  const tokens = () => server.got.map(({ mail }) => tokenIn(mail.text))
  /** Resolves when all requested background work is done. */
  const done = async () => {
    await new Promise(setImmediate)
    await built.stores.db.atomically(function * () { return undefined })
    await built.settled()
  }
  return { ...built, server, ask, use, tokens, done }
}

t.test(
  'who has lost the password asks for a link and gets it by mail; nobody learns whether an address is known',
  async (t) => {
    // Was wrong: there was no way but the operator's command line.
    const { ask, use, tokens, done, server, clock, stores, ...built } = await mailing(t)
    await signedUp({ ...built, stores }, { email: 'ada@example.com' })
    clock.advance(3_600_000)
    const [known, unknown] = [await ask('Ada@Example.com'), await ask('nobody@example.com')]
    t.equal(known.statusCode, 202)
    t.strictSame([known.statusCode, known.body], [unknown.statusCode, unknown.body])
    await done()
    t.match(server.got, [{ from: 'help@ours.example', to: ['ada@example.com'], mail: { subject: /new password/ } }])
    const [token] = tokens()
    for (const table of ['links', 'outbox', 'jobs']) {
      t.notMatch(JSON.stringify(stores.db.raw.prepare(`select * from ${table}`).all()), token, `${table} hold no token`)
    }
    await ask('ada@example.com')
    await done()
    t.equal(server.got.length, 1, 'the one before is still on its way')
    t.equal((await use(token!, { password: 'another horse battery staple' })).statusCode, 201)
    t.equal((await use(token!)).statusCode, 410, 'once')
    await ask('ada@example.com')
    await done()
    t.equal(tokens().length, 2, 'one that was used is no longer on its way')
    const grace = await signedUp({ ...built, stores }, { email: 'grace@example.com' })
    await stores.signIn.makeLink(grace.id)
    await ask('grace@example.com')
    await done()
    t.equal(tokens().length, 3, 'nor is one that the operator made, which no mail carries')
    const many = await Promise.all([1, 2, 3, 4].map(async () => await ask('bob@example.com')))
    t.strictSame(
      many.map(({ statusCode }) => statusCode), [202, 202, 202, 429]
    )
    t.ok(many[3]!.headers['retry-after'])
    t.equal((await ask('no address')).statusCode, 400)
  }
)

t.test('an invitation goes out by mail where mail is sent and an address was told, and says so', async (t) => {
  // Was wrong: nothing was mailed, whatever the settings.
  const { user, tokens, done, server, sending } = await mailing(t)
  const boss = await user({ name: 'Boss\r\nBcc: eve@example' })
  const invite = async (body: object) => (await boss.post('/v1/invitations', { role: 'expert', ...body })).json()
  t.match(await invite({}), { data: { mailed: false }, message: /Nothing was mailed/ })
  const made = await invite({ email: 'bob@example.com' })
  t.match(made, { data: { mailed: true }, message: /by mail too/ })
  await done()
  t.match(
    server.got, [{ to: ['bob@example.com'], mail: { subject: 'Join the team Boss Bcc: eve@example on Agenthall' } }]
  )
  const [token] = tokens()
  t.not(made.data.link.split('/').at(-1), token, 'under a token of its own')
  t.match(
    (await sending({}).post('/v1/links/look', { token })).json().data, { kind: 'invitation', email: 'bob@example.com' }
  )
  t.equal((await sending({}).post('/v1/invitations/accept', { token, password: PASSWORD })).statusCode, 201)
  const second = await sending({}).post(
    '/v1/invitations/accept', { token: made.data.link.split('/').at(-1), password: PASSWORD }
  )
  t.equal(second.statusCode, 410, 'both are one invitation')
})

t.test('a mail server that is away is tried again with the same link; what was taken back is not sent', async (t) => {
  const { user, tokens, done, server, clock, stores } = await mailing(t)
  const boss = await user()
  server.state.mood = 'take and cut'
  const first = (await boss.post('/v1/invitations', { role: 'expert', email: 'bob@example.com' })).json().data
  await done()
  server.state.mood = 'take'
  clock.advance(60_000)
  await done()
  t.equal(tokens().length, 2)
  t.equal(tokens()[0], tokens()[1])
  server.state.mood = 'busy'
  const second = (await boss.post('/v1/invitations', { role: 'expert', email: 'cyd@example.com' })).json().data
  await done()
  server.state.mood = 'take'
  await boss.delete(`/v1/invitations/${second.id}`)
  clock.advance(60_000)
  await done()
  t.equal(tokens().length, 2)
  const states = async () => (await boss.get('/v1/deliveries?channel=link_mail')).json().data
  t.match(await states(), [{ state: 'dead', error: { code: 'link_gone' } }, { state: 'sent', to: `links/${first.id}` }])
  const lone = await user({ name: 'Lone' })
  const setEmail = (email: string | null) => stores.db.raw.prepare(
    'update users set email = ? where id = ?'
  ).run(email, lone.id)
  setEmail('lone@example.com')
  server.state.mood = 'busy'
  await stores.signIn.mailLink('lone@example.com')
  await done()
  setEmail(null)
  clock.advance(60_000)
  await done()
  t.match((await lone.get('/v1/deliveries')).json().data, [{ state: 'dead', error: { message: /no longer has an e-mail address/ } }])
})

t.test('where no mail is sent, who asks for a link is told so', async (t) => {
  const { sending } = await build(t)
  const refused = await sending({}).post('/v1/links/request', { email: 'ada@example.com' })
  t.match([refused.statusCode, refused.json().error.message], [409, /users link/])
  t.match(letterOf('setup', '', 'x', 'en'), { subject: /password/ })
})

t.test('invitations and links for a new password are in the language of the team', async (t) => {
  // Was wrong: they were English, whatever the team had chosen for its other mails.
  const { user, done, server } = await mailing(t)
  const boss = await user({ name: 'Küche' })
  await boss.put('/v1/business', { gaps_mail: 'de' })
  await boss.post('/v1/invitations', { role: 'expert', email: 'bob@example.com' })
  await done()
  t.match(server.got, [{ to: ['bob@example.com'], mail: { subject: 'Treten Sie dem Team Küche auf Agenthall bei' } }])
  for (const language of ['en', 'de', 'es', 'fr', 'pt'] as const) {
    for (const kind of ['invitation', 'setup'] as const) {
      for (const name of ['Küche', 'evil.example']) {
        const { subject, text } = letterOf(kind, name, 'https://ours.example/x', language)
        t.notMatch(subject + text, /[{}]|evil/, language)
        t.match(text, /\n\nhttps:\/\/ours\.example\/x\n\n/)
      }
    }
  }
})

t.test('invitations that are made and taken back again send no stranger many mails', async (t) => {
  // Was wrong: 12 mails to one address in seconds, from a free key.
  const { user, clock, done, server } = await mailing(t)
  const [boss, rival] = [await user({ name: 'Boss', tier: 'free' }), await user({ name: 'Rival', tier: 'free' })]
  const invite = async (email: string, from = boss) => {
    const { data } = (await from.post('/v1/invitations', { role: 'expert', email })).json()
    await from.delete(`/v1/invitations/${data.id}`)
    return data.mailed
  }
  t.strictSame([await invite('bob@example.com'), await invite('Bob@Example.com')], [true, false])
  t.equal(await invite('bob@example.com', rival), false, 'whoever invites')
  const mailed: boolean[] = []
  for (let i = 0; i < 21; i++) mailed.push(await invite(`${i}@example.com`))
  t.strictSame(mailed, Array.from({ length: 21 }, (_, i) => i < 19), '20 from one account')
  t.equal(await invite('carol@example.com', rival), true, 'others send theirs')
  clock.advance(24 * 3_600_000 + 60_000)
  t.strictSame([await invite('bob@example.com'), await invite('bob@example.com')], [true, false], 'a day later')
  await done()
  t.strictSame(server.got, [], 'and one that was taken back before is not sent')
})

t.test('a name that holds the address of a page is not put into a mail', async (t) => {
  // Was wrong: a free key sent any text and address to strangers.
  const said = (name: string) => letterOf('invitation', name, 'https://ours.example/#/link/x', 'en')
  const names = ['Win at https://evil.example', 'evil.example/win', 'www.evil.example', 'evil。example', 'http://evil', 'a//evil']
  for (const name of names) {
    const { subject, text } = said(name)
    t.equal(subject, 'Join a team on Agenthall', name)
    t.notMatch(text, /evil/)
  }
  for (const name of ['Ada & Co.', 'Dr. Müller', 'To be continued...', '東京']) {
    t.equal(said(name).subject, `Join the team ${name} on Agenthall`)
  }
})

t.test('Was wrong: one mailbox, spelled in another way, was mailed an invitation for each spelling, and others with it', async (t) => {
  const { user, done, server } = await mailing(t)
  const boss = await user()
  const invite = async (email: string) => await boss.post('/v1/invitations', { role: 'expert', email })
  t.match((await invite('bob@example.com')).json().data, { mailed: true })
  for (const email of [
    '<bob@example.com>', 'bob@example.com,', 'root,bob@example.com', 'a<bob@example.com>', 'bob@example.com;', '(c)bob@example.com',
    'a:bob@example.com;', '"bob"@example.com', 'bob\\@example.com', 'bob@[example.com]'
  ]) t.equal((await invite(email)).statusCode, 400, email)
  for (const email of ['bob@exam\u00adple.com', 'BOB@\uff45xample.com', 'Bob@ex\u2060ample.com', 'bob@Example.\u24d2om']) {
    t.match((await invite(email)).json().data, { email: /@example\.com$/, mailed: false }, email)
  }
  t.match((await invite('bob@bücher.example')).json().data, { email: 'bob@bücher.example', mailed: true })
  await done()
  t.strictSame(server.got.map(({ to }) => to.join()), ['bob@example.com', 'bob@bücher.example'])
})
