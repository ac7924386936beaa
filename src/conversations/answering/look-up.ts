import type { AgentRecord } from '../../../schema/agents.ts'
import type { Id } from '../../../schema/common.ts'
import { lazily } from '../../platform/lazily.ts'
import { asked, coverage, type Asked } from '../../search/coverage.ts'
import type { Prior } from '../../search/words/guess.ts'
import type { Language } from '../../search/words/languages.ts'
import { topicsNear } from '../../search/own/topic.ts'
import { withoutCourtesies } from '../../search/sense/talk/courtesies.ts'
import { lookedForIn } from '../../search/words/query.ts'
import { languageOfMessage } from '../../search/words/of-message.ts'
import { alternatives, extract, type Quotation, type Scored } from './quoting/extract.ts'
import { queriesFor, sameAsBefore } from './queries.ts'
import { isToBeRewritten, type Question } from './rewrite.ts'
import type { Turn } from '../contract.ts'

/** A passage found by a search. */
export type Found = Scored & { language: Language | null, confidence: number }

/** What looking something up needs. */
export interface LookUpNeeds {
  /** The agent's passages that best answer a query. */
  search: (agent: AgentRecord, query: string, limit: number) => Promise<Found[]>
  /** How many of the agent's passages are in each language. */
  spoken: (agent: Id) => Promise<Prior>
  /** IDF of each stemmed word within the agent's passages. */
  weigh: (agent: AgentRecord, language: Language | null, words: Iterable<string>) => Promise<Map<string, number>>
  /**
   * The queries a model makes of a question, one per language of the sources, in a short time; undefined if none does.
   * Throws only what the signal throws.
   */
  rewrite: (agent: AgentRecord, question: Question, signal: AbortSignal) => Promise<string[] | undefined>
  /** Confidence from which sentences are quoted, and from which they are offered. */
  thresholds: { sure: number, maybe: number }
}

/** What is known about a question. */
export interface Known {
  /** Passages, best first. */
  found: Found[]
  /** The words that answer best, best first; computed on demand, as most answers are a model's. */
  quotations: () => Quotation[]
  /** What else may be meant, if that is unclear. */
  alternatives: () => Quotation[]
  /** How sure the search is that a passage is about the question, from 0 to 1. */
  confidence: number
  /** The same, or what the business says about itself in the prompt, if that is more; computed on demand. */
  sureness: () => number
  /** Found in the model's words, not in the visitor's. */
  isRewritten: boolean
}

/** What is left of it once nothing can be quoted any more. */
export const LET_GO: Known = {
  found: [], quotations: () => [], alternatives: () => [], confidence: 0, sureness: () => 0, isRewritten: false
}

const PASSAGES = 20
/** UTF-16 units of the history compared with a question: the last ones. Each is cut into words. */
const MOST_TOLD = 4000

/** How much less sure than sure. */
const ALMOST = 0.01

/** Most languages in which a model is asked for a query, and the least share of the sources in each. */
const [LANGUAGES, SHARE] = [3, 0.1]

/**
 * What the agent knows about the visitor's message; if that is little, or no source is in its language, about its
 * meaning according to a model.
 */
export async function lookUp (turn: Turn, needs: LookUpNeeds, signal: AbortSignal): Promise<Known> {
  const found = await inOtherWords(turn, needs, signal)
  const before = found.confidence < needs.thresholds.maybe ? sameAsBefore(turn) : undefined
  if (before === undefined) return found
  const of = await known(turn, before, before, needs)
  signal.throwIfAborted()
  // It may help; whether it is so in this case too, nobody has said.
  const confidence = Math.min(of.confidence, needs.thresholds.sure - ALMOST)
  return { ...of, confidence, sureness: () => confidence }
}

