import type { QuestionDraft, QuestionPatch } from '../../../schema/checks.ts'
import type { Id } from '../../../schema/common.ts'
import type { PreparedQuestion } from '../../checks/index.ts'
import { Refusal } from '../../platform/errors.ts'
import { takingTurns } from '../../platform/work/slices.ts'
import type { Form } from '../contract.ts'
import type { ConfigParts } from '../current.ts'
import { located, type Step } from '../plan.ts'

/** A question as in files, its sources by number. `idOf`: the number of a source, by its place. */
export function questionOf ({ given, next }: Step, idOf: (place: string) => Id | undefined): QuestionDraft {
  const { expect, ...rest } = next as Form & { expect: Form & { sources?: string[] } }
  const sources = (expect.sources ?? []).map((key) => {
    const id = idOf(`${given!.parent}/sources/${key}`)
    if (id === undefined) throw new Refusal('VALIDATION_ERROR', `there is no source ${key} of this agent. Add it to sources.yaml, or leave it out.`)
    return id
  })
  return { ...rest, expect: { ...expect, sources } } as unknown as QuestionDraft
}

/** The changed fields of a question. Pages of a site that are expected stay so, unless files expect something else. */
export function questionPatch (step: Step, draft: QuestionDraft): QuestionPatch {
  if (step.changes.length === 0 || step.changes.some(({ field }) => field.startsWith('expect.sources'))) return draft
  const { expect: { sources: _sources, ...expect }, ...others } = draft
  return { ...others, expect }
}

/**
 * Decrypts, changes and seals the questions that files change, before the transaction, yielding in between: by place.
 * Not those that expect a source which the transaction makes.
 */
export async function preparedQuestions (
  { checks: { store } }: ConfigParts, steps: readonly Step[], keys: ReadonlyMap<string, Id>
): Promise<Map<string, PreparedQuestion>> {
  const made = new Set(steps.flatMap(({ kind, action, isReplaced, place }) =>
    kind === 'source' && (action === 'create' || isReplaced) ? [place] : []))
  const known = (place: string) => made.has(place) ? undefined : keys.get(place)
  const prepared = new Map<string, PreparedQuestion>()
  const turn = takingTurns()
  for (const step of steps) {
    const { kind, action, current, given, place, next } = step
    if (kind !== 'question' || action !== 'change' || !current) continue
    const { sources = [] } = next['expect'] as { sources?: string[] }
    if (sources.some((key) => known(`${given!.parent}/sources/${key}`) === undefined)) continue
    await turn()
    try {
      const one = await store.prepared(current.parent!, current.id, questionPatch(step, questionOf(step, known)))
      if (one) prepared.set(place, one)
    } catch (error) {
      throw located(given!, error)
    }
  }
  return prepared
}
