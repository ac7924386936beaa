import { readFileSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import t from 'tap'
import { PERMISSIONS, type Permission } from '../../schema/access.ts'
import { identifier } from '../../src/access/identify.ts'
import { addressBlock } from '../../src/platform/net/address.ts'
import { digestOf, hintOf, looksLikeKey, newKey } from '../../src/access/keys.ts'
import { demand } from '../../src/access/permit.ts'
import { dataFile } from '../../src/data-file.ts'
import { build, draft } from '../helper.ts'
import { fileAlone } from '../postgres/database.ts'

const HOUR = 3_600_000

t.test('a key is agh_, 32 random bytes in base62 and six digits of their CRC-32', async (t) => {
  fc.assert(fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.nat(52), fc.nat(61), (bytes, at, digit) => {
    const key = newKey(bytes)
    if (!/^agh_[0-9A-Za-z]{49}$/.test(key) || !looksLikeKey(key)) return false
    const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
    const number = (text: string) => [...text].reduce((sum, one) => sum * 62n + BigInt(digits.indexOf(one)), 0n)
    if (number(key.slice(4, 47)).toString(16).padStart(64, '0') !== Buffer.from(bytes).toString('hex')) return false
    if (number(key.slice(47)) !== BigInt(crc32(bytes))) return false
    // One wrong digit is detected by the checksum, unless it is the same digit. Planted fault: no comparison of the
    // checksum.
    const typo = key.slice(0, at) + (at < 4 ? '#' : digits[digit]) + key.slice(at + 1)
    return typo === key || !looksLikeKey(typo)
  }), { numRuns: 300, seed: 1 })
  t.notOk(looksLikeKey('agh_' + 'z'.repeat(49)), 'more than 32 bytes')
  t.notOk(looksLikeKey('agh_'))
  t.equal(new Set(Array.from({ length: 200 }, () => newKey())).size, 200)
  t.equal(hintOf('agh_abcdefgh'), 'agh_abcd…')
})

t.test('a key with a wrong checksum is refused without a query, one with a right checksum costs one', async (t) => {
  const { stores, withKey, user } = await build(t)
  const as = await user()
  const asked: string[] = []
  const { holder } = stores.access
  stores.access.holder = (digest) => { asked.push(digest); return holder(digest) }
  for (const key of [
    'agh_' + '0'.repeat(48) + '1',
    as.key!.slice(0, -1) + (as.key!.endsWith('0') ? '1' : '0'),
    'x',
    'agh_',
    as.key! + '0'
  ]) {
    t.equal((await withKey(key).get('/v1/me')).statusCode, 401)
  }
  t.strictSame(asked, [], 'invented keys reach no query')
  const invented = newKey()
  t.equal((await withKey(invented).get('/v1/me')).statusCode, 401)
  t.strictSame(asked, [digestOf(invented)])
  for (let i = 0; i < 3; i++) t.equal((await as.get('/v1/me')).statusCode, 200)
  t.equal(asked.length, 2, 'a caller is looked up once and then remembered')
})

t.test(
  'only a digest is stored: no file of the database holds a secret, nor does any answer but the first',
  { skip: fileAlone }, async (t) => {
    const { directory, stores, user, close } = await build(t)
    const as = await user()
    const made = (await as.post('/v1/api_keys', { name: 'x' }, { 'idempotency-key': 'k' })).json().data
    const secrets = [as.key!, made.key]
    const bytes = () => ['', '-wal'].map((suffix) => readFileSync(dataFile(directory) + suffix, 'latin1')).join()
    t.ok(bytes().includes(digestOf(made.key)), 'the digest is there')
    for (const secret of secrets) t.notOk(bytes().includes(secret.slice(12)))
    t.notOk((await as.get('/v1/api_keys')).body.includes(made.key.slice(12)))
    t.notOk(JSON.stringify(await stores.access.allKeys()).includes('digest'))
    await close()
    for (const secret of secrets) t.notOk(readFileSync(dataFile(directory), 'latin1').includes(secret.slice(12)))
  }
)

