import { Type, type Static } from '@sinclair/typebox'
import { closed, email, Id, nullable, oneOf, PathId, text, Timestamp, title } from './common.ts'
import { ConversationId } from './conversations.ts'

/** `tkt_` and 100 random bits, in letters and digits that mail programs leave alone. */
export const TicketId = Type.String({
  pattern: '^tkt_[a-z2-7]{20}$',
  maxLength: 24,
  description: 'Identifier of a ticket',
  examples: ['tkt_4hk2m7q5w3ztbn6yadcf']
})

/** How far a ticket has come: still to be sent, sent, somebody works on it, closed, or could not be sent. */
export const TicketStatus = oneOf(['pending', 'sent', 'open', 'closed', 'failed'])
export type TicketStatus = Static<typeof TicketStatus>

/** Who asks, as far as that is known. */
export const Requester = Type.Object({ name: nullable(text(200)), email: nullable(email()) }, { title: 'Requester' })
export type Requester = Static<typeof Requester>

/** Who wrote a message of a ticket; `unknown` is a sender whom nobody here knows. */
export const TicketRole = oneOf(['visitor', 'person', 'agent', 'unknown'])
export type TicketRole = Static<typeof TicketRole>

/** What was written to a ticket after it was opened. */
export const TicketMessage = Type.Object({
  n: Type.Integer({ minimum: 1, description: 'Place in the ticket: 1, 2, 3 …' }),
  role: TicketRole,
  from: nullable(Type.String({ description: 'The address or name it came from' })),
  text: Type.String(),
  held: Type.Boolean({ description: 'It was passed on to nobody: a person has to look at it, or nobody knows yet where to send it' }),
  created_at: Timestamp
}, { title: 'TicketMessage' })
export type TicketMessage = Static<typeof TicketMessage>

const Fault = Type.Object({ code: Type.String(), message: Type.String() }, { title: 'TicketError' })

/** A ticket as the system keeps it, but for its messages. */
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
  /** The provider that has it; null where it went by mail. */
  provider: nullable(Id),
  external_id: nullable(Type.String({ description: 'What the provider calls it' })),
  external_url: nullable(Type.String()),
  error: Type.Unsafe<Static<typeof Fault> | null>(Type.Union([Fault, Type.Null()])),
  /** Whether the agent has answered a mail to it. */
  is_answered: Type.Boolean(),
  created_at: Timestamp,
  updated_at: Timestamp
})
export type TicketRecord = Static<typeof TicketRecord>

/** A ticket as answers show it. */
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

/** What opening a ticket about a conversation takes; what is left out comes from the conversation and its visitor. */
export const ConversationTicketDraft = Type.Partial(Type.Object(asked), {
  ...closed, title: 'ConversationTicketDraft', examples: [{ requester: { email: 'ada@example.com' } }]
})
export type ConversationTicketDraft = Static<typeof ConversationTicketDraft>

/** What opening a ticket takes. */
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

/** What of a ticket can be changed. */
export const TicketPatch = Type.Object({
  status: Type.Optional(oneOf(['open', 'closed'])),
  subject: Type.Optional(asked.subject),
  requester: Type.Optional(asked.requester)
}, { ...closed, title: 'TicketPatch', minProperties: 1, examples: [{ status: 'closed' }] })
export type TicketPatch = Static<typeof TicketPatch>

/** What a person writes to a ticket; it goes to who asked. */
export const TicketMessageDraft = Type.Object(
  { text: title(20_000) },
  { ...closed, title: 'TicketMessageDraft', examples: [{ text: 'The parcel is on its way again.' }] }
)
export type TicketMessageDraft = Static<typeof TicketMessageDraft>

/** Where tickets are opened, as far as its kind asks for it: src/tickets/providers/ has the kinds. */
export type ProviderSettings = Partial<Record<string, string>>

/** How we sign in there. Kept sealed; never shown again. */
export type ProviderCredentials = Partial<Record<string, string>>

/** The languages that the console speaks. */
export type ConsoleLanguage = 'en' | 'de' | 'es' | 'fr' | 'pt'

/** What people read in the console, in each of its languages; a name is the same in all of them. */
export type ProviderLabel = string | Record<ConsoleLanguage, string>

/** What the console asks for when a ticketing provider of a kind is added. */
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

/** A ticketing system of an account, as the system keeps it. */
export const TicketingProviderRecord = Type.Object({
  id: Id,
  owner: Id,
  name: title(64, { description: 'What agents name in `ticketing_providers`' }),
  kind: Type.String(),
  settings: Type.Unsafe<ProviderSettings>({}),
  credentials: Type.Unsafe<Buffer>({}),
  created_at: Timestamp,
  updated_at: Timestamp
})
export type TicketingProviderRecord = Static<typeof TicketingProviderRecord>

/** A ticketing provider as answers show it: never with its credentials. */
export const TicketingProvider = Type.Composite([
  Type.Omit(TicketingProviderRecord, ['owner', 'credentials']),
  Type.Object({
    inbound_path: Type.String({
      description:
        'Where the system sends its own webhooks, below the address of this server. Whoever knows it can write to its tickets'
    })
  })
])
export type TicketingProvider = Static<typeof TicketingProvider>
