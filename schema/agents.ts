import { Type, type Static, type TProperties, type TSchema } from '@sinclair/typebox'
import { Id, Timestamp, closed, email, nullable, oneOf, text, title } from './common.ts'
import { GuardRule, GuardRules, MOST_RULES } from './guards.ts'
import { KnowledgeSource, LISTED_SOURCES } from './knowledge.ts'
import { keysOf } from './typed.ts'

const Color = Type.String({ pattern: '^#[0-9a-fA-F]{6}$', examples: ['#2563eb'] })
const count = (maximum: number, description?: string) =>
  Type.Integer({ minimum: 0, maximum, ...(description && { description }) })
const texts = (maxItems: number, maxLength: number) => Type.Array(text(maxLength), { maxItems })

/** The picture shown beside the agent's messages; any other type is treated as the first. */
export const AVATAR_TYPES = ['default', 'image', 'initials'] as const

/** The picture beside the agent's messages. */
const Avatar = Type.Object(
  {
    type: title(64, {
      description:
        '`default`: the picture, or a drawing if there is none; `image`: the same; `initials`: initials of the name, in the widget\'s colours',
      examples: [...AVATAR_TYPES]
    }),
    src: text(8192, {
      // No other scheme, not even disguised: browsers read `javascript:` with a tab in it, or behind a control
      // character, as that scheme.
      pattern:
        '^(?:[hH][tT][tT][pP][sS]?://[^\\s\\x00-\\x1f\\x7f]+|data:image/(?:png|jpeg|gif|webp|avif);base64,[A-Za-z0-9+/=]+|(?!//)[^\\s\\x00-\\x1f\\x7f:\\\\]*)$',
      description:
        "URL of the picture: http, https, a path on the page's own site, or a data: URL of a PNG, JPEG, GIF, WebP or AVIF; empty for the default picture",
      examples: ['https://example.com/ada.png']
    })
  },
  { title: 'Avatar' }
)

/** The chat widget's appearance. */
export const Appearance = Type.Object({
  primaryColor: Color,
  secondaryColor: Color,
  fontFamily: title(200),
  chatbotName: title(200),
  welcomeMessage: text(4000),
  buttonText: text(200),
  position: oneOf(['bottom-right', 'bottom-left', 'top-right', 'top-left']),
  avatar: Avatar
}, { title: 'Appearance' })
export type Appearance = Static<typeof Appearance>

/** The agent's instructions. */
const Guidelines = Type.Object({
  dos: texts(100, 2000),
  donts: texts(100, 2000)
}, { title: 'Guidelines' })

/** The agent's settings for hand-off, tickets, follow-ups, suggestions and actions. */
export const Behavior = Type.Object({
  suggestions: texts(100, 500),
  guidelines: Guidelines,
  expertHandoff: Type.Boolean(),
  aiToAiHandoff: Type.Boolean(),
  autoTicketReply: Type.Boolean({ description: 'Enabling it requires the feature AUTO_TICKET_RESPONSE' }),
  email: nullable(email({ examples: ['help@example.com'] })),
  ticketType: oneOf(['email', 'thirdparty']),
  escalationPrompt: text(10_000),
  agentHandoffPrompt: text(10_000, {
    // No {{token}} but {{name}}; deterministic, so that a long text takes one pass.
    pattern: '^(?:[^{]|\\{(?!\\{)|\\{\\{name\\}\\})*$',
    description: 'May name the agent to transfer to with {{name}}; no other token is allowed',
    examples: ['Let me hand you over to {{name}}.']
  }),
  followupCount: count(100),
  followupInterval: count(525_600, 'Minutes'),
  followupMessages: texts(100, 2000),
  showOnMobile: Type.Boolean(),
  autoShowAfter: count(86_400, 'Seconds'),
  collectVisitorData: Type.Boolean(),
  continuousLearning: Type.Boolean(),
  conversationMemory: Type.Boolean(),
  multilingualSupport: Type.Boolean(),
  actionIds: Type.Array(Id, {
    maxItems: 50, uniqueItems: true, description: 'Ids of the actions the agent may run; see /v1/actions'
  }),
  guardRules: Type.Array(GuardRule, {
    maxItems: MOST_RULES, description: 'Rules applied in order, before and after the model: what the agent does not answer itself, what is masked, and which conversations are tagged'
  })
}, { title: 'Behavior' })
export type Behavior = Static<typeof Behavior>