t.test('the authorization header: scheme in any case, nothing else than one key, and the same words for every refusal', async (t) => {
  const { app, user } = await build(t)
  const { key } = await user()
  const get = async (authorization?: string) =>
    await app.inject({ url: '/v1/me', headers: authorization === undefined ? {} : { authorization } })
  for (const good of [`Api-Key ${key}`, `api-key ${key}`, `API-KEY   ${key} `, `Bearer ${key}`, `bearer ${key}`]) {
    t.equal((await get(good)).statusCode, 200, good)
  }
  const refused = await get()
  t.strictSame([refused.statusCode, refused.headers['www-authenticate']], [401, 'Api-Key, Bearer'])
  t.strictSame(refused.json(), {
    error: {
      code: 'authentication_required',
      message:
        'Authentication failed. Send a valid key as "Authorization: Api-Key <key>" or "Authorization: Bearer <key>".',
      status: 401,
      fields: {}
    }
  })
  const bad = [
    '',
    ' ',
    'null',
    'undefined',
    '[]',
    '{}',
    'true',
    '0',
    'Api-Key',
    'Api-Key ',
    'Api-Key null',
    'Api-Key []',
    'Bearer',
    'Bearer ',
    `Bearer Api-Key ${key}`,
    `Bearer ${key}, Api-Key ${key}`,
    key!,
    `Api-Key ${key} ${key}`,
    `Api-Key ${key}, Api-Key ${key}`,
    `Api-Key\t${key}`,
    `Basic ${Buffer.from(`:${key}`).toString('base64')}`,
    `Api-Key ${key!.toUpperCase()}`,
    'Api-Key ' + 'x'.repeat(5000),
    "Api-Key ' or 1=1 --",
    `Api-Key ${newKey()}`
  ]
  for (const one of bad) {
    const answer = await get(one)
    t.strictSame([answer.statusCode, answer.body], [401, refused.body], one.slice(0, 40))
  }
  for (const url of [`/v1/me?key=${key}`, `/v1/me?api_key=${key}`]) {
    t.equal((await app.inject({ url, headers: { 'x-api-key': key, cookie: `key=${key}` } })).statusCode, 401)
  }
})

t.test('a key can be made, is listed without its secret, works, and is refused on the very next request after it is revoked', async (t) => {
  const { user, withKey } = await build(t)
  const as = await user()
  const answer = await as.post('/v1/api_keys/', { name: 'Deploy', permissions: ['VIEW_ANALYTICS', 'MANAGE_AGENTS'] })
  t.equal(answer.statusCode, 201)
  const { key, ...shown } = answer.json().data
  t.equal(answer.headers.location, `/v1/api_keys/${shown.id}`)
  t.match(shown, {
    id: 2,
    name: 'Deploy',
    hint: hintOf(key),
    permissions: ['VIEW_ANALYTICS', 'MANAGE_AGENTS'],
    via: 'hand',
    client: null,
    last_used_at: null,
    expires_at: null
  })
  t.strictSame(Object.keys(shown).sort(), [
    'client', 'created_at', 'expires_at', 'hint', 'id', 'last_used_at', 'name', 'permissions', 'via'
  ])
  const listed = (await as.get('/v1/api_keys')).json()
  t.strictSame([listed.status, listed.data.length, listed.data[1]], ['success', 2, shown])
  const made = withKey(key)
  t.equal((await made.post('/v1/agents', draft)).statusCode, 201)
  t.strictSame((await as.delete(`/v1/api_keys/${shown.id}/`)).json(), {
    status: 'success', message: 'API key revoked successfully', data: { id: 2 }
  })
  t.equal((await made.get('/v1/agents')).statusCode, 401)
  t.equal((await as.delete(`/v1/api_keys/${shown.id}`)).statusCode, 404)
  t.equal((await as.get('/v1/api_keys')).json().data.length, 1)
  const plain = (await as.post('/v1/api_keys')).json().data
  t.match(plain, { name: 'API key', permissions: PERMISSIONS }, 'without a body: all that the caller has')
  t.equal((await as.delete('/v1/api_keys/1')).statusCode, 200, 'a key may revoke itself')
  t.equal((await as.get('/v1/me')).statusCode, 401)
})

