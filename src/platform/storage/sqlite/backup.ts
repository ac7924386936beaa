import { closeSync, existsSync, openSync, realpathSync, renameSync, statSync } from 'node:fs'
import path from 'node:path'
import { allFaultsOf, inspect, readOnly, sizeOf, strangeSchema, type Accounting } from './check.ts'
import { connect, refusalOf } from './connect.ts'
import { errorCode, Refusal } from '../../errors.ts'
import { partialOf, removeDatabase, syncDirectory, syncFile, sweepPartials } from '../../files.ts'
import { fileRefusal } from '../../paths.ts'
import { knownMigrations, rowCounts, migrationStatus, type Migration } from './migrate.ts'

/** Pages copied at a time: 4 MiB, a few milliseconds. */
const SLICE = 1024

/** Called with the progress of a copy, from 0 to 1. */
type BackupProgress = (done: number) => void

/** A file that was checked and found good. */
export interface Verified { version: number, bytes: number, tables: number, rows: number }

/** How to check a file. */
export interface Judgement { accounting: Accounting, known?: Migration[] }

/**
 * Copies a database in use into one file, as of the beginning of the copy, while others go on writing. The copy is
 * verified before it gets its name, atomically. Refuses with `conflict` to overwrite unless `force`, and with
 * `unavailable` when the copy is not good.
 */
export async function backup ({ file, to, force = false, onProgress, ...judgement }: {
  file: string, to: string, force?: boolean, onProgress?: BackupProgress
} & Judgement): Promise<Verified> {
  if (!inspect(file, judgement)) throw new Refusal('not_found', `There is no data file ${file} yet.`)
  refuseTarget(file, to, force)
  const partial = partialOf(to)
  try {
    sweepPartials(path.dirname(to))
    // Only its owner may read it: it holds customers' data.
    closeSync(openSync(partial, 'wx', 0o600))
    await copyPages(file, partial, onProgress)
    const verified = verify(partial, judgement)
    settle(partial)
    if (!force) refuseTarget(file, to, force)
    renameSync(partial, to)
    syncDirectory(path.dirname(to))
    return verified
  } catch (error) {
    removeDatabase(partial)
    throw inWords(error, to)
  }
}

/**
 * Verifies a backup and refuses with `unavailable` or `conflict` one that is damaged, unexpected or not ours. Nothing
 * in it is executed.
 */
export function verify (file: string, { accounting, known = knownMigrations() }: Judgement): Verified {
  return readOnly(file, (raw) => {
    const { version, fresh } = migrationStatus(raw, known)
    if (fresh) throw new Refusal('conflict', 'The file is an empty database, not a backup.')
    const strange = strangeSchema(raw, version, known)
    if (strange.length) {
      throw new Refusal('conflict', `The file has been altered (${strange.slice(0, 3).join(', ')}). It is not used.`)
    }
    const faults = allFaultsOf(raw, accounting)
    if (faults.length) throw notGood(file, faults[0]!)
    const counts = [...rowCounts(raw).values()]
    return { version, bytes: sizeOf(file), tables: counts.length, rows: counts.reduce((sum, count) => sum + count, 0) }
  }, notGood)
}

/** Without its name, which is that of the copy being verified, and without the advice for a damaged data file. */
function notGood (_file: string, finding: string): Refusal {
  return new Refusal('unavailable', `The file is not a backup, or is damaged (${finding}). It is not used.`)
}

/** Makes a verified copy a single file without a log, and returns once it is on disk. */
export function settle (file: string) {
  const raw = connect(file)
  try {
    raw.pragma('journal_mode = DELETE')
  } finally {
    raw.close()
  }
  syncFile(file)
}

/** The error of a copy, with the name of the file it concerns. */
export function inWords (error: unknown, file: string): unknown {
  if (errorCode(error) === 'ENOSPC') {
    return new Refusal('storage_full', `There is no room for ${file}. Free some space, then try again.`, {
      cause: error
    })
  }
  return fileRefusal(error) ?? refusalOf(error)
}

/**
 * Copies in slices within one read transaction: without it, every commit of another process would restart the copy.
 */
async function copyPages (file: string, to: string, onProgress: BackupProgress | undefined) {
  const raw = connect(file, { readonly: true })
  try {
    raw.exec('BEGIN')
    raw.prepare('select count(*) from sqlite_schema').get()
    await raw.backup(to, {
      progress ({ totalPages, remainingPages }) {
        if (totalPages) onProgress?.(1 - remainingPages / totalPages)
        return SLICE
      }
    })
    onProgress?.(1)
  } finally {
    raw.close()
  }
}

function refuseTarget (file: string, to: string, force: boolean) {
  const folder = path.dirname(path.resolve(to))
  if (!existsSync(folder)) throw new Refusal('not_found', `There is no folder ${folder}.`)
  const inData = realpathSync(folder) === realpathSync(path.dirname(file))
  if (inData && /^agenthall\.(db(-wal|-shm|-journal)?|lock.*|ballast)$/.test(path.basename(to))) {
    throw new Refusal('conflict', `${to} is a file of the server itself. Choose another name.`)
  }
  const there = statSync(to, { throwIfNoEntry: false })
  if (there && !there.isFile()) {
    throw new Refusal(
      'conflict', `${to} is not a file. Name the file to write, for example ${path.join(to, 'agenthall-backup.db')}.`
    )
  }
  if (there && !force) {
    throw new Refusal('conflict', `${to} already exists. Choose another name, or use --force to replace it.`)
  }
}
