import { parseDocument } from 'yaml'
import { ExtractError } from '../reading/error.ts'
import { inflated } from '../reading/formats/archive.ts'
import type { ImportFile } from './contract.ts'
import type { Ledger } from './ledger.ts'

/** Maximum total bytes of an import's files, unpacked; files; nested archives. */
const [MOST_BYTES, MOST_FILES, MOST_INSIDE] = [100 * 2 ** 20, 10_000, 2]
/** Maximum characters of YAML: its parser is slow, and an app's settings are a few kilobytes. */
const MOST_YAML = 2 * 2 ** 20
const UNSAFE = 'Its name points outside the archive. It was not read.'

/** The files of an import, archives unpacked. Throws ExtractError for what exceeds the limits. */
export function filesOf (given: Array<[name: string, bytes: Buffer]>, ledger: Ledger): ImportFile[] {
  const files: ImportFile[] = []
  let left = MOST_BYTES
  open(given, 0)
  return files

  function open (entries: Iterable<[string, Uint8Array]>, inside: number) {
    for (const [name, content] of entries) {
      const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength)
      if (isPassedOver(name)) continue
      if (isUnsafe(name)) {
        ledger.note({ at: name, outcome: 'not_carried', why: UNSAFE })
      } else if (bytes.subarray(0, 4).toString('latin1') === 'PK\x03\x04' && /\.zip$/i.test(name)) {
        if (inside === MOST_INSIDE) throw new ExtractError('too_large', 'The archive holds archives more than two deep.')
        open(inflated(bytes, left), inside + 1)
      } else {
        left -= bytes.length
        if (left < 0 || files.length === MOST_FILES) throw new ExtractError('too_large')
        const value = valueOf(name, bytes)
        files.push({ name, bytes, ...(value !== undefined && { value }) })
      }
    }
  }
}

/** Files that an operating system added to a person's files. */
const isPassedOver = (name: string) => /(?:^|\/)(?:__MACOSX\/|\.DS_Store$)|\/$/.test(name)

const isUnsafe = (name: string) => /^(?:[/\\]|[A-Za-z]:)|\0/.test(name) || name.split(/[/\\]/).includes('..')

/** The parsed contents of a JSON or YAML file; undefined if it cannot be parsed, as for other kinds of files. */
function valueOf (name: string, bytes: Buffer): unknown {
  try {
    if (/\.json$/i.test(name)) return JSON.parse(bytes.toString().replace(/^\uFEFF/, '')) as unknown
    if (!/\.ya?ml$/i.test(name) || bytes.length > MOST_YAML) return undefined
    const document = parseDocument(bytes.toString(), { logLevel: 'silent' })
    // As many aliases as a file written by hand may have; more are an attack on memory.
    return document.errors.length ? undefined : document.toJS({ maxAliasCount: 100 }) as unknown
  } catch {
    return undefined
  }
}
