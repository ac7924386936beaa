import type { Id } from '../../schema/common.ts'
import type { Satisfaction, SatisfactionDraft, SatisfactionRecord } from '../../schema/satisfaction.ts'
import type { Slice } from '../conversations/index.ts'

declare module '../platform/work/event-bus.ts' {
  interface DomainEvents {
    /** A visitor is asked how content they were. */
    'satisfaction.asked': { satisfaction: SatisfactionRecord }
    /** They have answered; `before`: what they had answered until then. */
    'satisfaction.given': { satisfaction: SatisfactionRecord, before: number | null }
  }
}

/** Filter for answers. */
export interface SatisfactionFilter { agent?: Id, conversation?: string }

/** How content visitors were. What is missing, or another account's, is `undefined`. */
export interface SatisfactionStore {
  /** Those that were answered, newest first. */
  list (
    owner: Id, filter: SatisfactionFilter, cursor: string | undefined, limit: number
  ): Promise<Slice<Satisfaction>>
  /** Of a conversation, answered or not, oldest first: for the export of its visitor. */
  ofConversation (owner: Id, conversation: string): Promise<Satisfaction[]>
  /** Whether the visitor of a closed conversation has not answered yet. */
  isAsked (owner: Id, conversation: string): Promise<boolean>
  /**
   * Stores the visitor's answer, or replaces it; about the episode that ended last. Refuses with `not_asked` if the
   * conversation continues, or nobody was asked.
   */
  give (owner: Id, conversation: string, draft: SatisfactionDraft): Promise<Satisfaction | undefined>
}

/** The target of a mailed link: see `linked`. */
export interface Linked {
  owner: Id, conversation: string, language: string | null, isAnswered: boolean, isOpen: boolean
}
