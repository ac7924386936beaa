import { Type, type Static } from '@sinclair/typebox'
import { Id, Timestamp, closed, nullable, oneOf, text, title } from './common.ts'
import { FEED_KINDS, feedKind, type FeedKind } from './feed-kinds.ts'
import { Stale } from './knowledge.ts'
import { DiffLine } from './versions.ts'
import { fromKeys, keysOf } from './typed.ts'

const KINDS = keysOf(FEED_KINDS)

/** Settings of a feed of any kind, by name. */
export type FeedConfig = Record<string, string>

const configOf = (kind: FeedKind) => Type.Object(
  Object.fromEntries(feedKind(kind).fields.map(({ name, isRequired, pattern, maxLength, description, example }) => {
    const field = Type.String({ minLength: 1, maxLength, pattern, description, examples: [example] })
    return [name, isRequired ? field : Type.Optional(field)]
  })),
  { ...closed, title: `FeedConfig_${kind}`, description: feedKind(kind).description }
)

/** The settings of each kind of feed. */
export const FEED_CONFIGS = fromKeys(KINDS, configOf)

const described = KINDS.map((kind) => {
  const { description, fields, secret } = feedKind(kind)
  const told = fields.map(({ name, isRequired }) => `\`${name}\`${isRequired ? '' : '?'}`)
  return `\`${kind}\`: ${description} (${[...told, ...(secret ? [`secret${secret.isRequired ? '' : '?'}`] : [])].join(', ')}).`
})

/** Where the knowledge of a feed comes from. */
export const Kind = oneOf(KINDS, { description: described.join(' ') })
const Config = Type.Unsafe<FeedConfig>(Type.Record(Type.String(), Type.String({ maxLength: 500 }), {
  maxProperties: 10, description: 'Settings of its kind; see `kind`', examples: [{ url: 'https://example.com/sitemap.xml' }]
}))
const Every = Type.String({
  pattern: '^[1-9]\\d{0,4}[mhd]$',
  description: 'Interval between checks, in minutes, hours or days, from 15m to 30d. While nothing changes the interval doubles, up to 7d; a longer one stays as it is',
  examples: ['6h']
})

/** The state of a feed. */
export const FeedState = oneOf(['idle', 'looking', 'paused', 'broken'], {
  description:
    '`looking`: a check is running; `paused`: paused by a person, or because so much is gone that the removal needs approval (`awaiting_removal`); `broken`: it could not be checked, see `error`'
})
export type FeedState = Static<typeof FeedState>

/** Why checking a feed failed. */
export const FeedError = Type.Object({
  code: Type.String({ examples: ['denied', 'unavailable', 'not_found'] }),
  message: Type.String(),
  since: Timestamp
}, { title: 'FeedError' })
export type FeedError = Static<typeof FeedError>

/** One difference that a check found. */
export const FeedFinding = Type.Object({
  what: oneOf(['new', 'changed', 'moved', 'gone']),
  source: nullable(Id, { description: 'Its source; null if the source has been removed' }),
  title: Type.String(),
  key: Type.String({ description: 'Key of the item at its origin', examples: ['help/returns.md'] }),
  from: nullable(Type.String({ description: 'Previous key of a moved item; otherwise null' }))
}, { title: 'FeedFinding' })
export type FeedFinding = Static<typeof FeedFinding>

/** What changed in a source's text, as its feed found it. */
export const TextChange = Type.Object({
  source: Id,
  state: oneOf(['changed', 'gone', 'waiting', 'unknown'], {
    description:
      '`changed`: its text changed since the previous check; `gone`: it is gone at its origin, and all of its text would be removed; `waiting`: its new text is being read; `unknown`: its wording is unchanged, or its previous text is not known'
  }),
  at: nullable({ ...Timestamp, description: 'When a check found the change' }),
  added: Type.Integer({ minimum: 0, description: 'Lines added' }),
  removed: Type.Integer({ minimum: 0, description: 'Lines removed' }),
  is_cut: Type.Boolean({ description: 'Whether changes are left out: only the first 300 lines or 16,000 characters of changes are returned' }),
  hunks: Type.Array(Type.Object({
    from_line: Type.Integer({ minimum: 1, description: 'Line number of the first line in the previous text' }),
    to_line: Type.Integer({ minimum: 1, description: 'Line number of the first line in the current text' }),
    lines: Type.Array(DiffLine)
  }, { title: 'TextHunk' }), { description: 'The changes, each with two lines of context; long lines are shortened' })
}, { title: 'TextChange' })
export type TextChange = Static<typeof TextChange>

/** The result of the last check that ended. */
export const FeedLook = Type.Object({
  at: Timestamp,
  seen: Type.Integer({ minimum: 0, description: 'Items that the feed lists' }),
  new: Type.Integer({ minimum: 0 }),
  changed: Type.Integer({ minimum: 0 }),
  gone: Type.Integer({ minimum: 0 }),
  failed: Type.Integer({ minimum: 0, description: 'Items that could not be read; what was known of them is kept' }),
  bytes: Type.Integer({ minimum: 0, description: 'Bytes of new or changed items' }),
  found_at: nullable({ ...Timestamp, description: 'When a check last found a difference' }),
  found: Type.Array(FeedFinding, { description: 'Differences found by that check, at most 100' }),
  waiting: Type.Array(FeedFinding, {
    description: 'Items gone at their origin that await `approve_removal`, at most 100; their `source` still exists'
  })
}, { title: 'FeedLook' })
export type FeedLook = Static<typeof FeedLook>

