import type { CandidateKind } from '../../schema/people/learning.ts'
import { languageOfMessage } from '../conversations/index.ts'
import { redacted } from '../models/index.ts'
import { isKnown } from '../search/words/languages.ts'
import { formsIn, queryWords } from '../search/words/query.ts'

/*
 * Questions that mean the same are one, as pure functions.
 */

/** Something that came up, with its words, masked. */
export interface Candidate {
  id: number
  kind: CandidateKind
  state: 'open' | 'approved' | 'dismissed'
  question: string
  answer: string | null
  /** Microseconds since 1970. */
  at: number
}

/** Those that ask the same. */
export interface Group { language: string | null, members: Candidate[] }

/** From which share of their words on two questions are the same. */
const OVERLAP = 0.6

/** Share of the words of either that stand in both, from 0 to 1. */
export function overlap (a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const both = [...a].filter((word) => b.has(word)).length
  return both === 0 ? 0 : both / (a.size + b.size - both)
}

/** Groups of questions in the same language that have most of their words in common; the largest first. */
export function grouped (candidates: readonly Candidate[]): Group[] {
  const groups: Array<Group & { words: Set<string> }> = []
  for (const candidate of candidates) {
    const language = languageOfMessage(candidate.question)
    const words = wordsOf(candidate.question, language)
    if (words.size === 0) continue
    const same = groups
      .filter((group) => group.language === language)
      .map((group) => ({ group, share: overlap(group.words, words) }))
    const best = same.sort((a, b) => b.share - a.share)[0]
    if (best && best.share >= OVERLAP) best.group.members.push(candidate)
    else groups.push({ language, words, members: [candidate] })
  }
  return groups
    .map(({ language, members }) => ({ language, members }))
    .sort((a, b) => b.members.length - a.members.length)
}

function wordsOf (question: string, language: string | null): Set<string> {
  const known = isKnown(language) ? language : null
  return new Set(formsIn(queryWords(question, [[known, 1]]), known).keys())
}

/** Digits in a row that name an order, a customer, a booking. */
const NUMBER = /\d(?:[ -]?\d){4,}/g

/** A text without addresses, numbers and the visitor's name. */
export function masked (text: string, name: string | null): string {
  const parts = (name ?? '')
    .split(/\s+/)
    .filter((part) => part.length > 2)
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  const shown = redacted(text).replace(NUMBER, '[number]')
  return parts.length === 0
    ? shown
    : shown.replace(new RegExp(`(?<![\\p{L}\\p{N}])(?:${parts.join('|')})(?![\\p{L}\\p{N}])`, 'giu'), '[name]')
}
