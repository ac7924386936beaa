import type { AgentRecord } from '../../../schema/agents.ts'
import type { Id } from '../../../schema/common.ts'
import type {
  AnswerDraft, Channel, ConversationDraft, ConversationPatch, ConversationRecord, Feedback, MessageRecord, Page
} from '../../../schema/conversations.ts'
import type { RecordedAnswer } from '../../../schema/checks.ts'
import type { HandoffReason } from '../../../schema/handoff.ts'
import type { Prior } from '../../search/words/guess.ts'
import type { Clock } from '../../platform/clock.ts'
import type { IdempotencyKey, IdempotentResult } from '../../platform/storage/contract.ts'
import type { Notifier } from '../../platform/work/notifier.ts'
import type { Work } from '../../platform/storage/work.ts'
import type { Aside, Told } from '../answering/aside.ts'
import type { TurnNeeds } from '../answering/turn.ts'
import type { LoadingNeeds } from '../answering/context.ts'
import type { Answer } from '../life/decision.ts'
import type { Seen } from '../elsewhere.ts'
import type {
  Acting, ConversationJob, HandoffPolicy, HandoffEvent, DecisionInput, Rehearsal, HistoryMessage
} from '../contract.ts'
import type { Neighbours } from '../../platform/neighbours/contract.ts'
import type { Runs, RunsNeeds } from '../generations.ts'
import type { Generation } from '../generation.ts'

/** Dependencies. */
export interface TalkNeeds extends Omit<RunsNeeds, 'load' | 'finish' | 'kept' | 'neighbours'>, LoadingNeeds {
  neighbours: Neighbours
  /** Answers of other processes in conversations about which a decision is made. */
  seen: Seen
  /** Lets others take over unfinished answers when this process stops. */
  release: () => Promise<void>
  /** Calls back after each notification of a topic, until the returned function is called. */
  subscribe: Notifier['subscribe']
  /** Wakes the watchers of a topic. */
  wake: (topic: string) => void
  /** The hand-off policy. */
  handoff: HandoffPolicy
  clock: Clock
  /** How much of an agent's sources is in each language; called inside a transaction. */
  prior: (agent: Id) => Work<Prior>
  /** Runs a decision on what is not stored: with the current facts. */
  decided: <T>(rule: () => T) => Promise<T>
  acting: Acting
  /** Asks models without recording their usage in the ledger. */
  unnoted: Pick<TurnNeeds, 'model' | 'isSpent' | 'rewrite' | 'tokens' | 'tokenLength' | 'choose'>
}

/**
 * A visitor's message; `attachments` are ids of files of the conversation. `client_id` makes a retry the same message;
 * `isStrict`: a retry with another text is refused.
 */
export interface Saying {
  text: string
  client_id: string | null
  isStrict?: boolean
  attachments: readonly string[]
  /** The page the visitor is on; null or left out: unknown. */
  page?: Page | null
  /** See Course. */
  vouched?: number | null
}

/** The result of a visitor's message: the message itself, and whether it is a retry. */
export interface Received { message: MessageRecord, repeated: boolean }

/** A question to test what an agent answers. */
export interface Examining {
  text: string
  language: string | null
  history: readonly HistoryMessage[]
  /** Responses for chosen actions; undefined: none may be chosen. */
  recorded?: readonly RecordedAnswer[] | undefined
}

/** Its answer; null if a person would have answered. `reason`: why one would have been requested. */
export interface Examined { answer: Answer | null, reason: HandoffReason | null, chosen: Rehearsal['chosen'] }

