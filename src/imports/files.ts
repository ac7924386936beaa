import { parseDocument } from 'yaml'
import { ExtractError } from '../reading/error.ts'
import { inflated } from '../reading/formats/archive.ts'
import type { ImportFile } from './contract.ts'
import type { Ledger } from './ledger.ts'

/** Bytes that all files of an import may have together, unpacked; files; archives inside one another. */
const [MOST_BYTES, MOST_FILES, MOST_INSIDE] = [100 * 2 ** 20, 10_000, 2]
/** Characters of YAML: its parser is slow, and an app's settings are a few kilobytes. */
const MOST_YAML = 2 * 2 ** 20
const UNSAFE = 'Its name leads out of the archive. It was not read.'

/** The files of an import, those of archives unpacked. Throws ExtractError for what is larger than may be. */
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

/** What a computer put beside a person's files. */
const isPassedOver = (name: string) => /(?:^|\/)(?:__MACOSX\/|\.DS_Store$)|\/$/.test(name)

const isUnsafe = (name: string) => /^(?:[/\\]|[A-Za-z]:)|\0/.test(name) || name.split(/[/\\]/).includes('..')

/** What is in a JSON or YAML file; undefined where that cannot be read, as in a file of another kind. */
function valueOf (name: string, bytes: Buffer): unknown {
  try {
    if (/\.json$/i.test(name)) return JSON.parse(bytes.toString().replace(/^\uFEFF/, '')) as unknown
    if (!/\.ya?ml$/i.test(name) || bytes.length > MOST_YAML) return undefined
    const document = parseDocument(bytes.toString(), { logLevel: 'silent' })
    // As many aliases as a file written by hand may have; more are made to fill the memory.
    return document.errors.length ? undefined : document.toJS({ maxAliasCount: 100 }) as unknown
  } catch {
    return undefined
  }
}
