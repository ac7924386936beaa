import { accessSync, chownSync, constants, existsSync, mkdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { errorCode, Refusal } from './errors.ts'

/**
 * Creates a directory and its missing parents, readable by this user only. Refuses with `conflict`, in a sentence, if
 * it cannot. (Node's own recursive call never returns where the system denies that the directory above is there, as
 * under /proc.)
 */
export function makeDirectory (directory: string) {
  const full = path.resolve(directory)
  for (const folder of [...above(full), full]) {
    if (isDirectory(folder)) continue
    if (existsSync(folder)) {
      throw cannot(`The directory ${full} cannot be made`, `${folder} is not a directory.`, undefined)
    }
    try {
      mkdirSync(folder, { mode: 0o700 })
    } catch (error) {
      // Another process may have created it at this very moment.
      if (!isDirectory(folder)) {
        throw cannot(`The directory ${full} cannot be made`, whyNot(folder, 'write') ?? inSystemsWords(error), error)
      }
    }
  }
}

/**
 * Why this process may not read a file, or write or create it: a sentence that names the path and the missing
 * permission. Undefined if nothing prevents it, as far as permissions tell.
 */
export function whyNot (file: string, use: 'read' | 'write', may = isAllowed): string | undefined {
  const full = path.resolve(file)
  for (const folder of above(full)) {
    if (!existsSync(folder)) return `There is no directory ${folder}.`
    if (!isDirectory(folder)) return `${folder} is not a directory.`
    if (!may(folder, constants.X_OK)) {
      return `${whoever()} may not enter the directory ${folder}: give it the permission to (x).`
    }
  }
  const folder = path.dirname(full)
  if (!existsSync(full)) {
    if (use === 'read') return `There is nothing at ${full}.`
    return may(folder, constants.W_OK)
      ? undefined
      : `${whoever()} may not make files in the directory ${folder}: give it the permission to write there (w).`
  }
  if (!may(full, constants.R_OK)) return `${whoever()} may not read ${full}: give it the permission to (r).`
  return use === 'read' || may(full, constants.W_OK)
    ? undefined
    : `${whoever()} may not write to ${full}: give it the permission to (w).`
}

/** The sentence for a system error about a file, as a Refusal; undefined for an error that is not about a file. */
export function fileRefusal (error: unknown): Refusal | undefined {
  const { code, path: file, dest, syscall = '' } = error as NodeJS.ErrnoException & { dest?: string }
  if (code === undefined || file === undefined || error instanceof Refusal) return undefined
  const use = /^(open|read|scandir|l?stat|access|copyfile)/.test(syscall) ? 'read' : 'write'
  const reason = whyNot(file, use) ?? (dest === undefined ? undefined : whyNot(dest, 'write')) ?? inSystemsWords(error)
  return cannot(`${dest ?? file} cannot be used`, reason, error)
}

/** When the superuser creates something for another user, as with `sudo`: gives it to the owner of its directory. */
export function giveToOwnerOf (directory: string, made: string) {
  const { uid, gid } = statSync(directory)
  if (process.getuid?.() === 0) chownSync(made, uid, gid)
}

function cannot (what: string, why: string, cause: unknown): Refusal {
  return new Refusal('conflict', `${what}. ${why}`, { cause })
}

/** Every directory above a path, the root first. */
function above (full: string): string[] {
  const folder = path.dirname(full)
  return folder === full ? [] : [...above(folder), folder]
}

function isDirectory (folder: string): boolean {
  return existsSync(folder) && statSync(folder).isDirectory()
}

function isAllowed (file: string, mode: number): boolean {
  try {
    accessSync(file, mode)
    return true
  } catch {
    return false
  }
}

function whoever (): string {
  const uid = process.getuid?.()
  return uid === undefined ? 'This user' : `The user of this process (${uid})`
}

const WORDS: Record<string, string> = {
  EROFS: 'The file system is mounted read-only.',
  ENOSPC: 'The disk is full.',
  EMFILE: 'Too many files are open: raise the limit (ulimit -n).',
  ENAMETOOLONG: 'The name is too long.',
  ELOOP: 'A symbolic link in it forms a loop.',
  EISDIR: 'It is a directory.',
  ENOENT: 'The system allows nothing to be created there.',
  EPERM: 'The system allows nothing to be created there.',
  EXDEV: 'It is on another disk.'
}

function inSystemsWords (error: unknown): string {
  const code = errorCode(error)
  return WORDS[code] ?? `The system refuses it (${code}). Choose another place.`
}
