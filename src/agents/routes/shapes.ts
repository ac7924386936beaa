import { Type } from '@sinclair/typebox'
import { Agent } from '../../../schema/agents.ts'
import { PathId } from '../../../schema/common.ts'
import { success } from '../../../schema/envelopes.ts'

/** The response with one agent. */
export const AgentAnswer = success(Agent, { title: 'AgentAnswer', description: 'The agent' })

export const inAgent = Type.Object({ id: PathId })

/** The group of these routes in the OpenAPI document. */
export const tag = 'Agents'
