import type { AnsweredBy, Citation, Usage } from '../../../schema/conversations.ts'
import type { Id } from '../../../schema/common.ts'
import type { Tokens } from '../../models/index.ts'
import type { Answer } from '../life/decision.ts'
import type { Run } from '../usage/ledger.ts'

/** An answer while it is written: what is known of it by whoever ends it before its time. */
export interface Draft {
  by: AnsweredBy
  /** The citations of so much of its text. */
  cite: (text: string) => Citation[]
  /** Which model was asked for it, and what that has taken by now. */
  asked: { agent: Id, model: string, provider: string, spent: () => Tokens } | undefined
  firstMs: number | null
  /** What is being done for it, as visitors are told; null: nothing. */
  doing: string | null
  /** Milliseconds since it was begun. */
  age: () => number
}

/** An answer of which nothing is known yet. */
export function newDraft (): Draft {
  return { by: 'model', cite: () => [], asked: undefined, firstMs: null, doing: null, age: () => 0 }
}

/** What the ledger notes of an answer; undefined where no model was asked. */
export function runOf (draft: Draft, outcome: Run['outcome']): Run | undefined {
  const { asked, firstMs, age } = draft
  if (!asked) return undefined
  const { spent, ...who } = asked
  return { ...who, outcome, ...spent(), first_ms: firstMs, total_ms: age() }
}

/** The answer where it ends with the text that was seen of it: cited and counted as a finished one is. */
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

/** What a message shows of what it took. */
function usageOf ({ agent: _agent, model: _model, provider: _provider, outcome: _outcome, ...usage }: Run): Usage {
  return usage
}
