import t, { type Test } from 'tap'
import { openPasskeys } from '../../src/access/index.ts'
import { build } from '../helper.ts'
import { authenticator } from './authenticator.ts'

/** A signed-in user, and how to sign in with a passkey. */
async function person (t: Test, env = {}) {
  const built = await build(t, env)
  const key = await built.user({ name: 'Ada' })
  const as = await built.withSession(key.id)
  const anybody = built.sending({ 'user-agent': 'A telephone' })
  const register = async (device: ReturnType<typeof authenticator>, name?: string) => {
    const { data } = (await as.post('/v1/me/passkeys/options')).json()
    return await as.post('/v1/me/passkeys', { response: device.create(data), ...(name && { name }) })
  }
  const ask = async () => (await anybody.post('/v1/session/passkey/options')).json().data
  const signIn = async (device: ReturnType<typeof authenticator>, options?: { challenge: string }) =>
    await anybody.post('/v1/session/passkey', { response: device.get(options ?? (await ask())) })
  return { ...built, key, as, register, ask, signIn }
}

t.test('a passkey is registered, signs in, is listed, and after it is removed opens nothing', async (t) => {
  const { key, as, register, signIn, stores, sending } = await person(t)
  const device = authenticator()
  const made = await register(device, 'Telephone')
  t.strictSame(
    [made.statusCode, made.json().data],
    [201, { id: 1, name: 'Telephone', created_at: made.json().data.created_at, last_used_at: null }]
  )
  const welcome = await signIn(device)
  t.match(
    [welcome.statusCode, welcome.json().data], [201, { user: { id: key.id }, session: { browser: 'A telephone' } }]
  )
  const cookie = String(welcome.headers['set-cookie']).split(';')[0]!
  t.equal((await sending({ cookie }).get('/v1/me')).json().data.user.id, key.id)
  t.match((await as.get('/v1/me/passkeys')).json().data, [{ id: 1, name: 'Telephone', last_used_at: /^2026/ }])
  t.equal((await stores.passkeys.byCredential(device.get({ challenge: 'x' }).id))!.counter, 2)
  const other = await (await person(t)).as.delete('/v1/me/passkeys/1')
  t.equal(other.statusCode, 404)
  t.equal((await as.delete('/v1/me/passkeys/1')).statusCode, 200)
  t.equal((await signIn(device)).statusCode, 401)
})

t.test('what does not fit is refused: a challenge of somebody else, used or old, another site, a cloned or unlocked device', async (t) => {
  const { as, key, user, withSession, register, ask, signIn, clock } = await person(t)
  const device = authenticator()
  t.equal((await register(authenticator({ origin: 'https://evil.example' }))).statusCode, 400)
  t.equal((await register(authenticator({ host: 'evil.example' }))).statusCode, 400)
  t.equal((await register(authenticator({ isVerified: false }))).statusCode, 400, 'nobody showed that it is theirs')
  t.equal((await as.post('/v1/me/passkeys', { response: {} })).statusCode, 400)
  const eve = await withSession((await user()).id)
  const { data: theirs } = (await eve.post('/v1/me/passkeys/options')).json()
  t.equal(
    (await as.post('/v1/me/passkeys', { response: device.create(theirs) })).statusCode,
    400,
    "somebody else's challenge"
  )
  const { data: old } = (await as.post('/v1/me/passkeys/options')).json()
  clock.advance(5 * 60_000)
  t.equal((await as.post('/v1/me/passkeys', { response: device.create(old) })).statusCode, 400)
  t.equal((await register(device)).json().data.name, 'Passkey')
  t.equal((await register(device)).statusCode, 409, 'a second time')
  const options = await ask()
  t.equal((await signIn(device, options)).statusCode, 201)
  t.equal((await signIn(device, options)).statusCode, 401, 'a challenge is good once')
  t.equal((await signIn(device, { challenge: 'aW52ZW50ZWQ' })).statusCode, 401)
  t.equal((await signIn(authenticator())).statusCode, 401, 'unknown')
  device.countFrom(1)
  t.equal((await signIn(device)).statusCode, 401, 'it counts backwards, so there are two of it')
  for (const path of ['/v1/me/passkeys/options', '/v1/me/passkeys']) {
    t.equal((await key.post(path, path.endsWith('options') ? undefined : { response: {} })).statusCode, 403)
  }
  t.equal((await key.delete('/v1/me/passkeys/1')).statusCode, 403)
})

t.test('a person has 20 passkeys at most, and only so many challenges are remembered', async (t) => {
  const { register, stores, as } = await person(t)
  for (let i = 0; i < 20; i++) t.equal((await register(authenticator())).statusCode, 201)
  t.equal((await register(authenticator())).statusCode, 409)
  t.equal((await as.post('/v1/me/passkeys/options')).json().data.excludeCredentials.length, 20)
  const passkeys = openPasskeys({ ...stores, callers: { async attempt () {} }, baseUrl: 'http://localhost' })
  const request = { headers: {} } as never
  const device = authenticator()
  const first = await passkeys.offer(request, { id: 2, name: 'Eve' } as never) as { challenge: string }
  for (let i = 0; i < 10_000; i++) await passkeys.ask(request)
  await t.rejects(passkeys.add(request, { id: 2 } as never, 'x', device.create(first)), { code: 'VALIDATION_ERROR' })
})
