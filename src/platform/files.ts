import { closeSync, fsyncSync, openSync, readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { errorCode } from './errors.ts'

/** Files that SQLite may leave beside a database file. */
const COMPANIONS = ['', '-wal', '-shm', '-journal']

/**
 * Name under which a file is prepared before it is moved into place. It names the process, so that leftovers of a
 * killed one can be distinguished from work in progress.
 */
export const partialOf = (file: string) => `${file}.agenthall-${process.pid}.partial`

/** Removes a database file and what SQLite left beside it. */
export function removeDatabase (file: string) {
  for (const companion of COMPANIONS) rmSync(file + companion, { force: true })
}

/** Removes what killed processes were preparing in a directory. */
export function sweepPartials (directory: string) {
  for (const name of readdirSync(directory)) {
    const [, pid] = /\.agenthall-(\d+)\.partial(?:-wal|-shm|-journal)?$/.exec(name) ?? []
    if (pid && !isAnother(Number(pid))) rmSync(path.join(directory, name), { force: true })
  }
}

function isAnother (pid: number): boolean {
  // In a container every start has the same process number.
  if (pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return errorCode(error) === 'EPERM'
  }
}

/** Returns once the content of a file is on disk. */
export function syncFile (file: string) {
  const fd = openSync(file, 'r+')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/** Returns once the names in a directory are on disk. */
export function syncDirectory (directory: string) {
  // Windows has no such call and needs none.
  if (process.platform === 'win32') return
  const fd = openSync(directory, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/** `20261120T150405123Z`: sorts by time, and is a file name everywhere. */
export function stamp (micros: number): string {
  return new Date(micros / 1000).toISOString().replaceAll(/[-:.]/g, '')
}

/** Removes all but the newest `keep` of the files with a stamp in their name. */
export function keepNewest (directory: string, pattern: RegExp, keep: number) {
  const old = readdirSync(directory).filter((name) => pattern.test(name)).sort().reverse().slice(keep)
  for (const name of old) rmSync(path.join(directory, name), { force: true })
}
