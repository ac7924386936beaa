import { Refusal } from '../../platform/errors.ts'
import type { Way } from '../../platform/http/openapi.ts'
import type { DecisionInput } from '../contract.ts'

/** The refusal if the agent would have to speak, and does not. */
export const INACTIVE = [
  'agent_inactive', 'This agent is inactive and does not answer. Set its status to Active first.'
] as const satisfies Way

/** Why an answer is not regenerated. */
export const REGENERATING: readonly Way[] = [
  ['not_last_answer', 'Only the last answer of a conversation can be regenerated.'],
  ['not_an_answer', 'Only an answer of the agent can be regenerated.'],
  ['in_progress', 'The agent is writing an answer. Stop it first, or wait until it is done.'],
  ['taken_over', 'A person has taken this conversation over; the agent does not answer in it now.'],
  INACTIVE
]

/** The agent asked is inactive. */
export function agentInactive (): Refusal {
  return new Refusal(...INACTIVE)
}

/** Refuses with `agent_inactive` if an agent that does not answer would have to speak. */
export function refuseInactive ({ conversation, speaker }: DecisionInput) {
  if (speaker.status === 'Inactive' && conversation.handled_by === 'agent') throw agentInactive()
}
