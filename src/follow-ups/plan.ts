import type { AgentRecord } from '../../schema/agents.ts'
import type { ConversationRecord, MessageRecord } from '../../schema/conversations.ts'
import { canned } from '../conversations/index.ts'

/*
 * When an agent writes again to a visitor who has fallen silent, as pure decisions. Fixed texts, never the model; only
 * after an answer; each once.
 */

/** Maximum follow-ups of one answer, whatever is set. */
const MOST_FOLLOW_UPS = 10
const MINUTE_MICROS = 60_000_000
/** One that is later than this is not sent any more: the machine was off. */
export const TOO_LATE_MICROS = 24 * 60 * MINUTE_MICROS

/** A scheduled follow-up and its answer. `anchored`: when that answer was complete, in microseconds since 1970. */
export interface Asked {
  episode: number
  epoch: number
  /** Its seq. */
  anchor: number
  anchored: number
  k: number
}

type Settings = Pick<AgentRecord['behavior'], 'followupCount' | 'followupInterval' | 'followupMessages'>

/** When the k-th is due; undefined if there is none. */
export function dueAt (
  { followupCount: count, followupInterval: minutes, followupMessages: texts }: Settings,
  { anchored, k }: Pick<Asked, 'anchored' | 'k'>
): number | undefined {
  const isOff = minutes === 0 || !texts.some((text) => text.trim() !== '')
  return isOff || k > Math.min(count, MOST_FOLLOW_UPS) ? undefined : anchored + k * minutes * MINUTE_MICROS
}

/** The text of the k-th; the last one is repeated if there are fewer. */
export function textOf ({ followupMessages: texts }: Settings, k: number): string {
  return texts[Math.min(k, texts.length) - 1]!.trim()
}

/**
 * The follow-ups of an answer just completed; undefined if there are none, since it knew nothing, or nothing is
 * expected of the visitor.
 */
export function anchorOf (
  { status, handled_by: by, channel, episode, epoch, messages }: ConversationRecord,
  message: MessageRecord,
  now: number
): Asked | undefined {
  const isAnswer =
    message.role === 'agent' && message.status === 'complete' && message.answered_by !== 'canned' && !message.unknown
  // Clients of other protocols keep their history themselves: they would never see it.
  const isAlone = status === 'open' && by === 'agent' && channel !== 'compatible' && messages === message.seq
  return isAnswer && isAlone ? { episode, epoch, anchor: message.seq, anchored: now, k: 1 } : undefined
}

/** Input of a decision beyond the schedule. */
interface FollowUpInput {
  conversation: ConversationRecord
  /** An answer is being written. */
  isGenerating: boolean
  /** The agent that speaks; undefined when it is deleted. */
  agent: Pick<AgentRecord, 'status' | 'behavior'> | undefined
  /** The visitor's last message before the answer. */
  said: string
  /** How many follow-ups of this answer were sent. */
  followed: number
  now: number
}

/** The decision on a follow-up: its text if it is sent, and the next one with its due time, if there is one. */
export interface Verdict { text: string | null, next: { asked: Asked, due: number } | null }

const NOTHING: Verdict = { text: null, next: null }

/**
 * Whether a follow-up that is due is sent. Not if anything happened since the answer: a message, another speaker, a new
 * episode, the end; nor after thanks and goodbye. One that is too late is dropped, and the next one is awaited.
 */
export function decide (
  { conversation, isGenerating, agent, said, followed, now }: FollowUpInput, asked: Asked
): Verdict {
  const { status, handled_by: by, episode, epoch, messages } = conversation
  const isUnchanged =
    status === 'open' &&
    by === 'agent' &&
    episode === asked.episode &&
    epoch === asked.epoch &&
    messages === asked.anchor + followed
  if (!isUnchanged || isGenerating || agent?.status !== 'Active' || isFarewell(said)) return NOTHING
  const due = dueAt(agent.behavior, asked)
  if (due === undefined) return NOTHING
  const following = { ...asked, k: asked.k + 1 }
  const followingDue = dueAt(agent.behavior, following)
  const next = followingDue === undefined ? null : { asked: following, due: followingDue }
  return { text: now - due > TOO_LATE_MICROS ? null : textOf(agent.behavior, asked.k), next }
}

const FAREWELLS = new Set(
  `bye|goodbye|good bye|bye bye|see you|see you later|have a nice day|have a good day|good night|that is all|thats all|that was all|no thanks|no thank you|
  tschuss|tschuess|auf wiedersehen|bis bald|schonen tag|gute nacht|das war alles|nein danke|au revoir|a bientot|bonne journee|bonne nuit|c est tout|non merci|
  adios|hasta luego|buenas noches|eso es todo|no gracias|arrivederci|a presto|buona giornata|e tutto|no grazie|tchau|ate logo|adeus|e tudo|nao obrigado|nao obrigada|
  tot ziens|doei|nee bedankt|hej da|nej tack|ha det|nei takk|farvel|nej tak|do widzenia|nie dziekuje|gule gule|hosca kal|hayir tesekkurler|до свидания|пока|нет спасибо|
  مع السلامة|再见|さようなら|안녕히 계세요`
    .split('|')
    .map((phrase) => phrase.trim())
)

/** Whether a message is only thanks or a goodbye: the visitor is done. */
export function isFarewell (text: string): boolean {
  const kind = canned(text)
  if (kind === 'thanks' || kind === 'bye') return true
  const words = text
    .normalize('NFKD')
    .replaceAll(/(?<=[a-zA-Z])\p{M}+/gu, '')
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}]+/gu, ' ')
    .trim()
  return FAREWELLS.has(words)
}
