import { Type, type Static } from '@sinclair/typebox'
import { Id, Timestamp, closed, email, nullable, oneOf, title } from './common.ts'
import { Tier } from './plans.ts'

/** What a key may be allowed to do, in the order in which answers list it. */
export const PERMISSIONS = [
  'REPLY_CONVERSATION', 'MANAGE_AGENTS', 'MANAGE_KNOWLEDGE_BASE', 'CONFIGURE_BUSINESS', 'CREATE_TICKET',
  'MANAGE_AGENT_SETTINGS', 'SEND_INVITE', 'MANAGE_API_KEY', 'VIEW_ANALYTICS', 'MANAGE_BILLING'
] as const

/** One of the ten permissions. */
export const Permission = oneOf(PERMISSIONS, { title: 'Permission' })
export type Permission = Static<typeof Permission>

/** Some of the ten. */
export const Permissions = Type.Array(Permission, { minItems: 1, maxItems: PERMISSIONS.length, uniqueItems: true })

/** Somebody who owns agents, as the system keeps them. */
export const UserRecord = Type.Object({
  id: Id,
  name: title(200),
  email: nullable(email()),
  tier: Tier,
  /** Moves, in the same transaction, with every change of what this user's lists show. */
  revision: Type.Integer(),
  /** Moves, in the same transaction, with the counts of conversations that this user's lists show. */
  tally: Type.Integer(),
  created_at: Timestamp,
  updated_at: Timestamp
})
export type UserRecord = Static<typeof UserRecord>

/** A user as answers and the CLI show them. */
export const User = Type.Omit(UserRecord, ['revision', 'tally'], { title: 'User' })
export type User = Static<typeof User>

/** What making a user needs. */
export const UserDraft = Type.Partial(Type.Pick(UserRecord, ['name', 'email', 'tier']), closed)
export type UserDraft = { name: string, email?: string | null, tier?: Tier }

/** A key as the system keeps it: of the secret there is only a digest. */
export const ApiKeyRecord = Type.Object({
  id: Id,
  user: Id,
  /** The account that it acts for. */
  account: Id,
  name: title(200),
  digest: Type.String(),
  /** How the key begins, enough for a person to tell it from others. */
  hint: Type.String(),
  permissions: Permissions,
  via: oneOf(['hand', 'oauth'], {
    description: '`oauth`: somebody let an assistant in, which works at /mcp alone; `hand`: somebody made it'
  }),
  client: nullable(Type.String({ description: 'Of an assistant: the address that says who it is' })),
  created_at: Timestamp,
  last_used_at: nullable(Timestamp),
  expires_at: nullable(Timestamp),
  revoked_at: nullable(Timestamp),
  /** Of an assistant: until when its token is good that this is the digest of; it fetches another before. */
  token_until: nullable(Timestamp)
})
export type ApiKeyRecord = Static<typeof ApiKeyRecord>

/** A key as answers show it: never its digest. */
export const ApiKey = Type.Omit(ApiKeyRecord, ['digest', 'user', 'account', 'revoked_at', 'token_until'], { title: 'ApiKey' })
export type ApiKey = Static<typeof ApiKey>

/** A key just made: the only time its secret is shown. */
export const NewApiKey = Type.Composite([ApiKey, Type.Object({
  key: Type.String({ description: 'The secret. It is shown this once and cannot be recovered.' })
})], { title: 'NewApiKey' })
export type NewApiKey = Static<typeof NewApiKey>

/** What a caller sends to make a key. What is left out is as the calling key has it. */
export const ApiKeyDraft = Type.Object(
  {
    name: Type.Optional(title(200)),
    permissions: Type.Optional(Permissions),
    expires_at: Type.Optional(
      nullable(
        Type.String({
          maxLength: 40,
          pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,6})?(Z|[+-]\\d{2}:\\d{2})$',
          description:
            'When the key stops working, ISO 8601 with Z or an offset; null or absent: when the calling key does, if ever',
          examples: ['2030-01-31T12:00:00Z']
        })
      )
    )
  },
  { ...closed, title: 'ApiKeyDraft', examples: [{ name: 'Deploy script', permissions: ['MANAGE_AGENTS'] }] }
)
export type ApiKeyDraft = Static<typeof ApiKeyDraft>
