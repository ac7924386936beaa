import {
  chmodSync, chownSync, copyFileSync, existsSync, linkSync, lstatSync, readdirSync, renameSync, rmSync, statSync
} from 'node:fs'
import path from 'node:path'
import { inWords, settle, verify, type Judgement, type Verified } from './backup.ts'
import { inspect, rollBack, sizeOf } from './check.ts'
import { connect, refusalOf } from './connect.ts'
import { Refusal } from '../../errors.ts'
import { partialOf, removeDatabase, stamp, sweepPartials, syncDirectory } from '../../files.ts'
import { whyNot } from '../../paths.ts'
import { commandLine } from '../../process/command-line.ts'
import { freeBytes } from './disk/space.ts'

/** The result of a restore. `kept`: where the file it replaced is now. */
interface Restored extends Verified { kept: string | undefined }

/**
 * Replaces the data file by a backup. The caller holds the lock of the directory. The backup is copied next to the data
 * file and verified there; then it is moved into place atomically, so that in any case there is either the old file or
 * the new one. It gets the owner and mode of the old file. Refuses what `verify` refuses, and with `conflict` what this
 * user may not read or replace, and while another command has the file open.
 */
export function restore ({ from, file, micros, uid = process.getuid?.(), ...judgement }: {
  from: string
  file: string
  micros: number
  /** Who restores; by default, the user of this process. */
  uid?: number | undefined
} & Judgement): Restored {
  const directory = path.dirname(file)
  tidyUp(file)
  rollBack(file)
  refuseSource(from)
  if (sizeOf(from) > freeBytes(directory)) {
    throw new Refusal('storage_full', `There is no room in ${directory} for ${from}. Free some space, then try again.`)
  }
  refuseOthersFile(file, uid)
  const partial = partialOf(file)
  try {
    copyFileSync(from, partial)
    belongAs(file, partial)
    const verified = verify(partial, judgement)
    settle(partial)
    const kept = existsSync(file) ? keep(file, `${file}.replaced-${stamp(micros)}`, judgement) : undefined
    rmSync(`${file}-shm`, { force: true })
    syncDirectory(directory)
    renameSync(partial, file)
    syncDirectory(directory)
    return { ...verified, kept }
  } catch (error) {
    removeDatabase(partial)
    tidyUp(file)
    throw inWords(error, file)
  }
}

/**
 * Removes what a killed backup, restore or upgrade left in the data directory. The caller holds the lock. A restore
 * that was killed after it gave the old file a second name, and before the new one was in place, is undone.
 */
export function tidyUp (file: string) {
  const directory = path.dirname(file)
  sweepPartials(directory)
  const current = lstatSync(file, { throwIfNoEntry: false })
  if (!current || current.nlink === 1) return
  for (const name of readdirSync(directory)) {
    const kept = path.join(directory, name)
    if (!/\.replaced-\d+T\d+Z$/.test(name) || lstatSync(kept).ino !== current.ino) continue
    if (existsSync(`${kept}-wal`)) renameSync(`${kept}-wal`, `${file}-wal`)
    rmSync(kept)
    syncDirectory(directory)
  }
}

/** The user that serves must be able to open what was restored, also when the superuser restored it. */
function belongAs (file: string, partial: string) {
  const replaced = statSync(file, { throwIfNoEntry: false })
  chmodSync(partial, replaced ? replaced.mode & 0o777 : 0o600)
  const { uid, gid } = replaced ?? statSync(path.dirname(file))
  if (process.getuid?.() === 0) chownSync(partial, uid, gid)
}

/** A file of another user would afterwards belong to this one, and that user's server could not open it. */
function refuseOthersFile (file: string, uid: number | undefined) {
  const owner = statSync(file, { throwIfNoEntry: false })?.uid
  if (owner === undefined || uid === undefined || uid === 0 || uid === owner) return
  throw new Refusal(
    'conflict', `${file} belongs to the user ${owner}, and this is the user ${uid}. Restore as that user, or as root.`
  )
}

/** Refuses with `not_found` or `conflict` what is not a file, or not readable by this user, and a database in use. */
export function refuseSource (from: string, may?: Parameters<typeof whyNot>[2]) {
  const reason = whyNot(from, 'read', may)
  if (reason) throw new Refusal(existsSync(from) ? 'conflict' : 'not_found', `The backup cannot be read. ${reason}`)
  if (!statSync(from).isFile()) throw new Refusal('not_found', `${from} is not a file.`)
  if (sizeOf(`${from}-wal`) > 0) {
    throw new Refusal(
      'conflict',
      `${from} has a log beside it, so it is a database in use and not a backup. Make one with "${commandLine('backup')}".`
    )
  }
}

/**
 * Gives the old file a second name. Its log is checkpointed into it first; a file that cannot be read keeps its log
 * beside it, as evidence.
 */
function keep (file: string, kept: string, { known }: Judgement): string {
  if (isSound(file, known)) leaveWal(file)
  linkSync(file, kept)
  if (existsSync(`${file}-wal`)) renameSync(`${file}-wal`, `${kept}-wal`)
  return kept
}

function isSound (file: string, known: Judgement['known']): boolean {
  try {
    return inspect(file, { thorough: true, ...(known && { known }) }) !== undefined
  } catch {
    return false
  }
}

/** Leaving WAL mode checkpoints the log, and is refused while anybody else has the file open. */
function leaveWal (file: string) {
  const raw = connect(file)
  try {
    raw.pragma('journal_mode = DELETE')
  } catch (error) {
    throw new Refusal('conflict', 'Another command is using the data file. Try again when it has ended.', {
      cause: refusalOf(error)
    })
  } finally {
    raw.close()
  }
}
