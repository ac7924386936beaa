import type { AgentRecord } from '../../../schema/agents.ts'
import type { Id } from '../../../schema/common.ts'
import type {
  AnswerDraft, Channel, ConversationDraft, ConversationPatch, ConversationRecord, Feedback, MessageRecord, Page
} from '../../../schema/conversations.ts'
import type { RecordedAnswer } from '../../../schema/checks.ts'
import type { HandoffReason } from '../../../schema/handoff.ts'
import type { Prior } from '../../search/words/guess.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Once, Outcome } from '../../platform/storage/contract.ts'
import type { Notifier } from '../../platform/work/notifier.ts'
import type { Work } from '../../platform/storage/work.ts'
import type { Aside, Told } from '../answering/aside.ts'
import type { TurnNeeds } from '../answering/turn.ts'
import type { LoadingNeeds } from '../answering/context.ts'
import type { Answer } from '../life/decision.ts'
import type { Seen } from './seen.ts'
import type { Acting, ConversationJob, Hands, HandsEvent, Loaded, Rehearsal, Remark } from '../contract.ts'
import type { Neighbours } from '../../platform/neighbours/contract.ts'
import type { Run } from '../run.ts'
import type { Runs, RunsNeeds } from '../runs.ts'

/** What talking needs. */
export interface TalkNeeds extends Omit<RunsNeeds, 'load' | 'finish' | 'kept' | 'neighbours'>, LoadingNeeds {
  neighbours: Neighbours
  /** What other processes write of conversations about which something is decided. */
  seen: Seen
  /** Lets others take up what was being written when this process stops. */
  release: () => Promise<void>
  /** Calls back after each notification of a topic, until the function that is returned is called. */
  subscribe: Notifier['subscribe']
  /** Wakes the watchers of a topic. */
  wake: (topic: string) => void
  /** Who decides who speaks. */
  hands: Hands
  clock: Clock
  /** How much of what an agent was taught is in which language; asked inside a transaction. */
  prior: (agent: Id) => Work<Prior>
  /** What a rule decides of what nobody keeps: with the facts as they are now. */
  decided: <T>(rule: () => T) => Promise<T>
  acting: Acting
  /** What asks models without noting in the ledger what they took. */
  unnoted: Pick<TurnNeeds, 'model' | 'isSpent' | 'rewrite' | 'tokens' | 'tokenLength' | 'choose'>
}

/**
 * What a visitor sends; `attachments` are ids of files of the conversation. `client_id` makes a repeat the same
 * message; `isStrict`: a repeat with another text is refused.
 */
export interface Saying {
  text: string
  client_id: string | null
  isStrict?: boolean
  attachments: readonly string[]
  /** The page that the visitor is on; null or left out: not known. */
  page?: Page | null
  /** See Course. */
  vouched?: number | null
}

/** What came of a visitor's message: the message itself, and whether it had been sent before. */
export interface Received { message: MessageRecord, repeated: boolean }

/** What an agent is asked to see what it answers. */
export interface Examining {
  text: string
  language: string | null
  history: readonly Remark[]
  /** What actions answer that are chosen; undefined: none may be. */
  recorded?: readonly RecordedAnswer[] | undefined
}

/** What it answered; null where a person would have. `reason`: why a person would have been asked for. */
export interface Examined { answer: Answer | null, reason: HandoffReason | null, chosen: Rehearsal['chosen'] }

