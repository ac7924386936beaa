import { existsSync, statSync } from 'node:fs'
import path from 'node:path'
import type BetterSqlite3 from 'better-sqlite3'
import type { Command } from 'commander'
import type { Config } from '../config.ts'
import {
  allFaultsOf, readOnly, refuseLinks, sizeOf, strangeSchema, type Accounting
} from '../platform/storage/sqlite/check.ts'
import { systemClock, timestamp } from '../platform/clock.ts'
import { Refusal } from '../platform/errors.ts'
import { lockFile, servedBy, takeLock } from '../platform/storage/sqlite/disk/lock.ts'
import { whyNot } from '../platform/paths.ts'
import { knownMigrations, migrationStatus } from '../platform/storage/sqlite/migrate.ts'
import { durationMs, newestBackup } from '../platform/storage/sqlite/scheduled-backups.ts'
import { keyStanding } from '../platform/storage/vault.ts'
import { freeBytes } from '../platform/storage/sqlite/disk/space.ts'
import { accounting, dataFile, mustBeThere, sums } from '../data-file.ts'
import { VERSION } from '../version.ts'
import { installationChecked } from './models.ts'
import { examineDatabase } from './operating/database-doctor.ts'
import { liveIn, liveTable } from './operating/live.ts'
import { command, configOf, print, sentenceOf, table, type CommonOptions, type CliIo } from './common.ts'

const MIB = 2 ** 20
const MINUTE_MS = 60_000

/** One check: its result, and whether it is as it should be. */
interface Check { check: string, ok: boolean, finding: string }

/** `doctor`: checks everything and changes nothing, also while a server runs. Exits with 1 when something is wrong. */
export function doctorCommand (io: CliIo): Command {
  return command(
    'doctor', 'check the data, its disk and the clock; changes nothing',
    'doctor', 'doctor --thorough --data /var/lib/agenthall --json', 'doctor --live'
  )
    .option('--thorough', 'also open every stored text, file and passage; takes a few seconds per gigabyte')
    .option('--live', 'check instead whether everything is ready for customers, and what to do next')
    .option('--account <id>', 'of this account, with --live (default: the oldest)')
    .action(async (options: CommonOptions & { thorough?: boolean, live?: boolean, account?: string }) => {
      if (options.live) return await live(io, options)
      const config = configOf(io, options)
      const checks = [...await examined(config, options.thorough ?? false), await modelsCheck(config)]
      const wrong = checks.filter(({ ok }) => !ok).length
      print(io, options, { ok: wrong === 0, checks }, () =>
        table(
          checks.map(({ check, ok, finding }) => ({ check, result: ok ? 'ok' : 'WRONG', finding })), ''
        )
      )
      if (wrong) throw new Refusal('unavailable', `${wrong} of ${checks.length} checks found something wrong.`)
    })
}

async function live (io: CliIo, options: CommonOptions & { account?: string }) {
  const checks = await liveIn(io, options)
  const left = checks.filter(({ ok }) => !ok).length
  print(io, options, { ok: left === 0, checks }, () => liveTable(checks))
  if (left) throw new Refusal('unavailable', `${left} of ${checks.length} are left to do before customers come.`)
}

const examined = async (config: Config, thorough: boolean): Promise<Check[]> => config.DATABASE === ''
  ? examine(config, thorough ? accounting : sums)
  : await examineDatabase(config, { thorough })

function examine (config: Config, judge: Accounting): Check[] {
  const file = dataFile(config.DATA)
  const directory = path.dirname(file)
  const inside = (work: (raw: BetterSqlite3.Database) => string) => () => readOnly(file, work)
  const found = look('file', () => fileFinding(file))
  // What cannot be opened at all is reported once.
  if (!found.ok) return [found]
  return [
    found,
    look(
      'program',
      inside(
        (raw) =>
          `Agenthall ${VERSION}, Node ${process.version}, SQLite ${raw.prepare('select sqlite_version()').pluck().get()}`
      )
    ),
    look('server', () => serverFinding(directory)),
    look('durability', inside(durabilityFinding)),
    look('version', inside(versionFinding)),
    look('content', inside(contentFinding(judge))),
    look(
      'key', inside((raw) => keyFinding(raw, directory))
    ),
    look('disk', () => diskFinding(directory)),
    look('clock', inside(clockFinding)),
    look('backups', () => backupFinding(config)),
    look('drive', () => driveFinding(config))
  ]
}

/** Whether the installation's providers of language models respond, each named by its setting. */
async function modelsCheck (config: Config): Promise<Check> {
  const found = await installationChecked(config).catch((error: unknown) => sentenceOf(error))
  if (typeof found === 'string') return { check: 'models', ok: false, finding: found }
  const silent = found.filter(({ answers }) => answers === false)
  if (silent.length) {
    return { check: 'models', ok: false, finding: silent.map(({ from, finding }) => `${from}: ${finding}`).join(' ') }
  }
  return {
    check: 'models',
    ok: true,
    finding: found.length
      ? found.map(({ from, answers }) => `${from}: ${answers ? 'answers' : 'not asked, only the running server has it'}`).join(', ')
      : 'no language model; agents quote their sources'
  }
}

