import { Refusal } from '../../platform/errors.ts'
import type { Way } from '../../platform/http/openapi.ts'
import type { Loaded } from '../contract.ts'

/** How those are refused to whom the agent would have to speak, and does not. */
export const INACTIVE = [
  'agent_inactive', 'This agent is inactive and does not answer. Set its status to Active first.'
] as const satisfies Way

/** Why an answer is not written anew. */
export const REGENERATING: readonly Way[] = [
  ['not_last_answer', 'Only the last answer of a conversation can be written anew.'],
  ['not_an_answer', 'Only an answer of the agent can be written anew.'],
  ['in_progress', 'The agent is writing an answer. Stop it first, or wait until it is done.'],
  ['taken_over', 'A person has taken this conversation over; the agent does not answer in it now.'],
  INACTIVE
]

/** An agent that does not answer was asked. */
export function agentInactive (): Refusal {
  return new Refusal(...INACTIVE)
}

/** Refuses with `agent_inactive` where the agent would have to speak that does not answer. */
export function refuseInactive ({ conversation, speaker }: Loaded) {
  if (speaker.status === 'Inactive' && conversation.handled_by === 'agent') throw agentInactive()
}
