import type { AgentRecord } from '../../../../schema/agents.ts'
import type { Citation } from '../../../../schema/conversations.ts'
import type { Phrases } from '../../../locales/contract.ts'
import { isRow, sentenceOfRow } from '../../../search/sense/sentences.ts'
import type { Answer } from '../../life/decision.ts'
import { whole } from '../cite.ts'
import { completeAnswer } from '../draft.ts'
import { linksIn, settingsOf } from '../links.ts'
import type { Known } from '../look-up.ts'
import type { Quotation } from './extract.ts'

/** Confidence from which sentences are quoted, and from which they are offered. */
export interface Thresholds { sure: number, maybe: number }

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
export const citationsOf = (quotations: readonly Quotation[]): Citation[] =>
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
