import { Type, type Static } from '@sinclair/typebox'
import { Id, TimeZone, Timestamp, closed, nullable, oneOf, text } from './common.ts'

/** The days of a week, in order. */
export const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const
export type Day = typeof DAYS[number]

const TimeOfDay = Type.String({ maxLength: 5, pattern: '^(?:(?:[01]\\d|2[0-3]):[0-5]\\d|24:00)$', examples: ['09:00'] })

/** From one time of day to another; hours that pass midnight are two of these. */
export const Opening = Type.Object(
  { from: TimeOfDay, to: TimeOfDay }, { ...closed, title: 'Opening', examples: [{ from: '09:00', to: '17:30' }] }
)
export type Opening = Static<typeof Opening>

const ofDay = Type.Array(Opening, { maxItems: 8, description: 'Opening hours of the day; empty: closed' })
const days = {
  monday: ofDay, tuesday: ofDay, wednesday: ofDay, thursday: ofDay, friday: ofDay, saturday: ofDay, sunday: ofDay
}

/** When people are available, by day of the week. */
export const Hours = Type.Object(days, { ...closed, title: 'Hours' })
export type Hours = Static<typeof Hours>

/** Minutes of business hours within which people should reply; null: no target. */
const minutes = (what: string) => nullable(Type.Integer({
  minimum: 1, maximum: 10_080, description: `Minutes of business hours within which ${what}; null: no target`
}))
const targets = {
  first_reply: minutes('people should first reply after one is requested'),
  next_reply: minutes('people should reply to later messages of the visitor')
}
export const ReplyTargets = Type.Object(targets, { ...closed, title: 'ReplyTargets' })
export type ReplyTargets = Static<typeof ReplyTargets>
export const NO_TARGETS: ReplyTargets = { first_reply: null, next_reply: null }

const notice = (when: string) =>
  text(1000, { description: `${when}; empty: a built-in text in the conversation's language` })

/** The business's own texts for visitors, in place of the built-in ones. */
const notices = {
  waiting: notice('Sent when a person is requested'),
  taken: notice('Sent when a person joins; {{name}} stands for their name'),
  returned: notice('Sent when the agent takes over again'),
  ticket: notice('Sent when nobody is available and a ticket is opened'),
  closed: notice('Sent when a conversation is closed')
}
export const OwnNotices = Type.Object(notices, { ...closed, title: 'Notices' })
export type OwnNotices = Static<typeof OwnNotices>

const ClosedOn = Type.Array(
  Type.String({ maxLength: 10, pattern: '^\\d{4}-\\d{2}-\\d{2}$', examples: ['2026-12-25'] }),
  { maxItems: 366, uniqueItems: true, description: 'Days on which nobody is available, such as holidays' }
)

/** Languages in which an account's people are notified about its agents; `off`: not at all. */
const REPORT_LANGUAGES = ['off', 'en', 'de', 'es', 'fr', 'pt'] as const
export type ReportLanguage = Exclude<typeof REPORT_LANGUAGES[number], 'off'>

const BusinessName = text(120, {
  description: 'Name of the business, as language models are told it. Empty: they are told "a business"',
  examples: ['Lamps & Co.']
})

const BusinessAddress = text(300, {
  description:
    'Address of the business in up to six lines, which agents may give to anyone; empty: agents know no address',
  examples: ['12 Mill Lane\nBath BA1 2QH']
})

/** An account's settings for all its agents, as stored. */
export const BusinessRecord = Type.Object({
  owner: Id,
  name: BusinessName,
  address: BusinessAddress,
  time_zone: TimeZone,
  hours: Type.Unsafe<Hours | null>(
    Type.Union([Hours, Type.Null()], { description: 'When people are available; null: always' })
  ),
  closed_on: ClosedOn,
  notices: OwnNotices,
  targets: ReplyTargets,
  asks_satisfaction: Type.Boolean({
    description: 'Whether visitors are asked how satisfied they were after a conversation is closed'
  }),
  gaps_mail: oneOf(REPORT_LANGUAGES, {
    description: 'Language of the weekly email about questions agents could not answer, sent to members who may teach agents; `off`: not sent. Invitations and links for a new password are in it too, with `off` in English, and emails to you about tickets, with `en` and `off` in the language of the agent\'s instructions'
  }),
  team_chat_host: nullable(
    Type.String({
      description: 'Host of the team chat that receives the events of agents with `is_chatapp_enabled`; null: none'
    })
  ),
  /** The address of its incoming webhook, sealed: anyone who knows it can post there. */
  team_chat_url: Type.Unsafe<Buffer | null>({}),
  updated_at: nullable(Timestamp)
})
export type BusinessRecord = Static<typeof BusinessRecord>

/** Why data is sent to a host. */
export const Purpose = oneOf(['answers', 'search', 'mail', 'tickets', 'webhooks', 'team_chat', 'actions', 'push'])
export type Purpose = Static<typeof Purpose>

/** A host that personal data is sent to, and what for. */
export const DataHost = Type.Object({
  host: Type.String(),
  purposes: Type.Array(Purpose),
  data: Type.Array(Type.String({ description: 'What is sent, worded for your privacy notice' }))
}, { title: 'DataHost' })
export type DataHost = Static<typeof DataHost>

/** The same as responses show it. */
export const Business = Type.Composite(
  [
    Type.Omit(BusinessRecord, ['owner', 'team_chat_url']),
    Type.Object({
      is_open: Type.Boolean({ description: 'Whether it is currently within `hours`' }),
      data_hosts: Type.Array(DataHost, {
        description:
          'Every host to which visitors\' personal data is sent under the settings of the server and the account'
      })
    })
  ],
  { title: 'Business' }
)
export type Business = Static<typeof Business>

/** The fields that can be set; omitted fields are unchanged. */
export const BusinessPatch = Type.Object(
  {
    name: Type.Optional(BusinessName),
    address: Type.Optional(BusinessAddress),
    time_zone: Type.Optional(TimeZone),
    hours: Type.Optional(
      Type.Unsafe<Partial<Hours> | null>(
        Type.Union([Type.Partial(Hours, { ...closed, title: 'HoursPatch' }), Type.Null()], {
          description: 'Omitted days are unchanged; null: people are always available'
        })
      )
    ),
    closed_on: Type.Optional(ClosedOn),
    notices: Type.Optional(Type.Partial(OwnNotices, { ...closed, title: 'NoticesPatch' })),
    targets: Type.Optional(Type.Partial(ReplyTargets, {
      ...closed, title: 'ReplyTargetsPatch', description: 'New targets apply only to waits that begin afterwards'
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
            'Stored encrypted and never shown again; null: none',
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
