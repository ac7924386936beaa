import { Type, type Static } from '@sinclair/typebox'
import { PERMISSIONS, Permissions, type Permission } from './access.ts'
import { Id, Timestamp, closed, email, nullable, oneOf, title } from './common.ts'
import { Features, Limits, Tier } from './plans.ts'

/** That a user acts for an account, as the system keeps it: what they may do there. Everybody has one for their own. */
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

const Role = oneOf(Object.keys(ROLES) as Role[], { title: 'Role' })
const ShownRole = oneOf([...(Object.keys(ROLES) as Role[]), 'custom'], {
  description: 'The name of these permissions; custom where they have none'
})

/** A member as answers show it. */
export const Member = Type.Object({
  id: Id,
  user: Type.Object({ id: Id, name: Type.String(), email: nullable(Type.String()) }),
  role: ShownRole,
  permissions: Permissions,
  created_at: Timestamp
}, { title: 'Member' })
export type Member = Static<typeof Member>

/** A member as all others may know them. */
export const Colleague = Type.Object({ user: Id, name: Type.String() }, { title: 'Colleague' })
export type Colleague = Static<typeof Colleague>

/** What somebody may do, by the name of a role or one by one. */
const granted = { role: Type.Optional(Role), permissions: Type.Optional(Permissions) }

/** What of a member can be changed. */
export const MemberPatch = Type.Object(granted, {
  ...closed, minProperties: 1, title: 'MemberPatch', examples: [{ role: 'expert' }]
})
export type MemberPatch = Static<typeof MemberPatch>

/** Whom to invite, as what. */
export const InvitationDraft = Type.Object(
  { email: Type.Optional(email()), ...granted },
  { ...closed, title: 'InvitationDraft', examples: [{ email: 'bob@example.com', role: 'expert' }] }
)
export type InvitationDraft = Static<typeof InvitationDraft>

/** An invitation that can still be accepted, as answers show it. */
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

/** An invitation just made: the only time its link is shown. */
export const NewInvitation = Type.Composite([Invitation, Type.Object({
  link: Type.String({ description: 'To be handed to whoever is invited. It works once and is shown this once.' }),
  mailed: Type.Boolean({ description: 'Whether it goes out by mail too' })
})], { title: 'NewInvitation' })
export type NewInvitation = Static<typeof NewInvitation>

/**
 * Accepting: in a session nothing but the token; else who one is, and the password, one's own where one has a user
 * already.
 */
export const Acceptance = Type.Object({
  token: Type.String({ minLength: 1, maxLength: 100, description: 'What follows the last / in the link' }),
  email: Type.Optional(email({ description: 'The address of the invitation, if absent' })),
  name: Type.Optional(title(200)),
  password: Type.Optional(Type.String({ minLength: 1, maxLength: 200 }))
}, { ...closed, title: 'Acceptance' })
export type Acceptance = Static<typeof Acceptance>

/** An account, and what its tier allows. */
export const AccountAnswer = Type.Object({
  id: Id,
  name: Type.String(),
  tier: Tier,
  limits: Limits,
  features: Features,
  members: Type.Integer(),
  created_at: Timestamp
}, { title: 'Account' })

/** What of an account can be changed. */
export const AccountPatch = Type.Object({ tier: Tier }, { ...closed, title: 'AccountPatch' })
