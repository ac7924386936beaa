import { Type, type Static } from '@sinclair/typebox'
import { Id, Timestamp, closed, nullable, oneOf, text, title } from './common.ts'
import { FEED_KINDS, feedKind, type FeedKind } from './feed-kinds.ts'
import { Stale } from './knowledge.ts'
import { DiffLine } from './versions.ts'

const KINDS = Object.keys(FEED_KINDS) as FeedKind[]

/** What a feed of any kind is told, by name. */
export type FeedConfig = Record<string, string>

const configOf = (kind: FeedKind) => Type.Object(
  Object.fromEntries(feedKind(kind).fields.map(({ name, isRequired, pattern, maxLength, description, example }) => {
    const field = Type.String({ minLength: 1, maxLength, pattern, description, examples: [example] })
    return [name, isRequired ? field : Type.Optional(field)]
  })),
  { ...closed, title: `FeedConfig_${kind}`, description: feedKind(kind).description }
)

/** What each kind of feed is told. */
export const FEED_CONFIGS = Object.fromEntries(KINDS.map((kind) => [kind, configOf(kind)])) as Record<
  FeedKind, ReturnType<typeof configOf>
>

const described = KINDS.map((kind) => {
  const { description, fields, secret } = feedKind(kind)
  const told = fields.map(({ name, isRequired }) => `\`${name}\`${isRequired ? '' : '?'}`)
  return `\`${kind}\`: ${description} (${[...told, ...(secret ? [`secret${secret.isRequired ? '' : '?'}`] : [])].join(', ')}).`
})

/** Where the knowledge of a feed comes from. */
export const Kind = oneOf(KINDS, { description: described.join(' ') })
const Config = Type.Unsafe<FeedConfig>(Type.Record(Type.String(), Type.String({ maxLength: 500 }), {
  maxProperties: 10, description: 'What its kind is told; see `kind`', examples: [{ url: 'https://example.com/sitemap.xml' }]
}))
const Every = Type.String({
  pattern: '^[1-9]\\d{0,4}[mhd]$',
  description: 'How often it is looked at: minutes, hours or days from 15m to 30d. While nothing changes the time doubles, to 7d at most',
  examples: ['6h']
})

/** How a feed stands. */
export const FeedState = oneOf(['idle', 'looking', 'paused', 'broken'], {
  description:
    '`paused`: by a person, or because more is gone than is believed without one (`awaiting_removal`); `broken`: it could not be looked at, see `error`'
})
export type FeedState = Static<typeof FeedState>

/** Why a feed could not be looked at. */
export const FeedError = Type.Object({
  code: Type.String({ examples: ['denied', 'unavailable', 'not_found'] }),
  message: Type.String(),
  since: Timestamp
}, { title: 'FeedError' })
export type FeedError = Static<typeof FeedError>

/** One thing that a look found otherwise than it was known. */
export const FeedFinding = Type.Object({
  what: oneOf(['new', 'changed', 'moved', 'gone']),
  source: nullable(Id, { description: 'Its source; null where that is gone' }),
  title: Type.String(),
  key: Type.String({ description: 'What it is called there', examples: ['help/returns.md'] }),
  from: nullable(Type.String({ description: 'Of what was moved: what it was called there before' }))
}, { title: 'FeedFinding' })
export type FeedFinding = Static<typeof FeedFinding>

/** What has changed of a source's text, as its feed found it. */
export const TextChange = Type.Object({
  source: Id,
  state: oneOf(['changed', 'gone', 'waiting', 'unknown'], {
    description:
      '`changed`: its text has, since the look before; `gone`: it is gone where it comes from, and all of its text would go; `waiting`: what it says now is being read; `unknown`: its words are those of before, or what it said before is not known'
  }),
  at: nullable({ ...Timestamp, description: 'When a look found it' }),
  added: Type.Integer({ minimum: 0, description: 'Lines that have come' }),
  removed: Type.Integer({ minimum: 0, description: 'Lines that have gone' }),
  is_cut: Type.Boolean({ description: 'There is more than is told: of a long text, the first 300 lines or 16,000 characters of what has changed' }),
  hunks: Type.Array(Type.Object({
    from_line: Type.Integer({ minimum: 1, description: 'Which line of the text before the first of these is' }),
    to_line: Type.Integer({ minimum: 1, description: 'Which line of the text now it is' }),
    lines: Type.Array(DiffLine)
  }, { title: 'TextHunk' }), { description: 'What has changed, with two lines around it; long lines are shortened' })
}, { title: 'TextChange' })
export type TextChange = Static<typeof TextChange>

/** What came of the last look that ended. */
export const FeedLook = Type.Object({
  at: Timestamp,
  seen: Type.Integer({ minimum: 0, description: 'Things that it lists' }),
  new: Type.Integer({ minimum: 0 }),
  changed: Type.Integer({ minimum: 0 }),
  gone: Type.Integer({ minimum: 0 }),
  failed: Type.Integer({ minimum: 0, description: 'Things that could not be read; what was known of them stays' }),
  bytes: Type.Integer({ minimum: 0, description: 'Bytes of what was new or changed' }),
  found_at: nullable({ ...Timestamp, description: 'When a look last found something otherwise than it was known' }),
  found: Type.Array(FeedFinding, { description: 'What that look found, 100 at most' }),
  waiting: Type.Array(FeedFinding, {
    description: 'What is gone there and waits for `approve_removal`, 100 at most; `source` is still there'
  })
}, { title: 'FeedLook' })
export type FeedLook = Static<typeof FeedLook>

