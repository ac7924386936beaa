import t from 'tap'
import { PERMISSIONS, type Permission } from '../../schema/access.ts'
import type { LinkRecord } from '../../schema/sign-in.ts'
import { ROLES, type MemberRecord } from '../../schema/team.ts'
import { decided } from '../../src/platform/errors.ts'
import {
  asked, decideMember, decideRemoval, demandToGive, isMailed, isStillGiven, mayInvite, MOST_INVITATIONS, roleOf
} from '../../src/team/rules.ts'

const ALL = [...PERMISSIONS]
const member = (permissions: readonly Permission[], user = 2): MemberRecord =>
  ({ id: user, account: 1, user, permissions: [...permissions], created_at: '' })
const OWNER = member(ALL, 1)
const DENIED = { code: 'permission_denied' }

t.test('an account mails 20 invitations in 24 hours, and an address gets one', (t) => {
  t.equal(MOST_INVITATIONS, 100)
  t.equal(isMailed({ account: 19, address: 0 }), true)
  t.equal(isMailed({ account: 20, address: 0 }), false)
  t.equal(isMailed({ account: 0, address: 1 }), false)
  t.end()
})

t.test('a role is its permissions, all of them and no other', (t) => {
  t.equal(roleOf(['VIEW_ANALYTICS']), 'viewer')
  t.equal(roleOf(['VIEW_ANALYTICS', 'VIEW_ANALYTICS']), 'viewer', 'each counts once')
  t.equal(roleOf(['CREATE_TICKET', 'REPLY_CONVERSATION']), 'expert')
  t.equal(roleOf(['CREATE_TICKET']), 'custom')
  t.equal(roleOf(['CREATE_TICKET', 'VIEW_ANALYTICS']), 'custom')
  t.equal(roleOf([]), 'custom')
  t.end()
})

t.test('permissions are asked for by a role or one by one, not both and not neither', (t) => {
  t.strictSame(asked({ role: 'expert' }), [...ROLES.expert])
  t.strictSame(asked({ permissions: ['CREATE_TICKET'] }), ['CREATE_TICKET'])
  t.match(decided(() => asked({ role: 'expert', permissions: ['CREATE_TICKET'] })), { details: [{ field: 'permissions' }] })
  t.match(decided(() => asked({})), { details: [{ field: 'role' }] })
  t.end()
})

t.test('nobody hands on what they do not hold, nor changes who may do more', (t) => {
  t.doesNotThrow(() => demandToGive(['SEND_INVITE', 'CREATE_TICKET'], ['CREATE_TICKET']))
  t.throws(() => demandToGive(['SEND_INVITE'], ['CREATE_TICKET']), DENIED)
  const expert = member(ROLES.expert)
  t.strictSame(decideMember(ALL, expert, ['VIEW_ANALYTICS'], [OWNER]), ['VIEW_ANALYTICS'])
  t.throws(() => decideMember(['VIEW_ANALYTICS'], expert, ['VIEW_ANALYTICS'], [OWNER]), DENIED, 'who may do more')
  t.throws(() => decideMember([...ROLES.expert], expert, ['VIEW_ANALYTICS'], [OWNER]), DENIED, 'to give more')
  t.end()
})

t.test('the only owner stays one; with another, or becoming what they are, they do not matter', (t) => {
  const other = member(ALL, 3)
  t.throws(() => decideMember(ALL, OWNER, ['VIEW_ANALYTICS'], [member(ROLES.manager)]), { code: 'last_owner' })
  t.throws(() => decideMember(ALL, OWNER, [], []), { code: 'last_owner' })
  t.strictSame(decideMember(ALL, OWNER, [], [member(ROLES.manager), other]), [])
  t.strictSame(decideMember(ALL, OWNER, ALL.toReversed(), []), ALL.toReversed())
  t.strictSame(decideMember(ALL, member(ROLES.manager), [], []), [], 'who is no owner may go')
  t.end()
})

t.test('one leaves by oneself, but not by a key that may do less; another is removed by who invites and may do as much', (t) => {
  const expert = member(ROLES.expert)
  t.doesNotThrow(() => decideRemoval({ user: 2, permissions: ROLES.expert }, expert, [OWNER]))
  t.throws(() => decideRemoval({ user: 2, permissions: ['CREATE_TICKET'] }, expert, [OWNER]), {
    ...DENIED, message: /leave with a key that may do less/
  })
  t.throws(() => decideRemoval({ user: 1, permissions: ROLES.expert }, expert, [OWNER]), {
    ...DENIED, message: /remove somebody else/
  })
  t.throws(() => decideRemoval({ user: null, permissions: [] }, undefined, [OWNER]), DENIED, 'nor is it told who is there')
  t.doesNotThrow(() => decideRemoval({ user: 1, permissions: ['SEND_INVITE'] }, undefined, [OWNER]))
  t.throws(() => decideRemoval({ user: 1, permissions: ['SEND_INVITE'] }, expert, [OWNER]), DENIED, 'who may do more')
  t.doesNotThrow(() => decideRemoval({ user: 1, permissions: ['SEND_INVITE', ...ROLES.expert] }, expert, [OWNER]))
  t.throws(() => decideRemoval({ user: 1, permissions: ALL }, OWNER, [expert]), { code: 'last_owner' })
  t.end()
})

t.test('an invitation is worth what whoever sent it may still do', (t) => {
  const link = (permissions: Permission[] | null) => ({ permissions }) as LinkRecord
  t.equal(mayInvite({ permissions: ['SEND_INVITE', 'CREATE_TICKET'] }, ['CREATE_TICKET']), true)
  t.equal(mayInvite({ permissions: ['CREATE_TICKET'] }, ['CREATE_TICKET']), false)
  t.equal(mayInvite({ permissions: ['SEND_INVITE'] }, ['CREATE_TICKET']), false)
  t.equal(isStillGiven(link(['CREATE_TICKET']), OWNER), true)
  t.equal(isStillGiven(link(['CREATE_TICKET']), member(['SEND_INVITE'])), false)
  t.equal(isStillGiven(link(null), member(['SEND_INVITE'])), true)
  t.equal(isStillGiven(link(null), undefined), false)
  t.end()
})
