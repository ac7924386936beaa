import type { AnsweredBy, Citation, Usage } from '../../../schema/conversations.ts'
import type { Id } from '../../../schema/common.ts'
import type { Tokens } from '../../models/index.ts'
import type { Answer } from '../life/decision.ts'
import type { ModelUsage } from '../usage/ledger.ts'

/** An answer being written: what is known of it to code that ends it early. */
export interface Draft {
  by: AnsweredBy
  /** The citations in a part of its text. */
  cite: (text: string) => Citation[]
  /** The model asked for it, and its usage so far. */
  asked: { agent: Id, model: string, provider: string, spent: () => Tokens } | undefined
  firstMs: number | null
  /** The current action for it, as shown to visitors; null: none. */
  doing: string | null
  /** Milliseconds since its start. */
  age: () => number
}

/** An answer of which nothing is known yet. */
export function newDraft (): Draft {
  return { by: 'model', cite: () => [], asked: undefined, firstMs: null, doing: null, age: () => 0 }
}

/** The ledger's record of an answer; undefined if no model was asked. */
export function runOf (draft: Draft, outcome: ModelUsage['outcome']): ModelUsage | undefined {
  const { asked, firstMs, age } = draft
  if (!asked) return undefined
  const { spent, ...who } = asked
  return { ...who, outcome, ...spent(), first_ms: firstMs, total_ms: age() }
}

/** The answer if it ends with the text seen so far: cited and counted like a finished one. */
export function endedWith (draft: Draft, seen: string, status: Answer['status'] = 'stopped'): Answer {
  const run = runOf(draft, status)
  const isModels = draft.by === 'model'
  return {
    text: seen,
    status,
    citations: draft.cite(seen),
    suggestions: [],
    answered_by: draft.by,
    model: isModels ? run?.model ?? null : null,
    usage: isModels && run ? usageOf(run) : null,
    error: null,
    ...(run && { run })
  }
}

/** The usage shown with a message. */
function usageOf (
  { agent: _agent, model: _model, provider: _provider, outcome: _outcome, ...usage }: ModelUsage
): Usage {
  return usage
}

/** A complete answer without citations that no model wrote. */
export function completeAnswer (
  text: string, by: 'model' | 'extract' | 'canned', suggestions: readonly string[]
): Answer {
  return {
    text,
    status: 'complete',
    citations: [],
    suggestions: [...suggestions],
    answered_by: by,
    model: null,
    usage: null,
    error: null
  }
}
