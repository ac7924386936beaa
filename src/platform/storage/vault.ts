import {
  closeSync, existsSync, fsyncSync, openSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeSync
} from 'node:fs'
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import path from 'node:path'
import { Refusal } from '../errors.ts'
import { partialOf, syncDirectory } from '../files.ts'
import { giveToOwnerOf } from '../paths.ts'
import { commandLine } from '../process/command-line.ts'
import { KEY_BYTES, sealWith } from './secrets.ts'

/*
 * Secrets of others (keys of their services, secrets that we sign with) are sealed with a key that is in no backup: in
 * a separate file beside the data, created once. A copy of the data alone reveals none of them.
 */

/**
 * Seals with the installation's own key. Every method refuses with `unavailable` when the key's file is missing or is
 * another one.
 */
export interface Vault {
  /** Seals a text for a place, preferably named by a row's id: elsewhere it does not open. */
  close (where: string, text: string): Buffer
  /** Opens it. Refuses with `conflict` what was sealed with a replaced key, or for another place. */
  open (where: string, sealed: Uint8Array): string
  /** 32 bytes that only this installation can derive from a text. `purpose` separates one use from another. */
  mac (purpose: string, text: string): Buffer
  /** Creates the key if there never was one; done at the first start, and when it is first needed. */
  prepare (): void
  /** Replaces the key: what was sealed with the old one has to be entered again. */
  renew (): void
}

/** Where the data record which key is theirs. */
export interface Fingerprint { read (): string | undefined, write (fingerprint: string): void }

/** The file of the key in a data directory. */
export const keyFileIn = (directory: string) => path.join(directory, 'agenthall.key')

/** The fingerprint of a data directory's key, which is created if there is none. */
export function fingerprintOfKeyIn (directory: string): string {
  const file = keyFileIn(directory)
  if (!existsSync(file)) makeKey(file)
  return fingerprintOf(readKey(file))
}

/** Opens the vault of a data directory; its file is read when it is first needed. */
export function vaultIn (directory: string, fingerprint: Fingerprint): Vault {
  const file = keyFileIn(directory)
  let key: Buffer | undefined

  function keyNow (): Buffer {
    if (key) return key
    const isKnown = fingerprint.read() !== undefined
    if (!isKnown) fingerprint.write(fingerprintOfKeyIn(directory))
    const fault = keyFault(directory, fingerprint.read())
    if (fault) throw new Refusal('unavailable', fault)
    const found = readKey(file)
    // A fingerprint that is written now may not be committed: then it is written by whoever comes next.
    if (isKnown) key = found
    return found
  }

  return {
    close: (where, text) => sealWith(derived(keyNow(), 'seal')).close(where, text),
    open (where, sealed) {
      const seal = sealWith(derived(keyNow(), 'seal'))
      try {
        return seal.open(where, sealed).toString()
      } catch (cause) {
        throw new Refusal(
          'conflict',
          'This secret was sealed with an agenthall.key that is no longer used. Enter it again.',
          { cause }
        )
      }
    },
    mac: (purpose, text) => createHmac('sha256', derived(keyNow(), `mac ${purpose}`)).update(text).digest(),
    prepare () {
      keyNow()
    },
    renew () {
      makeKey(file)
      key = readKey(file)
      fingerprint.write(fingerprintOf(key))
    }
  }
}

/** What is wrong with the key's file of data with this recorded fingerprint, in a sentence; undefined if nothing. */
export function keyFault (directory: string, fingerprint: string | undefined): string | undefined {
  const file = keyFileIn(directory)
  if (fingerprint === undefined) return undefined
  const again = `Put back the agenthall.key that belongs to this data. If it is lost for good, "${commandLine('secrets renew')}" makes a new one; secrets of webhooks and credentials of ticketing providers have to be entered again then.`
  if (!existsSync(file)) return `The file ${file} is missing: secrets that are sealed with it cannot be read. ${again}`
  return isOf(readKey(file), fingerprint)
    ? undefined
    : `The file ${file} is not the key that this data was sealed with. ${again}`
}

/**
 * The state of the key of data with this recorded fingerprint, in a few words for an operator. Refuses with
 * `unavailable` if something is wrong with it, or others may read it.
 */
export function keyStanding (directory: string, fingerprint: string | undefined): string {
  if (fingerprint === undefined) return 'agenthall.key is made at the next start'
  const fault = keyFault(directory, fingerprint)
  if (fault) throw new Refusal('unavailable', fault)
  const file = keyFileIn(directory)
  if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0) {
    throw new Refusal('unavailable', `Users other than its owner may read ${file}. Run: chmod 600 ${file}`)
  }
  return `${file}; it is in no backup, so keep a copy elsewhere`
}

/**
 * Why a file is not a copy of the key with this fingerprint, in a sentence; undefined if it is one, stored separately.
 */
export function copyFault (directory: string, fingerprint: string | undefined, copy: string): string | undefined {
  const data = path.resolve(directory)
  const place = realpathSync(path.dirname(path.resolve(copy)))
  const isBeside = place === realpathSync(data) || place.startsWith(realpathSync(data) + path.sep)
  if (isBeside) return `${copy} is beside the data: what destroys one destroys both. Copy it to another place.`
  return fingerprint !== undefined && isOf(readKey(copy), fingerprint)
    ? undefined
    : `${copy} is not the key that this data is sealed with.`
}

function isOf (key: Buffer, fingerprint: string): boolean {
  const [ours, theirs] = [Buffer.from(fingerprintOf(key)), Buffer.from(fingerprint)]
  return ours.length === theirs.length && timingSafeEqual(ours, theirs)
}

const derived = (key: Buffer, purpose: string) => createHmac('sha256', key).update(purpose).digest()
const fingerprintOf = (key: Buffer) => derived(key, 'fingerprint').toString('base64url').slice(0, 22)

/** The bytes of a key's file; an invalid one becomes a key that fits nothing. */
function readKey (file: string): Buffer {
  const key = Buffer.from(readFileSync(file, 'utf8').trim(), 'base64url')
  return key.length === KEY_BYTES ? key : Buffer.alloc(KEY_BYTES)
}

/** Writes a new key, atomically, readable by the owner of the directory alone. */
function makeKey (file: string) {
  const partial = partialOf(file)
  rmSync(partial, { force: true })
  const fd = openSync(partial, 'wx', 0o600)
  try {
    writeSync(fd, `${randomBytes(KEY_BYTES).toString('base64url')}\n`)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
  giveToOwnerOf(path.dirname(file), partial)
  renameSync(partial, file)
  syncDirectory(path.dirname(file))
}
