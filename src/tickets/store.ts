import type { Id } from '../../schema/common.ts'
import type {
  ProviderCredentials, ProviderSettings, Ticket, TicketingProvider, TicketStatus
} from '../../schema/tickets.ts'
import type { Match, IdempotencyKey, IdempotentResult } from '../platform/storage/contract.ts'
import type { Kept, TicketDecision } from './life.ts'
import type { TicketingProviderDraft, TicketingProviderPatch } from './providers/schemas.ts'
import type { Keeps } from '../personal-data/contract.ts'

/** Which tickets a list holds. */
export interface TicketFilter { status?: TicketStatus, agent?: Id, channel?: string, conversation?: string }

/** What a ticket opened by a hand-off is bound to: one for each epoch of a conversation. */
interface Binding { conversation: string, epoch: number | null }

/** Cursor into the waiting tickets: when the last one was opened, and its number. */
export interface WaitingFrom { at: string, number: number }

/** Stores tickets. Every method is one transaction; a ticket that is missing, or somebody else's, is `undefined`. */
export interface TicketStore {
  /**
   * Opens a ticket; a repeat of `once`, of its id, or of the epoch it is bound to, is answered with the first one.
   * Undefined if its agent or conversation was deleted.
   */
  add (
    owner: Id, decision: TicketDecision, binding: Binding | undefined, once?: IdempotencyKey
  ): Promise<IdempotentResult<Ticket> | undefined>
  get (owner: Id, id: string): Promise<Kept | undefined>
  /** A page of tickets, newest first; `next` is null at the end. */
  list (
    owner: Id, filter: TicketFilter, cursor: string | undefined, limit: number
  ): Promise<{ items: Ticket[], next: string | null }>
  /**
   * Writes what `decide` makes of a ticket; undefined changes nothing. What was taken in under the same origin before
   * is not taken in again.
   */
  change (
    owner: Id, id: string, decide: (kept: Kept) => TicketDecision | undefined, once?: IdempotencyKey
  ): Promise<IdempotentResult<Ticket> | undefined>
  /** Stores a provider's id of it. */
  named (owner: Id, id: string, external: { external_id: string, external_url: string | null }): Promise<void>
  /** The ticket with this provider id. */
  byExternal (owner: Id, provider: Id, externalId: string): Promise<string | undefined>
  /** Ids of an agent's tickets that belong to no conversation and whose requester has this address. */
  ofPerson (owner: Id, agent: Id, email: string): Promise<string[]>
  /** Whose ticket this is: mail comes in for everybody. */
  ownerOf (id: string): Promise<Id | undefined>
  /** The conversation that a ticket of this id is opened about when a mail is answered: mail comes in for everybody. */
  reserved (id: string): Promise<{ owner: Id, conversation: string } | undefined>
  /** A batch of an agent's tickets that wait here without a route, oldest first, after a cursor. */
  waiting (owner: Id, agent: Id, from: WaitingFrom): Promise<Array<WaitingFrom & { id: string }>>
  /** The next agent after this one that has any, of whichever account. */
  nextWaiting (after: Id): Promise<{ owner: Id, agent: Id } | undefined>
  /** Whether somebody who works for the account has this address. */
  isMember (owner: Id, email: string): Promise<boolean>
  /** Records an automatic mail to an address today; false if there already was one. */
  noteAutomatic (address: string): Promise<boolean>
}

/** A provider with its credentials. */
export interface OpenProvider {
  id: Id, owner: Id, name: string, kind: string, settings: ProviderSettings, credentials: ProviderCredentials
}

/** Stores accounts' ticketing providers, their credentials sealed. Every method is one transaction. */
export interface TicketingProviderStore {
  list (owner: Id): Promise<TicketingProvider[]>
  get (owner: Id, id: Id): Promise<TicketingProvider | undefined>
  /**
   * Refuses with `taken` a name that there is already, with `limit_reached` one too many, with VALIDATION_ERROR missing
   * fields that its kind requires.
   */
  add (owner: Id, draft: TicketingProviderDraft, once?: IdempotencyKey): Promise<IdempotentResult<TicketingProvider>>
  /** The same; a new name is applied in the agents that refer to it too. */
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

/** What is deleted with an agent, a user or an account. */
export const ticketsKept: Keeps = {
  ofAgent: [{ table: 'tickets', of: 'agent_id = ?', along: { tables: ['ticket_messages'], by: 'ticket', key: 'number' } }],
  named: ['tickets']
}
