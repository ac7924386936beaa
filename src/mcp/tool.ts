import { Type, type Static, type TObject, type TProperties, type TSchema } from '@sinclair/typebox'
import type { Permission } from '../../schema/access.ts'
import { closed, Id } from '../../schema/common.ts'

/** A request to our own API. */
export interface Asked { method: 'GET' | 'POST' | 'PUT', url: string, body?: object }

/** Sends one as the caller, and resolves with its `data`; rejects with a Refusal. */
export type Ask = (asked: Asked) => Promise<any>

/** What a tool may do, besides requests. */
export interface ToolContext {
  ask: Ask
  /** Whether the caller may read visitors' addresses. */
  seesAddresses: boolean
  /**
   * Requests confirmation from the person using the client; throws the client's answer until they have confirmed these
   * words about this state.
   */
  confirmed (message: string, of?: string): void
}

/**
 * A tool for assistants. They can only write knowledge, notes for the team, and drafts: no change of an agent goes live
 * before a person has confirmed it.
 */
export interface Tool {
  name: string
  title: string
  description: string
  /** One of these permissions is required; without any, every key may use it. */
  needs?: readonly Permission[]
  readOnly: boolean
  input: TSchema
  output: TSchema
  run (args: any, context: ToolContext): Promise<object>
}

/** A tool with the schemas of its arguments and of its result. */
export const tool = <Input extends TProperties, Output extends TProperties>(
  { input, output, ...rest }: Omit<Tool, 'input' | 'output' | 'run'> & {
    input: Input
    output: Output
    run (args: Static<TObject<Input>>, context: ToolContext): Promise<Static<TObject<Output>>>
  }
): Tool => ({ ...rest, input: Type.Object(input, closed), output: Type.Object(output) })

/** The agent that a tool is about. */
export const agent = Type.Integer({ ...Id, description: 'The id of the agent' })