t.test('a key revoked or a tier changed through another connection counts on the very next request', { skip: fileAlone }, async (t) => {
  const { user, directory, app } = await build(t)
  const as = await user()
  const { openDatabase } = await import('../../src/platform/storage/sqlite/database.ts')
  const other = openDatabase({ file: dataFile(directory) })
  t.teardown(() => other.close())
  t.equal((await as.get('/v1/me')).json().data.tier, 'enterprise')
  other.raw.exec("update users set tier = 'free', revision = revision + 1")
  t.equal((await as.get('/v1/me')).json().data.tier, 'free')
  t.match((await as.get('/v1/agents')).json().features, { WHITE_LABELING: false })
  other.raw.exec("update users set tier = 'pro', revision = revision + 1")
  t.match((await as.get('/v1/agents')).json().features, { WHITE_LABELING: false, AUTO_TICKET_RESPONSE: true })
  other.raw.exec("update api_keys set revoked_at = 'now'")
  t.equal((await as.get('/v1/me')).statusCode, 401)
  t.equal((await app.inject('/readyz')).statusCode, 200)
})

t.test('an expiry is in the future, exists, and voids the key at that moment', async (t) => {
  const { user, withKey, clock } = await build(t)
  const as = await user()
  const make = async (expires: unknown) => await as.post('/v1/api_keys', { expires_at: expires })
  const made = (await make('2026-01-01T02:00:00+01:00')).json().data
  t.equal(made.expires_at, '2026-01-01T01:00:00.000000Z')
  t.equal((await make(null)).json().data.expires_at, null)
  t.equal((await make('2028-02-29T00:00:00Z')).statusCode, 201)
  const key = withKey(made.key)
  clock.advance(HOUR - 1)
  t.equal((await key.get('/v1/me')).statusCode, 200)
  clock.advance(1)
  t.equal((await key.get('/v1/me')).statusCode, 401)
  // A day that a month does not have became one of the next month.
  for (const wrong of [
    '2026-01-01T00:59:59Z',
    '1999-01-01T00:00:00Z',
    '2030-02-30T00:00:00Z',
    '2030-13-01T00:00:00Z',
    '2030-01-01',
    'tomorrow',
    '',
    1,
    true,
    [],
    '2030-01-01T00:00:00',
    '2030-01-01T00:00:00+99:99'
  ]) {
    const answer = await make(wrong)
    t.equal(answer.statusCode, 400, String(wrong))
    t.match(answer.json().error.details, [{ field: 'expires_at' }])
  }
})

t.test('the use of a key is noted, at most once a minute', async (t) => {
  const { user, clock, stores } = await build(t)
  const as = await user()
  const used = async () => { await as.get('/v1/me'); return (await as.get('/v1/me')).json().data.key.last_used_at }
  // It is noted beside the response, which does not wait for it.
  const usedAt = async (time: string) => {
    let at = await used()
    while (!at?.startsWith(time)) at = await used()
    return at
  }
  const first = await usedAt('2026-01-01T00:00:00')
  clock.advance(59_000)
  t.equal(await used(), first)
  clock.advance(1000)
  t.ok(await usedAt('2026-01-01T00:01:00'))
  // Failing to record it is no reason to refuse a request.
  stores.access.touch = async () => { throw new Error('no room') }
  clock.advance(60_000)
  t.equal((await as.get('/v1/me')).statusCode, 200)
})