/** A place that an agent's knowledge comes from and is kept fresh from, as stored. */
export const FeedRecord = Type.Object({
  id: Id,
  owner: Id,
  agent: Id,
  name: title(200, { examples: ['Help centre'] }),
  kind: Kind,
  config: Config,
  secret: Type.Unsafe<Buffer | null>({}),
  every: Every,
  /** Current minutes from one check to the next. */
  interval: Type.Integer({ minimum: 1 }),
  folder: nullable(Id, { description: 'Folder for its new sources; null: the root folder' }),
  cursor: nullable(Type.String()),
  state: FeedState,
  error: Type.Unsafe<FeedError | null>(Type.Union([FeedError, Type.Null()])),
  /** Consecutive checks that failed. */
  failures: Type.Integer({ minimum: 0 }),
  awaiting_removal: Type.Integer({
    minimum: 0, description: 'Sources gone at their origin that are not removed here until `approve_removal` is called'
  }),
  /** The next check may remove what is pending removal. */
  may_remove: Type.Boolean(),
  last: Type.Unsafe<FeedLook | null>(Type.Union([FeedLook, Type.Null()], { description: 'Result of the last check that ended' })),
  next_at: nullable({ ...Timestamp, description: 'When it is checked next' }),
  created_at: Timestamp,
  updated_at: Timestamp
})
export type FeedRecord = Static<typeof FeedRecord>

/** A feed as responses show it, never with its secret. */
export const Feed = Type.Composite([
  Type.Omit(FeedRecord, ['owner', 'secret', 'interval', 'cursor', 'failures', 'may_remove']),
  Type.Object({
    has_secret: Type.Boolean({ description: 'Whether a secret is stored for it; it is never shown' }),
    sources: Type.Integer({ minimum: 0, description: 'Sources created by the feed' })
  })
], { title: 'Feed' })
export type Feed = Static<typeof Feed>

const secret = Type.String({
  minLength: 1, maxLength: 4000, pattern: '^[\\x21-\\x7e]+$', description: 'Stored encrypted and never shown again'
})

/** Request to create a feed. */
export const FeedDraft = Type.Object(
  {
    name: FeedRecord.properties.name,
    kind: Kind,
    config: Type.Optional(Config),
    secret: Type.Optional(secret),
    every: Type.Optional(Every),
    folder: Type.Optional(nullable(Id))
  },
  {
    ...closed,
    title: 'FeedDraft',
    examples: [{ name: 'Help centre', kind: 'zendesk', config: { url: 'https://shop.zendesk.com' }, every: '6h' }]
  }
)
export type FeedDraft = Static<typeof FeedDraft>

/** The fields of a feed that can be changed. */
export const FeedPatch = Type.Object(
  {
    ...Type.Partial(Type.Omit(FeedDraft, ['kind', 'config'])).properties,
    config: Type.Optional(Type.Unsafe<Record<string, string | null>>(
      Type.Record(Type.String(), nullable(Type.String({ maxLength: 500 })), {
        maxProperties: 10,
        description: 'Omitted settings stay unchanged; null removes a setting. A change of host requires the secret again',
        examples: [{ locale: 'de' }]
      })
    )),
    paused: Type.Optional(Type.Boolean({ description: 'true: it is not checked until this is set to false' }))
  },
  { ...closed, minProperties: 1, title: 'FeedPatch', examples: [{ every: '1d' }] }
)
export type FeedPatch = Static<typeof FeedPatch>

/** A source that may be out of date. */
export const StaleSource = Type.Object({
  id: Id,
  title: Type.String(),
  stale: Stale,
  contradicts: nullable(Id, { description: 'Source with different figures about the same subject' }),
  feed: nullable(Id),
  checked_at: nullable(Timestamp),
  changed_at: nullable(Timestamp),
  review_by: nullable(Type.String({ description: 'The date' })),
  cited: Type.Integer({ minimum: 0, description: 'Answers that cited it in the last 90 days' })
}, { title: 'StaleSource' })
export type StaleSource = Static<typeof StaleSource>

/** Questions that an agent could not answer, and knowledge that nobody asks for. */
export const KnowledgeGaps = Type.Object({
  from: Timestamp,
  to: Timestamp,
  answers: Type.Integer({ minimum: 0 }),
  unknown: Type.Integer({ minimum: 0, description: 'Answers in which the agent said that it does not know' }),
  known_share: nullable(Type.Number({ minimum: 0, maximum: 1, description: 'Share of answers in which the agent knew' })),
  known_share_before: nullable(Type.Number({ minimum: 0, maximum: 1, description: 'The same for the previous week' })),
  questions: Type.Array(Type.Object({
    question: text(2000),
    times: Type.Integer({ minimum: 1 }),
    language: nullable(Type.String({ description: 'ISO 639-1 code; null if unknown' })),
    answered_by_people: Type.Boolean({ description: 'Whether a person has answered it since' }),
    draft: nullable(Type.String({ description: 'Draft answer, based on what a person replied' }))
  }), { description: 'Questions without an answer, most frequent first' }),
  never_cited: Type.Array(Type.Object({ source: Id, title: Type.String() }), { description: 'Sources that no answer has cited in the last 90 days' })
}, { title: 'KnowledgeGaps' })
export type KnowledgeGaps = Static<typeof KnowledgeGaps>
