import { createHash, randomBytes } from 'node:crypto'
import {
  closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, renameSync, rmSync, writeFileSync, type Stats
} from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import path from 'node:path'
import { errorMessage, Refusal } from '../errors.ts'
import { makeDirectory } from '../paths.ts'

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
const CACHES: Partial<Record<NodeJS.Platform, string>> = { darwin: 'Library/Caches', win32: 'AppData/Local' }

/**
 * Where this user's programs may store files that they can recreate, best first; the second is for a user without a
 * home. Looked up late: there may be neither a home nor a name for the user.
 */
const FOLDERS = [
  () => path.join(homedir(), CACHES[process.platform] ?? '.cache', 'agenthall'),
  () => path.join(tmpdir(), `agenthall-${process.getuid?.() ?? 'user'}`)
]

/**
 * Loads a native library from bytes, a Node addon unless `load` says otherwise: the system loads libraries only from
 * files. Tries the folders in turn, since one may be read-only or forbid executing. Refuses with `unavailable` when
 * none works, with the reason for each.
 */
export function loadAddon (content: Buffer, name: string, { folders = FOLDERS, load = dlopen } = {}): unknown {
  const complaints: string[] = []
  for (const folder of folders) {
    try {
      return load(unpackNative(content, name, folder()))
    } catch (error) {
      complaints.push(errorMessage(error))
    }
  }
  throw new Refusal(
    'unavailable',
    `A part of the program, ${name}, could not be unpacked and loaded. Give this program's user a home or temporary directory that is its own and not mounted noexec. ${complaints.join('; ')}`
  )
}

function dlopen (file: string): unknown {
  const module = { exports: {} }
  process.dlopen(module, file)
  return module.exports
}

/**
 * Writes bytes to a private file named by their hash, unless it already has exactly these, and returns its path. What
 * somebody else may have put there is never loaded: the folder must be this user's alone, links are not followed, and a
 * file that is not byte for byte the one we carry is replaced.
 */
export function unpackNative (content: Buffer, name: string, folder: string): string {
  makeDirectory(folder)
  const stats = lstatSync(folder)
  if (!stats.isDirectory() || !isOursAlone(stats)) throw new Error(`${folder} is not a directory of this user alone`)
  const digest = createHash('sha256').update(content).digest('hex').slice(0, 32)
  const file = path.join(folder, `${digest}-${name}`)
  if (!holds(file, content)) replace(file, content)
  return file
}

/** Windows has no owner to check; there both folders are below the user's own profile. */
function isOursAlone ({ uid, mode }: Stats): boolean {
  return process.platform === 'win32' || (uid === process.getuid!() && (mode & 0o077) === 0)
}

function holds (file: string, content: Buffer): boolean {
  let descriptor
  try {
    // Without O_NONBLOCK a pipe put in its place would block the start forever. Windows knows neither flag.
    descriptor = openSync(file, O_RDONLY | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0))
  } catch {
    return false
  }
  try {
    const stats = fstatSync(descriptor)
    return (
      stats.isFile() && isOursAlone(stats) && stats.size === content.length && readFileSync(descriptor).equals(content)
    )
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Written next to it and moved over it, so that another start of this program never sees half a file, and a link is
 * replaced, not written through.
 */
function replace (file: string, content: Buffer) {
  const fresh = `${file}.${randomBytes(8).toString('hex')}`
  try {
    writeFileSync(fresh, content, { flag: 'wx', mode: 0o700 })
    renameSync(fresh, file)
  } catch (error) {
    rmSync(fresh, { force: true })
    // Windows does not replace a library in use: another start of this program was faster.
    if (!holds(file, content)) throw error
  }
}
