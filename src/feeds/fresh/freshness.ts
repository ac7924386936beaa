import type { Id } from '../../../schema/common.ts'
import type { KnowledgeGaps } from '../../../schema/feeds.ts'
import type { Checks } from '../../checks/index.ts'
import type { Kernel } from '../../kernel/index.ts'
import type { Learning } from '../../learning/index.ts'
import { timestamp } from '../../platform/clock.ts'
import type { Search } from '../../sources/index.ts'
import { contradicts } from './contradict.ts'
import type { FreshnessStore } from '../store.ts'

const DAY_MS = 86_400_000
/** Agents and sources judged per commit, and an agent's questions used to search for contradictions. */
const AGENTS = 100
const SOURCES = 500
const QUESTIONS = 100
/** Passages per question that are compared with each other, and the confidence a search must have in them. */
const PASSAGES = 5
const SURE = 0.5
/** Questions that a report names. */
const MOST_QUESTIONS = 50

/** Dependencies for judging sources. */
export interface FreshnessNeeds extends Pick<Kernel, 'clock' | 'worker'> {
  store: FreshnessStore
  search: Search
  checks: { store: Pick<Checks['store'], 'questions'> }
  learning: Pick<Learning, 'of'>
}

/** Checks once a day which sources may be out of date, and reports what an agent lacks. */
export function freshness ({ store, clock, worker, search, checks, learning }: FreshnessNeeds) {
  worker.every('knowledge.freshness', DAY_MS, judgeAll)

  async function judgeAll (signal: AbortSignal) {
    for (let after = 0; ;) {
      const agents = await store.agentsAfter(after, AGENTS)
      for (const { id, owner } of agents) {
        signal.throwIfAborted()
        const found = await contradictions(owner, id)
        let last: Id | undefined = 0
        while (last !== undefined) last = await store.judge(owner, id, last, SOURCES, found)
      }
      if (agents.length < AGENTS) return
      after = agents.at(-1)!.id
    }
  }

  /** Sources that give different figures for a test question, each with the other. */
  async function contradictions (owner: Id, agent: Id): Promise<Map<Id, Id>> {
    const found = new Map<Id, Id>()
    const questions = await checks.store.questions(owner, agent) ?? []
    for (const { text, enabled } of questions.slice(0, QUESTIONS)) {
      if (!enabled) continue
      const passages = (await search(owner, agent, text, PASSAGES)).filter(({ confidence }) => confidence >= SURE)
      passages.forEach((one, at) => {
        for (const other of passages.slice(at + 1)) {
          if (one.source === other.source || !contradicts(one.text, other.text)) continue
          found.set(one.source, other.source)
          found.set(other.source, one.source)
        }
      })
    }
    return found
  }

  return {
    /** What an agent was asked in the last seven days and did not know, and what it knows but nobody asks about. */
    async gaps (owner: Id, agent: Id): Promise<KnowledgeGaps | undefined> {
      const week = await store.week(owner, agent)
      if (!week) return undefined
      const now = clock.micros()
      const from = timestamp(now - 7 * DAY_MS * 1000)
      const asked = (await learning.of(owner, agent)).map(({ suggestion }) => suggestion)
        .filter(({ last_at: at, kinds }) => at >= from && kinds.some((kind) => kind !== 'disliked'))
      return {
        from,
        to: timestamp(now),
        ...week,
        questions: asked.slice(0, MOST_QUESTIONS).map(({ question, times, language, kinds, answer }) =>
          ({ question, times, language, answered_by_people: kinds.includes('answered'), draft: answer }))
      }
    }
  }
}
