import { Type, type Static } from '@sinclair/typebox'
import { Id, Timestamp, closed, email, nullable, oneOf, text, title } from './common.ts'
import { GuardNote } from './guards.ts'
import { HandoffReason, type Course } from './handoff.ts'

/** Characters (code points) a visitor's message may have. */
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

/** Where a conversation is held. */
export const Channel = oneOf(['api', 'widget', 'console', 'compatible'])
export type Channel = Static<typeof Channel>

/** Whether a conversation goes on, waits for a person, or is over. */
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

/** A page of a site that a widget is on. */
export const Page = Type.Object({
  url: Type.String({ description: 'Its address without query string and fragment, up to 500 characters' }),
  title: Type.String({ description: 'Its title, up to 150 characters' })
}, { title: 'VisitedPage' })
export type Page = Static<typeof Page>

/** How soon a conversation is looked after, where that is not as usual. */
export const Priority = oneOf(['low', 'high', 'urgent'])
export type Priority = Static<typeof Priority>

/** What a visitor waits for from people: their first reply of an episode, or the next one. */
export const ReplyKind = oneOf(['first_reply', 'next_reply'])
export type ReplyKind = Static<typeof ReplyKind>

/** Tags that a conversation may have, and characters that each may have. */
export const MOST_TAGS = 20
const LONGEST_TAG = 50
const tagName = title(LONGEST_TAG, { description: 'A word of the team\'s own; kept in lower case' })
export const Tag = Type.Object({ name: Type.String() }, { title: 'Tag' })

/** A conversation as the system keeps it. */
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
      description: 'The member whose conversation it is, whoever answers in it now; who takes it over is that'
    })
  ),
  offered_to: nullable(
    Type.Integer({ minimum: 1, description: 'The member to whom it is offered while it waits; anybody may take it' })
  ),
  offered_until: nullable(Timestamp),
  priority: orNull<Priority>(Priority),
  tags: Type.Array(Type.String(), { description: 'Words of the team\'s own, which visitors never see' }),
  snoozed_until: nullable(Timestamp),
  reply_due_for: orNull<ReplyKind>(ReplyKind),
  reply_due_at: nullable({
    ...Timestamp, description: 'Until when people are to reply, by the targets of the account within its hours; null: they are not'
  }),
  overdue_at: nullable({ ...Timestamp, description: 'Since when that reply is overdue; null while it is not' }),
  speaker: nullable(
    Type.Integer({
      minimum: 1,
      description: 'The agent that answers, where another one has passed the conversation on to it; null: its own'
    })
  ),
  reason: orNull<HandoffReason>(HandoffReason),
  episode: Type.Integer({
    minimum: 1, description: 'Counts how often it was taken up again after it was closed, from 1'
  }),
  epoch: Type.Integer({ minimum: 0, description: 'Moves each time somebody else takes over' }),
  language: nullable(Type.String({ description: 'ISO 639-1 code of what the visitor writes, as far as it is known' })),
  subject: text(200, { description: 'How the first message begins' }),
  page: Type.Unsafe<Page | null>(
    Type.Union([Page, Type.Null()], {
      description:
        'The page from which the visitor sent their last message, as the widget reports it, on a site that its key lists. E-mail addresses, telephone and card numbers, and what looks like a token are masked'
    })
  ),
  outcome: nullable(Outcome),
  closed_at: nullable(Timestamp),
  reopened_at: nullable(Timestamp),
  successor: nullable(
    Type.String({
      description: 'The conversation in which it goes on, where the visitor came back too late for this one'
    })
  ),
  /** How the episode has gone so far. */
  course: Type.Unsafe<Course>(Type.Object({})),
  tickets: Type.Array(Type.String()),
  messages: Type.Integer({ minimum: 0, description: 'How many messages it has; the seq of the last one' }),
  created_at: Timestamp,
  updated_at: Timestamp,
  last_message_at: nullable(Timestamp),
  /** Moves with every change; the heart of its ETag. */
  revision: Type.Integer()
})
export type ConversationRecord = Static<typeof ConversationRecord>

/** A conversation as answers show it. */
export const Conversation = Type.Omit(ConversationRecord, ['owner', 'revision', 'course'], { title: 'Conversation' })
export type Conversation = Static<typeof Conversation>

/** Who wrote a message. */
export const Role = oneOf(['visitor', 'agent', 'person', 'system'])
export type Role = Static<typeof Role>

