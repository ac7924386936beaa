import type { AgentRecord } from '../../schema/agents.ts'
import type { Id } from '../../schema/common.ts'
import type { Talk } from '../conversations/index.ts'
import type { Language } from '../search/words/languages.ts'
import { asked, coverage } from '../search/confidence.ts'
import type { Search } from '../sources/index.ts'
import { timestamp, type Clock } from '../platform/clock.ts'
import type { Handler } from '../platform/work/worker.ts'
import { said } from './life.ts'
import type { TicketStore } from './store.ts'

/** Dependencies for answering a mail by the agent. */
export interface AutoReplyNeeds {
  store: TicketStore
  agentOf: (owner: Id, agent: Id) => Promise<AgentRecord | undefined>
  aside: Talk['aside']
  search: Search
  /** IDF of words among an agent's passages. */
  weigh: (agent: Id, language: Language | null, words: Iterable<string>) => Promise<Map<string, number>>
  clock: Clock
}

/** How much of the question the best passage has to cover. */
const COVERAGE = 0.5
const PASSAGES = 8
const MARKS = / ?\[\d{1,4}\]/g

/**
 * Answers a visitor's mail by the agent: once per ticket, marked as automatic, and only if the sources cover the
 * question and the answer cites them. The ticket stays open for a person.
 */
export function autoReply ({ store, agentOf, aside, search, weigh, clock }: AutoReplyNeeds): Handler {
  async function isCovered ({ id, owner }: AgentRecord, question: string): Promise<boolean> {
    const found = await search(owner, id, question, PASSAGES)
    for (const { title, heading, text, language } of found) {
      const about = await asked(question, language, async (words) => await weigh(id, language, words))
      if (coverage(about, `${title}\n${heading ?? ''}\n${text}`) >= COVERAGE) return true
    }
    return false
  }

  return {
    async run ({ payload }) {
      const { owner, ticket: id, n } = payload as { owner: Id, ticket: string, n: number }
      const kept = await store.get(owner, id)
      const agent = kept && await agentOf(owner, kept.ticket.agent)
      const question = kept?.messages.find((one) => one.n === n)?.text
      const to = kept?.ticket.requester?.email
      if (
        !agent ||
        !question ||
        !to ||
        kept.ticket.is_answered ||
        agent.status !== 'Active' ||
        !agent.behavior.autoTicketReply
      ) { return { done: true } }
      if (!await isCovered(agent, question)) return { done: true }
      const answer = await aside(agent, [], question).answer
      // An answer that cites no source is unsupported.
      if (answer.status !== 'complete' || answer.citations.length === 0) return { done: true }
      if (!await store.noteAutomatic(to)) return { done: true }
      const text = answer.text.replaceAll(MARKS, '')
      await store.change(owner, id, (now) =>
        now.ticket.is_answered
          ? undefined
          : said(
            now,
            { role: 'agent', from: agent.appearance.chatbotName, text, held: false, to: 'requester' },
            timestamp(clock.micros())
          )
      )
      return { done: true }
    }
  }
}