/** Which language model answers, and its parameters. */
export const Model = Type.Object(
  {
    response_model: Type.String({
      minLength: 1, maxLength: 128, pattern: '^[!-~](?:[ -~]*[!-~])?$', examples: ['gpt-4o-mini']
    }),
    temperature: Type.Number({
      minimum: 0, maximum: 2, description: '0.1 to 0.3 for factual answers, 0.7 to 1.0 for creative tasks'
    }),
    display_model: title(128, {
      description: 'Model name shown next to its answers in the console, never to visitors. Derived from response_model if absent'
    }),
    token_length: Type.Integer({ minimum: 1, maximum: 10_000_000 })
  },
  { title: 'Model' }
)
export type Model = Static<typeof Model>

/** How long conversations are kept, and what visitors are told about it. */
export const GdprSettings = Type.Object({
  data_retention_days: nullable(Type.Integer({ minimum: 1, maximum: 36_500 })),
  data_retention_message: nullable(text(4000)),
  gdpr_message_display: Type.Boolean()
}, { title: 'GdprSettings' })
export type GdprSettings = Static<typeof GdprSettings>

/** Languages, besides the main one, that an agent's own texts can be translated into. */
export const MOST_LANGUAGES = 30

/** An agent's own texts in one language; missing or empty ones fall back to the main language. */
const TranslatedTexts = Type.Partial(Type.Object({
  welcomeMessage: Appearance.properties.welcomeMessage,
  buttonText: Appearance.properties.buttonText,
  suggestions: Behavior.properties.suggestions,
  followupMessages: Behavior.properties.followupMessages,
  data_retention_message: text(4000)
}), { ...closed, title: 'TranslatedTexts' })
export type TranslatedTexts = Static<typeof TranslatedTexts>

const byLanguage = <T extends TSchema>(texts: T, description: string) =>
  Type.Record(Type.String({ pattern: '^[a-z]{2,3}$' }), texts, {
    additionalProperties: false,
    maxProperties: MOST_LANGUAGES,
    description,
    examples: [{ de: { welcomeMessage: 'Guten Tag! Was kann ich für Sie tun?' } }]
  })

/** An agent's own texts by language (`de`). */
const Translations = byLanguage(
  TranslatedTexts, 'The agent\'s texts in other languages, shown according to the visitor\'s language'
)
export type Translations = Static<typeof Translations>

/**
 * Default settings, also used for fields that an older agent lacks. `chatbotName` defaults to the agent's name, the
 * model to the server's.
 */
export const AGENT_DEFAULTS: {
  appearance: Appearance, behavior: Behavior, model: Model, gdpr_settings: GdprSettings, translations: Translations
} = {
  appearance: {
    primaryColor: '#2563eb',
    secondaryColor: '#ffffff',
    fontFamily: 'Inter',
    chatbotName: '',
    welcomeMessage: '',
    buttonText: '',
    position: 'bottom-right',
    avatar: { type: 'default', src: '' }
  },
  behavior: {
    suggestions: [],
    guidelines: { dos: [], donts: [] },
    expertHandoff: false,
    aiToAiHandoff: false,
    autoTicketReply: false,
    email: null,
    ticketType: 'email',
    escalationPrompt: '',
    agentHandoffPrompt: '',
    followupCount: 0,
    followupInterval: 0,
    followupMessages: [],
    showOnMobile: true,
    autoShowAfter: 0,
    collectVisitorData: false,
    continuousLearning: false,
    conversationMemory: true,
    multilingualSupport: true,
    actionIds: [],
    guardRules: []
  },
  model: { response_model: '', temperature: 0.7, display_model: '', token_length: 16_000 },
  gdpr_settings: { data_retention_days: null, data_retention_message: null, gdpr_message_display: false },
  translations: {}
}

/** Whether the agent answers (`Active`) or not (`Inactive`). */
export const AgentStatus = oneOf(['Active', 'Inactive'])
export type AgentStatus = Static<typeof AgentStatus>

