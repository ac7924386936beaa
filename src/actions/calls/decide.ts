import type { ActionRecord, CallRecord, CallState } from '../../../schema/actions.ts'
import { Refusal } from '../../platform/errors.ts'
import type { Asked } from '../contract.ts'
import { after, firstEvent } from './table.ts'

/** The parts of a conversation that matter to its calls. */
export interface HandlerState { epoch: number, handled_by: string, status: string }

/** Existing calls: of this answer, and of the action in the conversation and today. */
export interface Before {
  ofMessage: ReadonlyArray<Pick<CallRecord, 'effect' | 'digest' | 'state'>>
  inConversation: number
  today: number
}

/** A call as decided: to be sent now, to be confirmed first, or the earlier one of the same answer. */
export type Proposal =
  | { type: 'begun', call: CallRecord, asked: Asked }
  | { type: 'asked', call: CallRecord }
  | { type: 'repeated', call: CallRecord, result: string | null }
  | { type: 'refused', refusal: Refusal }

/**
 * The first state of a call after it was proposed. Refuses if somebody else speaks by now, if the action is off, for
 * visitors whom nobody has vouched for if that is needed, above the limits, and a second write for one answer: however
 * often an answer is regenerated, it writes once.
 */
export function decideCall (
  action: Pick<ActionRecord, 'enabled' | 'effect' | 'confirm' | 'needs_verified' | 'limits'>,
  { standing, epoch, isVerified, before }: {
    standing: HandlerState, epoch: number, isVerified: boolean, before: Before
  }
): Extract<CallState, 'running' | 'asked'> {
  if (!action.enabled) throw new Refusal('action_off', 'This action is switched off.')
  demandSpeaking(standing, epoch)
  if (action.needs_verified && !isVerified) {
    throw new Refusal(
      'not_verified', 'This is available only to visitors whom the business vouches for. Sign in on its site first.'
    )
  }
  if (action.effect === 'write' && before.ofMessage.some(({ effect }) => effect === 'write')) {
    throw new Refusal('limit_reached', 'One answer can make only one change. Ask again for anything else.')
  }
  const { per_conversation: most, per_day: daily } = action.limits
  if (before.inConversation >= most || before.today >= daily) {
    throw new Refusal('limit_reached', 'This was done as often as allowed. Try again tomorrow, or ask for a person.')
  }
  return after('proposed', firstEvent(action.confirm)) as 'running' | 'asked'
}

function demandSpeaking ({ epoch: now, handled_by: handledBy, status }: HandlerState, epoch: number) {
  if (now === epoch && handledBy === 'agent' && status === 'open') return
  throw new Refusal('taken_over', 'Somebody else handles this conversation now, so this action can no longer run.')
}

/**
 * The state of a call after somebody decided about it. Refuses with `call_changed` if something else was shown, with
 * `call_settled` if it was decided or has expired, and visitors if a person has to decide.
 */
export function decidedCall (
  call: Pick<CallRecord, 'state' | 'digest' | 'confirm' | 'expires_at'> & { epoch: number },
  { event, digest, isPerson, standing, at }: {
    event: 'confirm' | 'refuse', digest: string, isPerson: boolean, standing: HandlerState, at: string
  }
): CallState {
  if (call.confirm === 'person' && !isPerson && event === 'confirm') {
    throw new Refusal('permission_denied', 'A person of the business has to confirm this.')
  }
  if (call.digest !== digest) {
    throw new Refusal('call_changed', 'The call is not as it was shown. Read it again, then decide.')
  }
  const isLate = call.expires_at !== null && call.expires_at <= at
  const next = after(call.state, event)
  if (!next || isLate) {
    throw new Refusal(
      'call_settled',
      isLate && next
        ? 'This was not confirmed in time. Ask for it again.'
        : 'This was already decided. Read the call again to see the result.'
    )
  }
  if (event === 'confirm') demandSpeaking(standing, call.epoch)
  return next
}
