import type { GuardNote } from '../../../schema/guards.ts'
import type {
  AnsweredBy, Attachment, Citation, ConversationEventType, ConversationRecord, MessageError, MessageRecord, Page,
  Usage
} from '../../../schema/conversations.ts'
import type { DomainEvent } from '../../platform/work/event-bus.ts'
import type { Address } from '../handoff/address.ts'
import type { ConversationJob, EndedEpisode, Ending, HandoffPolicy } from '../contract.ts'
import type { ModelUsage } from '../usage/ledger.ts'

/**
 * The result of an event: the conversation's new state, the new or changed messages, and the events for watchers.
 */
export interface Decision {
  conversation: ConversationRecord
  messages: MessageRecord[]
  events: Array<{ type: ConversationEventType, seq: number }>
  /** Requested work. */
  jobs?: ConversationJob[]
  /** Events for later features besides those of the messages. */
  domainEvents?: DomainEvent[]
  /** The episode that ended, and the one whose end is undone. */
  ended?: EndedEpisode
  takenBack?: { episode: number, at: string }
  /** Usage of the model that wrote one of them. */
  run?: ModelUsage
}

/** Ids and the time, passed in so that a decision is pure. */
export interface DecisionContext {
  at: string
  messageId: string
  answerId: string
  noticeId: string
  handoff: HandoffPolicy
  /** The text so far of the answer being written, should it end here; undefined if nobody writes it. */
  soFar: () => Answer | undefined
}

/** A visitor's message. */
export interface Said {
  text: string
  client_id: string | null
  attachments: Attachment[]
  language: string | null
  wantsPerson: boolean
  isThanks: boolean
  address?: Address | undefined
  isAddressUnclear?: boolean
  /** The page the visitor is on; null or left out: unknown. */
  page?: Page | null
  /** See Course. */
  vouched?: number | null
  /** The rules that acted on it, and the tags they put on it. */
  guarded?: GuardNote[]
  tags?: readonly string[]
}

/** The result of an answer. */
export interface Answer {
  text: string
  status: 'complete' | 'stopped' | 'failed'
  citations: Citation[]
  suggestions: string[]
  answered_by: AnsweredBy
  model: string | null
  /** A model's usage for it; only for the ledger. */
  run?: ModelUsage
  usage: Usage | null
  error: MessageError | null
  /** The rules that acted on it, and the tags they put on it. */
  guarded?: GuardNote[]
  tags?: readonly string[]
  /** It says that it does not know; no model could answer; the model's proposal. For the hand-off policy. */
  unknown?: boolean
  hindered?: Ending['hindered']
  proposal?: Ending['proposal']
}
