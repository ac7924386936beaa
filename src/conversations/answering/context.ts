import type { AgentRecord } from '../../../schema/agents.ts'
import type { Id } from '../../../schema/common.ts'
import type { ConversationRecord, MessageRecord } from '../../../schema/conversations.ts'
import { decides } from '../../guards/index.ts'
import type { RunsNeeds } from '../generations.ts'
import { addressIn, isUnclearAddress } from '../handoff/address.ts'
import { isOfDraft } from '../handoff/policy.ts'
import type { ConversationStore } from '../store.ts'
import { canned } from './small-talk/small-talk.ts'
import type { Peer, Turn } from '../contract.ts'

/** Messages read back to find an answer's question and history. */
export const READ_BACK = 60
/** Messages passed on to another agent. */
const PASSED_ON = 10
/** Small talk that only asks for attention. */
const CALLS: ReadonlySet<string> = new Set(['greeting', 'help'])

/** What loading a turn needs. */
export interface LoadingNeeds {
  store: ConversationStore
  agentOf: (owner: Id, agent: Id) => Promise<AgentRecord | undefined>
  /** The same, from its draft. */
  draftOf: (owner: Id, agent: Id) => Promise<AgentRecord | undefined>
  /** Agents of the owner to whom conversations may be passed on, except these. */
  peersOf: (owner: Id, but: readonly Id[]) => Promise<Peer[]>
}

/**
 * Loads the input of an answer: by the agent that speaks now, if it still exists and answers, else by the
 * conversation's own.
 */
export function loading (needs: LoadingNeeds): RunsNeeds['load'] {
  return async (owner, id, answer, begunIn) => {
    const found = await speakerIn(needs, owner, id)
    if (!found) return undefined
    const { agent, conversation, read } = found
    const peers = agent.behavior.aiToAiHandoff
      ? await needs.peersOf(owner, [agent.id, ...conversation.course.hops])
      : []
    const place = { conversation: id, message: firstOf(read, answer), begunIn }
    return { turn: { ...turnOf(agent, conversation, read, answer.id), peers, place } }
  }
}

/** The agent that speaks in a conversation, and the last messages; undefined if either was deleted. */
export async function speakerIn (
  { store, agentOf, draftOf }: Omit<LoadingNeeds, 'peersOf'>, owner: Id, id: string
): Promise<{ agent: AgentRecord, conversation: ConversationRecord, read: MessageRecord[] } | undefined> {
  const conversation = await store.get(owner, id)
  if (!conversation) return undefined
  const find = isOfDraft(conversation) ? draftOf : agentOf
  const own = await find(owner, conversation.agent)
  const other = conversation.speaker === null ? undefined : await find(owner, conversation.speaker)
  const agent = other?.status === 'Active' ? other : own
  const read = await store.messages(owner, id, { before: conversation.messages + 1 }, READ_BACK)
  return agent && read && { agent, conversation, read }
}

/** The original answer if this one replaces it, or replaces one that does. */
function firstOf (read: readonly MessageRecord[], answer: MessageRecord): string {
  let first = answer.id
  for (let old = answer.replaces; old; old = read.find(({ id }) => id === old)?.replaces ?? null) first = old
  return first
}

/**
 * Input of an answer: the visitor's messages right before it, or before the one it replaces, and the history before
 * them, from where the agent's context begins. Pure. `read`: the conversation's last messages, in order.
 */
export function turnOf (
  agent: AgentRecord,
  {
    channel, language, subject, page, tickets,
    course: { boundary, transfer, passed_for: reason, is_ticketed: isTicketed }
  }: ConversationRecord,
  read: readonly MessageRecord[],
  answer: string
): Turn {
  let at = read.findIndex(({ id }) => id === answer)
  for (let old = read[at]?.replaces; old; old = read[at]?.replaces ?? null) at = read.findIndex(({ id }) => id === old)
  const replaced = new Set(read.map(({ replaces }) => replaces))
  const said = (at < 0 ? read : read.slice(0, at)).filter(({ id, role }) => role !== 'system' && !replaced.has(id))
  const passedOn = said.filter(({ seq }) => seq <= transfer).at(-PASSED_ON)?.seq ?? 0
  const before = said.filter(({ seq }) => seq > boundary && seq >= passedOn)
  // What a person cut off, or another agent passed on, comes after the question without answering it.
  const asked = before.slice(0, before.findLastIndex(({ role }) => role === 'visitor') + 1)
  const first = asked.findLastIndex(({ role }) => role !== 'visitor') + 1
  const told = new Set(read.filter((_one, i) => read[i + 1]?.role === 'system').map(({ id }) => id))
  const waiting = asked.slice(first)
  const open = waiting.filter(({ id, text }) => !told.has(id) || !isToldOnly(text))
  const history = before.slice(0, first).map(({ role, text, status, guarded }) => ({ role, text, status, guarded }))
  return {
    agent,
    language,
    page,
    history,
    isPassedOn: isTicketed || tickets.length > 0,
    message: textsOf(open.length > 0 ? open : waiting).join('\n'),
    decided: waiting.flatMap(({ guarded }) => guarded.filter(({ did }) => decides(did)).map(({ rule }) => rule)),
    // A widget always says under its header that it is an AI.
    isFirst: channel !== 'widget' && !said.some(({ role, status }) => role === 'agent' && status !== 'generating'),
    before:
      [
        transfer > 0 &&
          `Another assistant of the business has passed this conversation on to you (${reason || 'no reason given'}).`,
        summaryOf(
          said.filter(({ seq }) => seq <= boundary), subject
        )
      ]
        .filter(Boolean)
        .join(' ') || null
  }
}

/** What a notice fully answers: a request for a person, or an address. */
function isToldOnly (text: string): boolean {
  return canned(text) === 'person' || addressIn(text, null)?.isAll === true || isUnclearAddress(text)
}

/** The texts to be answered together: a greeting, or whether anybody is there, beside a question is none of it. */
function textsOf (messages: readonly MessageRecord[]): string[] {
  const texts = messages.map(({ text }) => text)
  const asking = texts.filter((text) => !CALLS.has(canned(text) ?? ''))
  return asking.length > 0 ? asking : texts
}

/** The history before the agent's context begins, in one line; null if none. */
function summaryOf (earlier: readonly MessageRecord[], subject: string): string | null {
  if (earlier.length === 0) return null
  const byPerson = earlier.some(({ role }) => role === 'person') ? ', and a person of the business has answered' : ''
  return `Earlier in this conversation, which began with "${subject.replaceAll(/\s+/g, ' ')}", other things were said${byPerson}; do not go back to them by yourself.`
}