/** The fields that users set. */
const settable = {
  name: title(200, { examples: ['Support Agent'] }),
  description: text(4000, { examples: ['Answers questions about orders and returns'] }),
  status: AgentStatus,
  appearance: Appearance,
  behavior: Behavior,
  model: Model,
  agentType: title(64, {
    examples: ['General Assistant', 'sales_agent'], description: 'In display or snake_case form; returned as written'
  }),
  agent_category: title(64, { examples: ['Assistant', 'Chatbot'] }),
  systemPrompt: title(100_000, {
    'x-other-spelling': 'system_prompt', examples: ['You are a helpful support agent. Answer briefly.']
  }),
  ticketing_providers: Type.Array(title(64), { maxItems: 50, uniqueItems: true }),
  default_ticketing_provider: nullable(title(64, { description: 'One of ticketing_providers, or null' })),
  is_chatapp_enabled: Type.Boolean(),
  privacy_url: nullable(
    Type.String({ maxLength: 2048, pattern: '^https?://[^\\s]+$', examples: ['https://example.com/privacy'] })
  ),
  gdpr_settings: GdprSettings,
  translations: Translations,
  is_white_label: Type.Boolean({ description: 'Enabling it requires the feature WHITE_LABELING' })
}

/** All settings of an agent: what a version contains and answers are based on. Excludes ids and counts. */
export const AgentSettings = Type.Object(settable, { title: 'AgentSettings' })
export type AgentSettings = Static<typeof AgentSettings>

/** Their names. */
export const SETTINGS: ReadonlyArray<keyof AgentSettings> = keysOf(settable)

/** The settings out of an object that has more. */
export const settingsIn = (of: AgentSettings): AgentSettings =>
  Object.fromEntries(SETTINGS.map((name) => [name, of[name]])) as AgentSettings

const PublishOnSave = Type.Boolean({
  description:
    'Whether changes apply to visitors immediately (true, the default) or stay in the draft until published'
})

/** An agent as stored. Its knowledge sources have a separate table. */
export const AgentRecord = Type.Object({
  id: Id,
  owner: Id,
  ...settable,
  publish_on_save: PublishOnSave,
  live_version: Type.Integer({ minimum: 1, description: 'Number of the version that answers visitors' }),
  /** Changed settings that are not published yet; null if there are none. */
  draft: nullable(AgentSettings),
  created_at: Timestamp,
  updated_at: Timestamp,
  conversations: Type.Integer({ minimum: 0 }),
  total_training_usage_bytes: Type.Integer({
    minimum: 0, description: 'Exact sum over the selected knowledge sources'
  }),
  /** Changes with everything that the agent shows: compared with If-None-Match. */
  revision: Type.Integer(),
  /** Changes whenever its settings change, never through background work: compared with If-Match. */
  version: Type.Integer(),
  /** Name and description, case folded, for `search`. */
  search_text: Type.String()
})
export type AgentRecord = Static<typeof AgentRecord>

/** An agent as every response shows it. */
export const Agent = Type.Composite(
  [
    Type.Omit(AgentRecord, ['revision', 'version', 'search_text', 'draft']),
    Type.Object({
      has_unpublished: Type.Boolean({ description: 'Whether the settings shown differ from the live version' }),
      draft_etag: Type.String({
        description: 'Identifies the settings shown; pass it as `if_draft` when publishing', examples: ['1-k']
      }),
      knowledge_sources: Type.Array(KnowledgeSource, {
        description: `In a list, the first ${LISTED_SOURCES} of each agent; a single agent shows all. plain_text is null for texts over 1 KB: retrieve them at …/text`
      }),
      knowledge_sources_total: Type.Integer({ minimum: 0, description: 'Number of sources the agent has' }),
      max_training_usage_bytes: Type.Integer({ description: 'Upper limit of total_training_usage_bytes' })
    })
  ],
  { title: 'Agent' }
)
export type Agent = Static<typeof Agent>

/**
 * All settings with their defaults, for versions saved before a setting existed. A new setting does not compile until
 * it is added here.
 */
export const DEFAULT_SETTINGS: AgentSettings = {
  name: '',
  description: '',
  status: 'Active',
  ...AGENT_DEFAULTS,
  agentType: 'General Assistant',
  agent_category: 'Assistant',
  systemPrompt: '',
  ticketing_providers: [],
  default_ticketing_provider: null,
  is_chatapp_enabled: false,
  privacy_url: null,
  is_white_label: false
}

/** Fields that the server assigns: accepted, so that a listed agent can be sent back, and ignored. */
export const ASSIGNED: readonly string[] = [
  'id', 'owner', 'created_at', 'updated_at', 'conversations', 'knowledge_sources', 'knowledge_sources_total',
  'total_training_usage_bytes', 'max_training_usage_bytes', 'live_version', 'has_unpublished', 'draft_etag'
]