/** How far a message has come; everything but `generating` is its end. */
export const MessageStatus = oneOf(['generating', 'complete', 'stopped', 'failed'])
export type MessageStatus = Static<typeof MessageStatus>

/**
 * Where a sentence of an answer comes from: the quoted words, and where they stand in the source's text in UTF-16
 * units.
 */
export const Citation = Type.Object({
  n: Type.Integer({ minimum: 1, description: 'The number in the text: [1]' }),
  source: Id,
  title: Type.String(),
  url: nullable(Type.String()),
  page: nullable(Type.Integer()),
  quote: Type.String({ description: 'The words of the source' }),
  start: Type.Integer({ minimum: 0, description: 'Where the quote begins in the text of the source, in UTF-16 units' }),
  end: Type.Integer({ minimum: 0 }),
  checked_at: nullable({
    ...Timestamp, description: 'When the source was last found to be as it is where it comes from; null where nobody looks'
  })
}, { title: 'Citation' })
export type Citation = Static<typeof Citation>

/** What an answer took. `cost` is in the currency of the price list; null when no price is known. */
export const Usage = Type.Object({
  input_tokens: Type.Integer({ minimum: 0 }),
  output_tokens: Type.Integer({ minimum: 0 }),
  cached_tokens: Type.Integer({ minimum: 0 }),
  cost: nullable(Type.Number({ minimum: 0 })),
  first_ms: nullable(Type.Integer({ minimum: 0, description: 'Milliseconds until the first words' })),
  total_ms: nullable(Type.Integer({ minimum: 0 }))
}, { title: 'MessageUsage' })
export type Usage = Static<typeof Usage>

/** What a visitor thought of an answer. */
export const Feedback = Type.Object({
  score: Type.Union([Type.Literal(1), Type.Literal(-1)]),
  comment: text(2000)
}, { title: 'Feedback' })
export type Feedback = Static<typeof Feedback>

/** A file that a visitor added, shown to people and never given to a model. */
export const Attachment = Type.Object({
  id: Type.String(),
  name: Type.String(),
  bytes: Type.Integer({ minimum: 0 }),
  url: Type.String({ description: 'Where it is read; whoever knows the address may read it' })
}, { title: 'Attachment' })
export type Attachment = Static<typeof Attachment>

/** Files as a form carries them, for the document alone: parts are read as they come. */
export const AttachmentForm = Type.Object(
  {
    file: Type.Array(Type.String({ format: 'binary', description: 'A file' }), {
      minItems: 1, maxItems: 5, description: 'Each file as a part of this name'
    })
  },
  { title: 'AttachmentUpload' }
)

/** Why an answer failed, in words for the visitor. */
export const MessageError = Type.Object({ code: Type.String(), message: Type.String() }, { title: 'MessageError' })
export type MessageError = Static<typeof MessageError>

/** What wrote an answer: a language model, the sources' own sentences, or a fixed text. */
export const AnsweredBy = oneOf(['model', 'extract', 'canned'])
export type AnsweredBy = Static<typeof AnsweredBy>

/** A message as the system keeps it. */
export const MessageRecord = Type.Object({
  id: MessageId,
  conversation: ConversationId,
  seq: Type.Integer({ minimum: 1, description: 'Place in the conversation: 1, 2, 3 … without gaps' }),
  role: Role,
  author: nullable(Type.Integer({ minimum: 1, description: 'The member who wrote it, where a person did' })),
  text: Type.String(),
  status: MessageStatus,
  citations: Type.Array(Citation),
  suggestions: Type.Array(Type.String(), {
    description: 'What may be asked next, to be pressed: where the answer is not known, the topics nearest to the question come first'
  }),
  replaces: nullable(MessageId),
  feedback: orNull<Feedback>(Feedback),
  attachments: Type.Array(Attachment),
  client_id: nullable(Type.String()),
  answered_by: orNull<AnsweredBy>(AnsweredBy),
  unknown: Type.Boolean({ description: 'The agent said that it does not know' }),
  model: nullable(Type.String()),
  agent_version: nullable(
    Type.Integer({
      description: 'The version of the agent that answered: …/agents/{id}/versions/{number} opens it. Null of a draft'
    })
  ),
  usage: orNull<Usage>(Usage),
  error: orNull<MessageError>(MessageError),
  guarded: Type.Array(GuardNote, {
    description: 'Guard rules that have acted on it, for the team; visitors are never told. On what a visitor wrote the rules that were asked, on an answer those that looked at it'
  }),
  created_at: Timestamp,
  /** How often this answer has been begun. */
  attempts: Type.Integer({ minimum: 0 })
})
export type MessageRecord = Static<typeof MessageRecord>

