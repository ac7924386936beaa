import { Type, type Static } from '@sinclair/typebox'
import { Id, MOST_TAGS, TagName, TimeZone, Timestamp, closed, email, nullable, oneOf, text, title } from './common.ts'
import { GuardNote } from './guards.ts'
import { HandoffReason, type Course } from './handoff.ts'

/** Maximum characters (code points) of a visitor's message. */
export const LONGEST_MESSAGE = 8000

const identifier = (prefix: string, description: string) => Type.String({
  pattern: `^${prefix}_[A-Za-z0-9_-]{22}$`, maxLength: 32, description, examples: [`${prefix}_3q2-7wXbQk2m1uJ0aZ5c9A`]
})

/** `conv_` and 128 random bits. */
export const ConversationId = identifier('conv', 'Identifier of a conversation')
/** `msg_` and 128 random bits. */
export const MessageId = identifier('msg', 'Identifier of a message')
/** `vis_` and 128 random bits. */
export const VisitorId = identifier('vis', 'Identifier of a visitor')

/** The channel of a conversation. */
export const Channel = oneOf(['api', 'widget', 'console', 'compatible'])
export type Channel = Static<typeof Channel>

/** Whether a conversation is active, waits for a person, or has ended. */
export const ConversationStatus = oneOf(['open', 'waiting', 'closed'])
export type ConversationStatus = Static<typeof ConversationStatus>

/** Who speaks for the business: the agent, nobody yet, or a person. */
export const HandledBy = oneOf(['agent', 'queue', 'person'])
export type HandledBy = Static<typeof HandledBy>

/** How an episode of a conversation ended. */
export const Outcome = oneOf([
  'resolved_confirmed', 'resolved_assumed', 'handed_off', 'ticketed', 'unanswered', 'abandoned'
])
export type Outcome = Static<typeof Outcome>

const orNull = <T>(schema: object) => Type.Unsafe<T | null>(Type.Union([schema as never, Type.Null()]))

/** A page of a site with the widget. */
export const Page = Type.Object({
  url: Type.String({ description: 'URL without query string and fragment, up to 500 characters' }),
  title: Type.String({ description: 'Title, up to 150 characters' })
}, { title: 'VisitedPage' })
export type Page = Static<typeof Page>

/** The priority of a conversation, if it is not the usual one. */
export const Priority = oneOf(['low', 'high', 'urgent'])
export type Priority = Static<typeof Priority>

/** Which reply of a person the visitor waits for: the first one of an episode, or the next one. */
export const ReplyKind = oneOf(['first_reply', 'next_reply'])
export type ReplyKind = Static<typeof ReplyKind>

export const Tag = Type.Object({ name: Type.String() }, { title: 'Tag' })