t.test('a key can make only keys with a subset of its permissions, for every pair of sets', async (t) => {
  const sets = fc.subarray([...PERMISSIONS], { minLength: 1 })
  fc.assert(fc.property(sets, sets, (held, wanted) => {
    let allowed = true
    try {
      for (const permission of wanted) demand(held, [permission])
    } catch {
      allowed = false
    }
    return allowed === wanted.every((permission) => held.includes(permission))
  }), { numRuns: 2000, seed: 2 })
  // Over HTTP. Planted fault: demand() called with the whole list, which is satisfied by any one of them.
  const { user, withKey } = await build(t)
  const as = await user()
  await fc.assert(fc.asyncProperty(sets, sets, async (some, wanted) => {
    const held: Permission[] = [...new Set<Permission>([...some, 'MANAGE_API_KEY'])]
    const parent = withKey((await as.post('/v1/api_keys', { permissions: held })).json().data.key)
    const answer = await parent.post('/v1/api_keys', { permissions: wanted })
    return answer.statusCode === (wanted.every((permission) => held.includes(permission)) ? 201 : 403)
  }), { numRuns: 50, seed: 3 })
  const parent = withKey(
    (await as.post('/v1/api_keys', { permissions: ['MANAGE_API_KEY', 'CREATE_TICKET'] })).json().data.key
  )
  t.strictSame((await parent.post('/v1/api_keys', {})).json().data.permissions, ['MANAGE_API_KEY', 'CREATE_TICKET'])
  for (const permissions of [
    [], ['NOPE'], ['MANAGE_API_KEY', 'MANAGE_API_KEY'], 'MANAGE_API_KEY', null, PERMISSIONS.concat(PERMISSIONS)
  ]) { t.equal((await as.post('/v1/api_keys', { permissions })).statusCode, 400) }
  t.match((await as.post('/v1/api_keys', { permissions: ['MANAGE_AGENT'] })).json().error.details, [
    { field: 'permissions[0]', message: /must be "REPLY_CONVERSATION"/ }
  ])
})

t.test('me shows the user, the key, the tier and what it allows', async (t) => {
  const { user, stores } = await build(t)
  const as = await user({ tier: 'pro', name: 'Grace' })
  await as.post('/v1/agents', draft)
  const { status, data } = (await as.get('/v1/me')).json()
  t.equal(status, 'success')
  t.match(data, {
    user: { id: as.id, name: 'Grace', email: null, tier: 'pro' },
    key: { id: 1, name: 'First key', hint: hintOf(as.key!) },
    tier: 'pro',
    limits: { requests_per_minute: 1000, max_training_usage_bytes: 31457280, max_agents: 0 },
    features: { WHITE_LABELING: false, PREMIUM_MODELS: true, AUTO_TICKET_RESPONSE: true, ADD_ON_AGENT: false },
    permissions: PERMISSIONS,
    usage: { agents: 1, training_bytes: 0 }
  })
  t.notOk('revision' in data.user || 'digest' in data.key)
  // Revoked between the check of the key and the answer.
  stores.access.keys = async () => []
  t.equal((await as.get('/v1/me')).statusCode, 401)
})

t.test('an address may fail 20 times a minute; then it waits, but a valid key from there still works', async (t) => {
  const { app, clock, user } = await build(t, { AGENTHALL_AUTH_FAILURES: '20' })
  const as = await user({ tier: 'free' })
  const fail = async (remoteAddress: string, authorization: string | undefined = `Api-Key ${newKey()}`) =>
    await app.inject({ url: '/v1/me', remoteAddress, headers: { ...(authorization && { authorization }) } })
  for (let i = 0; i < 20; i++) t.equal((await fail('10.0.0.1')).statusCode, 401)
  clock.advance(10_000)
  const limited = await fail('10.0.0.1')
  t.strictSame(
    [limited.statusCode, limited.json().error.code, limited.headers['retry-after']], [429, 'rate_limited', '50']
  )
  t.equal((await fail('10.0.0.2')).statusCode, 401, 'another address is not touched')
  t.equal(
    (await app.inject({ url: '/v1/me', remoteAddress: '10.0.0.1' })).statusCode,
    401,
    'a request without a key is no guess'
  )
  const good = await app.inject({
    url: '/v1/me', remoteAddress: '10.0.0.1', headers: { authorization: `Api-Key ${as.key}` }
  })
  t.strictSame([good.statusCode, good.headers['x-ratelimit-remaining']], [200, '99'], 'nobody\'s own limit is touched')
  clock.advance(49_999)
  t.equal((await fail('10.0.0.1')).statusCode, 429)
  clock.advance(1)
  t.equal((await fail('10.0.0.1')).statusCode, 401, 'Retry-After told the truth')
  // One IPv6 line has a whole /64. Planted fault: the full address was counted.
  for (let i = 0; i < 20; i++) await fail(`2001:db8:1:2:${i}::1`)
  t.equal((await fail('2001:db8:1:2:ffff::9')).statusCode, 429)
  t.equal((await fail('2001:db8:1:3::1')).statusCode, 401)
  t.equal((await fail('10.0.0.3', 'Api-Key x')).statusCode, 401)
  for (const header of [
    'x-forwarded-for', 'x-real-ip', 'forwarded', 'cf-connecting-ip', 'true-client-ip', 'x-client-ip'
  ]) {
    t.equal(
      (
        await app.inject({
          url: '/v1/me',
          remoteAddress: '2001:db8:1:2::5',
          headers: { authorization: 'Api-Key x', [header]: '1.2.3.4' }
        })
      ).statusCode,
      429,
      `${header} is nobody's address`
    )
  }
})

