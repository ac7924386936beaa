import type { Id } from '../../schema/common.ts'
import type { Suggestion } from '../../schema/people/learning.ts'
import type { Conversations } from '../conversations/index.ts'
import { timestamp } from '../platform/clock.ts'
import { inTurns } from '../platform/work/slices.ts'
import type { Worker } from '../platform/work/worker.ts'
import { nextTurn } from '../platform/work/turns.ts'
import { noted, together, type Noted } from './group.ts'
import { prepareMasks } from './mask.ts'
import { READ_QUESTION } from './store.sqlite.ts'
import type { Candidate, Found, LearningStore } from './store.ts'

/** Dependencies of suggesting. */
interface SuggestNeeds {
  store: LearningStore
  worker: Pick<Worker, 'handle'>
  conversations: Pick<Conversations, 'store' | 'visitors'>
}

/** Messages before each that may contain its question. */
const BEFORE = 10
/** Groups among which the most often asked are looked for, since agents have separate ones, and groups shown. */
const OFTEN = 50
const TOP = 10
/** Texts decrypted in one go. */
const TEXTS_AT_ONCE = 50

/** Most often asked and not answered: of one agent, or of all. */
export type Unknowns = (owner: Id, agent?: Id) => Promise<Array<{ question: string, times: number }>>

/** A group, and its suggestion. */
export interface Suggested { suggestion: Suggestion, members: Id[] }

/** What agents could learn, and its store. */
export type Learning = { store: LearningStore } & ReturnType<typeof suggesting>

/** Reads the texts of candidates once, in a job; suggestions and figures then use the stored ones. */
export function suggesting ({ store, worker, conversations }: SuggestNeeds) {
  worker.handle(READ_QUESTION, {
    async run ({ owner, subject }) {
      const found = await store.unread(owner, subject)
      const words = found && await wordsOf(owner, found)
      // Nothing can be learnt from punctuation alone.
      if (words && words.words.length > 0) await store.keep(owner, subject, words)
      return { done: true }
    }
  })

  async function wordsOf (owner: Id, { conversation, seq, kind }: Found): Promise<Noted | undefined> {
    const [kept, messages = []] = await Promise.all([
      conversations.store.get(owner, conversation),
      conversations.store.messages(owner, conversation, { before: seq + 1 }, BEFORE)
    ])
    const question = messages.findLast(({ role, seq: place }) => role === 'visitor' && place < seq)
    if (!kept || !question) return undefined
    const name = kept.visitor === null ? null : ((await conversations.visitors.get(owner, kept.visitor))?.name ?? null)
    await inTurns(prepareMasks())
    const answer = kind === 'answered' ? (messages.find((message) => message.seq === seq)?.text ?? null) : null
    return noted(question.text, answer, name)
  }

  const unknowns: Unknowns = async (owner, agent) =>
    together(await store.unknown(owner, agent, OFTEN))
      .slice(0, TOP)
      .map(({ question, times }) => ({ question, times }))

  /** The texts of candidates, a few in each turn of the event loop. */
  async function read (owner: Id, ids: readonly Id[]): Promise<Map<Id, Noted>> {
    const all = new Map<Id, Noted>()
    for (let at = 0; at < ids.length; at += TEXTS_AT_ONCE) {
      if (at > 0) await nextTurn()
      for (const [id, words] of await store.words(owner, ids.slice(at, at + TEXTS_AT_ONCE))) all.set(id, words)
    }
    return all
  }

  return {
    unknowns,
    /** What the agent could learn, most often asked first, without what was learnt or dismissed. */
    async of (owner: Id, agent: Id): Promise<Suggested[]> {
      const groups = [...Map.groupBy(await store.candidates(owner, agent), ({ group }) => group).values()]
        .filter(isOpen)
        .map((members) => members.filter(({ state }) => state === 'open'))
        .sort((a, b) => b.length - a.length)
      const words = await read(owner, groups.flatMap((open) => [open[0]!.id, answeredIn(open)?.id ?? []].flat()))
      return groups.flatMap((open) => words.has(open[0]!.id) ? [suggestedOf(agent, open, words)] : [])
    }
  }
}

const answeredIn = (open: readonly Candidate[]) => open.find(({ kind }) => kind === 'answered')

/** A decision about a candidate applies to earlier ones that ask the same; those after learning count again. */
function isOpen (members: readonly Candidate[]): boolean {
  return !members.some(({ state }) => state === 'dismissed') && members[0]!.state === 'open'
}

function suggestedOf (agent: Id, open: readonly Candidate[], words: ReadonlyMap<Id, Noted>): Suggested {
  const answered = answeredIn(open)
  const times = open.map(({ at }) => at)
  return {
    members: open.map(({ id }) => id),
    suggestion: {
      // The oldest of them, so that it stays the same while more come.
      id: Math.min(...open.map(({ id }) => id)),
      agent,
      language: open[0]!.language,
      question: words.get(open[0]!.id)!.question,
      answer: (answered && words.get(answered.id)?.answer) ?? null,
      kinds: [...new Set(open.map(({ kind }) => kind))],
      times: open.length,
      first_at: timestamp(Math.min(...times)),
      last_at: timestamp(Math.max(...times))
    }
  }
}