/** A conversation as stored. */
export const ConversationRecord = Type.Object({
  id: ConversationId,
  agent: Id,
  owner: Id,
  visitor: nullable(VisitorId),
  channel: Channel,
  status: ConversationStatus,
  handled_by: HandledBy,
  person: nullable(Id),
  assignee: nullable(
    Type.Integer({
      minimum: 1,
      description: 'Member responsible for it, even if another is answering; taking it over assigns it'
    })
  ),
  offered_to: nullable(
    Type.Integer({ minimum: 1, description: 'Member it is offered to while it waits; any member may take it' })
  ),
  offered_until: nullable(Timestamp),
  priority: orNull<Priority>(Priority),
  tags: Type.Array(Type.String(), { description: 'The team\'s tags, added by hand or by guard rules; never shown to visitors' }),
  snoozed_until: nullable(Timestamp),
  reply_due_for: orNull<ReplyKind>(ReplyKind),
  reply_due_at: nullable({
    ...Timestamp, description: 'When a reply from a person is due, by the account\'s targets within business hours; null: none is due'
  }),
  overdue_at: nullable({ ...Timestamp, description: 'When that reply became overdue; null: it is not overdue' }),
  speaker: nullable(
    Type.Integer({
      minimum: 1,
      description: 'Agent that answers, if the conversation was passed on to another one; null: its own agent'
    })
  ),
  reason: orNull<HandoffReason>(HandoffReason),
  episode: Type.Integer({
    minimum: 1, description: 'Number of the current episode, from 1; increases when the conversation is reopened'
  }),
  epoch: Type.Integer({ minimum: 0, description: 'Increases each time the handler changes' }),
  language: nullable(Type.String({ description: 'ISO 639-1 code of the visitor\'s language; null if unknown' })),
  subject: text(200, { description: 'Beginning of the first message' }),
  page: Type.Unsafe<Page | null>(
    Type.Union([Page, Type.Null()], {
      description:
        'Page from which the visitor sent their last message, as reported by the widget, on a site listed in its key. Email addresses, phone and card numbers, and anything that looks like a token are masked'
    })
  ),
  outcome: nullable(Outcome),
  closed_at: nullable(Timestamp),
  reopened_at: nullable(Timestamp),
  successor: nullable(
    Type.String({
      description: 'Conversation that continues this one, if the visitor returned too late to reopen it'
    })
  ),
  /** The state of the episode. */
  course: Type.Unsafe<Course>(Type.Object({})),
  tickets: Type.Array(Type.String()),
  messages: Type.Integer({ minimum: 0, description: 'Number of messages; also the `seq` of the last one' }),
  created_at: Timestamp,
  updated_at: Timestamp,
  last_message_at: nullable(Timestamp),
  /** Changes with every update; the basis of its ETag. */
  revision: Type.Integer()
})
export type ConversationRecord = Static<typeof ConversationRecord>

/** A conversation as responses show it. */
export const Conversation = Type.Omit(ConversationRecord, ['owner', 'revision', 'course'], { title: 'Conversation' })
export type Conversation = Static<typeof Conversation>

/** Who wrote a message. */
export const Role = oneOf(['visitor', 'agent', 'person', 'system'])
export type Role = Static<typeof Role>

/** The state of a message; all but `generating` are final. */
export const MessageStatus = oneOf(['generating', 'complete', 'stopped', 'failed'])
export type MessageStatus = Static<typeof MessageStatus>

/** The source of a sentence in an answer: the quoted words, and their position in the source's text in UTF-16 units. */
export const Citation = Type.Object({
  n: Type.Integer({ minimum: 1, description: 'Number of the citation in the text: [1]' }),
  source: Id,
  title: Type.String(),
  url: nullable(Type.String()),
  page: nullable(Type.Integer()),
  quote: Type.String({ description: 'Words quoted from the source' }),
  start: Type.Integer({ minimum: 0, description: 'Where the quote begins in the text of the source, in UTF-16 units' }),
  end: Type.Integer({ minimum: 0 }),
  checked_at: nullable({
    ...Timestamp, description: 'When the source was last confirmed to match its origin; null if it is not checked'
  })
}, { title: 'Citation' })
export type Citation = Static<typeof Citation>

/** What an answer used. `cost` is in the currency of the price list; null when no price is known. */
export const Usage = Type.Object({
  input_tokens: Type.Integer({ minimum: 0 }),
  output_tokens: Type.Integer({ minimum: 0 }),
  cached_tokens: Type.Integer({ minimum: 0 }),
  cost: nullable(Type.Number({ minimum: 0 })),
  first_ms: nullable(Type.Integer({ minimum: 0, description: 'Milliseconds until the first words' })),
  total_ms: nullable(Type.Integer({ minimum: 0 }))
}, { title: 'MessageUsage' })
export type Usage = Static<typeof Usage>

/** A visitor's rating of an answer. */
export const Feedback = Type.Object({
  score: Type.Union([Type.Literal(1), Type.Literal(-1)]),
  comment: text(2000)
}, { title: 'Feedback' })
export type Feedback = Static<typeof Feedback>

