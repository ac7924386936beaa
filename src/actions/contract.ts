import type { ActionRecord, ConnectionRecord } from '../../schema/actions.ts'

/** A tool as an MCP server describes it. Nothing that it says of its effects is believed. */
export interface McpTool { name: string, title: string, description: string, inputSchema: unknown }

/** A connection with its secret opened, for the moment in which it is asked. */
export interface OpenConnection extends ConnectionRecord {
  /** A function, so that nothing that prints a connection prints its secret. */
  opened: () => string | null
}

/** What is to be sent: an action, where, and its values. */
export interface Asked {
  connection: OpenConnection
  action: Pick<
    ActionRecord, 'name' | 'effect' | 'method' | 'path' | 'parameters' | 'result' | 'limits' | 'lookup' | 'schema_digest'
  >
  values: Record<string, string | number | boolean>
  /** The same for every time that it might be sent. */
  key: string
}

/**
 * What became of it. `unknown`: it was sent and no answer came, so that it may have been done. `result`: what of the
 * answer may be shown to a model, as text.
 */
export interface Sent {
  state: 'done' | 'failed' | 'unknown'
  status: number | null
  ms: number
  result: string | null
  /** Why it was not done, in a sentence; null where it was. */
  error: string | null
  /** What the tools of an MCP server look like now, by name, where one is not as it was when it was switched on. */
  tools?: ReadonlyMap<string, string>
}

/** Carries out what was decided, once. Never throws but what the signal throws. */
export interface Sending {
  send (asked: Asked): Promise<Sent>
  /** Whether a call whose answer was lost was done: asks the other side by its key. */
  lookUp (asked: Asked): Promise<Sent>
  /** Whether a connection answers at all. */
  check (connection: OpenConnection): Promise<Sent>
  /** The tools of an MCP server. Refuses with VALIDATION_ERROR one that does not list them. */
  tools (connection: OpenConnection): Promise<McpTool[]>
}
