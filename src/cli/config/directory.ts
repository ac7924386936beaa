import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { MOST_CONFIG_BYTES, MOST_CONFIG_FILES, type ConfigFile } from '../../../schema/config.ts'
import { carried } from '../../config-as-code/index.ts'
import { Refusal, invalid } from '../../platform/errors.ts'

/** Files that an export writes; other files of a directory belong to the user. */
const OURS = new RegExp([
  '^(?:agenthall|business|webhooks)\\.yaml$', '^actions/[^/]+\\.yaml$',
  '^agents/[^/]+/(?:(?:agent|questions|sources)\\.yaml|(?:prompt|escalation|handoff)\\.md|knowledge/[^/]+)$'
].join('|'))

/** All files of a directory with their sizes, without hidden ones. Refuses symbolic links: they may point anywhere. */
function filesIn (directory: string): Array<{ name: string, size: number }> {
  const found: Array<{ name: string, size: number }> = []
  const look = (below: string) => {
    for (const entry of readdirSync(path.join(directory, below), { withFileTypes: true })) {
      const name = below === '' ? entry.name : `${below}/${entry.name}`
      if (entry.name.startsWith('.')) continue
      if (entry.isSymbolicLink()) {
        throw invalid({ field: 'directory', message: `${name} is a symbolic link. Put the file itself there.` })
      }
      if (entry.isDirectory()) look(name)
      else if (entry.isFile()) found.push({ name, size: lstatSync(path.join(directory, name)).size })
    }
  }
  look('')
  return found
}

/** The files of a directory. Refuses with `payload_too_large`, before reading any, what is no configuration. */
export function readDirectory (directory: string): ConfigFile[] {
  if (!lstatSync(directory, { throwIfNoEntry: false })?.isDirectory()) {
    throw invalid({ field: 'directory', message: `There is no directory ${directory}.` })
  }
  const files = filesIn(directory)
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  if (bytes > MOST_CONFIG_BYTES || files.length > MOST_CONFIG_FILES) {
    const [largest] = files.toSorted((a, b) => b.size - a.size)
    throw new Refusal('payload_too_large', `${directory} holds ${files.length} files of ${Math.ceil(bytes / 2 ** 20)} MiB; a configuration may have ${MOST_CONFIG_FILES} of ${MOST_CONFIG_BYTES / 2 ** 20} MiB. The largest is ${largest!.name}.`)
  }
  return files.map(({ name }) => carried(name, readFileSync(path.join(directory, name))))
}

/**
 * Writes an export into a directory, and deletes files of an earlier one that it no longer contains; `agent`: only of
 * this agent. Refuses with `conflict` a directory with other contents, unless it `isForced`.
 */
export function writeDirectory (
  directory: string, files: ReadonlyArray<{ path: string, bytes: Buffer }>,
  { agent, isForced }: { agent?: string | undefined, isForced: boolean }
): { written: number, removed: number } {
  mkdirSync(directory, { recursive: true })
  const before = filesIn(directory).map(({ name }) => name)
  if (before.length > 0 && !before.some((name) => /^agenthall\.(?:ya?ml|json)$/.test(name)) && !isForced) {
    throw new Refusal('conflict', `${directory} has files in it that are not configuration. Choose another directory, or use --force.`)
  }
  const names = new Set(files.map((file) => file.path))
  const isStale = (name: string) =>
    OURS.test(name) && !names.has(name) && (agent === undefined || name.startsWith(`agents/${agent}/`))
  const stale = before.filter(isStale)
  for (const name of stale) rmSync(path.join(directory, name))
  let written = 0
  for (const { path: name, bytes } of files) {
    const file = path.join(directory, name)
    // A managed directory is not narrowed down to one agent.
    if (agent !== undefined && name === 'agenthall.yaml' && before.includes(name)) continue
    if (before.includes(name) && readFileSync(file).equals(bytes)) continue
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, bytes, { mode: 0o600 })
    written++
  }
  return { written, removed: stale.length }
}
