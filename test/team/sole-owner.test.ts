import fc from 'fast-check'
import t, { type Test } from 'tap'
import { PERMISSIONS, type Permission } from '../../schema/access.ts'
import { ROLES, type MemberRecord } from '../../schema/team.ts'
import { Refusal } from '../../src/platform/errors.ts'
import { decideMember, decideRemoval, isSoleOwner } from '../../src/team/rules.ts'
import { joined } from '../access/people.ts'
import { build } from '../helper.ts'

const member = (permissions: readonly Permission[], id = 1): MemberRecord =>
  ({ id, account: 1, user: id, permissions: [...permissions], created_at: '' })
const OWNER = ROLES.owner
const SOLE = {
  code: 'last_owner', message: 'This is the only owner of the account. Make somebody else an owner first.'
}

t.test('the sole owner is who may do everything where no other may', (t) => {
  for (const [permissions, others, is] of [
    [OWNER, [], true],
    [OWNER.toReversed(), [], true],
    [OWNER, [ROLES.manager, ROLES.viewer], true],
    // All but one is not all.
    [OWNER, [PERMISSIONS.slice(1)], true],
    [OWNER, [ROLES.manager, OWNER], false],
    [ROLES.manager, [], false],
    [ROLES.manager, [OWNER], false],
    [[], [], false]
  ] as const) {
    t.equal(isSoleOwner(member(permissions), others.map((one, at) => member(one, at + 2))), is)
  }
  t.end()
})

/** A change that somebody requests to somebody's membership. */
const asking = fc.record({
  by: fc.nat(3),
  to: fc.nat(3),
  wanted: fc.oneof(fc.constantFrom(null, ...Object.values(ROLES)), fc.subarray([...PERMISSIONS]))
})
const teams = fc.array(fc.oneof(fc.constantFrom(...Object.values(ROLES)), fc.subarray([...PERMISSIONS])), {
  minLength: 1, maxLength: 4
}).filter((team) => team.some(({ length }) => length === PERMISSIONS.length))

/** The team after this request; unchanged where it was refused. `wanted`: null to end the membership. */
function after (
  team: MemberRecord[], { by, to, wanted }: { by: number, to: number, wanted: readonly Permission[] | null }
) {
  const [asks, asked] = [team[by % team.length]!, team[to % team.length]!]
  const others = team.filter((one) => one !== asked)
  try {
    if (wanted === null) {
      decideRemoval({ user: asks.user, permissions: asks.permissions }, asked, others)
      return others
    }
    const permissions = decideMember(asks.permissions, asked, wanted, others)
    return team.map((one) => one === asked ? { ...one, permissions } : one)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return team
  }
}

t.test('whatever the members of a team ask for, in whatever order, an owner is left', async (t) => {
  // Was wrong where the others were not checked, and where leaving was not checked.
  t.doesNotThrow(() => fc.assert(fc.property(teams, fc.array(asking, { maxLength: 12 }), (sets, all) => {
    let team = sets.map((permissions, at) => member(permissions, at + 1))
    for (const one of all) team = after(team, one)
    return team.some(({ permissions }) => permissions.length === PERMISSIONS.length)
  }), { numRuns: 2000, seed: 23 }))
})

async function pair (t: Test) {
  const built = await build(t)
  const boss = await built.user({ name: 'Boss' })
  const other = await built.user({ name: 'Other' })
  joined(built.stores, boss.id, other.id, [...ROLES.viewer])
  const members = async (as: Pick<typeof boss, 'get'> = boss) =>
    (await as.get('/v1/members')).json().data as Array<{ id: number, user: { id: number }, role: string }>
  const of = async (user: number) => (await members()).find((one) => one.user.id === user)!.id
  return { ...built, boss, other, members, own: await of(boss.id), theirs: await of(other.id) }
}

t.test('the sole owner is neither demoted nor removed, and does not leave, until there is another', async (t) => {
  const { boss, members, own, theirs, withSession, other } = await pair(t)
  const session = await withSession(boss.id)
  const everyWay = async () => [
    await boss.delete(`/v1/members/${own}`),
    await session.delete(`/v1/members/${own}`),
    await boss.patch(`/v1/members/${own}`, { role: 'manager' }),
    await session.patch(`/v1/members/${own}`, { permissions: PERMISSIONS.slice(1) })
  ]
  for (const answer of await everyWay()) t.match([answer.statusCode, answer.json().error], [409, SOLE])
  t.match(await members(), [{ id: own, role: 'owner' }, { id: theirs, role: 'viewer' }], 'nothing has changed')
  t.equal((await boss.patch(`/v1/members/${own}`, { role: 'owner' })).statusCode, 200, 'to stay what one is is no change')
  await boss.patch(`/v1/members/${theirs}`, { role: 'manager' })
  for (const answer of await everyWay()) t.equal(answer.json().error.code, 'last_owner', 'a manager is none')
  await boss.patch(`/v1/members/${theirs}`, { role: 'owner' })
  t.equal((await session.delete(`/v1/members/${own}`)).statusCode, 200, 'now there is another')
  const left = await withSession(other.id, boss.id)
  t.match(await members(left), [{ id: theirs, role: 'owner' }])
  t.equal((await left.delete(`/v1/members/${theirs}`)).json().error.code, 'last_owner', 'who is the sole one now')
})

t.test('two owners who leave at once, or demote each other, leave one behind', async (t) => {
  for (const asked of ['leave', 'demote'] as const) {
    const { boss, other, own, theirs, withSession } = await pair(t)
    await boss.patch(`/v1/members/${theirs}`, { role: 'owner' })
    const [a, b] = [await withSession(boss.id, boss.id), await withSession(other.id, boss.id)]
    const answers = await Promise.all(asked === 'leave'
      ? [a.delete(`/v1/members/${own}`), b.delete(`/v1/members/${theirs}`)]
      : [a.patch(`/v1/members/${own}`, { role: 'viewer' }), b.patch(`/v1/members/${theirs}`, { role: 'viewer' })])
    t.strictSame(answers.map(({ statusCode }) => statusCode).sort(), [200, 409], asked)
    t.match(answers.find(({ statusCode }) => statusCode === 409)!.json().error, SOLE)
  }
})
