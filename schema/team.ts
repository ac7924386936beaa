import { Type, type Static } from '@sinclair/typebox'
import { PERMISSIONS, Permissions, type Permission } from './access.ts'
import { Id, Timestamp, closed, email, nullable, oneOf, title } from './common.ts'
import { Features, Limits, Tier } from './plans.ts'
import { keysOf } from './typed.ts'

/** A user's membership of an account, as stored, with their permissions. Everybody is a member of their own. */
export const MemberRecord = Type.Object({
  id: Id,
  account: Id,
  user: Id,
  permissions: Permissions,
  created_at: Timestamp
})
export type MemberRecord = Static<typeof MemberRecord>

/** The roles, most powerful first, and what each may do. Any other set of permissions is `custom`. */
export const ROLES = {
  owner: PERMISSIONS,
  manager: PERMISSIONS.filter((one) => one !== 'MANAGE_BILLING' && one !== 'MANAGE_API_KEY'),
  editor: ['MANAGE_AGENTS', 'MANAGE_KNOWLEDGE_BASE', 'MANAGE_AGENT_SETTINGS'],
  expert: ['REPLY_CONVERSATION', 'CREATE_TICKET'],
  viewer: ['VIEW_ANALYTICS']
} as const satisfies Record<string, readonly Permission[]>
export type Role = keyof typeof ROLES

const Role = oneOf(keysOf(ROLES), { title: 'Role' })
const ShownRole = oneOf([...keysOf(ROLES), 'custom'], {
  description: 'Role with exactly these permissions; `custom` if there is none'
})

/** A member as responses show it. */
export const Member = Type.Object({
  id: Id,
  user: Type.Object({ id: Id, name: Type.String(), email: nullable(Type.String()) }),
  role: ShownRole,
  permissions: Permissions,
  created_at: Timestamp
}, { title: 'Member' })
export type Member = Static<typeof Member>

/** A member as all others may see them. */
export const Colleague = Type.Object({
  user: Id,
  member: Type.Integer({ ...Id, description: '`id` of the member, as in the `target` of audit events' }),
  name: Type.String()
}, { title: 'Colleague' })
export type Colleague = Static<typeof Colleague>

/** Permissions, by the name of a role or one by one. */
const granted = { role: Type.Optional(Role), permissions: Type.Optional(Permissions) }

/** The fields of a member that can be changed. */
export const MemberPatch = Type.Object(granted, {
  ...closed, minProperties: 1, title: 'MemberPatch', examples: [{ role: 'expert' }]
})
export type MemberPatch = Static<typeof MemberPatch>

/** Whom to invite, and with which permissions. */
export const InvitationDraft = Type.Object(
  { email: Type.Optional(email()), ...granted },
  { ...closed, title: 'InvitationDraft', examples: [{ email: 'bob@example.com', role: 'expert' }] }
)
export type InvitationDraft = Static<typeof InvitationDraft>

/** An invitation that can still be accepted, as responses show it. */
export const Invitation = Type.Object({
  id: Id,
  email: nullable(Type.String()),
  role: ShownRole,
  permissions: Permissions,
  inviter: nullable(Id),
  created_at: Timestamp,
  expires_at: Timestamp
}, { title: 'Invitation' })
export type Invitation = Static<typeof Invitation>

/** An invitation just created: the only time its link is shown. */
export const NewInvitation = Type.Composite([Invitation, Type.Object({
  link: Type.String({ description: 'Link to give to the invited person. It works once and is shown only once.' }),
  mailed: Type.Boolean({ description: 'Whether it is also sent by email' })
})], { title: 'NewInvitation' })
export type NewInvitation = Static<typeof NewInvitation>

/**
 * Accepting: in a session only the token; otherwise also who one is, and the password, which for existing users is
 * their own.
 */
export const Acceptance = Type.Object({
  token: Type.String({ minLength: 1, maxLength: 100, description: 'The part of the link after the last /' }),
  email: Type.Optional(email({ description: 'Default: the address of the invitation' })),
  name: Type.Optional(title(200)),
  password: Type.Optional(Type.String({ minLength: 1, maxLength: 200 }))
}, { ...closed, title: 'Acceptance' })
export type Acceptance = Static<typeof Acceptance>

/** An account, and the limits of its tier. */
export const AccountAnswer = Type.Object({
  id: Id,
  name: Type.String(),
  tier: Tier,
  limits: Limits,
  features: Features,
  members: Type.Integer(),
  created_at: Timestamp
}, { title: 'Account' })

/** The fields of an account that can be changed. */
export const AccountPatch = Type.Object({ tier: Tier }, { ...closed, title: 'AccountPatch' })