/** A message as answers show it. */
export const Message = Type.Omit(MessageRecord, ['attempts'], { title: 'Message' })
export type Message = Static<typeof Message>

/** What was said last in a conversation, as a list shows it. */
export const MessagePreview = Type.Object({
  conversation: ConversationId,
  seq: MessageRecord.properties.seq,
  role: oneOf(['visitor', 'agent', 'person']),
  author: MessageRecord.properties.author,
  text: Type.String({ description: 'How it begins, 200 characters at most; the name of the file where there is no text' })
}, { title: 'MessagePreview' })
export type MessagePreview = Static<typeof MessagePreview>

const isHere = Type.Boolean({ description: 'Whether the visitor has the conversation open on a site now' })

/** The same as answers show it, with whether its reader is there. */
export const MessagePreviewShown = Type.Object(
  { ...MessagePreview.properties, visitor_is_here: isHere }, { title: 'ShownMessagePreview' }
)
export type MessagePreviewShown = Static<typeof MessagePreviewShown>

/** A visitor has opened a conversation on a site, or left it. */
export const VisitorHere = Type.Object({
  id: Type.String({ description: 'The conversation' }), is_here: isHere
}, { title: 'VisitorHere' })
export type VisitorHere = Static<typeof VisitorHere>

const message = Type.String({
  minLength: 1,
  maxLength: LONGEST_MESSAGE,
  pattern: '^\\s*[^\\u0000\\s][^\\u0000]*$',
  description: 'What the visitor says',
  examples: ['How long do I have to return something?']
})

/** What an agent would answer, for a person who answers in its place. */
export const AnswerDraft = Type.Object({
  text: Type.String({ description: 'The answer, in Markdown' }),
  citations: Type.Array(Citation),
  answered_by: AnsweredBy,
  unknown: Type.Boolean({ description: 'The agent would say that it does not know' })
}, { title: 'AnswerDraft' })
export type AnswerDraft = Static<typeof AnswerDraft>

/** What a visitor sends, or a person who answers. */
export const MessageDraft = Type.Object(
  {
    text: message,
    role: Type.Optional(
      oneOf(['visitor', 'person'], {
        description: 'Who says it: visitor without it. A person takes the conversation over; needs REPLY_CONVERSATION'
      })
    ),
    client_id: Type.Optional(
      title(128, { description: "A name of the sender's own for this message: sent again, it is the same message" })
    ),
    attachments: Type.Optional(
      Type.Array(Type.String({ maxLength: 64 }), {
        maxItems: 5, uniqueItems: true, description: 'Ids that …/attachments answered'
      })
    ),
    stream: Type.Optional(Type.Boolean({ description: 'Answer as a stream of events' }))
  },
  { ...closed, title: 'MessageDraft', examples: [{ text: 'How long do I have to return something?' }] }
)
export type MessageDraft = Static<typeof MessageDraft>

/** What writing an answer anew takes. */
export const RegenerateDraft = Type.Object(
  { stream: MessageDraft.properties.stream }, { ...closed, title: 'RegenerateDraft', examples: [{}] }
)

/** As pages and browsers name a language. */
export const LanguageTag = Type.String({
  maxLength: 35,
  examples: ['en'],
  description: 'The visitor\'s: `pt` or `pt-BR`. What begins with no code of ISO 639-1 counts as unknown, as pages say all kinds of things.'
})

/** What beginning a conversation takes; all of it can be left out. */
export const ConversationDraft = Type.Object({
  visitor: Type.Optional(nullable(VisitorId)),
  language: Type.Optional(nullable(LanguageTag)),
  subject: Type.Optional(text(200)),
  draft: Type.Optional(Type.Boolean({
    description:
      "Answered by the agent's draft, to try out what is not published yet; the conversation's channel is then `console`"
  }))
}, { ...closed, title: 'ConversationDraft', examples: [{}] })
export type ConversationDraft = Static<typeof ConversationDraft>

