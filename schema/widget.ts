import { CallCard, OfferedForm } from './actions.ts'
import { Type, type Static } from '@sinclair/typebox'
import { Appearance } from './agents.ts'
import { Id, Timestamp, closed, email, nullable, text, title } from './common.ts'
import { Conversation, ConversationId, LanguageTag, Message, VisitorId } from './conversations.ts'

/** Maximum characters (code points) of one message of a widget's visitor. */
export const LONGEST_WIDGET_MESSAGE = 4000
/** Maximum sites for one key. */
const MOST_ORIGINS = 50
/** Maximum secrets for signing identities at a time: the old and the new one, during rotation. */
export const MOST_IDENTITY_SECRETS = 2

/** `agw_` and 128 random bits: public, part of the pages that show the widget. */
export const WidgetKeyId = Type.String({
  pattern: '^agw_[A-Za-z0-9_-]{22}$',
  maxLength: 32,
  description: 'Public key of a widget',
  examples: ['agw_3q2-7wXbQk2m1uJ0aZ5c9A']
})

/** An origin as browsers send it: scheme, host and, unless it is the default, port. */
const Origin = Type.String({
  maxLength: 300,
  pattern: '^https?://[^\\s/?#@*\\\\]+$',
  examples: ['https://shop.example.com']
})
const origins = Type.Array(Origin, {
  maxItems: MOST_ORIGINS,
  description: 'Exact origins (scheme, host and port) whose pages may show the widget; empty: none'
})

/** A secret with which a business signs who its visitors are, without the secret itself. */
const IdentitySecret = Type.Object({ id: Id, created_at: Timestamp }, { title: 'IdentitySecret' })

/** A widget key as stored. */
export const WidgetKeyRecord = Type.Object({
  id: WidgetKeyId,
  agent: Id,
  owner: Id,
  name: title(200, { examples: ['Our shop'] }),
  origins,
  identity_secrets: Type.Array(IdentitySecret, {
    description: 'Secrets that signed identities are verified with, newest last'
  }),
  created_at: Timestamp,
  updated_at: Timestamp,
  /** The id of the secret that seals its secrets. */
  secret: Type.Integer(),
  sealed: Type.Unsafe<Buffer>({})
})
export type WidgetKeyRecord = Static<typeof WidgetKeyRecord>

/** A widget key as responses show it. */
export const WidgetKey = Type.Omit(WidgetKeyRecord, ['owner', 'secret', 'sealed'], { title: 'WidgetKey' })
export type WidgetKey = Static<typeof WidgetKey>

/** Request to create a key. */
export const WidgetKeyDraft = Type.Object({
  name: Type.Optional(WidgetKeyRecord.properties.name),
  origins: Type.Optional(origins)
}, { ...closed, title: 'WidgetKeyDraft', examples: [{ name: 'Our shop', origins: ['https://shop.example.com'] }] })
export type WidgetKeyDraft = Static<typeof WidgetKeyDraft>

/** The fields of a key that can be changed. */
export const WidgetKeyPatch = Type.Object(WidgetKeyDraft.properties, {
  ...closed,
  title: 'WidgetKeyPatch',
  minProperties: 1,
  examples: [{ origins: ['https://shop.example.com', 'https://www.shop.example.com'] }]
})
export type WidgetKeyPatch = Static<typeof WidgetKeyPatch>

/** A new identity secret: the only time it is shown. */
export const NewIdentitySecret = Type.Composite([IdentitySecret, Type.Object({
  secret: Type.String({ description: 'Sign identities with this secret (HS256). It is shown only once.' })
})], { title: 'NewIdentitySecret' })
export type NewIdentitySecret = Static<typeof NewIdentitySecret>

const color = (description: string) => Type.String({ description, examples: ['#2563eb'] })

/** The colours of a widget, derived from those that its owner chose. */
export const WidgetTheme = Type.Object({
  head: color('Header'),
  on_head: color('Text on `head`'),
  own: color("The visitor's messages, and the main button"),
  on_own: color('Text on `own`'),
  surface: color('Background'),
  soft: color('Elements that stand out slightly from the background: bubbles'),
  text: color('Text on `surface` and `soft`'),
  muted: color('Secondary text'),
  link: color('Links, and the focus outline'),
  wrong: color('Error text')
}, { title: 'WidgetTheme', description: 'Text has a contrast ratio of at least 4.5' })
export type WidgetTheme = Static<typeof WidgetTheme>