/** Where an agent's knowledge comes from and is kept fresh, as the system keeps it. */
export const FeedRecord = Type.Object({
  id: Id,
  owner: Id,
  agent: Id,
  name: title(200, { examples: ['Help centre'] }),
  kind: Kind,
  config: Config,
  secret: Type.Unsafe<Buffer | null>({}),
  every: Every,
  /** Minutes from one look to the next as they are now. */
  interval: Type.Integer({ minimum: 1 }),
  folder: nullable(Id, { description: 'The folder its new sources go into; null: the root folder' }),
  cursor: nullable(Type.String()),
  state: FeedState,
  error: Type.Unsafe<FeedError | null>(Type.Union([FeedError, Type.Null()])),
  /** Looks that failed one after another. */
  failures: Type.Integer({ minimum: 0 }),
  awaiting_removal: Type.Integer({
    minimum: 0, description: 'Sources that are gone there, and wait for `approve_removal` before they go here'
  }),
  /** The next look may take away what waits for it. */
  may_remove: Type.Boolean(),
  last: Type.Unsafe<FeedLook | null>(Type.Union([FeedLook, Type.Null()], { description: 'What came of the last look that ended' })),
  next_at: nullable({ ...Timestamp, description: 'When it is looked at next' }),
  created_at: Timestamp,
  updated_at: Timestamp
})
export type FeedRecord = Static<typeof FeedRecord>

/** A feed as answers show it: never with its secret. */
export const Feed = Type.Composite([
  Type.Omit(FeedRecord, ['owner', 'secret', 'interval', 'cursor', 'failures', 'may_remove']),
  Type.Object({
    has_secret: Type.Boolean({ description: 'Whether a secret is kept for it; it is never shown' }),
    sources: Type.Integer({ minimum: 0, description: 'Sources that it has made' })
  })
], { title: 'Feed' })
export type Feed = Static<typeof Feed>

const secret = Type.String({
  minLength: 1, maxLength: 4000, pattern: '^[\\x21-\\x7e]+$', description: 'Kept sealed and never shown again'
})

/** What making a feed takes. */
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

/** What of a feed can be changed. */
export const FeedPatch = Type.Object(
  {
    ...Type.Partial(Type.Omit(FeedDraft, ['kind', 'config'])).properties,
    config: Type.Optional(Type.Unsafe<Record<string, string | null>>(
      Type.Record(Type.String(), nullable(Type.String({ maxLength: 500 })), {
        maxProperties: 10,
        description: 'What is left out stays, null takes something away. Another host wants the secret again',
        examples: [{ locale: 'de' }]
      })
    )),
    paused: Type.Optional(Type.Boolean({ description: 'true: it is not looked at until this is false again' }))
  },
  { ...closed, minProperties: 1, title: 'FeedPatch', examples: [{ every: '1d' }] }
)
export type FeedPatch = Static<typeof FeedPatch>

/** A source that may not say any more what is so. */
export const StaleSource = Type.Object({
  id: Id,
  title: Type.String(),
  stale: Stale,
  contradicts: nullable(Id, { description: 'The source that says other figures about the same' }),
  feed: nullable(Id),
  checked_at: nullable(Timestamp),
  changed_at: nullable(Timestamp),
  review_by: nullable(Type.String({ description: 'The day' })),
  cited: Type.Integer({ minimum: 0, description: 'Answers that cited it in the last 90 days' })
}, { title: 'StaleSource' })
export type StaleSource = Static<typeof StaleSource>

/** What an agent was asked and did not know, and what it knows and nobody asks. */
export const KnowledgeGaps = Type.Object({
  from: Timestamp,
  to: Timestamp,
  answers: Type.Integer({ minimum: 0 }),
  unknown: Type.Integer({ minimum: 0, description: 'Answers that said that the agent does not know' }),
  known_share: nullable(Type.Number({ minimum: 0, maximum: 1, description: 'Share of answers that knew' })),
  known_share_before: nullable(Type.Number({ minimum: 0, maximum: 1, description: 'The same in the week before' })),
  questions: Type.Array(Type.Object({
    question: text(2000),
    times: Type.Integer({ minimum: 1 }),
    language: nullable(Type.String({ description: 'ISO 639-1 code, as far as it is known' })),
    answered_by_people: Type.Boolean({ description: 'A person has answered it meanwhile' }),
    draft: nullable(Type.String({ description: 'An answer to begin with, from what a person replied' }))
  }), { description: 'What was not known, most asked first' }),
  never_cited: Type.Array(Type.Object({ source: Id, title: Type.String() }), { description: 'Sources that no answer has cited in 90 days' })
}, { title: 'KnowledgeGaps' })
export type KnowledgeGaps = Static<typeof KnowledgeGaps>
