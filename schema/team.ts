import { Type, type Static } from '@sinclair/typebox'
import { Permissions } from './access.ts'
import { Id, Timestamp } from './common.ts'

/** That a user acts for an account, as the system keeps it: what they may do there. Everybody has one for their own. */
export const MemberRecord = Type.Object({
  id: Id,
  account: Id,
  user: Id,
  permissions: Permissions,
  created_at: Timestamp
})
export type MemberRecord = Static<typeof MemberRecord>
