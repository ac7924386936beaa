import { readFileSync } from 'node:fs'
import t from 'tap'
import { newToken } from '../../src/access/sign-in/tokens.ts'
import { dataFile } from '../../src/data-file.ts'
import { build, draft } from '../helper.ts'
import { joined, PASSWORD, signedUp } from './people.ts'
import { fileAlone } from '../postgres/database.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

t.test('a set-up link says whose it is, sets a password and an address once, and signs in', async (t) => {
  const { stores, user, sending, app } = await build(t)
  const ada = await user({ name: 'Ada' })
  const { token, kind } = (await stores.signIn.makeLink(ada.id))!
  t.equal(kind, 'setup')
  const anybody = sending({})
  const look = async () => await anybody.post('/v1/links/look', { token })
  t.match((await look()).json().data, {
    kind: 'setup', name: 'Ada', email: null, account: null, needs_password: false, expires_at: /^2026-01-01T00:30:00/
  })
  t.strictSame((await anybody.post('/v1/links/use', { token, password: PASSWORD })).json().error.details, [
    { field: 'email', message: 'email is required: you sign in with it.' }
  ])
  const used = await anybody.post('/v1/links/use', { token, password: PASSWORD, email: 'Ada@Example.com' })
  t.equal(used.statusCode, 201, 'a refusal does not use it up')
  t.match(
    used.headers['set-cookie'],
    /^agenthall=[\w-]{43}; Path=\/; Expires=Thu, 15 Jan 2026 00:00:00 GMT; HttpOnly; SameSite=Lax$/
  )
  t.equal(used.headers['cache-control'], 'no-store')
  t.match(used.json().data, {
    user: { id: ada.id, name: 'Ada', email: 'Ada@Example.com' }, session: { is_current: true }
  })
  const me = await app.inject({
    url: '/v1/me',
    headers: { cookie: String(used.headers['set-cookie']).split(';')[0]!, 'sec-fetch-site': 'same-origin' }
  })
  t.match(me.json().data, {
    user: { id: ada.id },
    key: null,
    session: { id: 1 },
    account: { id: ada.id, name: 'Ada' },
    accounts: [{ id: ada.id, name: 'Ada', member: Number }],
    permissions: { length: 10 }
  })
  for (const again of [
    await look(),
    await anybody.post('/v1/links/use', { token, password: PASSWORD }),
    await anybody.post('/v1/links/look', { token: newToken() })
  ]) {
    t.strictSame([again.statusCode, again.json().error.code], [410, 'gone'])
  }
  t.equal((await stores.signIn.makeLink(ada.id))!.kind, 'reset', 'the next one replaces a password')
  t.equal(await stores.signIn.makeLink(999), undefined)
})

t.test('a link that is used several times at once works once', async (t) => {
  const { stores, user, sending } = await build(t)
  const { id } = await user()
  const { token } = (await stores.signIn.makeLink(id))!
  const answers = await Promise.all(
    Array.from({ length: 4 }, (_, i) =>
      sending({}).post('/v1/links/use', { token, password: PASSWORD, email: `${i}@example.com` })
    )
  )
  t.strictSame(answers.map(({ statusCode }) => statusCode).sort(), [201, 410, 410, 410])
  t.equal((await stores.signIn.sessions(id)).length, 1)
})

t.test(
  'a link stops working after 30 minutes, when a newer one is made, and when the password is set otherwise',
  async (t) => {
    const { clock, sending, ...built } = await build(t)
    const { stores } = built
    const { id, as } = await signedUp(built, { email: 'ada@example.com' })
    const look = async (token: string) => (await sending({}).post('/v1/links/look', { token })).statusCode
    const [first, second] = [(await stores.signIn.makeLink(id))!, (await stores.signIn.makeLink(id))!]
    t.strictSame([await look(first.token), await look(second.token)], [410, 200])
    t.equal((await as.put('/v1/me/password', { current_password: PASSWORD, password: `${PASSWORD}!` })).statusCode, 200)
    t.equal(await look(second.token), 410)
    const third = (await stores.signIn.makeLink(id))!
    clock.advance(30 * MINUTE - 1)
    t.equal(await look(third.token), 200)
    clock.advance(1)
    t.equal(await look(third.token), 410)
  }
)

t.test('neither the token of a link, nor that of a session, nor a password is in the file', { skip: fileAlone }, async (t) => {
  const { stores, user, sending, directory, close } = await build(t)
  const { id } = await user()
  const { token } = (await stores.signIn.makeLink(id))!
  const used = await sending({}).post('/v1/links/use', { token, password: PASSWORD, email: 'a@example.com' })
  const cookie = /=([\w-]{43});/.exec(String(used.headers['set-cookie']))![1]!
  await close()
  const bytes = readFileSync(dataFile(directory), 'latin1')
  t.match(bytes, /\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}/)
  for (const secret of [token, cookie, PASSWORD]) t.notOk(bytes.includes(secret))
})

