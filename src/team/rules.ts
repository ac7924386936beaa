import type { Permission } from '../../schema/access.ts'
import type { Id } from '../../schema/common.ts'
import type { LinkRecord } from '../../schema/sign-in.ts'
import { ROLES, type MemberPatch, type MemberRecord, type Role } from '../../schema/team.ts'
import { demand } from '../access/index.ts'
import { invalid, Refusal } from '../platform/errors.ts'
import { entriesOf } from '../../schema/typed.ts'

/** Maximum pending invitations of an account. */
export const MOST_INVITATIONS = 100

/** Maximum invitations mailed in 24 hours: by an account, and to one address, whoever invites. */
const MOST_MAILED = { account: 20, address: 1 }

/** Whether an invitation is mailed. `mailed`: how many were in 24 hours, by the account and to the address. */
export function isMailed (mailed: Record<keyof typeof MOST_MAILED, number>): boolean {
  return mailed.account < MOST_MAILED.account && mailed.address < MOST_MAILED.address
}

/** The role with these permissions, in any order; `custom` if there is none. */
export function roleOf (permissions: readonly Permission[]): Role | 'custom' {
  const held = new Set(permissions)
  const found = entriesOf(ROLES).find(([, may]) => may.length === held.size && may.every((one) => held.has(one)))
  return found ? found[0] : 'custom'
}

/** The requested permissions, by the name of a role or one by one. Refuses with VALIDATION_ERROR both and neither. */
export function asked ({ role, permissions }: MemberPatch): Permission[] {
  if (role !== undefined && permissions !== undefined) {
    throw invalid({ field: 'permissions', message: 'permissions and role exclude each other: give one of them.' })
  }
  const wanted = role === undefined ? permissions : [...ROLES[role]]
  if (wanted === undefined) throw invalid({ field: 'role', message: 'role is required, or permissions instead.' })
  return wanted
}

/** Refuses with `permission_denied` granting permissions that one does not have. */
export function demandToGive (held: readonly Permission[], wanted: readonly Permission[]) {
  for (const permission of wanted) demand(held, [permission], `let somebody have the permission ${permission}`)
}

/** Whether a member is the only owner: then they must stay so, since nobody else could do everything. */
export function isSoleOwner (
  { permissions }: Pick<MemberRecord, 'permissions'>, others: readonly Pick<MemberRecord, 'permissions'>[]
): boolean {
  return roleOf(permissions) === 'owner' && !others.some((one) => roleOf(one.permissions) === 'owner')
}

/**
 * Checks that a member may get these permissions; none if the member leaves. Refuses with `permission_denied` callers
 * with fewer permissions than the member has or gets, and with `last_owner` leaving an account without an owner.
 */
export function decideMember (
  held: readonly Permission[], member: MemberRecord, wanted: readonly Permission[], others: readonly MemberRecord[]
): Permission[] {
  for (const permission of member.permissions) {
    demand(held, [permission], `change somebody who has the permission ${permission}`)
  }
  demandToGive(held, wanted)
  if (isSoleOwner(member, others) && roleOf(wanted) !== 'owner') {
    throw new Refusal('last_owner', 'This is the only owner of the account. Make somebody else an owner first.')
  }
  return [...wanted]
}

/** Who requests the end of a membership: which user, if it is one, and their permissions. */
export interface Remover { user: Id | null, permissions: readonly Permission[] }

/**
 * Members may always leave; removing others needs at least their permissions. Refuses with `permission_denied` other
 * callers, and a key with fewer permissions than the member who leaves by it; with `last_owner` leaving an account
 * without an owner. `member`: undefined if there is none.
 */
export function decideRemoval (
  { user, permissions: held }: Remover, member: MemberRecord | undefined, others: readonly MemberRecord[]
) {
  const isLeaving = member !== undefined && member.user === user
  if (!isLeaving) demand(held, ['SEND_INVITE'], 'remove somebody else')
  for (const permission of isLeaving ? member.permissions : []) {
    demand(held, [permission], 'leave with a key that may do less than you')
  }
  if (member) decideMember(held, member, [], others)
}

/**
 * Whether the inviter may still invite, and grant the invitation's permissions: one who left, or has lost them, may
 * not.
 */
export function isStillGiven ({ permissions }: LinkRecord, inviter: MemberRecord | undefined): boolean {
  return inviter !== undefined && mayInvite(inviter, permissions ?? [])
}

/** Whether a member may invite somebody with these permissions. */
export function mayInvite ({ permissions }: Pick<MemberRecord, 'permissions'>, wanted: readonly Permission[]): boolean {
  return (['SEND_INVITE', ...wanted] as const).every((one) => permissions.includes(one))
}
