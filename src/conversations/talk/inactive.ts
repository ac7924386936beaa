import { Refusal } from '../../platform/errors.ts'
import type { Loaded } from '../store.ts'

/** An agent that does not answer was asked. */
export function agentInactive (): Refusal {
  return new Refusal('agent_inactive', 'This agent is inactive and does not answer. Set its status to Active first.')
}

/** Refuses with `agent_inactive` where the agent would have to speak that does not answer. */
export function refuseInactive ({ conversation, speaker }: Loaded) {
  if (speaker.status === 'Inactive' && conversation.handled_by === 'agent') throw agentInactive()
}