/** A file that a visitor added, shown to people and never passed to a model. */
export const Attachment = Type.Object({
  id: Type.String(),
  name: Type.String(),
  bytes: Type.Integer({ minimum: 0 }),
  url: Type.String({ description: 'URL of the file; anyone who knows it can read the file' })
}, { title: 'Attachment' })
export type Attachment = Static<typeof Attachment>

/** Files as a form carries them, for the OpenAPI document alone: parts are read as a stream. */
export const AttachmentForm = Type.Object(
  {
    file: Type.Array(Type.String({ format: 'binary', description: 'A file' }), {
      minItems: 1, maxItems: 5, description: 'Each file as a part with this name'
    })
  },
  { title: 'AttachmentUpload' }
)

/** Why an answer failed, in words for the visitor. */
export const MessageError = Type.Object({ code: Type.String(), message: Type.String() }, { title: 'MessageError' })
export type MessageError = Static<typeof MessageError>

/** What produced an answer: a language model, sentences of the sources, or a fixed text. */
export const AnsweredBy = oneOf(['model', 'extract', 'canned'])
export type AnsweredBy = Static<typeof AnsweredBy>

/** A message as stored. */
export const MessageRecord = Type.Object({
  id: MessageId,
  conversation: ConversationId,
  seq: Type.Integer({ minimum: 1, description: 'Position in the conversation: 1, 2, 3 … without gaps' }),
  role: Role,
  author: nullable(Type.Integer({ minimum: 1, description: 'Member who wrote it; null if no person did' })),
  text: Type.String(),
  status: MessageStatus,
  citations: Type.Array(Citation),
  suggestions: Type.Array(Type.String(), {
    description: 'Questions to offer next as buttons. If the agent does not know the answer, the topics closest to the question come first'
  }),
  replaces: nullable(MessageId),
  feedback: orNull<Feedback>(Feedback),
  attachments: Type.Array(Attachment),
  client_id: nullable(Type.String()),
  answered_by: orNull<AnsweredBy>(AnsweredBy),
  unknown: Type.Boolean({ description: 'Whether the agent said that it does not know' }),
  model: nullable(Type.String()),
  agent_version: nullable(
    Type.Integer({
      description: 'Version of the agent that answered, at …/agents/{id}/versions/{number}; null for a draft'
    })
  ),
  usage: orNull<Usage>(Usage),
  error: orNull<MessageError>(MessageError),
  guarded: Type.Array(GuardNote, {
    description: 'Guard rules that acted on the message; never shown to visitors. `asked` rules on a visitor\'s message, `answered` rules on an answer'
  }),
  created_at: Timestamp,
  /** How often generating this answer was started. */
  attempts: Type.Integer({ minimum: 0 })
})
export type MessageRecord = Static<typeof MessageRecord>

/** A message as responses show it. */
export const Message = Type.Omit(MessageRecord, ['attempts'], { title: 'Message' })
export type Message = Static<typeof Message>

/** The last message of a conversation, as a list shows it. */
export const MessagePreview = Type.Object({
  conversation: ConversationId,
  seq: MessageRecord.properties.seq,
  role: oneOf(['visitor', 'agent', 'person']),
  author: MessageRecord.properties.author,
  text: Type.String({ description: 'Beginning of the message, 200 characters at most; the file name if it has no text' })
}, { title: 'MessagePreview' })
export type MessagePreview = Static<typeof MessagePreview>

const isHere = Type.Boolean({ description: 'Whether the visitor currently has the conversation open on a site' })

/** The same as responses show it, with whether the visitor is present. */
export const MessagePreviewShown = Type.Object(
  { ...MessagePreview.properties, visitor_is_here: isHere }, { title: 'ShownMessagePreview' }
)
export type MessagePreviewShown = Static<typeof MessagePreviewShown>

/** A visitor opened a conversation on a site, or left it. */
export const VisitorHere = Type.Object({
  id: Type.String({ description: 'Conversation id' }), is_here: isHere
}, { title: 'VisitorHere' })
export type VisitorHere = Static<typeof VisitorHere>

