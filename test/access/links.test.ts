import t from 'tap'
import type { LinkRecord } from '../../schema/sign-in.ts'
import { decided } from '../../src/platform/errors.ts'
import { decideAbout, linkExpires, usable } from '../../src/access/sign-in/links.ts'

const MINUTE = 60_000_000

t.test('a link is good once, until its time is up, and said to be gone in the same words in every case', (t) => {
  t.equal(linkExpires('setup', 7), 7 + 30 * MINUTE)
  t.equal(linkExpires('reset', 7), 7 + 30 * MINUTE)
  t.equal(linkExpires('invitation', 7), 7 + 7 * 24 * 60 * MINUTE)
  const link = { used_at: null, expires_at: '1970-01-01T00:30:00.000000Z' } as LinkRecord
  t.equal(usable(link, 30 * MINUTE - 1), link)
  const gone = { code: 'gone', message: /used, replaced by a newer one, or has expired/ }
  t.throws(() => usable(link, 30 * MINUTE), gone)
  t.throws(() => usable({ ...link, used_at: '1970-01-01T00:00:00.000000Z' }, 0), gone)
  t.throws(() => usable(undefined, 0), gone)
  t.end()
})

t.test('whoever sets a password has an address that nobody else has', (t) => {
  const ada = { id: 1, name: 'Ada', email: 'ada@example.com' }
  t.strictSame(decideAbout(ada, {}, undefined), { name: 'Ada', email: 'ada@example.com' })
  t.strictSame(decideAbout(ada, {}, 2), { name: 'Ada', email: 'ada@example.com' }, 'nothing is asked for')
  t.strictSame(decideAbout(ada, { name: 'Grace', email: 'g@example.com' }, undefined), { name: 'Grace', email: 'g@example.com' })
  t.strictSame(decideAbout(ada, { email: 'ada@example.com' }, 1), { name: 'Ada', email: 'ada@example.com' }, 'her own')
  t.throws(() => decideAbout(ada, { email: 'g@example.com' }, 2), { code: 'taken' })
  t.match(decided(() => decideAbout({ ...ada, email: null }, {}, undefined)), { details: [{ field: 'email' }] })
  t.end()
})
