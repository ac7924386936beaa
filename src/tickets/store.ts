import type { Id } from '../../schema/common.ts'
import type {
  ProviderCredentials, ProviderSettings, Ticket, TicketingProvider, TicketStatus
} from '../../schema/tickets.ts'
import type { Match, Once, Outcome } from '../platform/storage/contract.ts'
import type { Kept, TicketDecision } from './life.ts'
import type { TicketingProviderDraft, TicketingProviderPatch } from './providers/schemas.ts'
import type { Keeps } from '../personal-data/contract.ts'

/** Which tickets a list holds. */
export interface TicketFilter { status?: TicketStatus, agent?: Id, channel?: string, conversation?: string }

/** What opening tickets by a hand-off is bound to: one for each epoch of a conversation. */
interface Binding { conversation: string, epoch: number | null }

/** Where in the tickets that wait somebody has come to: when the last one was opened, and its number. */
export interface WaitingFrom { at: string, number: number }

/**
 * Where tickets rest. Every method is one transaction; a ticket that is missing, or somebody else's, is `undefined`.
 */
export interface TicketStore {
  /**
   * Opens a ticket; a repeat of `once`, of its id, or of the epoch it is bound to, is answered with the first one.
   * Undefined when its agent or conversation is gone.
   */
  add (
    owner: Id, decision: TicketDecision, binding: Binding | undefined, once?: Once
  ): Promise<Outcome<Ticket> | undefined>
  get (owner: Id, id: string): Promise<Kept | undefined>
  /** A part of the tickets, newest first; `next` is null at the end. */
  list (
    owner: Id, filter: TicketFilter, cursor: string | undefined, limit: number
  ): Promise<{ items: Ticket[], next: string | null }>
  /**
   * Writes what `decide` makes of a ticket; undefined changes nothing. What was taken in under the same origin before
   * is not taken in again.
   */
  change (
    owner: Id, id: string, decide: (kept: Kept) => TicketDecision | undefined, once?: Once
  ): Promise<Outcome<Ticket> | undefined>
  /** Writes down what a provider calls it. */
  named (owner: Id, id: string, external: { external_id: string, external_url: string | null }): Promise<void>
  /** The ticket that a provider calls so. */
  byExternal (owner: Id, provider: Id, externalId: string): Promise<string | undefined>
  /** The tickets of an agent that belong to no conversation and that somebody with this address asks: their ids. */
  ofPerson (owner: Id, agent: Id, email: string): Promise<string[]>
  /** Whose ticket this is: mail comes in for everybody. */
  ownerOf (id: string): Promise<Id | undefined>
  /** The conversation that a ticket of this id is opened about when a mail is answered: mail comes in for everybody. */
  reserved (id: string): Promise<{ owner: Id, conversation: string } | undefined>
  /** Some of an agent's tickets that wait here for want of a way out, the oldest first, from a place. */
  waiting (owner: Id, agent: Id, from: WaitingFrom): Promise<Array<WaitingFrom & { id: string }>>
  /** The next agent after this one that has any, of whichever account. */
  nextWaiting (after: Id): Promise<{ owner: Id, agent: Id } | undefined>
  /** Whether somebody who works for the account has this address. */
  isMember (owner: Id, email: string): Promise<boolean>
  /** Notes an automatic mail to an address today; false when there was one already. */
  noteAutomatic (address: string): Promise<boolean>
}

/** A provider with what signs in there. */
export interface OpenProvider {
  id: Id, owner: Id, name: string, kind: string, settings: ProviderSettings, credentials: ProviderCredentials
}

/** Where accounts' ticketing providers rest, their credentials sealed. Every method is one transaction. */
export interface TicketingProviderStore {
  list (owner: Id): Promise<TicketingProvider[]>
  get (owner: Id, id: Id): Promise<TicketingProvider | undefined>
  /**
   * Refuses with `taken` a name that there is already, with `limit_reached` one too many, with VALIDATION_ERROR what
   * its kind cannot do without.
   */
  add (owner: Id, draft: TicketingProviderDraft, once?: Once): Promise<Outcome<TicketingProvider>>
  /** The same; a new name counts in the agents that name it too. */
  change (
    owner: Id, id: Id, patch: TicketingProviderPatch, match?: Match<TicketingProvider>
  ): Promise<TicketingProvider | undefined>
  remove (owner: Id, id: Id, match?: Match<TicketingProvider>): Promise<boolean>
  /** The provider with its credentials. */
  open (owner: Id, id: Id): Promise<OpenProvider | undefined>
  /** Ids by name. */
  names (owner: Id): Promise<Map<string, Id>>
  /** The provider that an address for webhooks belongs to; undefined when the address is not right. */
  byInbound (token: string): Promise<OpenProvider | undefined>
}

/** What goes with an agent, a user or an account. */
export const ticketsKept: Keeps = {
  ofAgent: [{ table: 'tickets', of: 'agent_id = ?', along: { tables: ['ticket_messages'], by: 'ticket', key: 'number' } }],
  named: ['tickets']
}
