import { MOST_CONFIG_BYTES, MOST_CONFIG_FILES, type ConfigFile } from '../../../schema/config.ts'
import { Type } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { closed } from '../../../schema/common.ts'
import { Refusal, invalid } from '../../platform/errors.ts'
import { openSandbox, selfCommand } from '../../platform/process/sandbox.ts'
import { SandboxError } from '../../platform/process/step.ts'
import { inTurns, takingTurns } from '../../platform/work/slices.ts'
import type { Declared, DeclaredFiles } from '../contract.ts'
import { Assembled, type Node } from './lines.ts'
import { isStructured, readFiles } from './read.ts'
import { homeOf, PROMPTS } from './format.ts'
import type { ParsedFile } from './parse.ts'

/** Characters of settings and questions, which are a few kilobytes and slow to parse; and of tables. */
const MOST_PARSED = { values: 2 ** 20, tables: 4 * 2 ** 20 }
const LIMITS = { memoryMiB: 512, deadlineMs: 20_000, maxOutput: 64 * 2 ** 20 }
const TOO_LARGE = `The files are larger than ${MOST_CONFIG_BYTES / 2 ** 20} MiB together. Add large documents as knowledge sources instead.`
const TOO_MUCH = `Files of YAML and JSON may be ${MOST_PARSED.values / 2 ** 20} MiB together, and tables ${MOST_PARSED.tables / 2 ** 20} MiB. Take some of them out.`
const FELL = 'The part of this program that reads configurations stopped at these files. They need too much time or memory.'

const text = Type.String()
const answers = TypeCompiler.Compile(Type.Union([
  Type.Object({ path: text, faults: Type.Array(text) }, closed),
  Type.Object({ nodes: Type.Array(Type.Tuple([Type.Integer(), text, Type.Unknown()])) }, closed),
  Type.Object({ unset: Type.Array(Type.Array(Type.Union([text, Type.Number()]))) }, closed),
  Type.Object({ places: Type.Array(Type.Tuple([text, text])) }, closed)
]))

/** A directory's files by their paths. */
export type Contents = ReadonlyMap<string, Buffer>

const sandbox = openSandbox({ atOnce: 1 })

/**
 * Parses files in a child process. Refuses with VALIDATION_ERROR all faults, each with file, line and column, and with
 * `payload_too_large` what is too large for a configuration.
 */
export async function readApart (contents: Contents): Promise<DeclaredFiles> {
  const files = [...contents].flatMap(([path, bytes]) => isStructured(path) ? [[path, bytes.toString()] as const] : [])
  const sizeOf = (isTable: boolean) =>
    files.reduce((sum, [path, { length }]) => /\.csv$/i.test(path) === isTable ? sum + length : sum, 0)
  if (sizeOf(false) > MOST_PARSED.values || sizeOf(true) > MOST_PARSED.tables) {
    throw new Refusal('payload_too_large', TOO_MUCH)
  }
  const parsed = await parsedApart(files)
  const isWhole = parsed.length === files.length && parsed.every(({ path }, i) => path === files[i]![0])
  if (!isWhole) throw new Refusal('VALIDATION_ERROR', FELL)
  return withPrompts(await inTurns(readFiles([...contents.keys()], parsed)), contents)
}

/** What a child says of files, put together as it comes: others have their turn between its lines. */
async function parsedApart (files: ReadonlyArray<readonly [path: string, text: string]>): Promise<ParsedFile[]> {
  const parsed: Array<{ file: ParsedFile, value: Assembled }> = []
  const turn = takingTurns()
  try {
    for await (const said of sandbox.run({ command: selfCommand('__config'), input: [JSON.stringify(files)], ...LIMITS })) {
      if (!answers.Check(said)) return []
      if ('path' in said) parsed.push({ file: { ...said, value: null, unset: [], places: new Map() }, value: new Assembled() })
      const last = parsed.at(-1)
      if (last === undefined) return []
      const { file, value } = last
      if ('nodes' in said && !value.take(said.nodes as Node[])) return []
      if ('unset' in said) file.unset.push(...said.unset)
      if ('places' in said) for (const [path, place] of said.places) file.places.set(path, place)
      await turn()
    }
    return parsed.map(({ file, value }) => ({ ...file, value: value.value }))
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error
    throw new Refusal('VALIDATION_ERROR', FELL, { cause: error })
  }
}

/** The files of a request. Refuses with VALIDATION_ERROR names that lead elsewhere. */
export function contentsOf (files: readonly ConfigFile[]): Contents {
  const contents = new Map<string, Buffer>()
  let bytes = 0
  for (const { path, text, base64 } of files) {
    const refuse = (message: string) => { throw invalid({ field: 'files', message: `${path}: ${message}` }) }
    if (/^[/\\]|\\|\0|^[A-Za-z]:/.test(path) || path.split('/').some((step) => ['', '.', '..'].includes(step))) {
      refuse('its name points outside the directory.')
    }
    if (contents.has(path)) refuse('it is given twice.')
    if ((text === undefined) === (base64 === undefined)) refuse('give its text or its base64.')
    const content = text === undefined ? Buffer.from(base64!, 'base64') : Buffer.from(text)
    bytes += content.length
    if (bytes > MOST_CONFIG_BYTES) throw new Refusal('payload_too_large', TOO_LARGE)
    contents.set(path, content)
  }
  if (contents.size > MOST_CONFIG_FILES) throw new Refusal('payload_too_large', TOO_LARGE)
  return contents
}

/** A text without its final line break, which belongs to the file. */
export const textOf = (bytes: Buffer) => bytes.toString().replace(/\n$/, '')

/** Agents with their prompts, which are files of their own. */
function withPrompts (given: DeclaredFiles, contents: Contents): DeclaredFiles {
  const { manage, objects } = given
  return { manage, objects: objects.map((object) => object.kind === 'agent' ? withPrompt(object, contents) : object) }
}

function withPrompt (object: Declared, contents: Contents): Declared {
  const form = structuredClone(object.form)
  const home = homeOf(object.file)
  for (const [name, field] of Object.entries(PROMPTS)) {
    const bytes = contents.get(home + name)
    if (!bytes) continue
    const [group, inner] = field.split('.')
    if (inner === undefined) form[group!] = textOf(bytes)
    else form[group!] = { ...form[group!] as object, [inner]: textOf(bytes) }
  }
  return { ...object, form }
}
