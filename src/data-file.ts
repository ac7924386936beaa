import { existsSync, rmSync } from 'node:fs'
import path from 'node:path'
import { trainingBytesFaults } from './agents/index.ts'
import { ATTACHED, damagedAttachments } from './conversations/index.ts'
import type { Clock } from './platform/clock.ts'
import type { OpenTables } from './platform/storage/tables.ts'
import { Refusal } from './platform/errors.ts'
import { keepNewest, stamp } from './platform/files.ts'
import { fileRefusal, giveToOwnerOf, makeDirectory, whyNot } from './platform/paths.ts'
import { commandLine } from './platform/process/command-line.ts'
import { backup } from './platform/storage/sqlite/backup.ts'
import { inspect, rollBack, sizeOf, type Accounting } from './platform/storage/sqlite/check.ts'
import { refusalOf } from './platform/storage/sqlite/connect.ts'
import {
  finish, openDatabase, statementsOn, type DatabaseOptions, type SqliteDatabase, type Statements
} from './platform/storage/sqlite/database.ts'
import { refuseMoved } from './platform/storage/moving/mark.ts'
import { fingerprintInFile } from './platform/storage/fingerprints.ts'
import { takeLock, type Lock } from './platform/storage/sqlite/disk/lock.ts'
import { beginFile, knownMigrations, migrate, type Migration } from './platform/storage/sqlite/migrate.ts'
import { tidyUp } from './platform/storage/sqlite/restore.ts'
import { watchSpace } from './platform/storage/sqlite/disk/space.ts'
import type { Work } from './platform/storage/work.ts'
import { wordKeyOf } from './search/words/key.ts'
import { damageIn, storedBytesFaults } from './sources/index.ts'

/** How long a command that must upgrade the file waits for another that is doing so. */
const UPGRADE_PATIENCE_MS = 1500
const SNAPSHOTS_KEPT = 3

/** How to open a data file. All but the first two differ from their defaults only in tests and in the benchmark. */
export interface DataFileOptions extends Omit<DatabaseOptions, 'file' | 'space'> {
  directory: string
  clock: Clock
  /** This process serves: it has the directory to itself until it ends, and keeps room on the disk. */
  serving?: boolean
  /**
   * Whether to begin a new installation where there is none (default: yes). A mistyped directory must not become one.
   */
  begin?: boolean
  /** Bytes to keep free and bytes of ballast. */
  room?: { floor?: number, ballast?: number }
  known?: Migration[]
}

/**
 * Opens the data file of a directory, creating and upgrading it as needed, and passes it to `use`, whose result it
 * returns; if `use` fails, the file is closed again. Refuses, with the file as it was: `not_found` when there is none
 * to open and none is to be created; `conflict` when another process serves (and this one wants to, or must upgrade),
 * when the file is not ours or too new, or when the directory cannot be used; `unavailable` when it is damaged.
 */
export async function openDataFile<T> (
  {
    directory, clock, serving = false, begin = true, room = {}, known = knownMigrations(), ...options
  }: DataFileOptions,
  use: (opened: OpenTables<SqliteDatabase>) => T
): Promise<T> {
  const file = dataFile(directory)
  refuseMoved(file)
  if (begin) makeDirectory(directory)
  else mustBeThere(file)
  const lock = lockFor(directory, file, serving, known)
  let db: SqliteDatabase | undefined
  try {
    const space = serving ? watchSpace({ directory, ...room }) : undefined
    if (lock) prepare(file, lock, known)
    if (serving) lock?.mark()
    const opened = openDatabase({ file, ...options, ...(space && { space }) })
    db = opened
    if (lock) await upgrade(db, clock, known)
    // What a killed server left in the log may not be on the disk, and what is written behind it would be lost with it.
    if (lock) db.checkpoint()
    if (!serving) lock?.release()
    return use({
      db,
      space,
      leads: () => true,
      changed () {},
      installation: '',
      fingerprint: fingerprintInFile(opened),
      announce (server) {
        if (serving) lock?.announce(server)
      },
      close () {
        opened.close()
        if (serving) lock?.release()
      }
    })
  } catch (error) {
    try {
      db?.close()
    } catch { /* Why it could not be opened is what counts. */ }
    lock?.release({ clean: false })
    throw fileRefusal(error) ?? refusalOf(error)
  }
}

