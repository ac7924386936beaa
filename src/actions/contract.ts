import type { ActionRecord, CallFailure, ConnectionRecord } from '../../schema/actions.ts'

/** A tool as an MCP server describes it. Its claims about its effects are not trusted. */
export interface McpTool { name: string, title: string, description: string, inputSchema: unknown }

/** A connection with its secret decrypted, for the duration of a request. */
export interface OpenConnection extends ConnectionRecord {
  /** A function, so that nothing that prints a connection prints its secret. */
  opened: () => string | null
}

/** A request to send: an action, its connection, and its values. */
export interface Asked {
  connection: OpenConnection
  action: Pick<
    ActionRecord, 'name' | 'effect' | 'method' | 'path' | 'parameters' | 'result' | 'limits' | 'lookup' | 'schema_digest'
  >
  values: Record<string, string | number | boolean>
  /** The idempotency key: the same for every attempt. */
  key: string
}

/**
 * The outcome. `unknown`: it was sent and no response came, so it may have been done. `result`: the part of the
 * response that may be shown to a model, as text.
 */
export interface Sent {
  state: 'done' | 'failed' | 'unknown'
  status: number | null
  ms: number
  result: string | null
  /** Why it was not done, in a sentence; null if it was. */
  error: string | null
  error_code: CallFailure | null
  /** The current form of an MCP server's tools, by name, if one has changed since it was switched on. */
  tools?: ReadonlyMap<string, string>
}

/** Why something was not done: the sentence, and a code for programs and translations. */
export interface Failure { error: string, error_code: CallFailure }

/** Carries out what was decided, once. Throws only the signal's reason. */
export interface Sending {
  send (asked: Asked): Promise<Sent>
  /** Whether a call whose response was lost was done: asks the other side by its key. */
  lookUp (asked: Asked): Promise<Sent>
  /** Whether a connection responds at all. */
  check (connection: OpenConnection): Promise<Sent>
  /** The tools of an MCP server. Refuses with VALIDATION_ERROR one that does not list them. */
  tools (connection: OpenConnection): Promise<McpTool[]>
}
