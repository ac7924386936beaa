import type { ActionRecord, CallRecord, CallState } from '../../../schema/actions.ts'
import { Refusal } from '../../platform/errors.ts'
import type { Asked } from '../contract.ts'
import { after, firstEvent } from './table.ts'

/** A conversation, as far as it matters to what is done in it. */
export interface Standing { epoch: number, handled_by: string, status: string }

/** What there is of calls already: of this answer, and of the action in the conversation and today. */
export interface Before {
  ofMessage: ReadonlyArray<Pick<CallRecord, 'effect' | 'digest' | 'state'>>
  inConversation: number
  today: number
}

/** A call as it was decided: handed out to be sent, to be confirmed first, or the one of the same answer before. */
export type Proposal =
  | { type: 'begun', call: CallRecord, asked: Asked }
  | { type: 'asked', call: CallRecord }
  | { type: 'repeated', call: CallRecord, result: string | null }
  | { type: 'refused', refusal: Refusal }

/**
 * The first state of a call after it was proposed. Refuses where somebody else speaks by now, where the action is off,
 * for visitors whom nobody has vouched for where that is needed, above the limits, and a second write for one answer:
 * however often an answer is written anew, it writes once.
 */
export function decideCall (
  action: Pick<ActionRecord, 'enabled' | 'effect' | 'confirm' | 'needs_verified' | 'limits'>,
  { standing, epoch, isVerified, before }: {
    standing: Standing, epoch: number, isVerified: boolean, before: Before
  }
): Extract<CallState, 'running' | 'asked'> {
  if (!action.enabled) throw new Refusal('action_off', 'This action is switched off.')
  demandSpeaking(standing, epoch)
  if (action.needs_verified && !isVerified) {
    throw new Refusal(
      'not_verified', 'This is done only for visitors whom the business has vouched for. Sign in on its site first.'
    )
  }
  if (action.effect === 'write' && before.ofMessage.some(({ effect }) => effect === 'write')) {
    throw new Refusal('limit_reached', 'One answer changes one thing. Say again what else is to be done.')
  }
  const { per_conversation: most, per_day: daily } = action.limits
  if (before.inConversation >= most || before.today >= daily) {
    throw new Refusal('limit_reached', 'This was done as often as it may be. Try again tomorrow, or ask for a person.')
  }
  return after('proposed', firstEvent(action.confirm)) as 'running' | 'asked'
}

function demandSpeaking ({ epoch: now, handled_by: handledBy, status }: Standing, epoch: number) {
  if (now === epoch && handledBy === 'agent' && status === 'open') return
  throw new Refusal('taken_over', 'Somebody else speaks in this conversation by now: nothing is done in it any more.')
}

/**
 * The state of a call after somebody decided about it. Refuses with `call_changed` where something else was shown, with
 * `call_settled` where it was decided or has expired, and a visitor where a person is asked.
 */
export function decidedCall (
  call: Pick<CallRecord, 'state' | 'digest' | 'confirm' | 'expires_at'> & { epoch: number },
  { event, digest, isPerson, standing, at }: {
    event: 'confirm' | 'refuse', digest: string, isPerson: boolean, standing: Standing, at: string
  }
): CallState {
  if (call.confirm === 'person' && !isPerson && event === 'confirm') {
    throw new Refusal('permission_denied', 'A person of the business confirms this.')
  }
  if (call.digest !== digest) {
    throw new Refusal('call_changed', 'What is to be done is not what was shown. Read the call again, and decide anew.')
  }
  const isLate = call.expires_at !== null && call.expires_at <= at
  const next = after(call.state, event)
  if (!next || isLate) {
    throw new Refusal(
      'call_settled',
      isLate && next
        ? 'This was not confirmed in time. Ask for it again.'
        : 'This was decided already. Read the call again to see what came of it.'
    )
  }
  if (event === 'confirm') demandSpeaking(standing, call.epoch)
  return next
}