/** Whether people are available for visitors, and until when that is so. */
export const DeskShown = Type.Object({
  open: Type.Boolean({ description: 'Whether people are currently available' }),
  until: nullable(Type.Unsafe<string>({
    ...Timestamp, description: 'When they leave or return, according to business hours; null: always available'
  })),
  people: Type.Array(Type.String(), { description: 'Names of up to three of these people, where names may be shown' })
}, { title: 'DeskShown' })
export type DeskShown = Static<typeof DeskShown>

/** What a widget needs before the first message: how it looks and behaves, and what to load. Public. */
export const WidgetConfig = Type.Object(
  {
    key: WidgetKeyId,
    active: Type.Boolean({ description: 'Whether the agent answers' }),
    appearance: Type.Object({
      ...Appearance.properties,
      avatar: Type.Object({
        type: Type.String(),
        src: Type.String({ description: "Address of the image to show; empty: the widget's own drawing" })
      })
    }),
    theme: Type.Object({ day: WidgetTheme, night: WidgetTheme }, {
      description: 'Colours for light and dark mode'
    }),
    suggestions: Type.Array(Type.String()),
    handoff: Type.Boolean({ description: 'Whether visitors can request a person' }),
    show_on_mobile: Type.Boolean(),
    auto_show_after: Type.Integer({ description: 'In seconds; 0: never' }),
    collect_visitor_data: Type.Boolean({
      description:
        'Whether name and e-mail address are requested before the first message; if false, they are not stored'
    }),
    consent: nullable(
      Type.String({ description: 'Notice about their data that visitors agree to; null: none' })
    ),
    privacy_url: nullable(Type.String()),
    white_label: Type.Boolean(),
    desk: nullable(DeskShown, {
      description: 'null: people cannot be requested, or nothing can be said about their availability'
    }),
    actions: nullable(Type.Array(OfferedForm), {
      description:
        'Actions that anybody may run from a button with a form; null: the agent offers none, not even to visitors ' +
        'whom the business vouches for'
    }),
    files: Type.Object({
      panel: Type.String({ description: "Path of the panel's script" }),
      form: Type.String({ description: 'Path of the script for the form before the first message' }),
      actions: Type.String({ description: 'Path of the script for buttons with forms' }),
      judge: Type.String({ description: 'Path of the script for rating an answer' }),
      rating: Type.String({ description: "Path of the satisfaction rating script, relative to the form's script" }),
      table: Type.String({ description: 'Path of the script that draws tables' }),
      talk: Type.String({
        description: 'Path of the script for what surrounds a conversation: times, who answers, earlier conversations'
      }),
      texts: Type.Record(Type.String(), Type.String(), {
        description: "Paths of the panel's texts by language; English is built into the panel"
      })
    })
  },
  { title: 'WidgetConfig' }
)
export type WidgetConfig = Static<typeof WidgetConfig>

