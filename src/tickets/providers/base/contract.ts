import type { TicketMessage, TicketRecord } from '../../../../schema/tickets.ts'

/** What opens a ticket elsewhere. `said`: the conversation as text. */
export interface Outgoing { ticket: TicketRecord, said: string }

/** What a provider calls a ticket, and where people look at it. */
export interface External { externalId: string, externalUrl: string | null }

/** What a provider tells of a ticket that it has. */
export interface ProviderUpdate {
  externalId: string
  /** Names this one thing for ever, so that it is taken in once. */
  origin: string
  message?: { from: string | null, text: string }
  status?: 'open' | 'closed'
  /**
   * Names the request by what is signed of it, so that it changes the status once, whoever sends it again. Absent where
   * the provider signs nothing.
   */
  request?: string
}

/** A request of a provider's own, as it came. */
export interface Inbound { headers: Record<string, string | string[] | undefined>, body: Buffer, url: string }

/**
 * A system that tickets are opened in. Every method throws a ProviderError or an EgressError. `key` and `marker` are
 * the same for every attempt at one thing: it is found again by it, so that it is there once.
 */
export interface TicketProvider {
  create (outgoing: Outgoing, key: string, signal: AbortSignal): Promise<External>
  /** The ticket that was made with this key; undefined when there is none. */
  find (marker: string, outgoing: Outgoing, signal: AbortSignal): Promise<External | undefined>
  comment (externalId: string, message: TicketMessage, key: string, signal: AbortSignal): Promise<void>
  /** Whether a comment with this key is there. */
  hasComment (externalId: string, marker: string, signal: AbortSignal): Promise<boolean>
  /** What a request of theirs tells; `refused` when its signature is wrong, null when it tells nothing that matters. */
  parseWebhook (request: Inbound): ProviderUpdate | 'refused' | null
}