async function inOtherWords (turn: Turn, needs: LookUpNeeds, signal: AbortSignal): Promise<Known> {
  const { agent, message } = turn
  const first = await knownByItself(turn, needs)
  // The rest runs in another turn of the loop.
  await new Promise(setImmediate)
  const spoken = await needs.spoken(agent.id)
  const languages = languagesOf(spoken)
  const written = languageOfMessage(message, { given: turn.language, spoken })
  const isForeign = written !== null && languages.length > 0 && !languages.includes(written)
  const isLittle = isToBeRewritten(first.confidence) && isToBeRewritten(first.sureness())
  if (!isForeign && !isLittle) return first
  const history = agent.behavior.conversationMemory ? turn.history : []
  let best = first
  for (const query of await needs.rewrite(agent, { message, history, languages }, signal) ?? []) {
    const next = await known(turn, query, query, needs)
    signal.throwIfAborted()
    best = next.sureness() > best.sureness()
      ? { ...next, found: both(next.found, best.found), isRewritten: true }
      : { ...best, found: both(best.found, next.found) }
  }
  return best
}

/** What is known about the visitor's own words: by the first query that finds something to offer, else by the best. */
async function knownByItself (turn: Turn, needs: LookUpNeeds): Promise<Known> {
  let best: Known | undefined
  for (const query of queriesFor(turn)) {
    const next = await known(turn, turn.message, query, needs)
    if (next.confidence >= needs.thresholds.maybe) return next
    if (!best || next.confidence > best.confidence) best = next
    await new Promise(setImmediate)
  }
  return best!
}

/** Languages with a fair share of the sources, most used first. */
function languagesOf (spoken: Prior): string[] {
  const all = spoken.reduce((sum, [, passages]) => sum + passages, 0)
  return [...spoken]
    .sort(([, a], [, b]) => b - a)
    .flatMap(([language, passages]) => language !== null && passages >= all * SHARE ? [language] : [])
    .slice(0, LANGUAGES)
}

async function known (
  { agent, history, language }: Turn, question: string, query: string, { search, weigh }: LookUpNeeds
): Promise<Known> {
  const found = await search(agent, query, PASSAGES)
  const ofLanguage = new Map<Language | null, Asked>()
  const words = withoutCourtesies(lookedForIn(question))
  for (const { language } of found.length > 0 ? found : [{ language: null }]) {
    if (ofLanguage.has(language)) continue
    ofLanguage.set(language, await asked(words, language, async (forms) => await weigh(agent, language, forms)))
  }
  const askedIn = (language: Language | null) => ofLanguage.get(language)!
  const confidence = confidenceIn(found)
  return {
    found,
    quotations: lazily(() => extract(found, ({ language }) => askedIn(language))),
    alternatives: () => alternatives(found, language),
    confidence,
    sureness: lazily(() =>
      Math.max(confidence, coverage(askedIn(found[0]?.language ?? null), toldBeside(agent, history)))
    ),
    isRewritten: false
  }
}

/**
 * What is known besides the sources: the instructions and settings of the business, and the history except questions.
 */
function toldBeside ({ systemPrompt, behavior }: AgentRecord, history: Turn['history']): string {
  const { guidelines, escalationPrompt, email, conversationMemory } = behavior
  const said = conversationMemory ? history.filter(({ text }) => !/[?？؟]\s*$/u.test(text.slice(-50))) : []
  const before = said.map(({ text }) => text).join('\n').slice(-MOST_TOLD)
  return [systemPrompt, ...guidelines.dos, ...guidelines.donts, escalationPrompt, email ?? '', before].join('\n')
}

/** How sure it is that the question is answered: that of the quoted passage, if known. */
export function confidenceIn (found: readonly Pick<Found, 'confidence' | 'quotes'>[]): number {
  const quoted = found.find(({ quotes = [] }) => quotes.length > 0)
  return quoted?.confidence ?? Math.max(0, ...found.map(({ confidence }) => confidence))
}

/** The better passages, then the others, up to one search's limit. */
function both (better: Found[], others: Found[]): Found[] {
  const isNew = ({ source, start }: Found) => !better.some((one) => one.source === source && one.start === start)
  return [...better, ...others.filter(isNew)].slice(0, PASSAGES)
}

/** Suggested questions if nothing answers: related topics, then the suggestions of the business. */
export function insteadOf (
  { agent, message, history }: Pick<Turn, 'agent' | 'message' | 'history'>, { found }: Pick<Known, 'found'>
): string[] {
  const asked = history.filter(({ role }) => role === 'visitor').map(({ text }) => text)
  return [...new Set([...topicsNear(found, [message, ...asked]), ...agent.behavior.suggestions])]
}
