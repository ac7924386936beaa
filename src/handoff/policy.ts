import type { BusinessRecord } from '../../schema/business.ts'
import type { Id } from '../../schema/common.ts'
import type { ConversationRecord } from '../../schema/conversations.ts'
import type { BusinessStore } from '../business/index.ts'
import type { HandoffEvent, HandoffPolicy, Transition } from '../conversations/index.ts'
import { type Clock, timestamp } from '../platform/clock.ts'
import { fact } from '../platform/storage/facts.ts'
import type { Work } from '../platform/storage/work.ts'
import { late, timed } from './desk/timers.ts'
import type { DutyStore } from './duty.sqlite.ts'
import type { Notices } from '../locales/contract.ts'
import { textsIn } from '../locales/list.ts'
import {
  closed, type HandoffChange, type HandoffContext, noted, outcomeOf, QUEUE_MS, reopened, ticketed, type VisitorNotice
} from './moves.ts'
import { abandoned, assigned, offered, passedOver } from './desk/assign.ts'
import { snoozed, woken } from './desk/snooze.ts'
import { asked, cancelled, ended, said } from './conversing.ts'
import { due, released, replied, taken } from './people.ts'

/** After this time a closed conversation is not reopened. */
const OVER_MS = 7 * 24 * 3_600_000

/**
 * The hand-off policy: the state machine with the current facts, such as who is on duty and the business's own texts.
 */
export function handoffPolicy ({ duty, business, isFollowedUp, nameOf, clock, table = decide }: {
  duty: DutyStore
  business: BusinessStore
  /** Whether a follow-up is still to come; run inside the transaction. */
  isFollowedUp: (conversation: string) => Work<boolean>
  /** The name a person has set, if any; called inside the transaction. */
  nameOf: (user: Id) => Work<string | undefined>
  clock: Clock
  /** Overridden in tests only, to see what the table withholds. */
  table?: Table | undefined
}): HandoffPolicy {
  return {
    transition ({ conversation, generating, speaker, agent, hasAddress }, event) {
      const { owner } = conversation
      const at = timestamp(clock.micros())
      const change = table(conversation, event, {
        at,
        speaker,
        agent,
        hasAddress,
        writes: generating?.seq ?? 0,
        isFollowedUp: fact(() => isFollowedUp(conversation.id)),
        hands: () => fact(() => duty.hands(owner)),
        mayAnswer: (user) => fact(() => duty.mayAnswer(owner, user)),
        ...fact(() => duty.now(owner, QUEUE_MS))
      })
      if (!change) return undefined
      const { notice, change: { person } } = change
      const settings = () => fact(() => business.of(owner))
      const words =
        notice && wordsOf(notice, conversation, settings(), person ? fact(() => nameOf(person)) : undefined)
      const timer = timed(conversation, change.change, at, settings)
      return {
        ...change, change: { ...change.change, ...timer.change }, jobs: [...change.jobs, ...timer.jobs], notice: words
      }
    },
    isOver: ({ status, successor, closed_at: closedAt }, at) => successor !== null ||
      (status === 'closed' && closedAt !== null && Date.parse(at) - Date.parse(closedAt) > OVER_MS)
  }
}

/**
 * The text of a notice: the business's own if it has one, in the language of the conversation. `name`: who has come, if
 * they have set a name.
 */
function wordsOf (
  notice: VisitorNotice,
  { language }: Pick<ConversationRecord, 'language'>,
  { notices: texts }: Pick<BusinessRecord, 'notices'>,
  name: string | undefined
): NonNullable<Transition['notice']> {
  const built = textsIn(language, 'notices')
  if (notice.key === 'taken') return { text: takenBy(name, texts.taken, built), suggestions: [] }
  if (notice.key === 'transferred') {
    return {
      text: (notice.prompt.trim() || built.transferred).replaceAll('{{name}}', () => notice.to.name), suggestions: []
    }
  }
  if (notice.key === 'offer') return { text: built.offer, suggestions: [built.person] }
  if (notice.key === 'noted') {
    return { text: notedAs(notice.email, built), suggestions: [] }
  }
  if (notice.key === 'address') return { text: built.address, suggestions: [] }
  const words = notice.key === 'passed' ? texts.ticket : notice.key !== 'ticketed' && texts[notice.key]
  const text = words || built[notice.key]
  if (!('asksAddress' in notice)) return { text, suggestions: [] }
  const { asksAddress, email } = notice
  const reached = email === undefined ? asksAddress && built.address : notedAs(email, built)
  return { text: reached ? `${text} ${reached}` : text, suggestions: [] }
}

/** The address that a visitor gave, said back. */
const notedAs = (email: string, { noted }: Notices): string => noted.replace('{{email}}', () => email)

/** That a person has come, and who: a business with a text of its own decides there whether it names them. */
function takenBy (name: string | undefined, text: string, built: Notices): string {
  if (text !== '') return text.replaceAll('{{name}}', () => name ?? built.taken)
  return name === undefined ? built.taken : `${built.taken} ${built.transferred.replace('{{name}}', () => name)}`
}

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
