import { Type, type Static } from '@sinclair/typebox'
import { Id, closed, nullable, oneOf, title } from './common.ts'
import { SourceDraft } from './knowledge.ts'

/** Identifies an object of an account, independent of its name and number. */
export const ExternalKey = Type.String({
  pattern: '^[a-z0-9][a-z0-9_-]{0,63}$', maxLength: 64, description: 'A permanent name of your choice', examples: ['support']
})

/** An object with its key. */
export const Keyed = Type.Object({
  kind: oneOf(['agent', 'source', 'question']),
  key: Type.String(),
  id: Id,
  agent: nullable(Type.String({ description: 'Key of the agent it belongs to; null for an agent' })),
  created: Type.Boolean({ description: 'Whether this request created it' })
}, { title: 'Keyed' })
export type Keyed = Static<typeof Keyed>

const {
  plain_text: plain, faq, urls, google_drive_file_id: drive, depth, count, refresh_hours: hours,
  include, exclude
} = SourceDraft.properties

/** A source with its key and title: one of `plain_text`, `faq`, `urls` and `google_drive_file_id`. */
export const KeyedSource = Type.Object({
  title: Type.Optional(title(500)),
  folder: Type.Optional(Type.Array(title(200), {
    maxItems: 20, description: 'Names of the folders it is in, outermost first; missing folders are created'
  })),
  is_selected: Type.Optional(Type.Boolean()),
  plain_text: plain,
  faq,
  urls,
  google_drive_file_id: drive,
  depth,
  count,
  refresh_hours: hours,
  include,
  exclude
}, {
  ...closed,
  title: 'KeyedSource',
  examples: [{ title: 'Return policy', folder: ['Shop'], plain_text: 'Returns are accepted within 30 days.' }]
})
export type KeyedSource = Static<typeof KeyedSource>
