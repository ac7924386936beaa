import type { AgentRecord } from '../../schema/agents.ts'
import type { BusinessRecord } from '../../schema/business.ts'
import type { ConversationRecord, VisitorRecord } from '../../schema/conversations.ts'
import { localTime } from '../business/index.ts'
import { shortened } from '../platform/errors.ts'
import { TOO_LATE_MICROS } from './plan.ts'

/*
 * Whether what an agent has said to a silent visitor goes out by mail too, as pure decisions: to whoever left an
 * address, agreed to what they were shown, and is not there to read it.
 */

/** Minutes of a day between which nobody is woken. */
const EVENING = 21 * 60
const MORNING = 8 * 60
const MINUTE_MS = 60_000
/** So long a visitor who just lost the connection has to come back. */
export const GRACE_MS = MINUTE_MS
const SUBJECT = 78

/** What was said of its own accord, and waits to be mailed. `seq`: its place; `due`: in microseconds since 1970. */
export interface Mailed { episode: number, epoch: number, seq: number, due: number }

/** What a decision is told. `isThere`: the visitor has the conversation open; `mayWrite`: agreed to what is shown. */
export interface Reading {
  conversation: ConversationRecord
  agent: Pick<AgentRecord, 'status' | 'behavior'> | undefined
  visitor: Pick<VisitorRecord, 'email' | 'verified'> | undefined
  isThere: boolean
  mayWrite: boolean
  now: number
}

/** Whom it is mailed to; undefined: it is not mailed. Over a day late, as when the machine was off, it is dropped. */
export function mailTo (reading: Reading, { episode, epoch, seq, due }: Mailed): string | undefined {
  const { conversation, agent, visitor, isThere, mayWrite, now } = reading
  const { status, handled_by: by, messages, channel, tickets } = conversation
  const isUnchanged =
    status === 'open' &&
    by === 'agent' &&
    conversation.episode === episode &&
    conversation.epoch === epoch &&
    messages === seq
  // Where a ticket was opened, people write; and only the widget knows who is there.
  if (!isUnchanged || channel !== 'widget' || tickets.length > 0 || isThere || now - due > TOO_LATE_MICROS) {
    return undefined
  }
  // An address that was left for a ticket was left for nothing else.
  const isGiven = agent?.status === 'Active' && (agent.behavior.collectVisitorData || visitor?.verified === true)
  return isGiven && mayWrite ? (visitor?.email ?? undefined) : undefined
}

/** Milliseconds until the quiet hours of a business are over, from 21 to 8 o'clock in its zone; 0 outside them. */
export function quietFor ({ time_zone: zone }: Pick<BusinessRecord, 'time_zone'>, micros: number): number {
  const { minutes } = localTime(zone, micros)
  if (minutes >= MORNING && minutes < EVENING) return 0
  const wait = (minutes < MORNING ? MORNING - minutes : 24 * 60 - minutes + MORNING) * MINUTE_MS
  // The clocks may be changed in that night.
  const shown = localTime(zone, micros + wait * 1000).minutes
  return wait - (shown - MORNING) * MINUTE_MS - Math.floor(micros / 1000) % MINUTE_MS
}

/** What the mail is headed with, and says. The address may be false, so no word of the visitor's is in it. */
export function letterOf (text: string): { subject: string, text: string } {
  return { subject: shortened(text.split('\n')[0]!.trim(), SUBJECT), text }
}
