import { CallCard, OfferedForm } from './actions.ts'
import { Type, type Static } from '@sinclair/typebox'
import { Appearance } from './agents.ts'
import { Id, Timestamp, closed, email, nullable, text, title } from './common.ts'
import { Conversation, ConversationId, LanguageTag, Message, VisitorId } from './conversations.ts'

/** Characters (code points) that a visitor of a widget may send at once. */
export const LONGEST_WIDGET_MESSAGE = 4000
/** Sites that one key may stand on. */
const MOST_ORIGINS = 50
/** Secrets that identities may be signed with at a time: the old and the new one, while they are changed. */
export const MOST_IDENTITY_SECRETS = 2

/** `agw_` and 128 random bits: public, it stands in the pages that show the widget. */
export const WidgetKeyId = Type.String({
  pattern: '^agw_[A-Za-z0-9_-]{22}$',
  maxLength: 32,
  description: 'Public key of a widget',
  examples: ['agw_3q2-7wXbQk2m1uJ0aZ5c9A']
})

/** An origin as browsers send it: scheme, host and, where it is not the usual one, port. */
const Origin = Type.String({
  maxLength: 300,
  pattern: '^https?://[^\\s/?#@*\\\\]+$',
  examples: ['https://shop.example.com']
})
const origins = Type.Array(Origin, {
  maxItems: MOST_ORIGINS,
  description: 'Sites whose pages may show the widget, exactly: scheme, host and port; none when empty'
})

/** A secret with which a business signs who its visitors are, without the secret. */
const IdentitySecret = Type.Object({ id: Id, created_at: Timestamp }, { title: 'IdentitySecret' })

/** A widget's key as the system keeps it. */
export const WidgetKeyRecord = Type.Object({
  id: WidgetKeyId,
  agent: Id,
  owner: Id,
  name: title(200, { examples: ['Our shop'] }),
  origins,
  identity_secrets: Type.Array(IdentitySecret, {
    description: 'Secrets that signed identities are checked with; newest last'
  }),
  created_at: Timestamp,
  updated_at: Timestamp,
  /** What its secrets are sealed with. */
  secret: Type.Integer(),
  sealed: Type.Unsafe<Buffer>({})
})
export type WidgetKeyRecord = Static<typeof WidgetKeyRecord>

/** A widget's key as answers show it. */
export const WidgetKey = Type.Omit(WidgetKeyRecord, ['owner', 'secret', 'sealed'], { title: 'WidgetKey' })
export type WidgetKey = Static<typeof WidgetKey>

/** What making a key takes. */
export const WidgetKeyDraft = Type.Object({
  name: Type.Optional(WidgetKeyRecord.properties.name),
  origins: Type.Optional(origins)
}, { ...closed, title: 'WidgetKeyDraft', examples: [{ name: 'Our shop', origins: ['https://shop.example.com'] }] })
export type WidgetKeyDraft = Static<typeof WidgetKeyDraft>

/** What of a key can be changed. */
export const WidgetKeyPatch = Type.Object(WidgetKeyDraft.properties, {
  ...closed,
  title: 'WidgetKeyPatch',
  minProperties: 1,
  examples: [{ origins: ['https://shop.example.com', 'https://www.shop.example.com'] }]
})
export type WidgetKeyPatch = Static<typeof WidgetKeyPatch>

/** A new secret for identities: the only time it is shown. */
export const NewIdentitySecret = Type.Composite([IdentitySecret, Type.Object({
  secret: Type.String({ description: 'Sign identities with it: HS256. It is shown this once.' })
})], { title: 'NewIdentitySecret' })
export type NewIdentitySecret = Static<typeof NewIdentitySecret>

const color = (description: string) => Type.String({ description, examples: ['#2563eb'] })

/** The colours of a widget, which follow from those that its owner has chosen. */
export const WidgetTheme = Type.Object({
  head: color('Of the header'),
  on_head: color('Of texts on it'),
  own: color('Of what the visitor wrote, and of the main button'),
  on_own: color('Of texts on it'),
  surface: color('Of the ground'),
  soft: color('Of what stands out a little from the ground: bubbles'),
  text: color('Of texts on these'),
  muted: color('Of texts that matter less'),
  link: color('Of links, and of the line around what has the focus'),
  wrong: color('Of texts that say what is wrong')
}, { title: 'WidgetTheme', description: 'Texts have a contrast of 4.5 or more' })
export type WidgetTheme = Static<typeof WidgetTheme>

