import type { Id } from '../../../schema/common.ts'
import type { ConversationEventType, ConversationRecord } from '../../../schema/conversations.ts'
import type { ConversationJob, HandsHappening } from '../../conversations/index.ts'
import { timestamp } from '../../platform/clock.ts'

/* To whom a conversation that waits is offered: free hands first. An offer keeps nobody else from taking it. */

/** Milliseconds that somebody has to take what is offered to them, before the next one is asked. */
const OFFER_MS = 30_000

/** The kinds of jobs: an offer is over; somebody's hands have become free. */
export const OFFER_DUE = 'handoff.offer'
export const HANDS_FREE = 'handoff.free'

/** A member who is there for visitors. `holds`: conversations that they hold; `offered`: those offered to them. */
export interface Hand {
  user: Id
  /** Conversations at once; null: no limit. */
  capacity: number | null
  holds: number
  offered: number
  /** When one was last offered to them or taken by them, in microseconds since 1970; null: never. */
  called_at: number | null
}

/**
 * To whom a conversation is offered next: its assignee, if they have room for it, else whoever has the least to do, of
 * several the one who was called longest ago. Nobody twice (`passed`) and nobody beyond their capacity.
 */
export function nextHand (hands: readonly Hand[], passed: readonly Id[], assignee: Id | null): Id | undefined {
  const busy = ({ holds, offered }: Hand) => holds + offered
  const free = hands.filter((hand) =>
    !passed.includes(hand.user) && (hand.capacity === null || busy(hand) < hand.capacity))
  const first = free.find(({ user }) => user === assignee) ?? free.toSorted((a, b) =>
    busy(a) - busy(b) || (a.called_at ?? 0) - (b.called_at ?? 0) || a.user - b.user)[0]
  return first?.user
}

/** What an offer changes and asks for. */
interface Offer {
  change: Pick<ConversationRecord, 'offered_to' | 'offered_until'>
  events: ConversationEventType[]
  announces: HandsHappening[]
  jobs: ConversationJob[]
}

/** What offering a conversation comes to; `passed`: who did not take it before. */
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