const message = Type.String({
  minLength: 1,
  maxLength: LONGEST_MESSAGE,
  pattern: '^\\s*[^\\u0000\\s][^\\u0000]*$',
  description: 'Text of the message',
  examples: ['How long do I have to return something?']
})

/** A draft of the agent's answer, for a person who answers in its place. */
export const AnswerDraft = Type.Object({
  text: Type.String({ description: 'Answer in Markdown' }),
  citations: Type.Array(Citation),
  answered_by: AnsweredBy,
  unknown: Type.Boolean({ description: 'Whether the agent would say that it does not know' })
}, { title: 'AnswerDraft' })
export type AnswerDraft = Static<typeof AnswerDraft>

/** A message from a visitor, or from a person who answers. */
export const MessageDraft = Type.Object(
  {
    text: message,
    role: Type.Optional(
      oneOf(['visitor', 'person'], {
        description: 'Who sends it; default: visitor. A person takes over the conversation; requires REPLY_CONVERSATION'
      })
    ),
    client_id: Type.Optional(
      title(128, { description: 'Id chosen by the sender; sending it again does not create another message' })
    ),
    attachments: Type.Optional(
      Type.Array(Type.String({ maxLength: 64 }), {
        maxItems: 5, uniqueItems: true, description: 'Ids returned by …/attachments'
      })
    ),
    stream: Type.Optional(Type.Boolean({ description: 'Whether to stream the answer as events' }))
  },
  { ...closed, title: 'MessageDraft', examples: [{ text: 'How long do I have to return something?' }] }
)
export type MessageDraft = Static<typeof MessageDraft>

/** Request to regenerate an answer. */
export const RegenerateDraft = Type.Object(
  { stream: MessageDraft.properties.stream }, { ...closed, title: 'RegenerateDraft', examples: [{}] }
)

/** A language tag as pages and browsers use it. */
export const LanguageTag = Type.String({
  maxLength: 35,
  examples: ['en'],
  description: 'The visitor\'s language: `pt` or `pt-BR`. A tag that does not begin with an ISO 639-1 code counts as unknown.'
})

/** Request to start a conversation; every field is optional. */
export const ConversationDraft = Type.Object({
  visitor: Type.Optional(nullable(VisitorId)),
  language: Type.Optional(nullable(LanguageTag)),
  subject: Type.Optional(text(200)),
  draft: Type.Optional(Type.Boolean({
    description:
      "Whether the agent's draft answers, to try unpublished changes; the conversation's channel is then `console`"
  }))
}, { ...closed, title: 'ConversationDraft', examples: [{}] })
export type ConversationDraft = Static<typeof ConversationDraft>

/** The fields of a conversation that can be changed by hand. */
export const ConversationPatch = Type.Object({
  status: Type.Optional(oneOf(['open', 'closed'], { description: 'Closes or reopens the conversation' })),
  language: Type.Optional(nullable(LanguageTag)),
  subject: Type.Optional(text(200)),
  priority: Type.Optional(Type.Unsafe<Priority | null>({
    type: ['string', 'null'], enum: [...Priority.enum, null], description: 'null: normal priority'
  })),
  tags: Type.Optional(Type.Array(TagName, {
    maxItems: MOST_TAGS, description: 'Replaces all tags; stored in lower case without duplicates'
  })),
  snoozed_until: Type.Optional(nullable(Type.String({
    maxLength: 40,
    pattern: '^\\d{4}-\\d{2}-\\d{2}T[0-9:.]+(Z|[+-]\\d{2}:\\d{2})$',
    description:
      'Snoozes it until then, a year at most. It returns at that time, when the visitor writes, or when somebody else takes it over. null: returns it now',
    examples: ['2026-11-20T15:04:05Z']
  })))
}, { ...closed, title: 'ConversationPatch', minProperties: 1, examples: [{ status: 'closed' }] })
export type ConversationPatch = Static<typeof ConversationPatch>