const assigned = Object.fromEntries(
  ASSIGNED.map((field) => [
    field, Type.Optional(Type.Any({ description: 'Assigned by the server; accepted and ignored' }))
  ])
)

const partial = <T extends TProperties>(shape: ReturnType<typeof Type.Object<T>>) =>
  Type.Partial(shape, { ...closed, title: `${shape.title}Patch` })

/** A change of an agent: an absent field stays, objects are merged, arrays replaced. */
export const AgentPatch = Type.Object(
  {
    ...Type.Partial(Type.Object({ ...settable, publish_on_save: PublishOnSave })).properties,
    appearance: Type.Optional(Type.Partial(Type.Object({ ...Appearance.properties, avatar: partial(Avatar) }), closed)),
    behavior: Type.Optional(
      Type.Partial(
        Type.Object({ ...Behavior.properties, guidelines: partial(Guidelines), guardRules: GuardRules }), closed
      )
    ),
    model: Type.Optional(partial(Model)),
    gdpr_settings: Type.Optional(partial(GdprSettings)),
    translations: Type.Optional(byLanguage(
      nullable(TranslatedTexts), 'Merged by language and text; null removes a language'
    )),
    ...assigned
  },
  {
    ...closed,
    title: 'AgentPatch',
    examples: [{ name: 'Sales Agent', appearance: { primaryColor: '#0f766e' }, model: { temperature: 0.2 } }]
  }
)
export type AgentPatch = Static<typeof AgentPatch>

/** Request to create an agent: a name and a system prompt; everything else has defaults. */
export const AgentDraft = Type.Object(
  {
    ...AgentPatch.properties,
    name: settable.name,
    systemPrompt: settable.systemPrompt,
    knowledge_sources: Type.Optional(
      Type.Any({
        description:
          'List of knowledge source drafts (texts, URLs, Google Drive files) to add in the same transaction; anything else is ignored'
      })
    )
  },
  {
    ...closed,
    title: 'AgentDraft',
    examples: [
      {
        name: 'Support Agent',
        description: 'Answers questions about orders and returns',
        systemPrompt: 'You are a helpful support agent. Answer briefly.'
      }
    ]
  }
)
export type AgentDraft = Static<typeof AgentDraft>

/** Maximum terms in a vocabulary, meanings of a term, and characters of each. */
export const [MOST_TERMS, MOST_MEANINGS, LONGEST_TERM] = [500, 10, 100]

/** A word or phrase in any language, with at least one letter or digit. Fillers, which nobody sees, are letters too. */
const Phrase = Type.String({ minLength: 1, maxLength: LONGEST_TERM, pattern: '(?!\\p{DI})[\\p{L}\\p{N}]', examples: ['Aurora'] })

/** A term of a business, and other words that customers use for it. */
export const Term = Type.Object({
  term: Phrase,
  means: Type.Array(Phrase, {
    minItems: 1,
    maxItems: MOST_MEANINGS,
    description: 'What customers call it, in any language: synonyms, abbreviations or the kind of thing it is',
    examples: [['kettle', 'Wasserkocher']]
  })
}, { ...closed, title: 'Term' })
export type Term = Static<typeof Term>

/** The vocabulary of an agent's business, as stored. */
export const VocabularyRecord = Type.Object({
  agent: Id,
  terms: Type.Array(Term),
  /** Changes with every update: compared with If-Match. */
  version: Type.Integer(),
  updated_at: Timestamp
})
export type VocabularyRecord = Static<typeof VocabularyRecord>

/** The same as responses show it. */
export const Vocabulary = Type.Object({
  terms: Type.Array(Term, { description: 'In the order in which they were sent' }),
  updated_at: nullable(Timestamp, { description: 'When it was last changed; null: never' })
}, { title: 'Vocabulary' })
export type Vocabulary = Static<typeof Vocabulary>

/** A replacement: all of its terms. */
export const VocabularyDraft = Type.Object({
  terms: Type.Array(Term, { maxItems: MOST_TERMS }),
  updated_at: Type.Optional(Type.Any({ description: 'Assigned by the server; accepted and ignored' }))
}, {
  ...closed,
  title: 'VocabularyDraft',
  examples: [{ terms: [{ term: 'Aurora', means: ['kettle', 'Wasserkocher'] }, { term: 'PSU', means: ['power supply unit'] }] }]
})
export type VocabularyDraft = Static<typeof VocabularyDraft>
