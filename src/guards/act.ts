import type { GuardDoes, GuardNote, GuardRule } from '../../schema/guards.ts'
import { inTurns } from '../platform/work/slices.ts'
import type { KnownLanguage } from '../search/words/of-message.ts'
import { readied, readyAlready, readyingAll, SMALL, weightOf } from './compile.ts'
import { isMatchedAhead, isReadyFor, MASK, matchesOf, matchingAhead, readyingFor, type TextSpan } from './match.ts'

/*
 * Applies rules to a text: pure functions.
 */

/** The result for a text. */
interface Guarded {
  /** The text without masked parts. */
  text: string
  /** The rule that decides, instead of the agent; undefined if none does. */
  verdict: GuardRule | undefined
  /** The rules that acted, in order. */
  notes: GuardNote[]
  /** The tags they put on the conversation, each once. */
  tags: string[]
}

/** What a message records of a rule that acted. */
export const noteOf = ({ name, do: did }: GuardRule): GuardNote => ({ rule: name, did })

/** Whether a rule that does this decides instead of the agent: masks and tags apply whichever does. */
export const decides = (does: GuardDoes) => does !== 'mask' && does !== 'tag'

/** When rules look at a text. */
export type When = GuardRule['when']

const NO_RULES: readonly GuardRule[] = []

/** The rules for such texts; the same list if there are none. */
export function rulesFor (rules: readonly GuardRule[], when: When): readonly GuardRule[] {
  if (rules.length === 0) return NO_RULES
  return rules.filter((rule) => rule.enabled && rule.when === when)
}

/**
 * Applies rules to a text. All see it as it was written: every matching rule that masks, masks; every one that tags,
 * tags; the first of the others decides. `decided`: names of rules that decided about it earlier, when it was whole.
 */
export function guarded (
  text: string, rules: readonly GuardRule[], when: When, known: KnownLanguage = {}, decided: readonly string[] = []
): Guarded {
  const applying = rulesFor(rules, when)
  if (applying.length === 0) return { text, verdict: undefined, notes: [], tags: [] }
  const matches = matchesOf(text, readied(applying), known)
  const acts = applying.filter((rule, at) => matches.has(at) || (decides(rule.do) && decided.includes(rule.name)))
  const verdict = acts.find((rule) => decides(rule.do))
  const masks = applying.flatMap((rule, at) => rule.do === 'mask' ? matches.get(at) ?? [] : [])
  return {
    text: masked(text, masks),
    verdict,
    notes: acts.filter((rule) => !decides(rule.do) || rule === verdict).map(noteOf),
    tags: [...new Set(acts.flatMap(({ do: does, tags = [] }) => does === 'tag' ? tags : []))]
  }
}

/** Longer texts, in UTF-16 units, are processed in pieces. */
const SHORT = 1000

/** Whether rules can be applied at once. A long list or text has to be prepared first: `prepared`. */
export function isPrepared (text: string, rules: readonly GuardRule[], when: When, known: KnownLanguage = {}): boolean {
  const applying = rulesFor(rules, when)
  if (applying.length === 0 || (text.length <= SHORT && weightOf(applying) <= SMALL)) return true
  const ready = readyAlready(applying)
  if (ready === undefined) return false
  return isMatchedAhead(text, ready, known) || (text.length <= SHORT && isReadyFor(text, ready, known))
}

/** Prepares what rules need for a text, where that takes a while: others get their turn meanwhile. */
export async function prepared (
  text: string, rules: readonly GuardRule[], when: When, known: KnownLanguage = {}
): Promise<void> {
  if (isPrepared(text, rules, when, known)) return
  const ready = await inTurns(readyingAll(rulesFor(rules, when)))
  await inTurns(readyingFor(text, ready, known))
  if (text.length > SHORT) await inTurns(matchingAhead(text, ready, known))
}

/** Only masks, for texts that nothing else is decided about. */
export function maskedBy (text: string, rules: readonly GuardRule[], when: When, known: KnownLanguage = {}): string {
  return guarded(text, rules, when, known).text
}

/** A text without some ranges; what is between them is unchanged. */
export function masked (text: string, places: readonly TextSpan[]): string {
  let shown = ''
  let at = 0
  for (const { start, end } of places.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    if (end <= at) continue
    // The masked range continues.
    shown += start < at ? '' : text.slice(at, start) + MASK
    at = end
  }
  return shown + text.slice(at)
}

/**
 * Whether a text stored masked may be this one: its remaining parts occur in this one in order, from beginning to end.
 */
export function mayBe (kept: string, text: string): boolean {
  const parts = kept.split(MASK)
  if (parts.length === 1) return kept === text
  const [first = '', last = ''] = [parts[0], parts.at(-1)]
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false
  let at = first.length
  const end = text.length - last.length
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, at)
    if (found < 0 || found + part.length > end) return false
    at = found + part.length
  }
  return true
}
