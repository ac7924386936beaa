import fc from 'fast-check'
import t from 'tap'
import { PERMISSIONS } from '../../schema/access.ts'
import { decideKey } from '../../src/access/make-key.ts'
import { decideUser } from '../../src/access/make-user.ts'
import { timestamp } from '../../src/platform/clock.ts'
import { build } from '../helper.ts'

const MINUTE = 60_000
const NOW = Date.UTC(2026, 0, 1) * 1000

t.test('a key made by an expiring key expires no later', async (t) => {
  // Was wrong: it never expired, or lived as long as requested.
  const { user, withKey, clock } = await build(t)
  const as = await user()
  const at = (minutes: number) => timestamp(NOW + minutes * MINUTE * 1000)
  const parent = withKey((await as.post('/v1/api_keys', { expires_at: '2026-01-01T00:10:00Z' })).json().data.key)
  const refused = await parent.post('/v1/api_keys', { expires_at: '2026-01-01T00:10:00.001Z' })
  t.strictSame(
    [refused.statusCode, refused.json().error.details],
    [
      400,
      [
        {
          field: 'expires_at',
          message: `expires_at must be ${at(10)} at the latest, when the calling key expires. Use one that lives longer, or leave it out.`
        }
      ]
    ]
  )
  for (const body of [{}, { expires_at: null }, { expires_at: '2026-01-01T01:10:00+01:00' }]) {
    t.equal((await parent.post('/v1/api_keys', body)).json().data.expires_at, at(10), JSON.stringify(body))
  }
  t.equal((await parent.post('/v1/api_keys', { expires_at: '2026-01-01T00:05:00Z' })).json().data.expires_at, at(5))
  const child = withKey((await parent.post('/v1/api_keys', {})).json().data.key)
  clock.advance(9 * MINUTE)
  t.equal((await child.post('/v1/api_keys', {})).json().data.expires_at, at(10), 'nor does a grandchild')
  clock.advance(MINUTE)
  t.equal((await child.get('/v1/me')).statusCode, 401)
  t.equal(
    (await as.post('/v1/api_keys', {})).json().data.expires_at, null, 'a key without an end makes keys without one'
  )
})

t.test('no key holds more than its maker or lives longer, whatever is asked', async (t) => {
  const sets = fc.subarray([...PERMISSIONS], { minLength: 1 })
  const minutes = fc.option(fc.integer({ min: -5, max: 20 }))
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(sets, fc.option(sets), minutes, minutes, (permissions, asked, expiresIn, askedIn) => {
        const maker = { permissions, expires: expiresIn === null ? null : NOW + expiresIn * 60_000_000 }
        let key
        try {
          key = decideKey(
            maker,
            {
              ...(asked && { permissions: asked }),
              expires_at: askedIn === null ? null : timestamp(NOW + askedIn * 60_000_000)
            },
            NOW
          )
        } catch {
          const tooMuch = asked?.some((one) => !permissions.includes(one)) ?? false
          const tooLate =
            maker.expires !== null &&
            (maker.expires <= NOW || (askedIn !== null && expiresIn !== null && askedIn > expiresIn))
          return tooMuch || tooLate || (askedIn !== null && askedIn <= 0)
        }
        const ends = key.expires_at === null ? Infinity : Date.parse(key.expires_at) * 1000
        return (
          ends <= (maker.expires ?? Infinity) && ends > NOW && key.permissions.every((one) => permissions.includes(one))
        )
      }),
      { numRuns: 2000, seed: 4 }
    )
  )
})

t.test('the first user has the highest tier, later ones the lowest, unless it is said; the first key may do everything', async (t) => {
  const tierOf = (draft: object, isFirst: boolean) => decideUser({ name: 'Ada', ...draft }, { isFirst }).user.tier
  t.strictSame(
    [tierOf({}, true), tierOf({}, false), tierOf({ tier: 'pro' }, true), tierOf({ tier: 'pro' }, false)],
    ['enterprise', 'free', 'pro', 'pro']
  )
  t.strictSame(decideUser({ name: 'Ada' }, { isFirst: false }), {
    user: { name: 'Ada', email: null, tier: 'free' },
    key: { name: 'First key', permissions: [...PERMISSIONS], expires_at: null }
  })
})
