import type { Id } from '../../../schema/common.ts'
import type { ConversationEventType, ConversationRecord } from '../../../schema/conversations.ts'
import type { ConversationJob, HandoffDomainEvent } from '../../conversations/index.ts'
import { timestamp } from '../../platform/clock.ts'

/* Whom a waiting conversation is offered to: free members first. Anybody else may still take it. */

/** Milliseconds that somebody has to take an offer, before the next one is asked. */
const OFFER_MS = 30_000

/** The kinds of jobs: an offer expires; somebody has free capacity. */
export const OFFER_DUE = 'handoff.offer'
export const HANDS_FREE = 'handoff.free'

/** Of two who have more conversations than this, neither counts as less busy. */
export const MOST_COMPARED = 100

/**
 * A member on duty for visitors. `holds`: conversations they hold; `offered`: those offered to them. Each is counted as
 * far as it matters: to MOST_COMPARED, or to the largest capacity.
 */
export interface Hand {
  user: Id
  /** Conversations at once; null: no limit. */
  capacity: number | null
  holds: number
  offered: number
  /** When they were last offered or took one, in microseconds since 1970; null: never. */
  called_at: number | null
}

/** Conversations a member has, or may have in a moment. */
const has = ({ holds, offered }: Hand) => holds + offered
const busy = (hand: Hand) => Math.min(has(hand), MOST_COMPARED)

/** Whether a member may be offered another one. */
export const hasRoom = (hand: Hand) => hand.capacity === null || has(hand) < hand.capacity

/**
 * Whom a conversation is offered to next: its assignee, if they have room for it, else the least busy member; of
 * several, the one called longest ago. Nobody twice (`passed`) and nobody beyond their capacity.
 */
export function nextHand (hands: readonly Hand[], passed: readonly Id[], assignee: Id | null): Id | undefined {
  const free = hands.filter((hand) => !passed.includes(hand.user) && hasRoom(hand))
  const first = free.find(({ user }) => user === assignee) ?? free.toSorted((a, b) =>
    busy(a) - busy(b) || (a.called_at ?? 0) - (b.called_at ?? 0) || a.user - b.user)[0]
  return first?.user
}

/** What an offer changes and requests. */
interface Offer {
  change: Pick<ConversationRecord, 'offered_to' | 'offered_until'>
  events: ConversationEventType[]
  announces: HandoffDomainEvent[]
  jobs: ConversationJob[]
}

/** The result of an offer; `passed`: who did not take it before. */
export function offer (
  { assignee, epoch }: Pick<ConversationRecord, 'assignee' | 'epoch'>,
  passed: readonly Id[],
  { at, hands }: { at: string, hands: () => Hand[] }
): Offer {
  const to = nextHand(hands(), passed, assignee)
  if (to === undefined) {
    return { change: { offered_to: null, offered_until: null }, events: [], announces: [], jobs: [] }
  }
  return {
    change: { offered_to: to, offered_until: timestamp((Date.parse(at) + OFFER_MS) * 1000) },
    events: ['handoff.offered'],
    announces: [{ type: 'handoff.offered', data: { to } }],
    jobs: [{ kind: OFFER_DUE, payload: { epoch, to }, inMs: OFFER_MS }]
  }
}
