import { Type, type Static, type TObject, type TProperties, type TSchema } from '@sinclair/typebox'
import type { Permission } from '../../schema/access.ts'
import { closed, Id } from '../../schema/common.ts'

/** A request of our own interface. */
export interface Asked { method: 'GET' | 'POST' | 'PUT', url: string, body?: object }

/** Sends one as the caller, and resolves with its `data`; rejects with a Refusal for what is refused. */
export type Ask = (asked: Asked) => Promise<any>

/** What a tool may do, beside asking. */
export interface ToolContext {
  ask: Ask
  /** Whether the caller may read visitors' addresses. */
  seesAddresses: boolean
  /**
   * Asks the person in front of the client; throws what the client is answered until they have said yes to these words
   * about this state of things.
   */
  confirmed (message: string, of?: string): void
}

/**
 * Something that assistants can do here. What they write is knowledge, a note for the team, or a draft: no visitor
 * meets a change of an agent before a person has said yes.
 */
export interface Tool {
  name: string
  title: string
  description: string
  /** One of these permissions; without any, every key may. */
  needs?: readonly Permission[]
  readOnly: boolean
  input: TSchema
  output: TSchema
  run (args: any, context: ToolContext): Promise<object>
}

/** A tool by the fields of its arguments and of its result. */
export const tool = <Input extends TProperties, Output extends TProperties>(
  { input, output, ...rest }: Omit<Tool, 'input' | 'output' | 'run'> & {
    input: Input
    output: Output
    run (args: Static<TObject<Input>>, context: ToolContext): Promise<Static<TObject<Output>>>
  }
): Tool => ({ ...rest, input: Type.Object(input, closed), output: Type.Object(output) })

/** The agent that a tool is about. */
export const agent = Type.Integer({ ...Id, description: 'The id of the agent' })
