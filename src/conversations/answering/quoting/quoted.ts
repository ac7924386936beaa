import type { AgentRecord } from '../../../../schema/agents.ts'
import type { Citation } from '../../../../schema/conversations.ts'
import type { Phrases } from '../../../locales/contract.ts'
import { questionsApart } from '../../../search/sense/apart.ts'
import { isRow, sentenceOfRow } from '../../../search/sense/sentences.ts'
import type { Turn } from '../../contract.ts'
import type { Answer } from '../../life/decision.ts'
import { whole } from '../cite.ts'
import { completeAnswer } from '../../generation.ts'
import { linksIn, settingsOf } from '../cite.ts'
import { lookUp, type Known, type LookUpNeeds } from '../look-up.ts'
import type { Quotation } from './extract.ts'

/** Confidence from which sentences are quoted, and from which they are offered. */
interface Thresholds { sure: number, maybe: number }

/** What an answer that quotes needs besides what is known. */
interface Quoting {
  agent: AgentRecord
  thresholds: Thresholds
  phrases: Phrases
  /** Suggested questions if nothing answers. */
  instead: readonly string[]
}

/** A quotation as it is shown. */
export interface Shown extends Quotation { shown: string }

/** Whether what is known is said as an answer. What only a model's words have found may be about something else. */
export const isSure = ({ confidence, isRewritten }: Known, { sure }: Thresholds): boolean =>
  confidence >= sure && !isRewritten

/** What may be quoted, best first. */
export function bestOf (known: Known, { maybe }: Thresholds, agent: AgentRecord): Shown[] {
  return known.confidence < maybe ? [] : allShown(known.quotations(), agent)
}

const allShown = (quotations: readonly Quotation[], agent: AgentRecord): Shown[] => quotations
  .map((quotation) => ({ ...quotation, shown: shownOf(quotation, agent) }))
  .filter(({ shown }) => shown !== '')

/** Where a person can be reached, if anywhere, behind this. */
export const contactOf = ({ behavior: { email } }: AgentRecord, { writeTo }: Phrases, before: string): string =>
  email ? `${before}${writeTo.replace('{contact}', email)}` : ''

/** The citations of quotations, in their order. */
const citationsOf = (quotations: readonly Quotation[]): Citation[] =>
  quotations.map(({ passage, text, start, end }, at): Citation => ({
    n: at + 1,
    source: passage.source,
    title: passage.title,
    url: passage.url,
    page: passage.page,
    quote: text,
    start: passage.start + start,
    end: passage.start + end,
    checked_at: passage.checked_at ?? null
  }))

/**
 * The sources' own sentences, quoted; "this may help" if it is less sure, and an honest "I do not know" if nothing
 * answers.
 */
export function quotedAnswer (known: Known, { agent, thresholds, phrases, instead }: Quoting): Answer {
  const isKnown = isSure(known, thresholds)
  const best = bestOf(known, thresholds, agent)
  const others = isKnown || best.length === 0 ? [] : allShown(known.alternatives(), agent)
  const quotations = [...best, ...others]
  if (quotations.length === 0) {
    return { ...completeAnswer(phrases.unknown + contactOf(agent, phrases, ' '), 'extract', instead), unknown: true }
  }
  const cited = quotations.map(({ shown }, at) => `${shown} [${at + 1}]`)
  const between = best.every(({ text }) => isRow(text)) ? '\n' : ' '
  const quoted = [cited.slice(0, best.length).join(between), ...cited.slice(best.length)].join('\n\n')
  const text = isKnown ? quoted : `${phrases.mayHelp}\n\n${quoted}${contactOf(agent, phrases, '\n\n')}`
  return { ...completeAnswer(text, 'extract', []), citations: citationsOf(quotations) }
}

/** A quotation as allowed in an answer: without images, markup, and numbers that would cite sources. */
function shownOf ({ text, passage }: Quotation, agent: AgentRecord): string {
  const said = whole(isRow(text) ? sentenceOfRow(text) : text, {
    isSource: () => false,
    isAllowed: linksIn({ settings: settingsOf(agent), sources: [passage.url ?? '', passage.text, text] })
  })
  return said.replaceAll(/(?<!\s)\s*\n\s*/g, '\n').trim()
}

/**
 * The answer to several questions in one message, if at least one can be answered: each is looked up on its own, and
 * the answer names those that are not known. Undefined if there is only one question, or none can be answered.
 */
export async function answeredApart (
  turn: Turn, needs: LookUpNeeds, phrases: Phrases, signal: AbortSignal
): Promise<Answer | undefined> {
  const { agent, message } = turn
  const questions = questionsApart(message, await needs.spoken(agent.id))
  if (questions.length === 0) return undefined
  const found: { question: string, isKnown: boolean, best: Shown[] }[] = []
  for (const question of questions) {
    // The history is about something else, and a model that could put it in other words would have answered.
    const alone = { ...turn, message: question, history: [] }
    const known = await lookUp(alone, { ...needs, rewrite: async () => undefined }, signal)
    signal.throwIfAborted()
    found.push({
      question, isKnown: isSure(known, needs.thresholds), best: bestOf(known, needs.thresholds, agent)
    })
  }
  if (!found.some(({ isKnown, best }) => isKnown && best.length > 0)) return undefined
  const said: Shown[] = []
  const isSaid = (one: Shown) => said.some((other) => isSame(one, other))
  const cite = (all: readonly Shown[]) => all.map((one) => `${one.shown} [${said.push(one)}]`).join(' ')
  const answers = found.filter(({ isKnown }) => isKnown)
    .map(({ best }) => cite(best.filter((one) => !isSaid(one)))).filter((text) => text !== '')
  const open = found.filter(({ isKnown, best: [first] }) => !isKnown && !(first && isSaid(first)))
  const others = open.map(({ question, best }) =>
    `“${whole(question, NOTHING).trim()}”\n${best.length > 0 ? `${phrases.mayHelp} ${cite(best)}` : phrases.unknown}`)
  const contact = open.length > 0 ? contactOf(agent, phrases, '') : ''
  const text = [...answers, ...others, contact].filter((part) => part !== '').join('\n\n')
  return { ...completeAnswer(text, 'extract', []), citations: citationsOf(said) }
}

/** Whether two quotations are of the same words. */
const isSame = (one: Shown, other: Shown) =>
  one.passage.source === other.passage.source &&
  one.passage.start + one.start < other.passage.start + other.end &&
  other.passage.start + other.start < one.passage.start + one.end

/** What is allowed in a visitor's words: no links, and no numbers that would cite sources. */
const NOTHING = { isSource: () => false, isAllowed: () => false }
