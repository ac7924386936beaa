import { Type, type Static } from '@sinclair/typebox'
import { Id, Timestamp, closed, nullable, oneOf, text } from './common.ts'

/** The days of a week, in order. */
export const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const
export type Day = typeof DAYS[number]

const TimeOfDay = Type.String({ maxLength: 5, pattern: '^(?:(?:[01]\\d|2[0-3]):[0-5]\\d|24:00)$', examples: ['09:00'] })

/** From one time of a day until another; what goes over midnight is two of them. */
export const Opening = Type.Object(
  { from: TimeOfDay, to: TimeOfDay }, { ...closed, title: 'Opening', examples: [{ from: '09:00', to: '17:30' }] }
)
export type Opening = Static<typeof Opening>

const ofDay = Type.Array(Opening, { maxItems: 8, description: 'Empty: closed' })
const days = {
  monday: ofDay, tuesday: ofDay, wednesday: ofDay, thursday: ofDay, friday: ofDay, saturday: ofDay, sunday: ofDay
}

/** When people are there, day by day. */
export const Hours = Type.Object(days, { ...closed, title: 'Hours' })
export type Hours = Static<typeof Hours>

/** Minutes of the hours after which people should have replied; null: no target. */
const minutes = (what: string) => nullable(Type.Integer({
  minimum: 1, maximum: 10_080, description: `Minutes within the hours until ${what}; null: no target`
}))
const targets = {
  first_reply: minutes('people have first replied, from when they are wanted'),
  next_reply: minutes('people have replied to what the visitor wrote next')
}
export const ReplyTargets = Type.Object(targets, { ...closed, title: 'ReplyTargets' })
export type ReplyTargets = Static<typeof ReplyTargets>
export const NO_TARGETS: ReplyTargets = { first_reply: null, next_reply: null }

const notice = (when: string) =>
  text(1000, { description: `${when}; empty: a sentence in the language of the conversation` })

/** What visitors are told in the business's own words, in place of the sentences that are built in. */
const notices = {
  waiting: notice('When a person is called'),
  taken: notice('When a person has come, with {{name}} where what they are called is to stand'),
  returned: notice('When the agent answers again'),
  ticket: notice('When nobody is there, and a ticket is opened'),
  closed: notice('When a conversation is closed')
}
export const OwnNotices = Type.Object(notices, { ...closed, title: 'Notices' })
export type OwnNotices = Static<typeof OwnNotices>

const TimeZone = Type.String({
  minLength: 1,
  maxLength: 64,
  examples: ['Europe/Berlin'],
  description: 'Name of a time zone as the IANA database has it'
})
const ClosedOn = Type.Array(
  Type.String({ maxLength: 10, pattern: '^\\d{4}-\\d{2}-\\d{2}$', examples: ['2026-12-25'] }),
  { maxItems: 366, uniqueItems: true, description: 'Days on which nobody is there: holidays' }
)

/** Languages in which people of an account are told of their agents; `off`: they are not. */
const REPORT_LANGUAGES = ['off', 'en', 'de', 'es', 'fr', 'pt'] as const
export type ReportLanguage = Exclude<typeof REPORT_LANGUAGES[number], 'off'>

const BusinessName = text(120, {
  description: 'What the business is called; language models are told whose assistant they are. Empty: "a business"',
  examples: ['Lamps & Co.']
})

const BusinessAddress = text(300, {
  description:
    'Where the business is, as agents may tell it to everybody, in up to six lines; empty: they are told no address',
  examples: ['12 Mill Lane\nBath BA1 2QH']
})

/** What an account has set for all its agents, as the system keeps it. */
export const BusinessRecord = Type.Object({
  owner: Id,
  name: BusinessName,
  address: BusinessAddress,
  time_zone: TimeZone,
  hours: Type.Unsafe<Hours | null>(
    Type.Union([Hours, Type.Null()], { description: 'When people are there; null: always' })
  ),
  closed_on: ClosedOn,
  notices: OwnNotices,
  targets: ReplyTargets,
  asks_satisfaction: Type.Boolean({
    description: 'Whether visitors are asked how content they were, once a conversation is closed'
  }),
  gaps_mail: oneOf(REPORT_LANGUAGES, {
    description: 'The language of the weekly mail that tells those who may teach agents what these did not know; `off`: it is not sent'
  }),
  team_chat_host: nullable(
    Type.String({
      description: 'Where the team chat is told what happens with agents that have `is_chatapp_enabled`; null: nowhere'
    })
  ),
  /** The address of its incoming webhook, sealed: whoever knows it can write there. */
  team_chat_url: Type.Unsafe<Buffer | null>({}),
  updated_at: nullable(Timestamp)
})
export type BusinessRecord = Static<typeof BusinessRecord>

/** Why something is sent to a host. */
export const Purpose = oneOf(['answers', 'search', 'mail', 'tickets', 'webhooks', 'team_chat', 'actions', 'push'])
export type Purpose = Static<typeof Purpose>

/** A host that personal data is sent to, and what for. */
export const DataHost = Type.Object({
  host: Type.String(),
  purposes: Type.Array(Purpose),
  data: Type.Array(Type.String({ description: 'What is sent, in words for your privacy notice' }))
}, { title: 'DataHost' })
export type DataHost = Static<typeof DataHost>

/** The same as answers show it. */
export const Business = Type.Composite(
  [
    Type.Omit(BusinessRecord, ['owner', 'team_chat_url']),
    Type.Object({
      is_open: Type.Boolean({ description: 'Whether now is within the hours' }),
      data_hosts: Type.Array(DataHost, {
        description:
          'Every host that personal data of visitors is sent to, by the settings of the server and of the account'
      })
    })
  ],
  { title: 'Business' }
)
export type Business = Static<typeof Business>

/** What of it can be set: what is left out stays as it is. */
export const BusinessPatch = Type.Object(
  {
    name: Type.Optional(BusinessName),
    address: Type.Optional(BusinessAddress),
    time_zone: Type.Optional(TimeZone),
    hours: Type.Optional(
      Type.Unsafe<Partial<Hours> | null>(
        Type.Union([Type.Partial(Hours, { ...closed, title: 'HoursPatch' }), Type.Null()], {
          description: 'Days that are left out stay as they are; null: people are always there'
        })
      )
    ),
    closed_on: Type.Optional(ClosedOn),
    notices: Type.Optional(Type.Partial(OwnNotices, { ...closed, title: 'NoticesPatch' })),
    targets: Type.Optional(Type.Partial(ReplyTargets, {
      ...closed, title: 'ReplyTargetsPatch', description: 'They hold for what is waited for from then on'
    })),
    asks_satisfaction: Type.Optional(BusinessRecord.properties.asks_satisfaction),
    gaps_mail: Type.Optional(BusinessRecord.properties.gaps_mail),
    team_chat_url: Type.Optional(
      nullable(
        Type.String({
          maxLength: 2048,
          pattern: '^https?://[^\\s]+$',
          description:
            "Incoming webhook of the team's chat (Slack, Teams, Mattermost …), which takes { text }. " +
            'Kept sealed and never shown again; null: none',
          examples: ['https://hooks.slack.com/services/T000/B000/xxxx']
        })
      )
    )
  },
  {
    ...closed,
    title: 'BusinessPatch',
    minProperties: 1,
    examples: [{ time_zone: 'Europe/Berlin', hours: { monday: [{ from: '09:00', to: '17:30' }] } }]
  }
)
export type BusinessPatch = Static<typeof BusinessPatch>