t.test('who signs in is told the same, whether the name or the password is wrong', async (t) => {
  const { sending, ...built } = await build(t)
  const { id } = await signedUp(built, { email: 'ada@example.com' })
  const signIn = async (email: string, password: string) => await sending({}).post('/v1/session', { email, password })
  const right = await signIn('ADA@example.com', PASSWORD)
  t.strictSame([right.statusCode, right.json().data.user.id], [201, id])
  const [wrong, unknown] = [
    await signIn('ada@example.com', 'something else entirely'), await signIn('eve@example.com', PASSWORD)
  ]
  t.strictSame([wrong.statusCode, wrong.body], [401, unknown.body])
  t.equal(
    (
      await sending({ origin: 'https://evil.example' }).post('/v1/session', {
        email: 'ada@example.com', password: PASSWORD
      })
    ).statusCode,
    403,
    'no other site signs anybody in'
  )
  t.equal(
    (
      await sending({ 'sec-fetch-site': 'cross-site' }).post('/v1/session', {
        email: 'ada@example.com', password: PASSWORD
      })
    ).statusCode,
    403
  )
})

t.test('who tries too often waits, by address', async (t) => {
  const { app, clock } = await build(t, { AGENTHALL_AUTH_FAILURES: '3' })
  const attempt = async (remoteAddress: string, email = 'ada@example.com') =>
    await app.inject({ method: 'POST', url: '/v1/session', remoteAddress, payload: { email, password: 'x' } })
  for (let i = 0; i < 3; i++) t.equal((await attempt('10.0.0.1')).statusCode, 401)
  const limited = await attempt('10.0.0.1')
  t.strictSame(
    [limited.statusCode, limited.json().error.code, limited.headers['retry-after']], [429, 'rate_limited', '60']
  )
  clock.advance(MINUTE)
  t.equal((await attempt('10.0.0.1')).statusCode, 401)
})

t.test('thirty wrong passwords do not keep the right one out: they slow down whoever guesses, there alone', async (t) => {
  // Was wrong: they were counted by name, so that a stranger could lock anybody out for as long as they liked.
  const built = await build(t, { AGENTHALL_AUTH_FAILURES: '0' })
  const { app, clock } = built
  const [email, right] = ['ada@example.com', PASSWORD]
  await signedUp(built, { email })
  const attempt = async (remoteAddress: string, password: string, as = email) =>
    await app.inject({ method: 'POST', url: '/v1/session', remoteAddress, payload: { email: as, password } })
  const wrong = await Promise.all(Array.from({ length: 31 }, (_, i) => attempt(`10.0.1.${i}`, 'x', email.toUpperCase())))
  t.strictSame([...new Set(wrong.map(({ statusCode }) => statusCode))], [401])
  t.equal((await attempt('10.0.2.1', right)).statusCode, 201)

  const waits: number[] = []
  for (let i = 0; i < 40; i++) {
    const { statusCode, headers } = await attempt('10.0.3.1', 'x', i % 2 ? email : email.toUpperCase())
    if (statusCode === 401) continue
    t.equal(statusCode, 429)
    waits.push(Number(headers['retry-after']))
    clock.advance(waits.at(-1)! * 1000)
  }
  t.strictSame(waits.slice(0, 7), [1, 2, 4, 8, 16, 30, 30], 'five for nothing, then slower and slower')
  t.equal(Math.max(...waits), 30)
  t.equal((await attempt('10.0.3.2', 'x')).statusCode, 401, 'another address')
  t.equal((await attempt('10.0.3.1', 'x', 'bob@example.com')).statusCode, 401, 'another name')
  clock.advance(30_000)
  t.equal((await attempt('10.0.3.1', right)).statusCode, 201, 'never for longer')
  for (let i = 0; i < 5; i++) t.equal((await attempt('10.0.3.1', 'x')).statusCode, 401, 'and begins anew')
})