/** A check returns its result, or throws what is wrong. */
function look (check: string, work: () => string): Check {
  try {
    return { check, ok: true, finding: work() }
  } catch (error) {
    return { check, ok: false, finding: sentenceOf(error) }
  }
}

function wrong (sentence: string): Refusal {
  return new Refusal('unavailable', sentence)
}

function fileFinding (file: string): string {
  mustBeThere(file)
  refuseLinks(file)
  if (sizeOf(file) === 0) {
    throw wrong(`The data file ${file} is empty or missing, and not because of this program. Restore a backup.`)
  }
  const reason = whyNot(file, 'read')
  if (reason) throw wrong(`The data file cannot be read. ${reason}`)
  return `${file}, ${mib(sizeOf(file))}, log ${mib(sizeOf(`${file}-wal`))}`
}

function serverFinding (directory: string): string {
  if (!existsSync(lockFile(directory))) return 'does not run'
  const lock = takeLock(directory, { patienceMs: 0 })
  if (!lock) {
    const served = servedBy(directory)
    if (!served) return 'runs, or another command has locked the data'
    return `runs as process ${served.process}${served.announced ? `, at ${served.announced.address}` : ''}`
  }
  const { unclean } = lock
  lock.release()
  return unclean
    ? `does not run; process ${unclean} was killed while it served, so the next start checks the file`
    : 'does not run'
}

function durabilityFinding (raw: BetterSqlite3.Database): string {
  const mode = String(raw.pragma('journal_mode', { simple: true }))
  // `connect` has verified the other half: that every commit waits for the disk.
  return mode === 'wal'
    ? 'write-ahead log, commits wait for the disk'
    : 'commits wait for the disk; the next start turns the write-ahead log on'
}

function versionFinding (raw: BetterSqlite3.Database): string {
  const known = knownMigrations()
  const { version } = migrationStatus(raw, known)
  const strange = strangeSchema(raw, version, known)
  if (strange.length) throw wrong(`The file has been altered: ${strange.join(', ')}.`)
  return version < known.length ? `${version}; the next start upgrades it to ${known.length}` : `${version}, the newest`
}

function contentFinding (judge: Accounting) {
  return (raw: BetterSqlite3.Database): string => {
    const faults = allFaultsOf(raw, judge)
    if (faults.length) throw wrong(`${faults.join('; ')}. Restore a backup, or report this if it comes back.`)
    return `intact; references and sums agree${judge === sums ? '' : ', and everything that is stored can be opened'}`
  }
}

/** The secret that seals other secrets; older files have none. */
function keyFinding (raw: BetterSqlite3.Database, directory: string): string {
  const knows = raw.prepare("select 1 from sqlite_schema where name = 'vault_keys'").get() !== undefined
  const fingerprint = knows
    ? (raw.prepare('select fingerprint from vault_keys').pluck().get() as string | undefined)
    : undefined
  return keyStanding(directory, fingerprint)
}

function diskFinding (directory: string): string {
  const free = freeBytes(directory)
  if (free < 64 * MIB) throw wrong(`Only ${mib(free)} free: writes are refused. Free some space.`)
  return `${mib(free)} free`
}

/** A wrong clock shows by data written while it was right. */
function clockFinding (raw: BetterSqlite3.Database): string {
  const now = systemClock().micros()
  const newest = raw
    .prepare('select max(updated_at) from (select updated_at from users union all select updated_at from agents)')
    .pluck()
    .get() as string | null
  if (newest && newest > timestamp(now + MINUTE_MS * 1000)) {
    throw wrong(`The clock says ${timestamp(now)}, but something was written at ${newest}. Correct the clock.`)
  }
  return timestamp(now)
}

function driveFinding ({ GOOGLE_SERVICE_ACCOUNT: file }: Config): string {
  if (!file) return 'Google Drive is not set up'
  const fault = accountFault(file)
  if (fault) throw wrong(fault)
  return `Google Drive is read with ${file}`
}

/** Why the Google service account's file cannot be read, naming the setting; undefined when it can. */
export function accountFault (file: string): string | undefined {
  const reason = whyNot(file, 'read') ?? (statSync(file).isFile() ? undefined : `${path.resolve(file)} is not a file.`)
  return reason && `AGENTHALL_GOOGLE_SERVICE_ACCOUNT cannot be used: ${reason}`
}

function backupFinding ({ BACKUP_EVERY, BACKUP_DIR, DATA }: Config): string {
  if (!BACKUP_EVERY) return 'not scheduled'
  const folder = BACKUP_DIR || path.join(DATA, 'backups')
  const newest = newestBackup(folder)
  if (newest === undefined || Date.now() - newest > 2 * durationMs(BACKUP_EVERY)) {
    throw wrong(`No backup in ${folder} is younger than twice ${BACKUP_EVERY}. Check the server's log for errors.`)
  }
  return `the newest is from ${timestamp(Math.floor(newest) * 1000)}`
}

function mib (bytes: number): string {
  return `${(bytes / MIB).toFixed(1)} MiB`
}
