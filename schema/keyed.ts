import { Type, type Static } from '@sinclair/typebox'
import { Id, closed, nullable, oneOf, title } from './common.ts'
import { SourceDraft } from './knowledge.ts'

/** What names a thing of an account, whatever it is called and whichever number it has. */
export const ExternalKey = Type.String({
  pattern: '^[a-z0-9][a-z0-9_-]{0,63}$', maxLength: 64, description: 'A name of your own, which stays', examples: ['support']
})

/** A thing with the key that names it. */
export const Keyed = Type.Object({
  kind: oneOf(['agent', 'source', 'question']),
  key: Type.String(),
  id: Id,
  agent: nullable(Type.String({ description: 'The key of the agent that it belongs to' })),
  created: Type.Boolean({ description: 'Whether it was made by this request' })
}, { title: 'Keyed' })
export type Keyed = Static<typeof Keyed>

const {
  plain_text: plain, faq, urls, google_drive_file_id: drive, depth, count, refresh_hours: hours
} = SourceDraft.properties

/** A source by its key: one of `plain_text`, `faq`, `urls` and `google_drive_file_id`, and what it is called. */
export const KeyedSource = Type.Object({
  title: Type.Optional(title(500)),
  folder: Type.Optional(Type.Array(title(200), {
    maxItems: 20, description: 'The names of the folders that it is in, from the top; they are made where there are none'
  })),
  is_selected: Type.Optional(Type.Boolean()),
  plain_text: plain,
  faq,
  urls,
  google_drive_file_id: drive,
  depth,
  count,
  refresh_hours: hours
}, {
  ...closed,
  title: 'KeyedSource',
  examples: [{ title: 'Return policy', folder: ['Shop'], plain_text: 'Returns are accepted within 30 days.' }]
})
export type KeyedSource = Static<typeof KeyedSource>
