import type { Id } from '../../schema/common.ts'
import type { CandidateKind, Suggestion } from '../../schema/people/learning.ts'
import type { Conversations } from '../conversations/index.ts'
import { timestamp } from '../platform/clock.ts'
import { grouped, masked, type Candidate, type Group } from './group.ts'
import { KEPT, type Found, type LearningStore } from './store.ts'

/** What suggesting needs. */
export interface SuggestNeeds { store: LearningStore, conversations: Pick<Conversations, 'store' | 'visitors'> }

/** Messages before each that may hold its question. */
const BEFORE = 10
const TOP = 10

/** What was asked most often and not known: of one agent, or of all. */
export type Unknowns = (owner: Id, agent?: Id) => Promise<Array<{ question: string, times: number }>>

/** A group, and its suggestion. */
export interface Suggested { suggestion: Suggestion, members: Id[] }

/** What agents could learn, and where it rests. */
export type Learning = { store: LearningStore } & ReturnType<typeof suggesting>

/** Reads what came up with its words, which are nowhere but in the conversations. */
export function suggesting ({ store, conversations }: SuggestNeeds) {
  async function candidates (
    owner: Id, wanted: { agent?: Id | undefined, kind?: CandidateKind }
  ): Promise<Candidate[]> {
    const all: Candidate[] = []
    for (const found of await store.found(owner, wanted, KEPT)) {
      const candidate = await wordsOf(owner, found)
      if (candidate) all.push(candidate)
    }
    return all
  }

  async function wordsOf (
    owner: Id, { id, conversation, seq, kind, state, at }: Found
  ): Promise<Candidate | undefined> {
    const [kept, messages = []] = await Promise.all([
      conversations.store.get(owner, conversation),
      conversations.store.messages(owner, conversation, { before: seq + 1 }, BEFORE)
    ])
    const question = messages.findLast(({ role, seq: place }) => role === 'visitor' && place < seq)
    if (!kept || !question) return undefined
    const name = kept.visitor === null ? null : ((await conversations.visitors.get(owner, kept.visitor))?.name ?? null)
    const answer = kind === 'answered' ? (messages.find((message) => message.seq === seq)?.text ?? null) : null
    return { id, kind, state, question: masked(question.text, name), answer: answer && masked(answer, name), at }
  }

  const unknowns: Unknowns = async (owner, agent) => {
    const groups = grouped(await candidates(owner, { agent, kind: 'unknown' }))
    return groups.slice(0, TOP).map(({ members }) => ({ question: members[0]!.question, times: members.length }))
  }

  return {
    unknowns,
    /** What the agent could learn, most often asked first: without what was learnt, and what somebody did not want. */
    async of (owner: Id, agent: Id): Promise<Suggested[]> {
      const groups = grouped(await candidates(owner, { agent }))
      return groups.filter(isOpen).map((group) => suggestedOf(agent, group))
    }
  }
}

/**
 * What was decided about one of them goes for those before it that ask the same; what comes up after it was learnt
 * counts again.
 */
function isOpen ({ members }: Group): boolean {
  return !members.some(({ state }) => state === 'dismissed') && members[0]!.state === 'open'
}

function suggestedOf (agent: Id, { language, members }: Group): Suggested {
  const open = members.filter(({ state }) => state === 'open')
  const times = open.map(({ at }) => at)
  return {
    members: open.map(({ id }) => id),
    suggestion: {
      // The oldest of them, so that it stays the same while more come.
      id: Math.min(...open.map(({ id }) => id)),
      agent,
      language,
      question: open[0]!.question,
      answer: open.find(({ answer }) => answer !== null)?.answer ?? null,
      kinds: [...new Set(open.map(({ kind }) => kind))],
      times: open.length,
      first_at: timestamp(Math.min(...times)),
      last_at: timestamp(Math.max(...times))
    }
  }
}
