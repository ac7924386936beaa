import { runChild } from '../platform/process/child.ts'
import { ExtractError } from '../reading/error.ts'
import type { Plan, PlannedSource } from './contract.ts'
import type { Item } from './ledger.ts'
import { planOf } from './plan.ts'

/** The first line of the child's input; the bytes of the files follow, one after the other. */
export interface ImportTask { from?: string, files: Array<{ name: string, size: number }> }

/** Reads one message and answers it: a plan, or why there is none. */
export function respond (message: Buffer): unknown {
  const end = message.indexOf('\n')
  const { from, files } = JSON.parse(message.toString('utf8', 0, end)) as ImportTask
  let at = end + 1
  const given = files.map(({ name, size }): [string, Buffer] => {
    at += size
    return [name, message.subarray(at - size, at)]
  })
  try {
    return { plan: planOf(given, from) }
  } catch (error) {
    // No other errors are thrown.
    const { code, message } = error as ExtractError
    return { error: { code, message } }
  }
}

/** Maximum characters of one piece: the receiver reads a line in one go. */
const PIECE = 65_536

/**
 * An answer as lines: first the plan, then the texts and files of the sources piece by piece, then the report in
 * batches, so that the receiver can read any amount in small steps.
 */
export function * linesOf (answer: unknown): Generator<unknown> {
  const { plan } = answer as { plan?: Plan }
  if (!plan) return yield answer
  const agents = plan.agents.map(({ sources, ...agent }) => ({ ...agent, sources: sources.map(headOf) }))
  yield { kind: plan.kind, agents }
  for (const [i, { sources }] of plan.agents.entries()) {
    for (const [j, source] of sources.entries()) {
      const content = contentOf(source)
      for (let at = 0; at < content.length; at += PIECE) yield { of: [i, j], piece: content.slice(at, at + PIECE) }
    }
  }
  for (let at = 0; at < plan.report.length;) {
    const items: Item[] = []
    for (let size = 0; at < plan.report.length && size < PIECE && items.length < 200; at++) {
      items.push(plan.report[at]!)
      size += JSON.stringify(plan.report[at]).length
    }
    yield { report: items }
  }
  yield { isWhole: true }
}

/** A source without its contents. */
function headOf (source: PlannedSource): PlannedSource {
  if ('text' in source) return { ...source, text: '' }
  return 'file' in source ? { ...source, file: '' } : source
}

/** The contents of a source; a file in base64. */
export function contentOf (source: PlannedSource): string {
  if ('text' in source) return source.text
  return 'file' in source ? source.file : ''
}

/** The sandbox's side of an import: the message on standard input, the answer as lines on standard output. */
export const runImportChild = async () => await runChild((input) => linesOf(respond(input)))