/** Request to begin a session. */
export const WidgetSessionDraft = Type.Object(
  {
    key: WidgetKeyId,
    visitor: Type.Optional(
      nullable(
        Type.Unsafe<string>({
          ...VisitorId, deprecated: true, description: 'Ignored: only a token proves who a visitor is'
        })
      )
    ),
    identity: Type.Optional(
      nullable(
        Type.String({
          maxLength: 4096,
          description:
            'Identity of the visitor, signed by the business: a JWT (HS256) with sub, aud = the key, exp within 24 ' +
            'hours, and email or name'
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
    token: Type.String({ description: 'Send it as Authorization: Bearer <token>; valid for 24 hours' }),
    expires_at: Timestamp,
    visitor: Type.Object(
      {
        id: VisitorId,
        verified: Type.Boolean(),
        reachable: Type.Boolean({ description: 'Whether an e-mail address is known for replies' }),
        introduced: Type.Boolean({
          description: 'Whether the visitor has provided what the agent requests before the first message'
        }),
        consented: Type.Boolean({ description: 'Whether the visitor has agreed to the text currently shown' })
      },
      { title: 'WidgetVisitor' }
    ),
    conversation: nullable(
      Type.Unsafe<string>({ ...ConversationId, description: 'The conversation to continue; null: none' })
    )
  },
  { title: 'WidgetSession' }
)
export type WidgetSession = Static<typeof WidgetSession>

/** What visitors may say about themselves. */
export const WidgetVisitorPatch = Type.Object({
  name: Type.Optional(title(200)),
  email: Type.Optional(email()),
  phone: Type.Optional(title(50)),
  consent: Type.Optional(text(4000, { description: 'The text the visitor agreed to, as it was shown' }))
}, { ...closed, title: 'WidgetVisitorPatch', minProperties: 1, examples: [{ name: 'Ada', email: 'ada@example.com' }] })
export type WidgetVisitorPatch = Static<typeof WidgetVisitorPatch>

const personName = nullable(Type.String({
  description: 'Name of the person who answers, if they have provided one and the business shows it'
}))

/** A conversation as its visitor sees it. */
export const WidgetConversation = Type.Object({
  ...Type.Pick(
    Conversation, ['id', 'status', 'handled_by', 'subject', 'messages', 'created_at', 'last_message_at']
  ).properties,
  wants_email: Type.Boolean({
    description: 'Nobody is available, and the visitor is asked for an e-mail address; the next one they write is saved'
  }),
  person_name: personName,
  seen_up_to: Type.Optional(Type.Integer({
    description:
      'The last message seen by the person who answers; only when reading a single conversation that a person answers'
  })),
  asks: Type.Optional(Type.Object({
    email: Type.Optional(Type.Boolean()),
    rating: Type.Optional(Type.Boolean({
      description: 'Whether the visitor is asked to rate the episode that has ended'
    })),
    call: Type.Optional(Type.Pick(CallCard, ['id', 'title', 'digest', 'arguments'], { title: 'AskedCall' }))
  }, {
    title: 'VisitorAsked',
    description:
      'What the visitor is asked: to confirm a call, for an e-mail address, or for a satisfaction rating. Only ' +
      'when reading a single conversation'
  }))
}, { title: 'WidgetConversation' })

/** A message as the visitor sees it, without the model or member that wrote it, and without usage. */
export const WidgetMessage = Type.Object({
  ...Type.Omit(Message, ['author', 'model', 'agent_version', 'usage', 'guarded']).properties,
  person_name: personName
}, { title: 'WidgetMessage' })

/** A visitor's message. */
export const WidgetMessageDraft = Type.Object(
  {
    text: Type.String({
      minLength: 1,
      maxLength: LONGEST_WIDGET_MESSAGE,
      pattern: '^\\s*[^\\u0000\\s][^\\u0000]*$',
      description: "The visitor's message"
    }),
    client_id: Type.Optional(
      title(128, {
        description: "The sender's own id for this message; sent again with the same id, it is the same message"
      })
    ),
    attachments: Type.Optional(Type.Array(Type.String({ maxLength: 64 }), { maxItems: 5, uniqueItems: true })),
    page: Type.Optional(
      Type.Object(
        {
          url: Type.String({ description: 'URL of the page; the query string and the fragment are not stored' }),
          title: Type.Optional(Type.String({ description: 'Title of the page' }))
        },
        {
          ...closed,
          title: 'WidgetPage',
          description: 'The page the visitor is on; not stored unless the key lists its origin'
        }
      )
    ),
    time_zone: Type.Optional(
      Type.String({
        description: 'Time zone of the browser, shown to people who answer; not stored if there is no such time zone',
        examples: ['Europe/Berlin']
      })
    )
  },
  { ...closed, title: 'WidgetMessageDraft', examples: [{ text: 'How long do I have to return something?' }] }
)

/** Maximum characters of a message being typed that are passed on. */
export const LONGEST_TYPED = 2000

/** Request to signal that the visitor is typing. */
export const WidgetTypingDraft = Type.Object({
  text: Type.Optional(
    Type.String({
      maxLength: LONGEST_TYPED,
      pattern: '^[^\\u0000]*$',
      description: "What has been typed so far, shown live to the account's members; empty once deleted"
    })
  )
}, { ...closed, title: 'WidgetTypingDraft', examples: [{ text: 'How long do I ha' }] })

/** Request to start a conversation. */
export const WidgetConversationDraft = Type.Object({
  language: Type.Optional(nullable(LanguageTag))
}, { ...closed, title: 'WidgetConversationDraft', examples: [{}] })
