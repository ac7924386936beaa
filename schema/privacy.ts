import { Type, type Static } from '@sinclair/typebox'
import { Id, Timestamp, nullable, oneOf } from './common.ts'
import { VisitorId } from './conversations.ts'

/** Why something was removed: it was kept as long as the agent's settings allow, or its visitor was to be erased. */
export const RemovalKind = oneOf(['retention', 'erasure'])
export type RemovalKind = Static<typeof RemovalKind>

const count = (description: string) => Type.Integer({ minimum: 0, description })

/** How much was removed, or would be. */
export const Removed = Type.Object({
  conversations: count('With everything that was said in them'),
  messages: count('What was said'),
  attachments: count('Files of visitors'),
  visitors: count('Visitors, with what is known of them'),
  tickets: count('Tickets that belong to no conversation')
}, { title: 'Removed' })
export type Removed = Static<typeof Removed>

/** A copy of what was removed that another system may hold, and that only its operator can remove. */
export const Copy = Type.Object(
  {
    kind: oneOf(['delivery', 'model'], {
      description: '`delivery`: it was sent there; `model`: a language model read it'
    }),
    system: Type.String({ description: 'Who has it: the channel that it was sent by, or the provider of the model' }),
    reference: nullable(Type.String({ description: 'What it is called there, where that is known' })),
    at: Timestamp
  },
  { title: 'Copy' }
)
export type Copy = Static<typeof Copy>

/** The proof that something was removed, as the system keeps it: numbers and times, and no word of what it was. */
export const ReceiptRecord = Type.Object({
  id: Id,
  owner: Id,
  kind: RemovalKind,
  agent: Id,
  visitor: nullable(VisitorId),
  data_retention_days: nullable(Type.Integer({ description: 'The setting that was applied' })),
  silent_since: nullable(Type.String({ description: 'Conversations without a message since then were removed' })),
  removed: Removed,
  copies: Type.Array(Copy, { description: 'What other systems may still hold; of an erasure' }),
  backups_until: nullable(
    Type.String({
      description:
        'Until when the backups that this server makes may still hold it; null where it makes none. Copies made by hand are not counted'
    })
  ),
  created_at: Timestamp,
  finished_at: nullable(Type.String({ description: 'When it was done; null while it goes on' }))
})
export type ReceiptRecord = Static<typeof ReceiptRecord>

/** A receipt as answers show it. */
export const Receipt = Type.Omit(ReceiptRecord, ['owner'], { title: 'Receipt' })
export type Receipt = Static<typeof Receipt>

/** What retention would remove now. */
export const RetentionPreview = Type.Object(
  {
    agent: Id,
    data_retention_days: nullable(
      Type.Integer({ description: "The days that were asked about; the agent's setting without them" })
    ),
    silent_since: nullable(
      Type.String({ description: 'Conversations without a message since then would go; null: everything is kept' })
    ),
    removed: Removed,
    backups_until: ReceiptRecord.properties.backups_until,
    message: Type.String({
      description: 'The same in a sentence',
      examples: ['This will remove 412 conversations with 3,120 messages and 2 files, and 398 visitors.']
    })
  },
  { title: 'RetentionPreview' }
)
export type RetentionPreview = Static<typeof RetentionPreview>
