import type { ConversationRecord } from '../../schema/conversations.ts'
import type { HandoffEvent } from '../conversations/index.ts'
import { abandoned, assigned, offered, passedOver } from './desk/assign.ts'
import { snoozed, woken } from './desk/snooze.ts'
import { late } from './desk/timers.ts'
import { asked, cancelled, ended, said } from './conversing.ts'
import { closed, noted, outcomeOf, reopened, ticketed, type HandoffChange, type HandoffContext } from './moves.ts'
import { due, released, replied, taken } from './people.ts'

/*
 * State machine of hand-offs; the only code that changes who speaks.
 *
 *   agent  ── a person is asked for, somebody is on duty ──► queue ── takes over ──► person
 *     ▲  └─── nobody is: a ticket, and the agent goes on        │                       │
 *     ├──────── nobody came, duty ends: a ticket; cancelled ◄───┘                       │
 *     └──────── released; nobody answers the visitor, and nobody is on duty ◄───────────┘
 *   any ── close ──► closed ── a message ──► a new episode: agent
 *
 * Each change of hands increments the epoch, and notifies the visitor. Work from an earlier epoch is stale.
 */

/**
 * The transition of a conversation on an event. Undefined: the event is stale, and nothing changes. Refuses what a
 * person or a visitor requests and is not possible now, with a code that says why.
 */
export function decide (
  conversation: ConversationRecord, event: HandoffEvent, given: HandoffContext
): HandoffChange | undefined {
  switch (event.type) {
    case 'said':
      return said(conversation, event, given)
    case 'ended':
      return ended(conversation, event, given)
    case 'judged':
      return noted(
        conversation,
        event.score === 1 ? { is_confirmed: true } : { is_confirmed: false, is_cited: false, is_unanswered: true }
      )
    case 'asked':
      return asked(conversation, event.reason, given)
    case 'cancelled':
      return cancelled(conversation, given)
    case 'taken':
      return taken(conversation, event.person, event.from, given)
    case 'replied':
      return replied(conversation, event.person, given)
    case 'released':
      return released(conversation, event.person, given)
    case 'due':
      return due(conversation, event, given)
    case 'left':
      return conversation.handled_by === 'queue' ? ticketed(conversation, 'no_one_available', given) : undefined
    case 'assigned':
      return assigned(conversation, event, given)
    case 'abandoned':
      return abandoned(conversation, event, given)
    case 'free':
      return offered(conversation, given)
    case 'passed':
      return passedOver(conversation, event, given)
    case 'snoozed':
      return snoozed(conversation, event, given)
    case 'woken':
      return woken(conversation, event)
    case 'relayed':
      return noted(conversation, { is_promised: false, replied_at: conversation.course.replied_at ?? given.at })
    case 'late':
      return late(conversation, event, given)
    case 'closed':
      return conversation.status === 'closed' ? undefined : closed(conversation, outcomeOf(conversation, event), given)
    case 'reopened':
      return conversation.status === 'closed' ? reopened(conversation, given) : undefined
  }
}

/** Its type. */
export type Table = typeof decide
