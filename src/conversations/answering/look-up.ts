import type { AgentRecord } from '../../../schema/agents.ts'
import type { Id } from '../../../schema/common.ts'
import { lazily } from '../../platform/lazily.ts'
import { asked, coverage, type Asked } from '../../search/coverage.ts'
import type { Prior } from '../../search/words/guess.ts'
import type { Language } from '../../search/words/languages.ts'
import { topicsNear } from '../../search/own/topic.ts'
import { withoutCourtesies } from '../../search/sense/asking.ts'
import { queryWords } from '../../search/words/query.ts'
import { lookedForIn } from '../../search/words/question.ts'
import { languageOfMessage } from '../../search/words/of-message.ts'
import { alternatives, extract, type Quotation, type Scored } from './extract.ts'
import { isToBeRewritten, type Question } from './rewrite.ts'
import { canned } from './small-talk/canned.ts'
import type { Turn } from '../contract.ts'

/** A passage that a search found. */
export type Found = Scored & { language: Language | null, confidence: number }

/** What looking something up needs. */
export interface LookUpNeeds {
  /** The agent's passages that answer a query best. */
  search: (agent: AgentRecord, query: string, limit: number) => Promise<Found[]>
  /** How many of the agent's passages are in each language. */
  spoken: (agent: Id) => Promise<Prior>
  /** How telling words, as a language has them, are among the agent's passages. */
  weigh: (agent: AgentRecord, language: Language | null, words: Iterable<string>) => Promise<Map<string, number>>
  /**
   * The queries into which a model puts a question, one in each language of the sources, in a short time; undefined
   * where none does. Throws only what the signal throws.
   */
  rewrite: (agent: AgentRecord, question: Question, signal: AbortSignal) => Promise<string[] | undefined>
}

/** What is known about a question. */
export interface Known {
  /** Passages, best first. */
  found: Found[]
  /** The words that answer best, best first; looked for when asked for, as most answers are a model's. */
  quotations: () => Quotation[]
  /** What else may be meant, where that is not sure. */
  alternatives: () => Quotation[]
  /** How sure the search is that a passage is about the question, from 0 to 1. */
  confidence: number
  /** The same, or what the business says about itself in the prompt, where that is more; found out when asked for. */
  sureness: () => number
  /** It was found in the model's words, not in the visitor's. */
  isRewritten: boolean
}

/** What is left of it once nothing can be quoted any more. */
export const LET_GO: Known = {
  found: [], quotations: () => [], alternatives: () => [], confidence: 0, sureness: () => 0, isRewritten: false
}

const PASSAGES = 20
/** UTF-16 units of what was said before that are compared with a question: the last ones. Each is cut into words. */
const MOST_TOLD = 4000
/** A question with fewer telling words is asked together with what was said before it. */
const TELLING_WORDS = 3

/** Languages in which a model is asked for a query, at most, and how much of the sources is in each, at least. */
const [LANGUAGES, SHARE] = [3, 0.1]

/**
 * What the agent knows about the visitor's message; where that is little, or none of the sources is in its language,
 * about what a model says that the message means.
 */
export async function lookUp (turn: Turn, needs: LookUpNeeds, signal: AbortSignal): Promise<Known> {
  const { agent, message } = turn
  const first = await known(turn, message, queryFor(turn), needs)
  // What follows is another turn of the loop's.
  await new Promise(setImmediate)
  const spoken = await needs.spoken(agent.id)
  const languages = languagesOf(spoken)
  const own = languageOfMessage(message, { given: turn.language, spoken })
  const isForeign = own !== null && languages.length > 0 && !languages.includes(own)
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

/** The languages that a fair part of the sources is in, most first. */
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
 * What is known beside the sources: the instructions of the business and its settings, and what was said before, but
 * for questions.
 */
function toldBeside ({ systemPrompt, behavior }: AgentRecord, history: Turn['history']): string {
  const { guidelines, escalationPrompt, email, conversationMemory } = behavior
  const said = conversationMemory ? history.filter(({ text }) => !/[?？؟]\s*$/u.test(text.slice(-50))) : []
  const before = said.map(({ text }) => text).join('\n').slice(-MOST_TOLD)
  return [systemPrompt, ...guidelines.dos, ...guidelines.donts, escalationPrompt, email ?? '', before].join('\n')
}

/** How sure it is that the question is answered: that of the passage whose words are quoted, where that is told. */
export function confidenceIn (found: readonly Pick<Found, 'confidence' | 'quotes'>[]): number {
  const quoted = found.find(({ quotes = [] }) => quotes.length > 0)
  return quoted?.confidence ?? Math.max(0, ...found.map(({ confidence }) => confidence))
}

/** The better passages, then the others, as many as one search finds. */
function both (better: Found[], others: Found[]): Found[] {
  const isNew = ({ source, start }: Found) => !better.some((one) => one.source === source && one.start === start)
  return [...better, ...others.filter(isNew)].slice(0, PASSAGES)
}

/** What is searched for: the message, with the visitor's words before it where it says too little by itself. */
export function queryFor ({ message, history, agent }: Turn): string {
  if (!agent.behavior.conversationMemory || formsOf(message) >= TELLING_WORDS) return message
  const before = history.findLast(({ role, text }) => role === 'visitor' && canned(text) === undefined)
  return before ? `${before.text}\n${message}` : message
}

/** A longer message has more words than are asked about here. */
const SHORT = 300

/** How many different words a message has that say something, stems counted too. */
function formsOf (message: string): number {
  return new Set(queryWords(message.slice(0, SHORT), [['en', 1], [null, 1]]).flatMap(({ forms }) => [...forms.values()].flat())).size
}

/** What may be asked where nothing answers: topics near to what was asked, then the suggestions of the business. */
export function insteadOf (
  { agent, message, history }: Pick<Turn, 'agent' | 'message' | 'history'>, { found }: Pick<Known, 'found'>
): string[] {
  const asked = history.filter(({ role }) => role === 'visitor').map(({ text }) => text)
  return [...new Set([...topicsNear(found, [message, ...asked]), ...agent.behavior.suggestions])]
}
