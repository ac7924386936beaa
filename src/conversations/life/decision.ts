import type { GuardNote } from '../../../schema/guards.ts'
import type {
  AnsweredBy, Attachment, Citation, ConversationEventType, ConversationRecord, MessageError, MessageRecord, Page,
  Usage
} from '../../../schema/conversations.ts'
import type { Happening } from '../../platform/work/announcements.ts'
import type { Address } from '../hands/address.ts'
import type { ConversationJob, EndedEpisode, Ending, Hands } from '../contract.ts'
import type { Run } from '../usage/ledger.ts'

/**
 * What follows from what happened: the conversation as it becomes, the messages that are new or changed, and what
 * watchers are told.
 */
export interface Decision {
  conversation: ConversationRecord
  messages: MessageRecord[]
  events: Array<{ type: ConversationEventType, seq: number }>
  /** Work that is asked for. */
  jobs?: ConversationJob[]
  /** What later features are told beside what the messages tell. */
  happenings?: Happening[]
  /** The episode that ended, and the one whose end is taken back. */
  ended?: EndedEpisode
  takenBack?: { episode: number, at: string }
  /** What the model took that wrote one of them. */
  run?: Run
}

/** Ids and the time, handed in so that a decision stays pure. */
export interface Given {
  at: string
  messageId: string
  answerId: string
  noticeId: string
  hands: Hands
  /** What there is of the answer that is being written, should it end here; undefined where nobody writes it. */
  soFar: () => Answer | undefined
}

/** What a visitor said. */
export interface Said {
  text: string
  client_id: string | null
  attachments: Attachment[]
  language: string | null
  wantsPerson: boolean
  isThanks: boolean
  address?: Address | undefined
  /** The page that the visitor is on; null or left out: not known. */
  page?: Page | null
  /** See Course. */
  vouched?: number | null
  /** The rules that have acted on it. */
  guarded?: GuardNote[]
}

/** What an answer turned out to be. */
export interface Answer {
  text: string
  status: 'complete' | 'stopped' | 'failed'
  citations: Citation[]
  suggestions: string[]
  answered_by: AnsweredBy
  model: string | null
  /** What a model took for it; for the ledger alone. */
  run?: Run
  usage: Usage | null
  error: MessageError | null
  /** The rules that have acted on it. */
  guarded?: GuardNote[]
  /** It says that it does not know; no model could answer; what the model proposes. For who decides what follows. */
  unknown?: boolean
  hindered?: Ending['hindered']
  proposal?: Ending['proposal']
}