/** Somebody who talks to an agent, as stored. */
export const VisitorRecord = Type.Object({
  id: VisitorId,
  agent: Id,
  owner: Id,
  verified: Type.Boolean({ description: 'Whether the business has verified who this is' }),
  external_id: nullable(Type.String({ maxLength: 200 })),
  name: nullable(text(200)),
  email: nullable(email()),
  phone: nullable(text(50)),
  attributes: Type.Record(Type.String(), Type.String()),
  consent: orNull<{ text: string, hash: string, at: string }>(
    Type.Object({ text: Type.String(), hash: Type.String(), at: Timestamp })
  ),
  time_zone: nullable(Type.String({ description: 'Time zone reported by their browser; null: unknown' })),
  place: nullable(Type.String({
    description: 'Town they appear to be in, according to the network (AGENTHALL_CITY_HEADER); null: unknown'
  })),
  created_at: Timestamp,
  last_seen_at: Timestamp
})
export type VisitorRecord = Static<typeof VisitorRecord>

/** A visitor as responses show them. */
export const Visitor = Type.Omit(VisitorRecord, ['owner'], { title: 'Visitor' })
export type Visitor = Static<typeof Visitor>

/** A visitor's name, and nothing else of them. */
export const VisitorName = Type.Object({
  id: VisitorId,
  name: nullable(Type.String({ description: 'null: unknown' })),
  place: nullable(Type.String({ description: 'Where they appear to be, to label visitors without a name' }))
}, { title: 'VisitorName' })
export type VisitorName = Static<typeof VisitorName>

/** The business's own attributes of a visitor. */
export const MOST_ATTRIBUTES = 50

/** The name of one: people read it beside its value, so it shows something. */
const AttributeName = Type.String({ pattern: '^(?=.*[^\\s\\p{Cc}\\p{DI}\\u2800])[^\\n\\r]{1,64}$' })

const visitor = {
  external_id: Type.Optional(nullable(title(200, { description: 'Id of the visitor in your own system' }))),
  name: Type.Optional(nullable(title(200))),
  email: Type.Optional(nullable(email())),
  phone: Type.Optional(nullable(title(50))),
  attributes: Type.Optional(
    Type.Record(AttributeName, text(500), {
      additionalProperties: false,
      maxProperties: MOST_ATTRIBUTES,
      description: `Up to ${MOST_ATTRIBUTES} short custom texts, each with a name of up to 64 characters`
    })
  ),
  consent: Type.Optional(nullable(text(4000, { description: 'Text the visitor agreed to, as shown' }))),
  time_zone: Type.Optional(nullable(TimeZone))
}

/** Request to create a visitor. */
export const VisitorDraft = Type.Object(
  { agent: Id, ...visitor }, { ...closed, title: 'VisitorDraft', examples: [{ agent: 1, name: 'Ada' }] }
)
export type VisitorDraft = Static<typeof VisitorDraft>

/** The fields of a visitor that can be changed. */
export const VisitorPatch = Type.Object({
  ...visitor,
  attributes: Type.Optional(Type.Record(AttributeName, nullable(text(500)), {
    additionalProperties: false,
    maxProperties: 2 * MOST_ATTRIBUTES,
    description: 'Custom texts: omitted ones are unchanged, null removes one'
  }))
}, {
  ...closed, title: 'VisitorPatch', minProperties: 1, examples: [{ email: 'ada@example.com' }]
})
export type VisitorPatch = Static<typeof VisitorPatch>

/**
 * Events of a conversation, as its watchers receive them. Deltas and typing are never stored. Stored by index: append
 * new ones at the end.
 */
export const EVENTS = [
  'message.created', 'message.completed', 'message.restarted', 'conversation.updated', 'message.updated',
  'conversation.created', 'conversation.closed', 'conversation.reopened', 'conversation.deleted',
  'handoff.requested', 'handoff.taken', 'handoff.released', 'handoff.transferred', 'handoff.ticketed',
  'ticket.created', 'ticket.updated', 'note.created', 'note.deleted', 'call.updated', 'handoff.offered', 'handoff.assigned',
  'handoff.overdue'
] as const
export type ConversationEventType = typeof EVENTS[number]
