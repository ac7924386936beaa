import { Type, type Static } from '@sinclair/typebox'
import { Id, Timestamp, closed, email, nullable, oneOf, title } from './common.ts'
import { Tier } from './plans.ts'

/** Permissions that a key can have, in the order in which responses list them. */
export const PERMISSIONS = [
  'REPLY_CONVERSATION', 'MANAGE_AGENTS', 'MANAGE_KNOWLEDGE_BASE', 'CONFIGURE_BUSINESS', 'CREATE_TICKET',
  'MANAGE_AGENT_SETTINGS', 'SEND_INVITE', 'MANAGE_API_KEY', 'VIEW_ANALYTICS', 'MANAGE_BILLING'
] as const

/** One of the ten permissions. */
export const Permission = oneOf(PERMISSIONS, { title: 'Permission' })
export type Permission = Static<typeof Permission>

/** A subset of the ten. */
export const Permissions = Type.Array(Permission, { minItems: 1, maxItems: PERMISSIONS.length, uniqueItems: true })

/** A user who owns agents, as stored. */
export const UserRecord = Type.Object({
  id: Id,
  name: title(200),
  email: nullable(email()),
  tier: Tier,
  /** Changes, in the same transaction, with everything that this user's lists show. */
  revision: Type.Integer(),
  /** Changes, in the same transaction, with the conversation counts that this user's lists show. */
  tally: Type.Integer(),
  created_at: Timestamp,
  updated_at: Timestamp
})
export type UserRecord = Static<typeof UserRecord>

/** A user as responses and the CLI show them. */
export const User = Type.Omit(UserRecord, ['revision', 'tally'], { title: 'User' })
export type User = Static<typeof User>

/** Input for creating a user. */
export const UserDraft = Type.Partial(Type.Pick(UserRecord, ['name', 'email', 'tier']), closed)
export type UserDraft = { name: string, email?: string | null, tier?: Tier }

/** A key as stored: only a digest of the secret. */
export const ApiKeyRecord = Type.Object({
  id: Id,
  user: Id,
  /** The account that it acts for. */
  account: Id,
  name: title(200),
  digest: Type.String(),
  /** The first characters of the key, enough for a person to tell it from others. */
  hint: Type.String(),
  permissions: Permissions,
  via: oneOf(['hand', 'oauth'], {
    description: '`oauth`: issued by authorising an assistant, works only at /mcp; `hand`: created by a user'
  }),
  client: nullable(Type.String({ description: 'For an assistant: the URL that identifies it' })),
  created_at: Timestamp,
  last_used_at: nullable(Timestamp),
  expires_at: nullable(Timestamp),
  revoked_at: nullable(Timestamp),
  /** For an assistant's key: when the token with this digest expires; the assistant refreshes it before then. */
  token_until: nullable(Timestamp)
})
export type ApiKeyRecord = Static<typeof ApiKeyRecord>

/** A key as responses show it, without its digest. */
export const ApiKey = Type.Omit(ApiKeyRecord, ['digest', 'user', 'account', 'revoked_at', 'token_until'], { title: 'ApiKey' })
export type ApiKey = Static<typeof ApiKey>

/** A key just created: the only time its secret is shown. */
export const NewApiKey = Type.Composite([ApiKey, Type.Object({
  key: Type.String({ description: 'The secret key. It is shown only once and cannot be recovered.' })
})], { title: 'NewApiKey' })
export type NewApiKey = Static<typeof NewApiKey>

/** Request to create a key. Omitted fields default to those of the calling key. */
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
            'When the key expires, in ISO 8601 with Z or an offset; null or absent: when the calling key expires, if ever',
          examples: ['2030-01-31T12:00:00Z']
        })
      )
    )
  },
  { ...closed, title: 'ApiKeyDraft', examples: [{ name: 'Deploy script', permissions: ['MANAGE_AGENTS'] }] }
)
export type ApiKeyDraft = Static<typeof ApiKeyDraft>
