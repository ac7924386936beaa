import { Type, type Static } from '@sinclair/typebox'
import { Id, Timestamp, changeOf, closed, nullable, oneOf, title } from './common.ts'

/** Placeholders in a saved reply, as `{{visitor}}`, or `{{visitor|there}}` with a fallback. */
export const PLACEHOLDERS = ['visitor', 'person', 'agent'] as const
export type Placeholder = typeof PLACEHOLDERS[number]

/** Besides blanks and `/`, nothing that no keyboard types and nobody sees; joiners stand only between what is seen. */
const Key = Type.String({
  minLength: 1,
  maxLength: 40,
  pattern:
    '^(?=.*[^\\p{Cc}\\p{DI}\\u2800])[^\\s/\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u200b\\u200e\\u200f\\u202a-\\u202e\\u2060-\\u206f]+$',
  description: 'Shortcut for finding it: what is typed after a `/`. Neither case nor the way of writing accents distinguishes keys',
  examples: ['shipping']
})
/** Languages of texts for visitors, as in src/locales/. */
const LANGUAGES = [
  'en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'sv', 'pl', 'tr', 'ru', 'ar', 'zh', 'ja', 'ko', 'da', 'no', 'fi', 'cs', 'ro',
  'hu', 'uk', 'el', 'he', 'hi', 'id', 'th', 'vi', 'fa'
]
const inEach = Object.fromEntries(LANGUAGES.map((code) => [code, title(4000)]))
const Texts = Type.Unsafe<Record<string, string>>(Type.Partial(Type.Object(inEach), {
  ...closed,
  minProperties: 1,
  description: `Text by ISO 639-1 language code. Placeholders filled in when it is inserted into an answer: ${
    PLACEHOLDERS.map((name) => `{{${name}}}`).join(', ')}; {{visitor|there}} becomes "there" if the name is unknown`,
  examples: [{ en: 'Hello {{visitor|there}}, your parcel is on its way.', de: 'Hallo {{visitor}}, Ihr Paket ist unterwegs.' }]
}))
/** A change of the texts, language by language. */
const TextsPatch = Type.Unsafe<Record<string, string | null>>(changeOf(Type.Object(inEach), {
  description: 'Omitted languages are unchanged, null removes one; at least one must remain'
}))
const Scope = oneOf(['team', 'mine'], { description: 'Who sees it: all who answer visitors, or only its creator' })

/** A saved reply, as stored. `user`: its only user; null: the whole team. */
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

/** The same as responses show it. */
export const SavedReply = Type.Object(
  { ...Type.Omit(SavedReplyRecord, ['owner', 'user']).properties, scope: Scope }, { title: 'SavedReply' }
)
export type SavedReply = Static<typeof SavedReply>

/** Request to save a reply. */
export const SavedReplyDraft = Type.Object(
  { key: Key, texts: Texts, scope: Type.Optional(Scope) },
  { ...closed, title: 'SavedReplyDraft', examples: [{ key: 'shipping', texts: { en: 'Your parcel is on its way.' }, scope: 'team' }] }
)
export type SavedReplyDraft = Static<typeof SavedReplyDraft>

/** The fields of a reply that can be changed; `texts` language by language. */
export const SavedReplyPatch = Type.Object(
  { key: Type.Optional(Key), texts: Type.Optional(TextsPatch) },
  { ...closed, minProperties: 1, title: 'SavedReplyPatch', examples: [{ key: 'delivery' }] }
)
export type SavedReplyPatch = Static<typeof SavedReplyPatch>
