import { Type, type Static } from '@sinclair/typebox'
import { Id, Timestamp, nullable, oneOf } from './common.ts'
import { VisitorId } from './conversations.ts'

/** Why something was removed: the agent's retention period ended, or its visitor was to be erased. */
export const RemovalKind = oneOf(['retention', 'erasure'])
export type RemovalKind = Static<typeof RemovalKind>

const count = (description: string) => Type.Integer({ minimum: 0, description })

/** How much was removed, or would be. */
export const Removed = Type.Object({
  conversations: count('Conversations, with all their messages'),
  messages: count('Messages'),
  attachments: count('Visitors\' files'),
  visitors: count('Visitors, with all data about them'),
  tickets: count('Tickets without a conversation')
}, { title: 'Removed' })
export type Removed = Static<typeof Removed>

/** A copy of removed data that another system may have, and that only its operator can remove. */
export const Copy = Type.Object(
  {
    kind: oneOf(['delivery', 'model'], {
      description: '`delivery`: it was sent there; `model`: a language model processed it'
    }),
    system: Type.String({ description: 'Where it is: the channel it was sent through, or the model\'s provider' }),
    reference: nullable(Type.String({ description: 'Reference of the copy there; null if unknown' })),
    at: Timestamp
  },
  { title: 'Copy' }
)
export type Copy = Static<typeof Copy>

/** Proof of a removal, as stored: counts and times, no contents. */
export const ReceiptRecord = Type.Object({
  id: Id,
  owner: Id,
  kind: RemovalKind,
  agent: Id,
  visitor: nullable(VisitorId),
  data_retention_days: nullable(Type.Integer({ description: 'Retention setting that was applied' })),
  silent_since: nullable(Type.String({ description: 'Conversations without a message since this time were removed' })),
  removed: Removed,
  copies: Type.Array(Copy, { description: 'Copies that other systems may still hold, for an erasure' }),
  backups_until: nullable(
    Type.String({
      description:
        'Until when backups made by this server may still contain the data; null if it makes none. Manual copies are not included'
    })
  ),
  created_at: Timestamp,
  finished_at: nullable(Type.String({ description: 'When the removal finished; null while it is running' }))
})
export type ReceiptRecord = Static<typeof ReceiptRecord>

/** A receipt as responses show it. */
export const Receipt = Type.Omit(ReceiptRecord, ['owner'], { title: 'Receipt' })
export type Receipt = Static<typeof Receipt>

/** What retention would remove now. */
export const RetentionPreview = Type.Object(
  {
    agent: Id,
    data_retention_days: nullable(
      Type.Integer({ description: "The requested number of days; default: the agent's setting" })
    ),
    silent_since: nullable(
      Type.String({ description: 'Conversations without a message since this time would be removed; null: none would' })
    ),
    removed: Removed,
    backups_until: ReceiptRecord.properties.backups_until,
    message: Type.String({
      description: 'The result as a sentence',
      examples: ['This will remove 412 conversations with 3,120 messages and 2 files, and 398 visitors.']
    })
  },
  { title: 'RetentionPreview' }
)
export type RetentionPreview = Static<typeof RetentionPreview>
