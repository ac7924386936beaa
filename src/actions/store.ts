import type {
  Action, ActionDraft, ActionPatch, ActionRecord, Arguments, CallCard, CallRecord, CallState, Confirm, Connection,
  ConnectionDraft
} from '../../schema/actions.ts'
import type { Id } from '../../schema/common.ts'
import type { Match, IdempotencyKey, IdempotentResult } from '../platform/storage/contract.ts'
import type { Identity } from './calls/bind.ts'
import type { Proposal } from './calls/decide.ts'
import type { Asked, Failure, OpenConnection, Sent } from './contract.ts'

/**
 * Stores connections, their secrets sealed. Every method is one transaction; what is missing, or somebody else's, is
 * `undefined`.
 */
export interface ConnectionStore {
  /** Oldest first. */
  list (owner: Id): Promise<Connection[]>
  get (owner: Id, connection: Id): Promise<Connection | undefined>
  /** Refuses as `decideConnection` does, and with `limit_reached` one too many. */
  add (owner: Id, draft: ConnectionDraft, once?: IdempotencyKey): Promise<IdempotentResult<Connection>>
  /** Replaces one; its secret stays if none is given. Refuses as `replacedConnection` does. */
  replace (
    owner: Id, connection: Id, draft: ConnectionDraft, match?: Match<Connection>
  ): Promise<Connection | undefined>
  /** Refuses with `in_use` one that actions use. */
  remove (owner: Id, connection: Id, match?: Match<Connection>): Promise<boolean>
  /** One that is about to be called. */
  opened (owner: Id, connection: Id): Promise<OpenConnection | undefined>
  /** Records that it has responded (null), or why not; changes neither its version nor its tag. */
  note (owner: Id, connection: Id, failure: Failure | null): Promise<void>
}

/** Stores actions. Every method is one transaction; what is missing, or somebody else's, is `undefined`. */
export interface ActionStore {
  /** Oldest first. */
  list (owner: Id): Promise<Action[]>
  get (owner: Id, action: Id): Promise<Action | undefined>
  /** Refuses as `decideAction` does, with `taken` an existing name; undefined if there is no such connection. */
  add (
    owner: Id, draft: ActionDraft, once?: IdempotencyKey, digest?: string
  ): Promise<IdempotentResult<Action> | undefined>
  change (owner: Id, action: Id, patch: ActionPatch, match?: Match<Action>): Promise<Action | undefined>
  /** Refuses with `in_use` one that an agent has. */
  remove (owner: Id, action: Id, match?: Match<Action>): Promise<boolean>
  /** As stored, with its connection decrypted. */
  known (owner: Id, action: Id): Promise<{ action: ActionRecord, connection: OpenConnection } | undefined>
  /** Those of these that are on, in their order. */
  enabled (owner: Id, actions: readonly Id[]): Promise<ActionRecord[]>
  /** Those that use a connection, by path: to compare with an MCP server's tools. */
  ofConnection (owner: Id, connection: Id): Promise<ActionRecord[]>
  /** Switches off those whose tool has changed or was removed; the reason is recorded in them. */
  distrust (owner: Id, connection: Id, digests: ReadonlyMap<string, string>): Promise<string[]>
}

/** Which calls a list holds. */
export interface CallFilter { conversation?: string, action?: Id, state?: CallState, confirm?: Confirm }

/** A proposed call, before it is decided. */
export interface Proposed {
  action: Id
  arguments: Arguments
  identity: Identity
  isVerified: boolean
  conversation: string
  /** The answer that it is for; null where a visitor or a person chose it by a form. */
  message: string | null
  /** The epoch in which the answer was begun; undefined: the current one. */
  begunIn?: number | undefined
}

/** Who decides about a call, and what they were shown. `person`: a member; null: the visitor. */
export interface Deciding { event: 'confirm' | 'refuse', digest: string, person: Id | null }

/** A call to be sent now: it is `running`, and is handed out only this once. */
export interface Begun { call: CallRecord, asked: Asked }

/**
 * Stores calls. Every method is one transaction; what is missing, or somebody else's, is `undefined`. A call is handed
 * out to be sent once: by the transaction that makes it `running`.
 */
export interface CallStore {
  /** Newest first. */
  list (
    owner: Id, filter: CallFilter, after: string | undefined, limit: number
  ): Promise<{ items: CallRecord[], next: string | null }>
  /** With its arguments. */
  get (owner: Id, conversation: string, call: string): Promise<CallCard | undefined>
  /** Calls of a conversation with their arguments, oldest first. */
  ofConversation (owner: Id, conversation: string): Promise<CallCard[]>
  /** The oldest that the visitor of a conversation is asked to confirm. */
  waiting (owner: Id, conversation: string): Promise<CallCard | undefined>
  /** Decides its first state, and begins it if nobody has to confirm. */
  propose (owner: Id, proposed: Proposed): Promise<Proposal | undefined>
  /** Refuses with a specific code (409) what can no longer be decided, or was decided by somebody else. */
  decide (owner: Id, conversation: string, call: string, deciding: Deciding): Promise<CallRecord | undefined>
  /** Begins a confirmed one, or drops it if it must no longer be sent; undefined if it was handed out before. */
  begin (owner: Id, call: string): Promise<Begun | { call: CallRecord, asked: null } | undefined>
  /** Records its outcome. */
  settle (owner: Id, call: string, sent: Sent): Promise<CallRecord | undefined>
  /** One that may have been done, to be looked up. */
  lost (owner: Id, call: string): Promise<Begun | undefined>
  /** Expires one that nobody decided about in time; undefined if somebody has. */
  expire (owner: Id, call: string): Promise<CallRecord | undefined>
  /** Calls in flight when the process ended: nobody waits for their responses any more. */
  interrupted (quietSince: string | null): Promise<Array<{ owner: Id, call: string, effect: 'read' | 'write' }>>
  /** Notes a try of an action, in no conversation. */
  tried (owner: Id, action: ActionRecord, digest: string, sent: Sent): Promise<void>
}
