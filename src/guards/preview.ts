import type { GuardExample, GuardPreview, GuardRule } from '../../schema/guards.ts'
import { inTurns } from '../platform/work/slices.ts'
import { nextTurn } from '../platform/work/turns.ts'
import type { KnownLanguage } from '../search/words/of-message.ts'
import { decides, masked, type When } from './act.ts'
import { ACTS_ON_MOST, ENOUGH } from './check.ts'
import { compiling, type Compiled } from './compile.ts'
import { isReadyFor, matching, readyingFor, type Matches } from './match.ts'

/** Something that was said, by whom and where. */
export interface Said { conversation: string, message: string, role: 'visitor' | 'agent', text: string }

/** Days and messages that a preview looks back at most. */
export const PREVIEW_DAYS = 30
const MOST_LOOKED_AT = 10_000
/** Messages shown for a rule, and characters of each. */
const [EXAMPLES, LONGEST_EXAMPLE] = [5, 300]
/** Milliseconds after which others get their turn. */
const TURN_MS = 8

/** The counts for a rule. */
interface Count { rule: GuardRule, matches: number, acts: number, examples: GuardExample[] }

/**
 * What rules would have done with past messages, read in parts: others get their turn in between. Each rule is tried,
 * switched on or off.
 */
export async function previewed (
  rules: readonly GuardRule[], parts: AsyncIterable<readonly Said[]>, known: KnownLanguage
): Promise<GuardPreview> {
  const kinds = { visitor: await counting(rules, 'asked'), agent: await counting(rules, 'answered') }
  const looked = { visitor: 0, agent: 0 }
  let isAll = true
  let since = performance.now()
  for await (const part of parts) {
    if (looked.visitor + looked.agent >= MOST_LOOKED_AT) {
      isAll = false
      break
    }
    for (const said of part) {
      if (said.text === '') continue
      looked[said.role]++
      const { ready } = kinds[said.role]
      if (!isReadyFor(said.text, ready, known)) await inTurns(readyingFor(said.text, ready, known))
      const matches = await inTurns(matching(said.text, ready, known))
      count(kinds[said.role], said, matches)
      if (performance.now() - since < TURN_MS) continue
      await nextTurn()
      since = performance.now()
    }
    since = performance.now()
  }
  const all = new Map([...kinds.visitor.counts, ...kinds.agent.counts].map((one) => [one.rule, one]))
  return {
    days: PREVIEW_DAYS,
    asked: looked.visitor,
    answered: looked.agent,
    complete: isAll,
    rules: rules.map((rule) => {
      const { matches, acts, examples } = all.get(rule)!
      const of = rule.when === 'asked' ? looked.visitor : looked.agent
      const share = of === 0 ? 0 : matches / of
      const isBroad = of >= ENOUGH && share > ACTS_ON_MOST
      return { rule: rule.name, matches, acts, looked_at: of, share, on_most: isBroad, examples }
    })
  }
}

async function counting (
  rules: readonly GuardRule[], when: When
): Promise<{ ready: Compiled, counts: Count[] }> {
  const applying = rules.filter((rule) => rule.when === when)
  const counts = applying.map((rule) => ({ rule, matches: 0, acts: 0, examples: [] }))
  return { ready: await inTurns(compiling(applying)), counts }
}

function count (
  { counts }: { counts: Count[] }, { text, conversation, message }: Said, matches: Matches
) {
  const decider = counts.findIndex(({ rule }, at) => decides(rule.do) && matches.has(at))
  for (const [at, places] of matches) {
    const one = counts[at]!
    one.matches++
    if (!decides(one.rule.do) || at === decider) one.acts++
    if (one.examples.length >= EXAMPLES) continue
    const shown = one.rule.do === 'mask' ? masked(text, places).slice(0, LONGEST_EXAMPLE).toWellFormed() : null
    one.examples.push({ conversation, message, text: text.slice(0, LONGEST_EXAMPLE).toWellFormed(), shown })
  }
}