/** Whether people are there for visitors, and until when that is so. */
export const DeskShown = Type.Object({
  open: Type.Boolean({ description: 'Whether people are there now' }),
  until: nullable(Type.Unsafe<string>({
    ...Timestamp, description: 'When they go, or come, by the hours of the business; null: they are always there'
  })),
  people: Type.Array(Type.String(), { description: 'What they are called, three at most, where they may be named' })
}, { title: 'DeskShown' })
export type DeskShown = Static<typeof DeskShown>

/** What a widget is told before anybody has said a word: how it looks and behaves, and what to load. Public. */
export const WidgetConfig = Type.Object(
  {
    key: WidgetKeyId,
    active: Type.Boolean({ description: 'Whether the agent answers' }),
    appearance: Type.Object({
      ...Appearance.properties,
      avatar: Type.Object({
        type: Type.String(),
        src: Type.String({ description: 'Address of the picture to show; empty for the drawing of the widget' })
      })
    }),
    theme: Type.Object({ day: WidgetTheme, night: WidgetTheme }, {
      description: 'Colours by day, and for readers who want it dark'
    }),
    suggestions: Type.Array(Type.String()),
    handoff: Type.Boolean({ description: 'Whether people may be asked for' }),
    show_on_mobile: Type.Boolean(),
    auto_show_after: Type.Integer({ description: 'Seconds; 0: never' }),
    collect_visitor_data: Type.Boolean({
      description: 'Name and e-mail address are asked for before the first message; without it they are not kept'
    }),
    consent: nullable(
      Type.String({ description: 'What visitors are told about their data and agree to; null: nothing' })
    ),
    privacy_url: nullable(Type.String()),
    white_label: Type.Boolean(),
    desk: nullable(DeskShown, { description: 'null: people may not be asked for, or nothing can be said of them' }),
    actions: nullable(Type.Array(OfferedForm), {
      description: 'What anybody may have done by a button and its form; null: the agent offers nothing of the kind, not even to visitors whom the business vouches for'
    }),
    files: Type.Object({
      panel: Type.String({ description: "Path of the panel's script" }),
      form: Type.String({ description: 'Path of the script of what is asked before the first message' }),
      actions: Type.String({ description: 'Path of the script of buttons with forms' }),
      judge: Type.String({ description: 'Path of the script of what visitors think of an answer' }),
      rating: Type.String({ description: 'Where the script of how content visitors were lies, beside that of the form' }),
      table: Type.String({ description: 'Path of the script that draws tables' }),
      talk: Type.String({ description: 'Path of the script of what stands beside a conversation: times, who answers, earlier ones' }),
      texts: Type.Record(Type.String(), Type.String(), {
        description: 'Paths of its texts by language; English is in the panel'
      })
    })
  },
  { title: 'WidgetConfig' }
)
export type WidgetConfig = Static<typeof WidgetConfig>

/** What beginning a session takes. */
export const WidgetSessionDraft = Type.Object(
  {
    key: WidgetKeyId,
    visitor: Type.Optional(
      nullable(
        Type.Unsafe<string>({
          ...VisitorId, deprecated: true, description: 'Not heeded: only a token proves who a visitor is'
        })
      )
    ),
    identity: Type.Optional(
      nullable(
        Type.String({
          maxLength: 4096,
          description:
            'Who the visitor is, signed by the business: a JWT (HS256) with sub, aud = the key, exp within 24 hours, and email or name'
        })
      )
    )
  },
  { ...closed, title: 'WidgetSessionDraft', examples: [{ key: 'agw_3q2-7wXbQk2m1uJ0aZ5c9A' }] }
)
export type WidgetSessionDraft = Static<typeof WidgetSessionDraft>

/** A session of a visitor. */
export const WidgetSession = Type.Object(
  {
    token: Type.String({ description: 'Send it as Authorization: Bearer <token>; good for 24 hours' }),
    expires_at: Timestamp,
    visitor: Type.Object(
      {
        id: VisitorId,
        verified: Type.Boolean(),
        reachable: Type.Boolean({ description: 'Whether there is an e-mail address to answer to' }),
        introduced: Type.Boolean({
          description: 'Whether they have said what the agent asks for before the first message'
        }),
        consented: Type.Boolean({ description: 'Whether the visitor has agreed to the text that is shown now' })
      },
      { title: 'WidgetVisitor' }
    ),
    conversation: nullable(
      Type.Unsafe<string>({ ...ConversationId, description: 'The one to go on with; null: there is none' })
    )
  },
  { title: 'WidgetSession' }
)
export type WidgetSession = Static<typeof WidgetSession>