/** What of a conversation can be changed by hand. */
export const ConversationPatch = Type.Object({
  status: Type.Optional(oneOf(['open', 'closed'], { description: 'Close it, or take it up again' })),
  language: Type.Optional(nullable(LanguageTag)),
  subject: Type.Optional(text(200)),
  priority: Type.Optional(Type.Unsafe<Priority | null>({
    type: ['string', 'null'], enum: [...Priority.enum, null], description: 'null: as usual'
  })),
  tags: Type.Optional(Type.Array(tagName, {
    maxItems: MOST_TAGS, description: 'All of them, in place of those before; kept in lower case, each once'
  })),
  snoozed_until: Type.Optional(nullable(Type.String({
    maxLength: 40,
    pattern: '^\\d{4}-\\d{2}-\\d{2}T[0-9:.]+(Z|[+-]\\d{2}:\\d{2})$',
    description:
      'Put off until then, a year at most: it comes back when the time is over, the visitor writes, or somebody else takes it over. null: it comes back now',
    examples: ['2026-11-20T15:04:05Z']
  })))
}, { ...closed, title: 'ConversationPatch', minProperties: 1, examples: [{ status: 'closed' }] })
export type ConversationPatch = Static<typeof ConversationPatch>

/** Somebody who talks to an agent, as the system keeps them. */
export const VisitorRecord = Type.Object({
  id: VisitorId,
  agent: Id,
  owner: Id,
  verified: Type.Boolean({ description: 'The business has vouched for who this is' }),
  external_id: nullable(Type.String({ maxLength: 200 })),
  name: nullable(text(200)),
  email: nullable(email()),
  phone: nullable(text(50)),
  attributes: Type.Record(Type.String(), Type.String()),
  consent: orNull<{ text: string, hash: string, at: string }>(
    Type.Object({ text: Type.String(), hash: Type.String(), at: Timestamp })
  ),
  created_at: Timestamp,
  last_seen_at: Timestamp
})
export type VisitorRecord = Static<typeof VisitorRecord>

/** A visitor as answers show them. */
export const Visitor = Type.Omit(VisitorRecord, ['owner'], { title: 'Visitor' })
export type Visitor = Static<typeof Visitor>

/** What a visitor is called, and nothing else of them. */
export const VisitorName = Type.Object(
  { id: VisitorId, name: nullable(Type.String({ description: 'null: it is not known' })) }, { title: 'VisitorName' }
)
export type VisitorName = Static<typeof VisitorName>

/** Texts of a business's own that a visitor may have. */
export const MOST_ATTRIBUTES = 50

const visitor = {
  external_id: Type.Optional(nullable(title(200, { description: 'Who this is in your own system' }))),
  name: Type.Optional(nullable(title(200))),
  email: Type.Optional(nullable(email())),
  phone: Type.Optional(nullable(title(50))),
  attributes: Type.Optional(
    Type.Record(Type.String({ minLength: 1, maxLength: 64 }), text(500), {
      maxProperties: MOST_ATTRIBUTES, description: `Up to ${MOST_ATTRIBUTES} short texts of your own`
    })
  ),
  consent: Type.Optional(nullable(text(4000, { description: 'The text that the visitor agreed to, as it was shown' })))
}

/** What making a visitor takes. */
export const VisitorDraft = Type.Object(
  { agent: Id, ...visitor }, { ...closed, title: 'VisitorDraft', examples: [{ agent: 1, name: 'Ada' }] }
)
export type VisitorDraft = Static<typeof VisitorDraft>

/** What of a visitor can be changed. */
export const VisitorPatch = Type.Object({
  ...visitor,
  attributes: Type.Optional(Type.Record(Type.String({ minLength: 1, maxLength: 64 }), nullable(text(500)), {
    maxProperties: 2 * MOST_ATTRIBUTES, description: 'Texts of your own: those left out stay, null takes one away'
  }))
}, {
  ...closed, title: 'VisitorPatch', minProperties: 1, examples: [{ email: 'ada@example.com' }]
})
export type VisitorPatch = Static<typeof VisitorPatch>

/**
 * What happened in a conversation, as those who watch it are told. Deltas and typing are never kept. Kept by their
 * place here: new ones go to the end.
 */
export const EVENTS = [
  'message.created', 'message.completed', 'message.restarted', 'conversation.updated', 'message.updated',
  'conversation.created', 'conversation.closed', 'conversation.reopened', 'conversation.deleted',
  'handoff.requested', 'handoff.taken', 'handoff.released', 'handoff.transferred', 'handoff.ticketed',
  'ticket.created', 'ticket.updated', 'note.created', 'note.deleted', 'call.updated', 'handoff.offered', 'handoff.assigned',
  'handoff.overdue'
] as const
export type ConversationEventType = typeof EVENTS[number]
