import { Type, type Static } from '@sinclair/typebox'
import { ApiKey, Permission, User } from '../access.ts'
import { Id, Timestamp } from '../common.ts'
import { Features, Limits, Tier } from '../plans.ts'

/** Usage of limited resources. */
const Usage = Type.Object(
  {
    agents: Type.Integer(),
    training_bytes: Type.Integer({ description: 'Bytes of text across all agents' }),
    stored_bytes: Type.Integer({
      description: 'Bytes of stored files and texts, including those of deselected and failed sources'
    })
  },
  { title: 'Usage' }
)

/** An account by its name, which is that of the user it was made for. */
const AccountRef = Type.Object({
  id: Id,
  name: Type.String(),
  member: Type.Integer({ description: "Id of the caller's membership, which `DELETE /v1/members/{id}` ends" })
}, { title: 'AccountRef' })

/** Who calls, and their permissions and features. */
export const Me = Type.Object({
  user: User,
  key: Type.Union([Type.Omit(ApiKey, ['permissions'], { title: 'CallingKey' }), Type.Null()], {
    description: 'API key making the request; null in a session'
  }),
  session: Type.Union([Type.Object({ id: Id, expires_at: Timestamp }, { title: 'CallingSession' }), Type.Null()], {
    description: 'Session making the request; null with a key'
  }),
  account: Type.Composite([AccountRef], { title: 'AccountRef', description: 'Account the caller acts for' }),
  accounts: Type.Array(AccountRef, {
    description: 'All accounts the user may act for; a session selects one with the header Agenthall-Account'
  }),
  tier: Tier,
  limits: Limits,
  features: Features,
  permissions: Type.Array(Permission),
  usage: Usage
}, { title: 'Me' })
export type Me = Static<typeof Me>
