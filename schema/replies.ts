import { Type, type Static } from '@sinclair/typebox'
import { Id, Timestamp, changeOf, closed, nullable, oneOf, title } from './common.ts'

/** What stands for something in a saved reply, as `{{visitor}}`, or `{{visitor|there}}` where it may not be known. */
export const PLACEHOLDERS = ['visitor', 'person', 'agent'] as const
export type Placeholder = typeof PLACEHOLDERS[number]

const Key = Type.String({
  minLength: 1, maxLength: 40, pattern: '^[^\\s/]+$', description: 'By which it is found: what is typed after a `/`', examples: ['shipping']
})
/** The languages in which visitors are spoken to, as src/locales/ has them. */
const LANGUAGES = [
  'en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'sv', 'pl', 'tr', 'ru', 'ar', 'zh', 'ja', 'ko', 'da', 'no', 'fi', 'cs', 'ro',
  'hu', 'uk', 'el', 'he', 'hi', 'id', 'th', 'vi', 'fa'
]
const inEach = Object.fromEntries(LANGUAGES.map((code) => [code, title(4000)]))
const Texts = Type.Unsafe<Record<string, string>>(Type.Partial(Type.Object(inEach), {
  ...closed,
  minProperties: 1,
  description: `The words by ISO 639-1 code of their language. Filled in as they are put into an answer: ${
    PLACEHOLDERS.map((name) => `{{${name}}}`).join(', ')}; {{visitor|there}} says "there" where it is not known`,
  examples: [{ en: 'Hello {{visitor|there}}, your parcel is on its way.', de: 'Hallo {{visitor}}, Ihr Paket ist unterwegs.' }]
}))
/** A change of the words, language by language. */
const TextsPatch = Type.Unsafe<Record<string, string | null>>(changeOf(Type.Object(inEach), {
  description: 'Languages that are left out stay, null takes one away; one stays at least'
}))
const Scope = oneOf(['team', 'mine'], { description: 'Who sees it: all who answer, or its maker alone' })

/** An answer that is kept to be used again, as the system keeps it. `user`: whose alone it is; null: the team's. */
export const SavedReplyRecord = Type.Object({
  id: Id,
  owner: Id,
  user: nullable(Id),
  key: Key,
  texts: Texts,
  created_at: Timestamp,
  updated_at: Timestamp
})
export type SavedReplyRecord = Static<typeof SavedReplyRecord>

/** The same as answers show it. */
export const SavedReply = Type.Object(
  { ...Type.Omit(SavedReplyRecord, ['owner', 'user']).properties, scope: Scope }, { title: 'SavedReply' }
)
export type SavedReply = Static<typeof SavedReply>

/** What keeping one takes. */
export const SavedReplyDraft = Type.Object(
  { key: Key, texts: Texts, scope: Type.Optional(Scope) },
  { ...closed, title: 'SavedReplyDraft', examples: [{ key: 'shipping', texts: { en: 'Your parcel is on its way.' }, scope: 'team' }] }
)
export type SavedReplyDraft = Static<typeof SavedReplyDraft>

/** What of one can be changed; `texts` language by language. */
export const SavedReplyPatch = Type.Object(
  { key: Type.Optional(Key), texts: Type.Optional(TextsPatch) },
  { ...closed, minProperties: 1, title: 'SavedReplyPatch', examples: [{ key: 'delivery' }] }
)
export type SavedReplyPatch = Static<typeof SavedReplyPatch>
