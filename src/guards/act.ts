import type { GuardNote, GuardRule } from '../../schema/guards.ts'
import { inTurns } from '../platform/work/slices.ts'
import type { KnownLanguage } from '../search/words/of-message.ts'
import { readied, readyAlready, readyingAll, SMALL, weightOf } from './compile.ts'
import { isMatchedAhead, isReadyFor, MASK, matchesOf, matchingAhead, readyingFor, type Place } from './match.ts'

/*
 * What rules make of a text: pure functions.
 */

/** What became of a text. */
interface Guarded {
  /** The text without what is masked. */
  text: string
  /** The rule that decides, instead of the agent; undefined where none does. */
  verdict: GuardRule | undefined
  /** The rules that have acted, in their order. */
  notes: GuardNote[]
}

/** What a message notes of a rule that has acted. */
export const noteOf = ({ name, do: did }: GuardRule): GuardNote => ({ rule: name, did })

/** When rules look at a text. */
export type When = GuardRule['when']

const NO_RULES: readonly GuardRule[] = []

/** The rules that look at such texts; the same list where there are none. */
export function rulesFor (rules: readonly GuardRule[], when: When): readonly GuardRule[] {
  if (rules.length === 0) return NO_RULES
  return rules.filter((rule) => rule.enabled && rule.when === when)
}

/**
 * Has rules look at a text. All of them see it as it was written: of those that match each that masks, masks, and the
 * first of the others decides. `decided`: names of rules that have decided about it before, when it was whole.
 */
export function guarded (
  text: string, rules: readonly GuardRule[], when: When, known: KnownLanguage = {}, decided: readonly string[] = []
): Guarded {
  const own = rulesFor(rules, when)
  if (own.length === 0) return { text, verdict: undefined, notes: [] }
  const matches = matchesOf(text, readied(own), known)
  const acts = own.filter((rule, at) => matches.has(at) || (rule.do !== 'mask' && decided.includes(rule.name)))
  const verdict = acts.find((rule) => rule.do !== 'mask')
  const masks = own.flatMap((rule, at) => rule.do === 'mask' ? matches.get(at) ?? [] : [])
  return {
    text: masked(text, masks),
    verdict,
    notes: acts.filter((rule) => rule.do === 'mask' || rule === verdict).map(noteOf)
  }
}

/** Texts that are longer, in UTF-16 units, are looked at in pieces. */
const SHORT = 1000

/** Whether rules can look at a text on the spot. A long list or text has to be made ready first: `prepared`. */
export function isPrepared (text: string, rules: readonly GuardRule[], when: When, known: KnownLanguage = {}): boolean {
  const own = rulesFor(rules, when)
  if (own.length === 0 || (text.length <= SHORT && weightOf(own) <= SMALL)) return true
  const ready = readyAlready(own)
  if (ready === undefined) return false
  return isMatchedAhead(text, ready, known) || (text.length <= SHORT && isReadyFor(text, ready, known))
}

/** Makes ready what rules need to look at a text, where that takes a while: others have their turn meanwhile. */
export async function prepared (
  text: string, rules: readonly GuardRule[], when: When, known: KnownLanguage = {}
): Promise<void> {
  if (isPrepared(text, rules, when, known)) return
  const ready = await inTurns(readyingAll(rulesFor(rules, when)))
  await inTurns(readyingFor(text, ready, known))
  if (text.length > SHORT) await inTurns(matchingAhead(text, ready, known))
}

/** Only what is to be masked, for texts that nothing else is decided about. */
export function maskedBy (text: string, rules: readonly GuardRule[], when: When, known: KnownLanguage = {}): string {
  return guarded(text, rules, when, known).text
}

/** A text without what stands at some places; what stands between them is as it was. */
export function masked (text: string, places: readonly Place[]): string {
  let shown = ''
  let at = 0
  for (const { start, end } of places.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    if (end <= at) continue
    // What is masked already goes on.
    shown += start < at ? '' : text.slice(at, start) + MASK
    at = end
  }
  return shown + text.slice(at)
}

/**
 * Whether a text that was kept masked may be this one: what is left of it stands there in order, from its beginning to
 * its end.
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