/** What can be done with conversations. A conversation that is missing, or somebody else's, is `undefined`. */
export interface Talk {
  begin (
    owner: Id, agent: Id, channel: Channel, draft: ConversationDraft, once?: Once
  ): Promise<Outcome<ConversationRecord> | undefined>
  /**
   * Takes a visitor's message and begins its answer. Refuses with `agent_inactive` where the agent does not answer,
   * with VALIDATION_ERROR files it does not have.
   */
  say (owner: Id, conversation: string, saying: Saying): Promise<Received | undefined>
  /**
   * A person answers, and takes the conversation over where nobody else has. Refuses with `taken_over` where
   * somebody has.
   */
  reply (owner: Id, conversation: string, person: Id, saying: Saying): Promise<Received | undefined>
  /**
   * Something happens that may change who speaks; the conversation as it is then. Refuses with a code of
   * its own (409) what cannot be now.
   */
  handOver (owner: Id, conversation: string, event: HandsEvent): Promise<ConversationRecord | undefined>
  /** The same, of which a repeat of `once` is answered as the first time. */
  handOverOnce (
    owner: Id, conversation: string, event: HandsEvent, once: Once | undefined
  ): Promise<Outcome<ConversationRecord> | undefined>
  /**
   * The finished answer to a visitor's message; undefined where a person answers, or nobody does. Refuses with
   * `not_found` when the conversation is deleted meanwhile, with `unavailable` when the server stops.
   */
  answerTo (owner: Id, conversation: string, message: MessageRecord): Promise<MessageRecord | undefined>
  /**
   * Ends the answer that is being written with what was seen of it. Of a stop and a completion that race, the first one
   * counts.
   */
  stop (owner: Id, conversation: string, message: string): Promise<MessageRecord | undefined>
  /** Writes the last answer anew. Refuses with a code of its own (409) where it cannot be; see REGENERATING. */
  regenerate (owner: Id, conversation: string, message: string, clientId?: string): Promise<Received | undefined>
  feedback (owner: Id, conversation: string, message: string, feedback: Feedback): Promise<MessageRecord | undefined>
  /** Changes what is changed by hand, unless `check` throws. `by`: for whom it is closed. */
  change (
    owner: Id, conversation: string, patch: ConversationPatch, check: (conversation: ConversationRecord) => void,
    by: 'visitor' | 'person'
  ): Promise<ConversationRecord | undefined>
  /** The agent says a fixed text of its own accord, if `decide` wants it in the transaction that writes it. */
  remark (
    owner: Id,
    conversation: string,
    decide: (loaded: Loaded) => Work<{ text: string, jobs: ConversationJob[] } | undefined>
  ): Promise<void>
  /**
   * Shows what a person has written elsewhere in a conversation that is not closed, once for each `client_id`. False
   * where an answer is being written: try again when it is done.
   */
  relay (owner: Id, conversation: string, said: { text: string, client_id: string }): Promise<boolean>
  /** Deletes a conversation, unless `check` throws. */
  remove (owner: Id, conversation: string, check: (conversation: ConversationRecord) => void): Promise<boolean>
  /**
   * The conversation that a client calls so, or that has this id; a new one where there is none. Undefined when there
   * is no such agent.
   */
  named (owner: Id, agent: Id, name: string, channel: Channel): Promise<string | undefined>
  /** The same, but undefined where there is none. */
  known (owner: Id, agent: Id, name: string): Promise<string | undefined>
  /** Writes the last answer of a conversation anew; returns what it answers. */
  regenerateLast (owner: Id, conversation: string, clientId?: string): Promise<Received | undefined>
  /**
   * Says something in a conversation of this agent, for clients that know but answers. Refuses with `not_found` another
   * one's.
   */
  sayIn (owner: Id, agent: Id, conversation: string, saying: Saying): Promise<Aside & { repeated: boolean }>
  /** Answers a message that belongs to no conversation. */
  aside (agent: AgentRecord, told: readonly Told[], message: string): Aside
  /**
   * What the agent would answer now, kept nowhere and said to nobody. Refuses with `agent_inactive` and
   * `nothing_asked`; throws what `signal` throws.
   */
  draft (owner: Id, conversation: string, signal: AbortSignal): Promise<AnswerDraft | undefined>
  /** Answers a question as a visitor would be answered, and keeps nothing. Throws what `signal` throws. */
  examine (agent: AgentRecord, asked: Examining, signal: AbortSignal): Promise<Examined>
  runs: Runs
  /** The answer that is being written in a conversation, here or in another process. */
  writing (conversation: string): Promise<Run | undefined>
  /** Takes up an answer that another process left unfinished. */
  resume (owner: Id, conversation: string): Promise<void>
  /** Takes up what an earlier process left unfinished and nobody holds. */
  resumeAll (): Promise<void>
  /** Stops what is being written; what is kept is written anew after the next start. */
  close (): Promise<void>
}
