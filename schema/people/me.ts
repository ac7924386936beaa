import { Type, type Static } from '@sinclair/typebox'
import { ApiKey, Permission, User } from '../access.ts'
import { Id, Timestamp } from '../common.ts'
import { Features, Limits, Tier } from '../plans.ts'

/** How much of what is limited is used. */
const Usage = Type.Object(
  {
    agents: Type.Integer(),
    training_bytes: Type.Integer({ description: 'Bytes of text over all agents' }),
    stored_bytes: Type.Integer({
      description: 'Bytes of files and texts that are kept, of deselected and failed sources too'
    })
  },
  { title: 'Usage' }
)

/** An account by its name, which is that of the user it was made for. */
const AccountRef = Type.Object({
  id: Id,
  name: Type.String(),
  member: Type.Integer({ description: "The caller's membership in it, which `DELETE /v1/members/{id}` ends" })
}, { title: 'AccountRef' })

/** Who calls, and what they may use. */
export const Me = Type.Object({
  user: User,
  key: Type.Union([Type.Omit(ApiKey, ['permissions'], { title: 'CallingKey' }), Type.Null()], {
    description: 'The key that asks; null in a session'
  }),
  session: Type.Union([Type.Object({ id: Id, expires_at: Timestamp }, { title: 'CallingSession' }), Type.Null()], {
    description: 'The session that asks; null with a key'
  }),
  account: Type.Composite([AccountRef], { title: 'AccountRef', description: 'The account that is acted for' }),
  accounts: Type.Array(AccountRef, {
    description: 'All that the user may act for: with a session by naming one in Agenthall-Account'
  }),
  tier: Tier,
  limits: Limits,
  features: Features,
  permissions: Type.Array(Permission),
  usage: Usage
}, { title: 'Me' })
export type Me = Static<typeof Me>