t.test(
  'sessions are listed and ended one by one, all others at once, and end by themselves after 14 days',
  async (t) => {
    const { stores, clock, withSession, user } = await build(t)
    const ada = await user()
    const [first, second, third, other] = [
      await withSession(ada.id),
      await withSession(ada.id),
      await withSession(ada.id),
      await withSession((await user()).id)
    ]
    const listed = (await second.get('/v1/me/sessions')).json().data
    t.strictSame(
      listed.map(({ id, is_current: current }: { id: number, is_current: boolean }) => [id, current]),
      [
        [third.session, false], [second.session, true], [first.session, false]
      ]
    )
    t.strictSame(Object.keys(listed[0]).sort(), [
      'browser', 'created_at', 'expires_at', 'id', 'is_current', 'last_used_at'
    ])
    t.strictSame(
      (await ada.get('/v1/me/sessions')).json().data.map(({ is_current: current }: { is_current: boolean }) => current),
      [false, false, false],
      'with a key'
    )
    t.equal((await second.delete(`/v1/me/sessions/${other.session}`)).statusCode, 404, "nobody else's")
    t.equal((await second.delete(`/v1/me/sessions/${first.session}`)).statusCode, 200)
    t.equal((await first.get('/v1/me')).statusCode, 401, 'on the very next request')
    t.strictSame((await second.delete('/v1/me/sessions')).json().data, { ended: 1 })
    t.equal((await third.get('/v1/me')).statusCode, 401)
    const out = await second.delete('/v1/session')
    t.match(out.headers['set-cookie'], /^agenthall=; Max-Age=0; Path=\/; Expires=Thu, 01 Jan 1970/)
    t.equal((await second.get('/v1/me')).statusCode, 401)
    t.equal((await ada.delete('/v1/session')).json().error.code, 'permission_denied', 'a key is in no session')
    clock.advance(14 * DAY - 1)
    t.equal((await other.get('/v1/me')).statusCode, 200)
    clock.advance(1)
    t.equal((await other.get('/v1/me')).statusCode, 401)
    t.strictSame(await stores.signIn.sessions(ada.id), [])
  }
)

t.test('the use of a session is noted', async (t) => {
  const { clock, withSession, user } = await build(t)
  const as = await withSession((await user()).id)
  clock.advance(MINUTE)
  await as.get('/v1/me')
  const used = async () => (await as.get('/v1/me/sessions')).json().data[0].last_used_at as string
  // No request waits for it.
  while ((await used()).startsWith('2026-01-01T00:00:00')) await new Promise(setImmediate)
  t.match(await used(), /^2026-01-01T00:01:00/)
})

t.test('a new password ends all other sessions; it takes the old one, and a key cannot change it', async (t) => {
  const { sending, withSession, ...built } = await build(t)
  const { id, as, key } = await signedUp(built, { email: 'ada@example.com', name: 'Ada Lovelace' })
  const elsewhere = await withSession(id)
  const change = async (current: string, password: string) =>
    await as.put('/v1/me/password', { current_password: current, password })
  t.match((await change('wrong', PASSWORD)).json().error.details, [{ field: 'current_password' }])
  for (const weak of ['short', 'aaaaaaaaaaaaaaa', 'ada@example.com!', 'Ada Lovelace 1']) {
    t.match((await change(PASSWORD, weak)).json().error.details, [{ field: 'password' }], weak)
  }
  t.equal((await key.put('/v1/me/password', { current_password: PASSWORD, password: `${PASSWORD}!` })).statusCode, 403)
  t.equal((await change(PASSWORD, `${PASSWORD}!`)).statusCode, 200)
  t.strictSame(
    [
      (await as.get('/v1/me')).statusCode,
      (await elsewhere.get('/v1/me')).statusCode,
      (await key.get('/v1/me')).statusCode
    ],
    [200, 401, 200]
  )
  const signIn = async (password: string) =>
    (await sending({}).post('/v1/session', { email: 'ada@example.com', password })).statusCode
  t.strictSame([await signIn(PASSWORD), await signIn(`${PASSWORD}!`)], [401, 201])
})

t.test('one changes one\'s name, and with the password one\'s address, unless another has it', async (t) => {
  const { user, stores, ...built } = await build(t)
  const { as, key } = await signedUp({ ...built, user, stores }, { email: 'ada@example.com' })
  await stores.access.createUser({ name: 'Bob', email: 'bob@example.com' })
  t.equal((await as.patch('/v1/me', { name: 'Countess' })).json().data.name, 'Countess')
  t.equal((await as.get('/v1/me')).json().data.user.name, 'Countess')
  t.equal((await key.patch('/v1/me', { name: 'Countess' })).statusCode, 403)
  const move = async (email: string, password?: string) =>
    await as.patch('/v1/me', { email, ...(password && { current_password: password }) })
  t.match((await move('new@example.com')).json().error.details, [{ field: 'current_password', message: /is required/ }])
  t.match((await move('new@example.com', 'wrong')).json().error.details, [
    { field: 'current_password', message: /is wrong/ }
  ])
  t.equal((await move('BOB@example.com', PASSWORD)).statusCode, 409)
  t.equal((await move('new@example.com', PASSWORD)).json().data.email, 'new@example.com')
})

