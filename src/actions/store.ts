import type {
  Action, ActionDraft, ActionPatch, ActionRecord, Arguments, CallCard, CallRecord, CallState, Confirm, Connection,
  ConnectionDraft
} from '../../schema/actions.ts'
import type { Id } from '../../schema/common.ts'
import type { Match, Once, Outcome } from '../platform/storage/contract.ts'
import type { Identity } from './calls/bind.ts'
import type { Proposal } from './calls/decide.ts'
import type { Asked, OpenConnection, Sent } from './contract.ts'

/**
 * Where connections rest, their secrets sealed. Every method is one transaction; what is missing, or somebody else's,
 * is `undefined`.
 */
export interface ConnectionStore {
  /** Oldest first. */
  list (owner: Id): Promise<Connection[]>
  get (owner: Id, connection: Id): Promise<Connection | undefined>
  /** Refuses as `decideConnection` does, and with `limit_reached` one too many. */
  add (owner: Id, draft: ConnectionDraft, once?: Once): Promise<Outcome<Connection>>
  /** Replaces one; its secret stays where none is given. Refuses as `replacedConnection` does. */
  replace (
    owner: Id, connection: Id, draft: ConnectionDraft, match?: Match<Connection>
  ): Promise<Connection | undefined>
  /** Refuses with `in_use` one that actions are done over. */
  remove (owner: Id, connection: Id, match?: Match<Connection>): Promise<boolean>
  /** One that is about to be asked. */
  opened (owner: Id, connection: Id): Promise<OpenConnection | undefined>
  /** Notes that it has answered, or why it has not; moves neither its version nor its tag. */
  note (owner: Id, connection: Id, error: string | null): Promise<void>
}

/** Where actions rest. Every method is one transaction; what is missing, or somebody else's, is `undefined`. */
export interface ActionStore {
  /** Oldest first. */
  list (owner: Id): Promise<Action[]>
  get (owner: Id, action: Id): Promise<Action | undefined>
  /** Refuses as `decideAction` does, with `taken` a name that there is, and undefined is: no such connection. */
  add (owner: Id, draft: ActionDraft, once?: Once, digest?: string): Promise<Outcome<Action> | undefined>
  change (owner: Id, action: Id, patch: ActionPatch, match?: Match<Action>): Promise<Action | undefined>
  /** Refuses with `in_use` one that an agent has. */
  remove (owner: Id, action: Id, match?: Match<Action>): Promise<boolean>
  /** As it is kept, with its connection opened. */
  known (owner: Id, action: Id): Promise<{ action: ActionRecord, connection: OpenConnection } | undefined>
  /** Those of these that are on, in their order. */
  enabled (owner: Id, actions: readonly Id[]): Promise<ActionRecord[]>
  /** Those that are done over a connection, by their paths: for what an MCP server says of its tools. */
  ofConnection (owner: Id, connection: Id): Promise<ActionRecord[]>
  /** Switches off those whose tool has changed, or is gone; they say which. */
  distrust (owner: Id, connection: Id, digests: ReadonlyMap<string, string>): Promise<string[]>
}

/** Which calls a list holds. */
export interface CallFilter { conversation?: string, action?: Id, state?: CallState, confirm?: Confirm }

/** What is to be done, before it is decided whether it is. */
export interface Proposed {
  action: Id
  arguments: Arguments
  identity: Identity
  isVerified: boolean
  conversation: string
  /** The answer that it is for; null where a visitor or a person chose it by a form. */
  message: string | null
  /** The one that the answer was begun in; undefined: the one that is now. */
  begunIn?: number | undefined
}

/** Who decides about a call, and what they were shown. `person`: a member; null: the visitor. */
export interface Deciding { event: 'confirm' | 'refuse', digest: string, person: Id | null }

/** A call that is to be sent now: it is `running`, and this is the only time that it is handed out. */
export interface Begun { call: CallRecord, asked: Asked }

/**
 * Where calls rest. Every method is one transaction; what is missing, or somebody else's, is `undefined`. A call is
 * handed out to be sent once: by the transaction that makes it `running`.
 */
export interface CallStore {
  /** Newest first. */
  list (
    owner: Id, filter: CallFilter, after: string | undefined, limit: number
  ): Promise<{ items: CallRecord[], next: string | null }>
  /** With what it is done with. */
  get (owner: Id, conversation: string, call: string): Promise<CallCard | undefined>
  /** Calls of a conversation with what they are done with, oldest first. */
  ofConversation (owner: Id, conversation: string): Promise<CallCard[]>
  /** The oldest that the visitor of a conversation is asked to confirm. */
  waiting (owner: Id, conversation: string): Promise<CallCard | undefined>
  /** Decides what becomes of it, and begins what nobody confirms. */
  propose (owner: Id, proposed: Proposed): Promise<Proposal | undefined>
  /** Refuses with a code of its own (409) what cannot be decided any more, or was decided by somebody else. */
  decide (owner: Id, conversation: string, call: string, deciding: Deciding): Promise<CallRecord | undefined>
  /** Begins a confirmed one, or drops what is not to be sent any more; undefined where it was handed out before. */
  begin (owner: Id, call: string): Promise<Begun | { call: CallRecord, asked: null } | undefined>
  /** What came of it. */
  settle (owner: Id, call: string, sent: Sent): Promise<CallRecord | undefined>
  /** One that may have been done, to be looked up. */
  lost (owner: Id, call: string): Promise<Begun | undefined>
  /** Ends one that nobody decided about in time; undefined where somebody has. */
  expire (owner: Id, call: string): Promise<CallRecord | undefined>
  /** Calls that were sent when the process ended: nobody waits for their answers any more. */
  interrupted (quietSince: string | null): Promise<Array<{ owner: Id, call: string, effect: 'read' | 'write' }>>
  /** Notes a try of an action, in no conversation. */
  tried (owner: Id, action: ActionRecord, digest: string, sent: Sent): Promise<void>
}