/** The file in a data directory that contains everything. */
export function dataFile (directory: string): string {
  return path.join(path.resolve(directory), 'agenthall.db')
}

/** Whether the stored sums in a file are right. */
export const sums: Accounting = (raw) => finish(sumFaults(statementsOn(raw)))

/** Whether they are, and everything stored can be opened: for backup, restore and a thorough doctor. */
export const accounting: Accounting = (raw) => finish(allFaults(statementsOn(raw)))

/** The sums that are wrong. */
export function * sumFaults (db: Statements): Work<string[]> {
  return [...yield * trainingBytesFaults(db), ...yield * storedBytesFaults(db, [ATTACHED])]
}

/** The same, and stored items that cannot be opened. */
export function * allFaults (db: Statements): Work<string[]> {
  return [...yield * sumFaults(db), ...yield * damageIn(db, yield * damagedAttachments(db))]
}

/** Refuses with `not_found`, naming the place, when a data file is not there: its directory may have been mistyped. */
export function mustBeThere (file: string) {
  const directory = path.dirname(file)
  if (existsSync(file) || existsSync(`${file}-wal`)) return
  const reason = (existsSync(directory) ? whyNot(file, 'read') : whyNot(directory, 'read')) ?? ''
  throw new Refusal(
    'not_found',
    `There is no Agenthall data in ${directory}. ${reason} Say with --data or AGENTHALL_DATA where it is; "${commandLine('serve')}" begins a new installation.`
  )
}

/** The lock while nobody serves; undefined beside a running server, which has checked the file and upgraded it. */
function lockFor (directory: string, file: string, serving: boolean, known: Migration[]): Lock | undefined {
  const lock = takeLock(directory, serving ? {} : { patienceMs: 0 })
  if (lock) return lock
  if (serving) {
    throw new Refusal(
      'conflict',
      `Another Agenthall is using the data directory ${path.resolve(directory)}. Stop it first, or choose another directory with --data.`
    )
  }
  if (inspect(file, { known })?.version === known.length) return undefined
  const later = takeLock(directory, { patienceMs: UPGRADE_PATIENCE_MS })
  if (later) return later
  throw new Refusal(
    'conflict',
    'The data file needs an upgrade, and an older version is serving it. Stop that server, then try again.'
  )
}

/** What is done to a data file before it is opened for writing. */
function prepare (file: string, lock: Lock, known: Migration[]) {
  tidyUp(file)
  rollBack(file)
  inspect(file, { thorough: lock.unclean !== 0 || sizeOf(`${file}-wal`) > 0, known })
  if (!existsSync(file)) beginFile(file)
}

/** Words with their weights, `refund_9 day_4`, as the index of 0.3 has them: `0k3x9q1z_9 7h2m0c4d_4`. */
function keyedWords (words: string): string {
  return words.split(' ').filter(Boolean).map((word) => {
    const end = word.lastIndexOf('_')
    return wordKeyOf(word.slice(0, end), { language: null, form: 0 }) + word.slice(end)
  }).join(' ')
}

/** Brings the file to the newest version; a copy of the old one is kept in `snapshots`. */
async function upgrade (db: SqliteDatabase, clock: Clock, known: Migration[]) {
  const folder = path.join(path.dirname(db.file), 'snapshots')
  let taken: string | undefined
  db.raw.function('keyed_words', { deterministic: true }, (words) => keyedWords(words as string))
  try {
    await migrate(db.raw, {
      known,
      async snapshot (version) {
        makeDirectory(folder)
        const to = path.join(folder, `${stamp(clock.micros())}-before-v${version + 1}.db`)
        await backup({ file: db.file, to, accounting: () => [], known })
        for (const made of [folder, to]) giveToOwnerOf(path.dirname(db.file), made)
        taken = to
      }
    })
  } catch (error) {
    // The file is unchanged, so the copy is not needed.
    if (taken) rmSync(taken)
    throw error
  }
  if (taken) keepNewest(folder, /^\d+T\d+Z-before-v\d+\.db$/, SNAPSHOTS_KEPT)
}
