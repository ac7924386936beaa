import { Type } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { closed } from '../../schema/common.ts'
import { Refusal } from '../platform/errors.ts'
import { openSandbox, selfCommand } from '../platform/process/sandbox.ts'
import { SandboxError, type Step } from '../platform/process/step.ts'
import { nextTurn } from '../platform/work/turns.ts'
import type { ImportTask } from './child.ts'
import type { Plan } from './contract.ts'
import { OUTCOMES, type Item } from './ledger.ts'

/** Maximum total bytes of the input; limits for the child's memory, time and output. */
export const MOST_GIVEN = 64 * 2 ** 20
const LIMITS = { memoryMiB: 1024, deadlineMs: 60_000, maxOutput: 512 * 2 ** 20 }

const TOO_MUCH = 'The files need more time or memory than an import may use. Import them in parts.'
const FELL = 'The part of this program that reads files stopped at these. Try again; if it keeps failing, report it.'
const TOO_LARGE = `The files are larger than ${MOST_GIVEN / 2 ** 20} MiB together. Import them in parts.`

const NONE = 'The files gave no agent that can be stored. Import them in parts.'

const text = Type.String()
const common = {
  key: text,
  title: Type.String({ minLength: 1, maxLength: 500 }),
  folder: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { maxItems: 20 })),
  asks: Type.Optional(Type.Array(text))
}
const Planned = Type.Union([
  Type.Object({ ...common, type: Type.Union([Type.Literal('text'), Type.Literal('faq')]), text }, closed),
  Type.Object({ ...common, type: Type.Literal('website'), url: Type.String({ pattern: '^https?://' }) }, closed),
  Type.Object({ ...common, type: Type.Literal('docs'), name: text, file: text }, closed)
])
const ItemShape = Type.Object({
  at: text,
  outcome: Type.Union(OUTCOMES.map((one) => Type.Literal(one))),
  to: Type.Optional(text),
  why: Type.Optional(text),
  value: Type.Optional(Type.Unknown())
}, closed)
const loose = Type.Record(text, Type.Unknown())
/** Its fields and actions are validated where they are used, as the API does. */
const Agent = Type.Object({
  key: text,
  fields: Type.Object({ name: text, systemPrompt: text }),
  assumed: Type.Optional(Type.Array(Type.Union([Type.Literal('name'), Type.Literal('systemPrompt')]))),
  sources: Type.Array(Planned),
  actions: Type.Optional(Type.Array(Type.Object({ key: text, connection: loose, draft: loose }, closed)))
}, closed)
const Count = Type.Integer({ minimum: 0 })
const [isHead, isPiece, isReport, isEnd, isFault] = [
  TypeCompiler.Compile(Type.Object({ kind: text, agents: Type.Array(Agent) }, closed)),
  TypeCompiler.Compile(Type.Object({ of: Type.Tuple([Count, Count]), piece: text }, closed)),
  TypeCompiler.Compile(Type.Object({ report: Type.Array(ItemShape) }, closed)),
  TypeCompiler.Compile(Type.Object({ isWhole: Type.Literal(true) }, closed)),
  TypeCompiler.Compile(Type.Object({ error: Type.Object({ code: text, message: text }) }))
]

const sandbox = openSandbox({ atOnce: 1 })

/**
 * Reads files of an export in a child process and returns a plan. Refuses with VALIDATION_ERROR unknown exports; a
 * child is only as trustworthy as its input, so its output is validated. `holder`: the account, so that accounts take
 * turns.
 */
export async function planApart (
  files: Array<[name: string, bytes: Buffer]>, from?: string, { holder, signal }: Pick<Step, 'holder' | 'signal'> = {}
): Promise<Plan> {
  if (files.reduce((sum, [, bytes]) => sum + bytes.length, 0) > MOST_GIVEN) {
    throw new Refusal('payload_too_large', TOO_LARGE)
  }
  const task: ImportTask = {
    ...(from !== undefined && { from }), files: files.map(([name, { length: size }]) => ({ name, size }))
  }
  const input = [JSON.stringify(task) + '\n', ...files.map(([, bytes]) => bytes)]
  const step = { command: selfCommand('__import'), input, ...LIMITS, holder, ...(signal && { signal }) }
  const said: Said = { pieces: new Map(), report: [] }
  try {
    for await (const line of sandbox.run(step)) {
      if (!heed(said, line)) return assembled(said)
      // Output may arrive in one burst; others must not be blocked by it.
      await nextTurn()
    }
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error
    throw new Refusal('VALIDATION_ERROR', error.code === 'crashed' ? FELL : TOO_MUCH, { cause: error })
  }
  throw new Refusal('VALIDATION_ERROR', NONE)
}

/** What the child has sent so far; texts and files in pieces, by `agent source`. */
interface Said { head?: Pick<Plan, 'kind' | 'agents'>, pieces: Map<string, string[]>, report: Item[] }

/** Processes a line; false if it is the last. */
function heed (said: Said, line: unknown): boolean {
  if (isFault.Check(line)) throw new Refusal('VALIDATION_ERROR', line.error.message)
  if (said.head === undefined) {
    if (!isHead.Check(line)) throw new Refusal('VALIDATION_ERROR', NONE)
    said.head = line as Pick<Plan, 'kind' | 'agents'>
  } else if (isPiece.Check(line)) {
    const of = line.of.join(' ')
    const before = said.pieces.get(of)
    if (before) before.push(line.piece)
    else said.pieces.set(of, [line.piece])
  } else if (isReport.Check(line)) {
    said.report.push(...line.report as Item[])
  } else if (isEnd.Check(line)) {
    return false
  } else {
    throw new Refusal('VALIDATION_ERROR', NONE)
  }
  return true
}

function assembled ({ head, pieces, report }: Said): Plan {
  const agents = head!.agents.map((agent, i) => ({
    ...agent,
    sources: agent.sources.map((source, j) => {
      const content = (pieces.get(`${i} ${j}`) ?? []).join('')
      if ('text' in source) return { ...source, text: content }
      return 'file' in source ? { ...source, file: content } : source
    })
  }))
  return { kind: head!.kind, agents, report }
}
