import type { Permission } from '../../schema/access.ts'
import type { Id } from '../../schema/common.ts'
import type { LinkRecord } from '../../schema/sign-in.ts'
import { ROLES, type MemberPatch, type MemberRecord, type Role } from '../../schema/team.ts'
import { demand } from '../access/index.ts'
import { invalid, Refusal } from '../platform/errors.ts'

/** Invitations of an account that can still be accepted. */
export const MOST_INVITATIONS = 100

/** Invitations that are mailed in 24 hours at most: by an account, and to one address, whoever invites. */
const MOST_MAILED = { account: 20, address: 1 }

/** Whether an invitation is mailed. `mailed`: how many were in 24 hours, by the account and to the address. */
export function isMailed (mailed: Record<keyof typeof MOST_MAILED, number>): boolean {
  return mailed.account < MOST_MAILED.account && mailed.address < MOST_MAILED.address
}

/** The name of these permissions, in whatever order; `custom` where they have none. */
export function roleOf (permissions: readonly Permission[]): Role | 'custom' {
  const held = new Set(permissions)
  const found = Object.entries(ROLES).find(([, may]) => may.length === held.size && may.every((one) => held.has(one)))
  return found ? found[0] as Role : 'custom'
}

/**
 * The permissions that are asked for, by the name of a role or one by one. Refuses with VALIDATION_ERROR both and
 * neither.
 */
export function asked ({ role, permissions }: MemberPatch): Permission[] {
  if (role !== undefined && permissions !== undefined) {
    throw invalid({ field: 'permissions', message: 'permissions cannot be given beside role: say one of them.' })
  }
  const wanted = role === undefined ? permissions : [...ROLES[role]]
  if (wanted === undefined) throw invalid({ field: 'role', message: 'role is required, or permissions in its place.' })
  return wanted
}

/** Refuses with `permission_denied` to hand on what one may not do oneself. */
export function demandToGive (held: readonly Permission[], wanted: readonly Permission[]) {
  for (const permission of wanted) demand(held, [permission], `let somebody have the permission ${permission}`)
}

/** Whether a member is an owner and no other is: then they stay one, and stay, as nobody else could do everything. */
export function isSoleOwner (
  { permissions }: Pick<MemberRecord, 'permissions'>, others: readonly Pick<MemberRecord, 'permissions'>[]
): boolean {
  return roleOf(permissions) === 'owner' && !others.some((one) => roleOf(one.permissions) === 'owner')
}

/**
 * That a member may do this from now on; nothing, where the member leaves. Refuses with `permission_denied` who may do
 * less than the member can or shall, and with `last_owner` to leave an account without anybody who may do everything.
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

/** Who asks for the end of a membership: which user, if it is one, and what they may do. */
export interface Remover { user: Id | null, permissions: readonly Permission[] }

/**
 * That a membership ends: one's own always, another's for who may do as much. Refuses with `permission_denied` who may
 * not, and a key that may do less than who leaves by it; with `last_owner` to leave an account without an owner.
 * `member`: undefined where there is none.
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
 * Whether whoever invited may still invite, and hand on what the invitation says: who left, or may do less by now,
 * invites nobody.
 */
export function isStillGiven ({ permissions }: LinkRecord, inviter: MemberRecord | undefined): boolean {
  return inviter !== undefined && mayInvite(inviter, permissions ?? [])
}

/** Whether a member may invite somebody who is to have these permissions. */
export function mayInvite ({ permissions }: Pick<MemberRecord, 'permissions'>, wanted: readonly Permission[]): boolean {
  return (['SEND_INVITE', ...wanted] as const).every((one) => permissions.includes(one))
}
