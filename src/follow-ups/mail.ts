import type { AgentRecord } from '../../schema/agents.ts'
import type { BusinessRecord } from '../../schema/business.ts'
import type { ConversationRecord, VisitorRecord } from '../../schema/conversations.ts'
import { localTime } from '../business/index.ts'
import { shortened } from '../platform/errors.ts'
import { TOO_LATE_MICROS } from './plan.ts'

/*
 * Whether a follow-up to a silent visitor is also mailed, as pure decisions: to visitors who left an address, agreed to
 * the notice, and are not there to read it.
 */

/** Quiet hours, in minutes of a day. */
const EVENING = 21 * 60
const MORNING = 8 * 60
const MINUTE_MS = 60_000
/** How long a visitor who just lost the connection has to come back. */
export const GRACE_MS = MINUTE_MS
const SUBJECT = 78

/** A follow-up that may be mailed. `seq`: its message; `due`: in microseconds since 1970. */
export interface Mailed { episode: number, epoch: number, seq: number, due: number }

/** Input of a decision. `isThere`: the visitor has the conversation open; `mayWrite`: they agreed to the notice. */
export interface Reading {
  conversation: ConversationRecord
  agent: Pick<AgentRecord, 'status' | 'behavior'> | undefined
  visitor: Pick<VisitorRecord, 'email' | 'verified'> | undefined
  isThere: boolean
  mayWrite: boolean
  now: number
}

/** The recipient; undefined: it is not mailed. Over a day late, as when the machine was off, it is dropped. */
export function mailTo (reading: Reading, { episode, epoch, seq, due }: Mailed): string | undefined {
  const { conversation, agent, visitor, isThere, mayWrite, now } = reading
  const { status, handled_by: by, messages, channel, tickets } = conversation
  const isUnchanged =
    status === 'open' &&
    by === 'agent' &&
    conversation.episode === episode &&
    conversation.epoch === epoch &&
    messages === seq
  // If a ticket was opened, people write; and only the widget knows who is present.
  if (!isUnchanged || channel !== 'widget' || tickets.length > 0 || isThere || now - due > TOO_LATE_MICROS) {
    return undefined
  }
  // An address given for a ticket may be used for nothing else.
  const isGiven = agent?.status === 'Active' && (agent.behavior.collectVisitorData || visitor?.verified === true)
  return isGiven && mayWrite ? (visitor?.email ?? undefined) : undefined
}

/** Milliseconds until a business's quiet hours end, from 21 to 8 o'clock in its zone; 0 outside them. */
export function quietFor ({ time_zone: zone }: Pick<BusinessRecord, 'time_zone'>, micros: number): number {
  const { minutes } = localTime(zone, micros)
  if (minutes >= MORNING && minutes < EVENING) return 0
  const wait = (minutes < MORNING ? MORNING - minutes : 24 * 60 - minutes + MORNING) * MINUTE_MS
  // The clocks may change in that night.
  const shown = localTime(zone, micros + wait * 1000).minutes
  return wait - (shown - MORNING) * MINUTE_MS - Math.floor(micros / 1000) % MINUTE_MS
}

/** Subject and text of the mail. The address may be false, so it contains none of the visitor's words. */
export function letterOf (text: string): { subject: string, text: string } {
  return { subject: shortened(text.split('\n')[0]!.trim(), SUBJECT), text }
}
