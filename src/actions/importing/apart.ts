import { Type } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { closed } from '../../../schema/common.ts'
import { lazily } from '../../platform/lazily.ts'
import { invalid, Refusal } from '../../platform/errors.ts'
import { openSandbox, selfCommand } from '../../platform/process/sandbox.ts'
import { SandboxError } from '../../platform/process/step.ts'
import { nextTurn } from '../../platform/work/turns.ts'
import type { Planned } from './contract.ts'

const LIMITS = { memoryMiB: 512, deadlineMs: 20_000, maxOutput: 32 * 2 ** 20 }
const FELL = 'The document needs more time or memory than allowed. Import its operations in parts.'

const text = Type.String()
/** The preview of an operation; it is fully validated when the action is made. */
const Operation = Type.Object({
  key: text,
  canImport: Type.Boolean(),
  notes: Type.Array(text),
  draft: Type.Object({ name: text, title: text, effect: Type.Union([Type.Literal('read'), Type.Literal('write')]) })
}, closed)
const shapes = lazily(() => ({
  operation: TypeCompiler.Compile(Type.Object({ operation: Operation }, closed)),
  end: TypeCompiler.Compile(Type.Object({ isWhole: Type.Literal(true) }, closed)),
  fault: TypeCompiler.Compile(Type.Object({ error: text }, closed))
}))

const sandbox = openSandbox({ atOnce: 1 })

/**
 * Every operation of an OpenAPI document, read in a child process: reading YAML of two megabytes takes minutes, and
 * self-references make it arbitrarily large. Refuses with VALIDATION_ERROR what is no such document. `holder`: the
 * account, so that accounts take turns.
 */
export async function readOpenapiApart (document: string | object, holder: unknown): Promise<Planned[]> {
  const input = [typeof document === 'string' ? document : JSON.stringify(document)]
  const planned: Planned[] = []
  const { operation: isOperation, end: isEnd, fault: isFault } = shapes()
  try {
    for await (const line of sandbox.run({ command: selfCommand('__openapi'), input, ...LIMITS, holder })) {
      if (isEnd.Check(line)) return planned
      if (isFault.Check(line)) throw invalid({ field: 'openapi', message: line.error })
      if (!isOperation.Check(line)) break
      planned.push(line.operation as Planned)
      // Output may arrive all at once; yields so that others need not wait.
      await nextTurn()
    }
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error
    throw new Refusal('VALIDATION_ERROR', FELL, { cause: error })
  }
  throw new Refusal('VALIDATION_ERROR', FELL)
}
