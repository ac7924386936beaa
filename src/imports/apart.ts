import { Type } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { closed } from '../../schema/common.ts'
import { Refusal } from '../platform/errors.ts'
import { openSandbox, selfCommand } from '../platform/process/sandbox.ts'
import { SandboxError } from '../platform/process/step.ts'
import type { ImportTask } from './child.ts'
import type { Plan } from './contract.ts'
import { OUTCOMES } from './ledger.ts'

/** Bytes that what is given may have together; what the child may take of memory, time and the answer. */
export const MOST_GIVEN = 64 * 2 ** 20
const LIMITS = { memoryMiB: 1024, deadlineMs: 60_000, maxOutput: 512 * 2 ** 20 }

const TOO_MUCH = 'The files need more time or memory than an import may. Import them in parts.'
const FELL = 'The part of this program that reads files stopped at these. Try again; if it stays so, report the fault.'
const TOO_LARGE = `The files are larger than ${MOST_GIVEN / 2 ** 20} MiB together. Import them in parts.`

const text = Type.String()
const common = { key: text, title: Type.String({ minLength: 1, maxLength: 500 }) }
const Planned = Type.Union([
  Type.Object({ ...common, type: Type.Union([Type.Literal('text'), Type.Literal('faq')]), text }, closed),
  Type.Object({ ...common, type: Type.Literal('website'), url: Type.String({ pattern: '^https?://' }) }, closed),
  Type.Object({ ...common, type: Type.Literal('docs'), name: text, file: text }, closed)
])
const Item = Type.Object({
  at: text,
  outcome: Type.Union(OUTCOMES.map((one) => Type.Literal(one))),
  to: Type.Optional(text),
  why: Type.Optional(text),
  value: Type.Optional(Type.Unknown())
}, closed)
/** What its fields may be is checked where they are put to use, as the interface checks them. */
const Agent = Type.Object(
  { key: text, fields: Type.Object({ name: text, systemPrompt: text }), sources: Type.Array(Planned) }, closed
)
const answers = TypeCompiler.Compile(Type.Union([
  Type.Object({
    plan: Type.Object({
      kind: text,
      agents: Type.Array(Agent),
      report: Type.Array(Item)
    }, closed)
  }),
  Type.Object({ error: Type.Object({ code: text, message: text }) })
]))

/**
 * Reads files of an export in a child process and says what they become. Refuses with VALIDATION_ERROR what is no
 * export that is known; a child is only as honest as what it read, so its answer is checked.
 */
export async function planApart (files: Array<[name: string, bytes: Buffer]>, from?: string): Promise<Plan> {
  if (files.reduce((sum, [, bytes]) => sum + bytes.length, 0) > MOST_GIVEN) {
    throw new Refusal('payload_too_large', TOO_LARGE)
  }
  const task: ImportTask = {
    ...(from !== undefined && { from }), files: files.map(([name, { length: size }]) => ({ name, size }))
  }
  const input = [JSON.stringify(task) + '\n', ...files.map(([, bytes]) => bytes)]
  const run = openSandbox({ atOnce: 1 }).run({ command: selfCommand('__import'), input, ...LIMITS })
  try {
    const { value: said } = await run.next()
    if (answers.Check(said)) {
      if ('plan' in said) return said.plan as Plan
      throw new Refusal('VALIDATION_ERROR', said.error.message)
    }
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error
    throw new Refusal('VALIDATION_ERROR', error.code === 'crashed' ? FELL : TOO_MUCH, { cause: error })
  } finally {
    await run.return(undefined)
  }
  throw new Refusal('VALIDATION_ERROR', 'The files became no agent that may be kept. Import them in parts.')
}