t.test('addresses are counted by IPv4 address or IPv6 /64, however they are written', async (t) => {
  t.strictSame(
    [
      '1.2.3.4', '::ffff:1.2.3.4', '::FFFF:1.2.3.4', '2001:DB8::1', '2001:0db8:0:0:1:2:3:4', '::1', '1:2:3:4:5:6:7:8',
      'fe80::'
    ].map(addressBlock),
    ['1.2.3.4', '1.2.3.4', '1.2.3.4', '2001:db8:0:0', '2001:db8:0:0', '0:0:0:0', '1:2:3:4', 'fe80:0:0:0']
  )
  t.strictSame(
    ['1.2.3.4:50123', '[2001:db8::1]:50123', '[2001:db8::1]'].map(addressBlock),
    ['1.2.3.4', '2001:db8:0:0', '2001:db8:0:0'],
    'with the port that some proxies add'
  )
  t.equal(
    new Set(['unknown', '', '_hidden', '1.2.3.4.5', '1.2.3.4:', '1.2.3.4:x', 'a'.repeat(99)].map(addressBlock)).size,
    1,
    'what is no address is one, or each that is made up would count apart'
  )
})

t.test('hops of X-Forwarded-For that are no address count together', async (t) => {
  const { app } = await build(t, { AGENTHALL_TRUST_PROXY: '127.0.0.1', AGENTHALL_AUTH_FAILURES: '3' })
  const statuses = []
  for (let i = 0; i < 4; i++) {
    const { statusCode } = await app.inject({
      url: '/v1/me', headers: { authorization: 'Api-Key x', 'x-forwarded-for': `made-up-${i}` }
    })
    statuses.push(statusCode)
  }
  t.strictSame(statuses, [401, 401, 401, 429])
})

t.test('a restart forgets no key and remembers no revoked one', async (t) => {
  const first = await build(t)
  const as = await first.user()
  const { id, key } = (await as.post('/v1/api_keys', {})).json().data
  await as.delete(`/v1/api_keys/${id}`)
  await first.close()
  const second = await build(t, {}, { directory: first.directory, clock: first.clock })
  t.equal((await second.withKey(as.key).get('/v1/me')).statusCode, 200)
  t.equal((await second.withKey(key).get('/v1/me')).statusCode, 401)
})

t.test('callers are remembered up to a bound, and beyond it they are looked up again', async (t) => {
  const { stores, clock, user } = await build(t)
  const as = await user()
  let asked = 0
  const holder = async () => {
    asked++
    return {
      key: asked,
      user: { id: as.id } as never,
      account: { id: as.id, tier: 'free' as const },
      permissions: [],
      isAssistant: false,
      expires: null
    }
  }
  const callers = identifier({
    ...stores, access: { ...stores.access, holder, touch: async () => {} }, clock, baseUrl: '', failuresPerMinute: 0
  })
  const keys = Array.from({ length: 10_001 }, () => newKey())
  const ask = (key: string) => callers.caller({ headers: { authorization: `Api-Key ${key}` }, ip: '10.0.0.1' } as never)
  for (const key of keys) await ask(key)
  t.equal(asked, 10_001)
  await ask(keys.at(-1)!)
  t.equal(asked, 10_001)
  await ask(keys[0]!)
  t.equal(asked, 10_002)
})