t.test('a session does what a key does; a key made in it lives on when the session is over', async (t) => {
  const { user, withSession, withKey, clock } = await build(t)
  const ada = await user()
  const as = await withSession(ada.id)
  t.equal((await as.post('/v1/agents', draft)).statusCode, 201)
  t.equal((await ada.get('/v1/agents')).json().data.length, 1)
  const made = await as.post('/v1/api_keys', { name: 'Script' }, { 'idempotency-key': 'k' })
  t.equal(made.json().data.expires_at, null)
  t.strictSame((await as.post('/v1/api_keys', { name: 'Script' }, { 'idempotency-key': 'k' })).json(), made.json())
  clock.advance(15 * DAY)
  t.equal((await withKey(made.json().data.key).get('/v1/me')).statusCode, 200)
  t.equal((await as.get('/v1/me')).statusCode, 401)
})

t.test('under https the cookie is Secure and bound to its host', async (t) => {
  const built = await build(t, { AGENTHALL_BASE_URL: 'https://chat.example.com' })
  const { id } = await built.user()
  const { token } = (await built.stores.signIn.makeLink(id))!
  const used = await built
    .sending({ origin: 'https://chat.example.com' })
    .post('/v1/links/use', { token, password: PASSWORD, email: 'a@example.com' })
  t.match(
    used.headers['set-cookie'], /^__Host-agenthall=[\w-]+; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Lax$/
  )
  const cookie = String(used.headers['set-cookie']).split(';')[0]!
  t.equal((await built.sending({ cookie }).get('/v1/me')).statusCode, 200)
  t.equal((await built.sending({ cookie: cookie.replace('__Host-', '') }).get('/v1/me')).statusCode, 401)
})

t.test('a link in a log line is not shown', async (t) => {
  const { SECRETS } = await import('../../src/access/keys.ts')
  const { withoutSecrets } = await import('../../src/platform/http/log.ts')
  t.equal(withoutSecrets(`see http://x/console/#/link/${newToken()}`, SECRETS), 'see http://x/console/#/link/[hidden]')
})

t.test('someone who belongs to no account is nobody', async (t) => {
  const { stores, user, withSession } = await build(t)
  const { id } = await user()
  const as = await withSession(id)
  t.equal((await as.get('/v1/me')).statusCode, 200)
  stores.db.raw.prepare('delete from members where user_id = ?').run(id)
  await stores.access.setTier(id, 'pro')
  t.equal((await as.get('/v1/me')).statusCode, 401)
})

t.test('a user who acts for several accounts names one, or chooses one for the session', async (t) => {
  const { stores, user, withSession, withKey } = await build(t)
  const [ada, bob, eve] = [
    await user({ name: 'Ada' }), await user({ name: 'Bob', tier: 'free' }), await user({ name: 'Eve' })
  ]
  joined(stores, bob.id, ada.id, ['VIEW_ANALYTICS'])
  const as = await withSession(ada.id)
  const account = async (headers = {}) => (await as.get('/v1/me', undefined, headers)).json()
  t.match((await account()).data, {
    account: { id: ada.id },
    tier: 'enterprise',
    accounts: [
      { id: ada.id, name: 'Ada' }, { id: bob.id, name: 'Bob' }
    ]
  })
  t.match((await account({ 'agenthall-account': String(bob.id) })).data, {
    account: { id: bob.id }, tier: 'free', permissions: ['VIEW_ANALYTICS']
  })
  for (const wrong of [String(eve.id), '999', 'x', '']) {
    t.equal((await account({ 'agenthall-account': wrong })).error?.code ?? 'none', wrong ? 'permission_denied' : 'none')
  }
  t.equal((await as.put('/v1/me/account', { account: eve.id })).statusCode, 403)
  t.equal((await as.put('/v1/me/account', { account: bob.id })).statusCode, 200)
  t.match((await account()).data.account, { id: bob.id })
  t.equal((await ada.put('/v1/me/account', { account: ada.id })).statusCode, 403, 'a key has one account')
  // A key made for the other account carries no more than the user may do there.
  const { answer } = await stores.access.createKey(
    ada.id,
    () => ({ name: 'x', permissions: ['VIEW_ANALYTICS', 'MANAGE_AGENTS'], expires_at: null }),
    undefined,
    bob.id
  )
  const key = withKey(answer.key)
  t.match((await key.get('/v1/me')).json().data, { account: { id: bob.id }, permissions: ['VIEW_ANALYTICS'] })
  t.equal(
    (await key.get('/v1/me', undefined, { 'agenthall-account': String(ada.id) })).json().error.code,
    'permission_denied'
  )
  t.equal((await key.get('/v1/me', undefined, { 'agenthall-account': String(bob.id) })).statusCode, 200)
})
