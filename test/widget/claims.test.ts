import { createHmac } from 'node:crypto'
import t from 'tap'
import { decided, type Refusal } from '../../src/platform/errors.ts'
import { readIdentity } from '../../src/widget/identity.ts'
import { signed } from './helper.ts'

const NOW = 1_800_000_000
const HOURS = 60 * 60
const [KEY, SECRET, OTHER] = ['wk_1', 'one secret', 'another secret']
const CLAIMS = { sub: 'customer-7', aud: KEY, exp: NOW + HOURS }

const read = (jwt: string, secrets: readonly string[] = [OTHER, SECRET]) =>
  readIdentity(jwt, secrets, { key: KEY, now: NOW })
const claiming = (claims: object, head?: object) => read(signed({ ...CLAIMS, ...claims }, SECRET, head))

/** Claims said to be wrong, a refusal in every case. */
const wrong = (work: () => unknown) => {
  const refused = decided(work) as Refusal
  return refused.code === 'permission_denied' && refused.message
}

t.test('an identity says who somebody is, until when, and which secret vouched', (t) => {
  t.strictSame(claiming({}), { sub: 'customer-7', until: NOW + HOURS + 60, email: null, name: null, secret: SECRET })
  t.match(claiming({ email: 'ada@shop.example', name: 'Ada' }), { email: 'ada@shop.example', name: 'Ada' })
  t.match(claiming({ aud: ['wk_2', KEY] }), { sub: 'customer-7' })
  t.equal(read(signed(CLAIMS, OTHER)).secret, OTHER)
  t.end()
})

t.test('it is signed with HS256 and a secret of the key, or refused', (t) => {
  const jwt = signed(CLAIMS, SECRET)
  t.match(wrong(() => read(jwt, [])), /no secret for identities yet/)
  t.match(wrong(() => read(jwt, [OTHER])), /not signed with a secret of this key/)
  t.match(wrong(() => read(`${jwt.slice(0, -4)}AAAA`)), /not signed/)
  t.match(wrong(() => read(jwt.slice(0, -4))), /not signed/, 'a part of the signature is none')
  t.match(wrong(() => read(`${jwt.split('.').slice(0, 2).join('.')}.`)), /not signed/)
  t.match(wrong(() => read(`${jwt}.x`)), /signed with HS256/)
  for (const head of [{}, { alg: 'none' }, { alg: 'HS512' }]) t.match(wrong(() => claiming({}, head)), /signed with HS256/)
  for (const none of ['', 'x', '.', '..', 'bnVsbA.bnVsbA.x', 'MQ.MQ.x']) t.match(wrong(() => read(none)), /signed with HS256/, none)
  for (const body of ['null', '7', '"x"', '{', '[]']) {
    const said = `${jwt.split('.')[0]}.${Buffer.from(body).toString('base64url')}`
    const mac = createHmac('sha256', SECRET).update(said).digest('base64url')
    t.match(wrong(() => read(`${said}.${mac}`)), /must have a sub/, body)
  }
  t.end()
})

t.test('sub has 1 to 200 whole characters', (t) => {
  t.equal(claiming({ sub: 'x'.repeat(200) }).sub.length, 200)
  for (const sub of [undefined, null, 7, '', ' \n', 'x'.repeat(201), 'x\ud800']) {
    t.match(wrong(() => claiming({ sub })), /must have a sub of 1 to 200/, JSON.stringify(sub))
  }
  t.end()
})

t.test('aud names this key, and no other alone', (t) => {
  for (const aud of [undefined, 'wk_2', ['wk_2'], [], `${KEY} `]) t.match(wrong(() => claiming({ aud })), /must have aud "wk_1"/)
  t.end()
})

t.test('exp lies ahead, within 24 hours, and nbf behind, each give or take a minute', (t) => {
  for (const exp of [NOW - 59, NOW, NOW + 24 * HOURS + 60]) t.equal(claiming({ exp }).until, exp + 60)
  for (const exp of [undefined, String(NOW + HOURS), NOW - 60]) t.match(wrong(() => claiming({ exp })), /has expired, or has no exp/)
  t.match(wrong(() => claiming({ exp: NOW + 24 * HOURS + 61 })), /within 24 hours/)
  for (const nbf of [NOW - HOURS, NOW, NOW + 60]) t.equal(claiming({ nbf }).sub, 'customer-7')
  for (const nbf of [NOW + 61, String(NOW), null]) t.match(wrong(() => claiming({ nbf })), /not valid yet/)
  t.end()
})

t.test('what is no address and no name is passed over', (t) => {
  const long = `${'x'.repeat(241)}@shop.example`
  t.match(claiming({ email: long, name: 'x'.repeat(200) }), { email: long, name: 'x'.repeat(200) })
  for (const email of [7, null, 'ada', 'ada@shop', 'a da@shop.example', '@shop.example', 'a@b@shop.example', 'a,b@shop.example', `x${long}`]) {
    t.equal(claiming({ email }).email, null, String(email))
  }
  for (const name of [7, null, '', ' ', 'x'.repeat(201)]) t.equal(claiming({ name }).name, null, String(name))
  t.end()
})