/** Operations on conversations. For a missing conversation, or somebody else's, the result is `undefined`. */
export interface Talk {
  begin (
    owner: Id, agent: Id, channel: Channel, draft: ConversationDraft, once?: IdempotencyKey
  ): Promise<IdempotentResult<ConversationRecord> | undefined>
  /**
   * Takes a visitor's message and starts its answer. Refuses with `agent_inactive` if the agent does not answer, with
   * VALIDATION_ERROR files it does not have.
   */
  say (owner: Id, conversation: string, saying: Saying): Promise<Received | undefined>
  /**
   * A person answers, and takes the conversation over if nobody else has. Refuses with `taken_over` if somebody has.
   */
  reply (owner: Id, conversation: string, person: Id, saying: Saying): Promise<Received | undefined>
  /**
   * Applies an event that may change who speaks; returns the conversation. Refuses with a specific code (409) if
   * impossible now.
   */
  handOver (owner: Id, conversation: string, event: HandoffEvent): Promise<ConversationRecord | undefined>
  /** Idempotent: a retry with the same `once` gets the first answer. */
  handOverOnce (
    owner: Id, conversation: string, event: HandoffEvent, once: IdempotencyKey | undefined
  ): Promise<IdempotentResult<ConversationRecord> | undefined>
  /**
   * The finished answer to a visitor's message; undefined if a person answers, or nobody does. Refuses with `not_found`
   * if the conversation is deleted meanwhile, with `unavailable` if the server stops.
   */
  answerTo (owner: Id, conversation: string, message: MessageRecord): Promise<MessageRecord | undefined>
  /**
   * Ends the answer being written with what was seen of it. If a stop and a completion race, the first one counts.
   */
  stop (owner: Id, conversation: string, message: string): Promise<MessageRecord | undefined>
  /** Regenerates the last answer. Refuses with a specific code (409) if impossible; see REGENERATING. */
  regenerate (owner: Id, conversation: string, message: string, clientId?: string): Promise<Received | undefined>
  feedback (owner: Id, conversation: string, message: string, feedback: Feedback): Promise<MessageRecord | undefined>
  /** Applies manual changes, unless `check` throws. `by`: for whom it is closed. */
  change (
    owner: Id, conversation: string, patch: ConversationPatch, check: (conversation: ConversationRecord) => void,
    by: 'visitor' | 'person'
  ): Promise<ConversationRecord | undefined>
  /** The agent proactively says a fixed text, if `decide` wants it in the transaction that writes it. */
  remark (
    owner: Id,
    conversation: string,
    decide: (loaded: DecisionInput) => Work<{ text: string, jobs: ConversationJob[] } | undefined>
  ): Promise<void>
  /**
   * Shows what a person wrote elsewhere in a conversation that is not closed, once per `client_id`. False if an answer
   * is being written: try again when it is done.
   */
  relay (owner: Id, conversation: string, said: { text: string, client_id: string }): Promise<boolean>
  /** Deletes a conversation, unless `check` throws. */
  remove (owner: Id, conversation: string, check: (conversation: ConversationRecord) => void): Promise<boolean>
  /**
   * The conversation with this name of a client's, or this id; a new one if there is none. Undefined if there is no
   * such agent.
   */
  named (owner: Id, agent: Id, name: string, channel: Channel): Promise<string | undefined>
  /** The same, but undefined if there is none. */
  known (owner: Id, agent: Id, name: string): Promise<string | undefined>
  /** Regenerates the last answer of a conversation; returns its question. */
  regenerateLast (owner: Id, conversation: string, clientId?: string): Promise<Received | undefined>
  /**
   * Sends a message in this agent's conversation, for clients that only know answers. Refuses with `not_found` another
   * one's.
   */
  sayIn (owner: Id, agent: Id, conversation: string, saying: Saying): Promise<Aside & { repeated: boolean }>
  /** Answers a message outside of conversations. */
  aside (agent: AgentRecord, told: readonly Told[], message: string): Aside
  /**
   * What the agent would answer now, not stored and sent to nobody. Refuses with `agent_inactive` and `nothing_asked`;
   * throws what `signal` throws.
   */
  draft (owner: Id, conversation: string, signal: AbortSignal): Promise<AnswerDraft | undefined>
  /** Answers a question as for a visitor, and stores nothing. Throws what `signal` throws. */
  examine (agent: AgentRecord, asked: Examining, signal: AbortSignal): Promise<Examined>
  runs: Runs
  /** The answer being written in a conversation, here or in another process. */
  writing (conversation: string): Promise<Generation | undefined>
  /** Resumes an answer left unfinished by another process. */
  resume (owner: Id, conversation: string): Promise<void>
  /** Resumes what an earlier process left unfinished and nobody holds. */
  resumeAll (): Promise<void>
  /** Cancels all answers; stored ones are regenerated after the next start. */
  close (): Promise<void>
}
