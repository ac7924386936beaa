import { createHash } from 'node:crypto'
import type { Test } from 'tap'
import { PERMISSIONS } from '../../schema/access.ts'
import { digestOf } from '../../src/access/index.ts'
import { tokenDigest } from '../../src/access/sign-in/tokens.ts'
import { Refusal } from '../../src/platform/errors.ts'
import { ids, once, type OpenPeopled } from './every.ts'

const HASH = 'hash of a password'
const REFUSED = { fault: { error: 'invalid_grant' } }

/** Defines the contract of those who sign in, and of teams. */
export function onPeople (t: Test, peopled: OpenPeopled) {
  t.test('keys of accounts: made once for one key, shown once, oldest first, revoked at once and by their user alone', async (t) => {
    const { access, owner, stranger } = await peopled(t)
    t.same(ids(await access.users()), [owner, stranger], 'oldest first')
    t.equal(await access.createFirstUser({ name: 'Eva' }), undefined, 'where there are users')
    t.same([await access.user(999), await access.setTier(999, 'pro')], [undefined, undefined])
    t.match(await access.setTier(owner, 'pro'), { id: owner, tier: 'pro' })
    t.match(await access.user(owner), { name: 'Ada', tier: 'pro' })
    const name = 'Schlüssel 完璧 🎉'
    const decided = () => ({ name, permissions: ['MANAGE_AGENTS' as const], expires_at: null })
    const make = () => access.createKey(owner, decided, once('k'))
    const [one, two] = await Promise.all([make(), make()])
    t.same([one.answer.id, two.answer.key, one.replayed, two.replayed], [two.answer.id, one.answer.key, false, true])
    await t.rejects(access.createKey(owner, decided, once('k', 'other')), { code: 'idempotency_mismatch' })
    await t.rejects(access.createKey(owner, () => { throw new Refusal('conflict', 'No.') }), { code: 'conflict' })
    const kept = await access.keys(owner, owner)
    t.match(kept.at(-1), { id: one.answer.id, name, permissions: ['MANAGE_AGENTS'] })
    t.equal(kept.length, 2, 'with the first of the user, and none that was refused')
    t.notMatch(JSON.stringify([kept, await access.allKeys()]), one.answer.key)
    t.same([await access.keys(stranger, owner), await access.keys(owner, stranger)], [[], []])
    const holder = () => access.holder(digestOf(one.answer.key))
    t.match(await holder(), { key: one.answer.id, user: { id: owner }, account: { id: owner }, expires: null })
    t.equal(await access.holder(digestOf('ah_none')), undefined)
    t.equal(await access.revokeKey(stranger, one.answer.id), false)
    t.match(await holder(), { key: one.answer.id }, 'as before')
    const before = access.generation()
    t.same([await access.revokeKey(owner, one.answer.id), await access.revokeKey(owner, one.answer.id)], [true, false])
    t.equal(await holder(), undefined)
    t.not(access.generation(), before)
    t.ok(ids(await access.allKeys())?.includes(one.answer.id), 'which an operator sees')
    t.equal((await access.keys(owner, owner)).length, 1)
  })

  t.test('signing in: links work once, sessions are of their user alone and end at once', async (t) => {
    const { signIn, owner, stranger } = await peopled(t)
    t.equal(await signIn.makeLink(999), undefined)
    const [old, link] = [(await signIn.makeLink(owner))!, (await signIn.makeLink(owner))!]
    t.equal(await signIn.renewUnused(owner, 60_000), undefined, 'one that was just shown is left')
    const about = { email: 'ada@example.com' }
    await t.rejects(signIn.useLink(tokenDigest(old.token), HASH, about, 'x'), { code: 'gone' }, 'the one before')
    const { session, token } = await signIn.useLink(tokenDigest(link.token), HASH, about, 'Firefox')
    await t.rejects(signIn.useLink(tokenDigest(link.token), HASH, about, 'x'), { code: 'gone' }, 'once')
    t.match(await signIn.byEmail('ADA@example.com'), { user: { id: owner }, hash: HASH })
    t.equal(await signIn.byEmail('bob@example.com'), undefined)
    t.match(await signIn.holder(tokenDigest(token)), { session: session.id, user: { id: owner }, chosen: null })

    const others = [(await signIn.begin(owner, 'Safari'))!.session, (await signIn.begin(owner, 'Chrome'))!.session]
    t.equal(await signIn.begin(999, 'x'), undefined)
    t.same(ids(await signIn.sessions(owner)), [...ids(others)!.reverse(), session.id], 'newest first')
    t.same(await signIn.sessions(stranger), [])
    const before = signIn.generation()
    t.same([await signIn.end(stranger, session.id), await signIn.end(owner, others[0]!.id)], [false, true])
    t.ok(signIn.generation() > before, 'whoever remembers a caller forgets it')
    t.equal(await signIn.endOthers(owner, session.id), 1)
    t.same(ids(await signIn.sessions(owner)), [session.id])
    await t.rejects(signIn.change(stranger, about), { code: 'taken' })
    await signIn.begin(owner, 'Safari')
    await signIn.setPassword(owner, 'another', session.id)
    t.same([await signIn.passwordOf(owner), ids(await signIn.sessions(owner))], ['another', [session.id]])
    t.equal(await signIn.passwordOf(stranger), undefined)
  })

  t.test('passkeys: oldest first, each credential once, each of its user alone', async (t) => {
    const { passkeys, owner, stranger } = await peopled(t)
    const key = (credential: string) => ({ credential, public_key: Buffer.from('x'), counter: 0, transports: [], name: credential })
    const [one, two] = [await passkeys.add(owner, key('one')), await passkeys.add(owner, key('two'))]
    await t.rejects(passkeys.add(stranger, key('one')), { code: 'already_registered' })
    t.same(ids(await passkeys.list(owner)), [one.id, two.id])
    t.same(await passkeys.list(stranger), [])
    t.same((await passkeys.credentials(owner)).map(({ credential }) => credential), ['one', 'two'])
    await passkeys.used(one.id, 7)
    t.match(await passkeys.byCredential('one'), { user: owner, counter: 7 })
    t.same([await passkeys.remove(stranger, one.id), await passkeys.remove(owner, one.id)], [false, true])
    t.same([await passkeys.byCredential('one'), ids(await passkeys.list(owner))], [undefined, [two.id]])
  })

  t.test('a team: who is invited joins once, does what they may, and leaves with what was theirs', async (t) => {
    const { team, signIn, owner, stranger } = await peopled(t)
    const draft = { email: null, permissions: ['MANAGE_AGENTS' as const] }
    const first = (await team.invite(owner, owner, draft, once('i'))).answer
    t.match(await team.invite(owner, owner, draft, once('i')), { replayed: true, answer: { token: first.token } })
    const second = (await team.invite(owner, owner, draft)).answer
    t.same(ids(await team.invitations(owner)), [first.invitation.id, second.invitation.id], 'oldest first')
    t.same(await team.invitations(stranger), [])
    const [{ id: there }, { id: gone }] = [first.invitation, second.invitation]
    t.same([await team.withdraw(stranger, gone), await team.withdraw(owner, gone)], [false, true])
    t.same(ids(await team.invitations(owner)), [there])
    await t.rejects(team.accept(tokenDigest(second.token), { user: stranger }, 'x'), { code: 'gone' })
    await team.accept(tokenDigest(first.token), { user: stranger }, 'Firefox')
    await t.rejects(team.accept(tokenDigest(first.token), { user: stranger }, 'x'), { code: 'gone' }, 'once')

    const members = await team.members(owner)
    t.match(members.map(({ user }) => user.id), [owner, stranger], 'in the order of joining')
    const { id } = members[1]!
    t.same((await signIn.memberships(stranger)).map(({ account }) => account.id), [stranger, owner], 'the own first')
    t.match(await team.change(owner, id, PERMISSIONS, ['MANAGE_AGENTS']), { permissions: ['MANAGE_AGENTS'] })
    t.equal(await team.change(stranger, id, PERMISSIONS, []), undefined)
    const by = { user: owner, permissions: PERMISSIONS }
    t.same([await team.remove(stranger, id, by), await team.remove(owner, id, by)], [false, true])
    t.same((await signIn.memberships(stranger)).map(({ account }) => account.id), [stranger])
  })

  t.test('assistants: a code and each token work once; one that comes again voids all', async (t) => {
    const { assistants: { grants }, owner } = await peopled(t)
    const verifier = 'v'.repeat(43)
    const [client, redirectUri] = ['https://assistant.example/client', 'https://assistant.example/back']
    const begin = async () => (await grants.add(owner, {
      user: owner,
      client,
      name: 'Assistant',
      redirect_uri: redirectUri,
      challenge: createHash('sha256').update(verifier).digest('base64url'),
      permissions: ['MANAGE_AGENTS'],
      days: 30
    })).code
    const asked = { client, redirectUri, verifier }
    t.match(await grants.exchange({ ...asked, code: 'unknown' }), REFUSED)
    const code = await begin()
    const given = await grants.exchange({ ...asked, code })
    t.match(given, { access: String, refresh: String })
    const token = (given as { refresh: string }).refresh
    const next = await grants.refresh({ token, client })
    t.match(next, { refresh: String })
    t.match(await grants.refresh({ token, client }), REFUSED, 'void since the next was given')
    t.match(await grants.refresh({ token: (next as { refresh: string }).refresh, client }), REFUSED)
    const other = await begin()
    t.match(await grants.exchange({ ...asked, code: other }), { access: String })
    t.match(await grants.exchange({ ...asked, code: other }), REFUSED, 'once')
  })
}
