import type { TicketMessage, TicketRecord } from '../../../../schema/tickets.ts'

/** The input for opening a ticket elsewhere. `said`: the conversation as text. */
export interface Outgoing { ticket: TicketRecord, said: string }

/** A provider's id of a ticket, and its page for people. */
export interface External { externalId: string, externalUrl: string | null }

/** A provider's update of one of its tickets. */
export interface ProviderUpdate {
  externalId: string
  /** Permanent id of this item, so that it is taken in once. */
  origin: string
  message?: { from: string | null, text: string }
  status?: 'open' | 'closed'
  /**
   * Identifies the request by its signed part, so that it changes the status once, even if replayed. Absent if the
   * provider signs nothing.
   */
  request?: string
}

/** A provider's request, as received. */
export interface Inbound { headers: Record<string, string | string[] | undefined>, body: Buffer, url: string }

/**
 * A system that tickets are opened in. Every method throws a ProviderError or an EgressError. `key` and `marker` are
 * the same for every attempt at one item: it is found again by them, so that it exists once.
 */
export interface TicketProvider {
  create (outgoing: Outgoing, key: string, signal: AbortSignal): Promise<External>
  /** The ticket that was made with this key; undefined if there is none. */
  find (marker: string, outgoing: Outgoing, signal: AbortSignal): Promise<External | undefined>
  comment (externalId: string, message: TicketMessage, key: string, signal: AbortSignal): Promise<void>
  /** Whether a comment with this key exists. */
  hasComment (externalId: string, marker: string, signal: AbortSignal): Promise<boolean>
  /** The content of a provider's request; `refused` if its signature is wrong, null if it is irrelevant. */
  parseWebhook (request: Inbound): ProviderUpdate | 'refused' | null
}
