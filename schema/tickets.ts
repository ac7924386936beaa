import { Type, type Static } from '@sinclair/typebox'
import { closed, email, Id, nullable, oneOf, PathId, text, Timestamp, title } from './common.ts'
import { ConversationId } from './conversations.ts'

/** `tkt_` and 100 random bits, in letters and digits that mail programs do not change. */
export const TicketId = Type.String({
  pattern: '^tkt_[a-z2-7]{20}$',
  maxLength: 24,
  description: 'Identifier of a ticket',
  examples: ['tkt_4hk2m7q5w3ztbn6yadcf']
})

/** The state of a ticket: to be sent, sent, being worked on, closed, or failed to send. */
export const TicketStatus = oneOf(['pending', 'sent', 'open', 'closed', 'failed'])
export type TicketStatus = Static<typeof TicketStatus>

/** The requester, as far as known. */
export const Requester = Type.Object({ name: nullable(text(200)), email: nullable(email()) }, { title: 'Requester' })
export type Requester = Static<typeof Requester>

/** Who wrote a message of a ticket; `unknown` is a sender who is not known here. */
export const TicketRole = oneOf(['visitor', 'person', 'agent', 'unknown'])
export type TicketRole = Static<typeof TicketRole>

/** A message added to a ticket after it was opened. */
export const TicketMessage = Type.Object({
  n: Type.Integer({ minimum: 1, description: 'Position in the ticket: 1, 2, 3 …' }),
  role: TicketRole,
  from: nullable(Type.String({ description: 'Address or name of the sender' })),
  text: Type.String(),
  held: Type.Boolean({ description: 'Whether it is held back: a person has to review it first, or it is not yet known where to send it' }),
  created_at: Timestamp
}, { title: 'TicketMessage' })
export type TicketMessage = Static<typeof TicketMessage>

const Fault = Type.Object({ code: Type.String(), message: Type.String() }, { title: 'TicketError' })

/** A ticket as stored, without its messages. */
export const TicketRecord = Type.Object({
  id: TicketId,
  owner: Id,
  conversation: nullable(ConversationId),
  agent: Id,
  requester: Type.Unsafe<Requester | null>(Type.Union([Requester, Type.Null()])),
  subject: text(200),
  description: text(20_000),
  status: TicketStatus,
  channel: Type.String({ description: '`email`, or the name of a ticketing provider' }),
  /** The provider that has it; null if it was sent by mail. */
  provider: nullable(Id),
  external_id: nullable(Type.String({ description: 'Id of the ticket at the provider' })),
  external_url: nullable(Type.String()),
  error: Type.Unsafe<Static<typeof Fault> | null>(Type.Union([Fault, Type.Null()])),
  /** Whether the agent has answered a mail to it. */
  is_answered: Type.Boolean(),
  created_at: Timestamp,
  updated_at: Timestamp
})
export type TicketRecord = Static<typeof TicketRecord>

/** A ticket as responses show it. */
export const Ticket = Type.Composite([
  Type.Omit(TicketRecord, ['owner', 'provider', 'is_answered']),
  Type.Object({ messages: Type.Array(TicketMessage) })
], { title: 'Ticket' })
export type Ticket = Static<typeof Ticket>

const asked = {
  subject: title(200),
  description: text(20_000),
  requester: Type.Object({ name: Type.Optional(nullable(title(200))), email: Type.Optional(nullable(email())) }, closed)
}

/** Request to open a ticket about a conversation; omitted fields come from the conversation and its visitor. */
export const ConversationTicketDraft = Type.Partial(Type.Object(asked), {
  ...closed, title: 'ConversationTicketDraft', examples: [{ requester: { email: 'ada@example.com' } }]
})
export type ConversationTicketDraft = Static<typeof ConversationTicketDraft>

/** Request to open a ticket. */
export const TicketDraft = Type.Object(
  {
    agent: PathId,
    conversation: Type.Optional(nullable(ConversationId)),
    subject: asked.subject,
    description: Type.Optional(asked.description),
    requester: Type.Optional(asked.requester)
  },
  {
    ...closed,
    title: 'TicketDraft',
    examples: [{ agent: 1, subject: 'The parcel is lost', requester: { email: 'ada@example.com' } }]
  }
)
export type TicketDraft = Static<typeof TicketDraft>

/** The fields of a ticket that can be changed. */
export const TicketPatch = Type.Object({
  status: Type.Optional(oneOf(['open', 'closed'])),
  subject: Type.Optional(asked.subject),
  requester: Type.Optional(asked.requester)
}, { ...closed, title: 'TicketPatch', minProperties: 1, examples: [{ status: 'closed' }] })
export type TicketPatch = Static<typeof TicketPatch>

/** A person's message in a ticket; it is sent to the requester. */
export const TicketMessageDraft = Type.Object(
  { text: title(20_000) },
  { ...closed, title: 'TicketMessageDraft', examples: [{ text: 'The parcel is on its way again.' }] }
)
export type TicketMessageDraft = Static<typeof TicketMessageDraft>

/** Where tickets are opened, as its kind requires: src/tickets/providers/ has the kinds. */
export type ProviderSettings = Partial<Record<string, string>>

/** Credentials for the provider. Sealed; never shown again. */
export type ProviderCredentials = Partial<Record<string, string>>

/** The languages of the console. */
export type ConsoleLanguage = 'en' | 'de' | 'es' | 'fr' | 'pt'

/** Texts of the console, in each of its languages; a plain string is the same in all of them. */
export type ProviderLabel = string | Record<ConsoleLanguage, string>

/** The fields that the console asks for when a ticketing provider of a kind is added. */
export interface ProviderForm {
  name: string
  label: ProviderLabel
  settings: ProviderField[]
  credentials: ProviderField[]
}
interface ProviderField {
  name: string
  label: ProviderLabel
  hint?: ProviderLabel
  maxLength: number
  input: 'text' | 'email' | 'password'
}

/** A ticketing system of an account, as stored. */
export const TicketingProviderRecord = Type.Object({
  id: Id,
  owner: Id,
  name: title(64, { description: 'Name that agents use in `ticketing_providers`' }),
  kind: Type.String(),
  settings: Type.Unsafe<ProviderSettings>({}),
  credentials: Type.Unsafe<Buffer>({}),
  created_at: Timestamp,
  updated_at: Timestamp
})
export type TicketingProviderRecord = Static<typeof TicketingProviderRecord>

/** A ticketing provider as responses show it, never with its credentials. */
export const TicketingProvider = Type.Composite([
  Type.Omit(TicketingProviderRecord, ['owner', 'credentials']),
  Type.Object({
    inbound_path: Type.String({
      description:
        'Path on this server to which the system sends its own webhooks. Anyone who knows it can write to its tickets'
    })
  })
])
export type TicketingProvider = Static<typeof TicketingProvider>
