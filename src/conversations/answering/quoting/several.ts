import type { Phrases } from '../../../locales/contract.ts'
import { questionsApart } from '../../../search/sense/apart.ts'
import type { Turn } from '../../contract.ts'
import type { Answer } from '../../life/decision.ts'
import { whole } from '../cite.ts'
import { completeAnswer } from '../draft.ts'
import { lookUp, type LookUpNeeds } from '../look-up.ts'
import { bestOf, citationsOf, contactOf, isSure, type Shown, type Thresholds } from './quoted.ts'

/**
 * The answer to several questions in one message, if at least one is known: each is looked up by itself, and of those
 * that are not known it says so. Undefined where it is one question, or none of them is known.
 */
export async function answeredApart (
  turn: Turn, needs: LookUpNeeds & { thresholds: Thresholds }, phrases: Phrases, signal: AbortSignal
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