/** What visitors may say of themselves. */
export const WidgetVisitorPatch = Type.Object({
  name: Type.Optional(title(200)),
  email: Type.Optional(email()),
  phone: Type.Optional(title(50)),
  consent: Type.Optional(text(4000, { description: 'The text that the visitor agreed to, as it was shown' }))
}, { ...closed, title: 'WidgetVisitorPatch', minProperties: 1, examples: [{ name: 'Ada', email: 'ada@example.com' }] })
export type WidgetVisitorPatch = Static<typeof WidgetVisitorPatch>

const personName = nullable(Type.String({
  description: 'What the person is called who answers, where they have said it and the business names them'
}))

/** A conversation as its visitor sees it. */
export const WidgetConversation = Type.Object({
  ...Type.Pick(
    Conversation, ['id', 'status', 'handled_by', 'subject', 'messages', 'created_at', 'last_message_at']
  ).properties,
  wants_email: Type.Boolean({
    description: 'Nobody is there, and the visitor is asked for an e-mail address; one that they write next is taken'
  }),
  person_name: personName,
  seen_up_to: Type.Optional(Type.Integer({
    description: 'Where one conversation is read that a person answers: up to which message they have seen it'
  })),
  asks: Type.Optional(Type.Object({
    email: Type.Optional(Type.Boolean()),
    rating: Type.Optional(Type.Boolean({ description: 'How content they were with what has ended' })),
    call: Type.Optional(Type.Pick(CallCard, ['id', 'title', 'digest', 'arguments'], { title: 'AskedCall' }))
  }, { title: 'VisitorAsked', description: 'What the visitor is asked, where one conversation is read: to confirm a call, for an e-mail address, or how content they were' }))
}, { title: 'WidgetConversation' })

/** A message as the visitor sees it: nothing of which model or member wrote it and what it took. */
export const WidgetMessage = Type.Object({
  ...Type.Omit(Message, ['author', 'model', 'agent_version', 'usage', 'guarded']).properties,
  person_name: personName
}, { title: 'WidgetMessage' })

/** What a visitor sends. */
export const WidgetMessageDraft = Type.Object(
  {
    text: Type.String({
      minLength: 1,
      maxLength: LONGEST_WIDGET_MESSAGE,
      pattern: '^\\s*[^\\u0000\\s][^\\u0000]*$',
      description: 'What the visitor says'
    }),
    client_id: Type.Optional(
      title(128, { description: "A name of the sender's own for this message: sent again, it is the same message" })
    ),
    attachments: Type.Optional(Type.Array(Type.String({ maxLength: 64 }), { maxItems: 5, uniqueItems: true })),
    page: Type.Optional(
      Type.Object(
        {
          url: Type.String({ description: 'Its address; the query string and the fragment are not stored' }),
          title: Type.Optional(Type.String({ description: 'Its title' }))
        },
        {
          ...closed,
          title: 'WidgetPage',
          description: 'The page that the visitor is on; not stored if its origin is none that the key lists'
        }
      )
    )
  },
  { ...closed, title: 'WidgetMessageDraft', examples: [{ text: 'How long do I have to return something?' }] }
)

/** Characters of what is being typed that are told. */
export const LONGEST_TYPED = 2000

/** What telling that the visitor types takes. */
export const WidgetTypingDraft = Type.Object({
  text: Type.Optional(
    Type.String({
      maxLength: LONGEST_TYPED,
      pattern: '^[^\\u0000]*$',
      description: "What stands there so far, shown to the account's people as it is typed; empty when it was taken out"
    })
  )
}, { ...closed, title: 'WidgetTypingDraft', examples: [{ text: 'How long do I ha' }] })

/** What beginning a conversation takes. */
export const WidgetConversationDraft = Type.Object({
  language: Type.Optional(nullable(LanguageTag))
}, { ...closed, title: 'WidgetConversationDraft', examples: [{}] })
