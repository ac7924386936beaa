import { closeSync, existsSync, openSync, realpathSync, renameSync, statSync } from 'node:fs'
import path from 'node:path'
import { allFaultsOf, inspect, readOnly, sizeOf, strangeSchema, type Accounting } from './check.ts'
import { connect, refusalOf } from './database.ts'
import { Refusal } from '../../errors.ts'
import { partialOf, removeDatabase, syncDirectory, syncFile, sweepPartials } from '../../files.ts'
import { fileRefusal } from '../../paths.ts'
import { knownMigrations, rowCounts, standing, type Migration } from './migrate.ts'

/** Pages copied at a time: 4 MiB, some milliseconds. */
const SLICE = 1024

/** Told how far a copy is, from 0 to 1. */
type BackupProgress = (done: number) => void

/** A file that was looked through and found good. */
export interface Verified { version: number, bytes: number, tables: number, rows: number }

/** How a file is judged. */
export interface Judgement { accounting: Accounting, known?: Migration[] }

/**
 * Copies a database in use into one file, as it is at the beginning of the copy, while others go on writing.
 * The copy is looked through before it gets its name, which it gets at once and whole.
 * Refuses with `conflict` to overwrite unless `force`, and with `unavailable` when the copy is not good.
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
 * Looks a backup through and refuses with `unavailable` or `conflict` what is damaged, strange or not ours. Nothing in
 * it is run.
 */
export function verify (file: string, { accounting, known = knownMigrations() }: Judgement): Verified {
  return readOnly(file, (raw) => {
    const { version, fresh } = standing(raw, known)
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

/** Not by its name, which is that of a copy that is looked at, and not with the way out of a damaged data file. */
function notGood (_file: string, finding: string): Refusal {
  return new Refusal('unavailable', `The file is no backup, or damaged (${finding}). It is not used.`)
}

/** Makes a verified copy one file without a log beside it, and returns once it is on disk. */
export function settle (file: string) {
  const raw = connect(file)
  try {
    raw.pragma('journal_mode = DELETE')
  } finally {
    raw.close()
  }
  syncFile(file)
}

/** The error of a copy, with the name of the file it was about. */
export function inWords (error: unknown, file: string): unknown {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOSPC') {
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
    throw new Refusal('conflict', `${to} is there already. Choose another name, or say --force to replace it.`)
  }
}
