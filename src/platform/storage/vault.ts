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
 * What others entrust to us (keys of their services, secrets that we sign with) is sealed with a key that is in no
 * backup: in a file of its own beside the data, made once. Whoever finds a copy of the data has none of it.
 */

/**
 * Seals with the installation's own key. Every method refuses with `unavailable` when the key's file is lost or is
 * another one.
 */
export interface Vault {
  /** Seals a text for a place, best named by a row's id: elsewhere it does not open. */
  close (where: string, text: string): Buffer
  /** Opens it. Refuses with `conflict` what was sealed with a key that was given up, or for another place. */
  open (where: string, sealed: Uint8Array): string
  /** 32 bytes that only this installation can make of a text. `purpose` keeps one use apart from another. */
  mac (purpose: string, text: string): Buffer
  /** Makes the key where there never was one; done at the first start, and when it is first needed. */
  prepare (): void
  /** Replaces the key: what was sealed with the old one has to be entered again. */
  renew (): void
}

/** How the data remember which key is theirs. */
export interface Fingerprint { read (): string | undefined, write (fingerprint: string): void }

/** The file of the key in a data directory. */
export const keyFileIn = (directory: string) => path.join(directory, 'agenthall.key')

/** The fingerprint of a data directory's key, which is made where there is none. */
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
    if (fingerprint.read() === undefined) {
      fingerprint.write(fingerprintOfKeyIn(directory))
    }
    const fault = keyFault(directory, fingerprint.read())
    if (fault) throw new Refusal('unavailable', fault)
    key = readKey(file)
    return key
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
          'This secret was sealed with an agenthall.key that is not used any more. Enter it anew.',
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

/**
 * What is wrong with the key's file of data that remember this fingerprint, in a sentence; undefined when nothing is.
 */
export function keyFault (directory: string, fingerprint: string | undefined): string | undefined {
  const file = keyFileIn(directory)
  if (fingerprint === undefined) return undefined
  const again = `Put back the agenthall.key that belongs to these data. If it is lost for good, "${commandLine('secrets renew')}" makes a new one; secrets of webhooks and credentials of ticketing providers have to be entered anew then.`
  if (!existsSync(file)) return `The file ${file} is missing: secrets that are sealed with it cannot be read. ${again}`
  return isOf(readKey(file), fingerprint)
    ? undefined
    : `The file ${file} is another key than the one that these data were sealed with. ${again}`
}

/**
 * How the key of data that remember this fingerprint stands, in a few words for an operator. Refuses with `unavailable`
 * where something is wrong with it, or others may read it.
 */
export function keyStanding (directory: string, fingerprint: string | undefined): string {
  if (fingerprint === undefined) return 'agenthall.key is made at the next start'
  const fault = keyFault(directory, fingerprint)
  if (fault) throw new Refusal('unavailable', fault)
  const file = keyFileIn(directory)
  if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0) {
    throw new Refusal('unavailable', `Others than its owner may read ${file}. Run: chmod 600 ${file}`)
  }
  return `${file}; it is in no backup, so keep a copy elsewhere`
}

/**
 * Why a file is no copy of the key that has this fingerprint, in a sentence; undefined when it is one, in a place of
 * its own.
 */
export function copyFault (directory: string, fingerprint: string | undefined, copy: string): string | undefined {
  const own = path.resolve(directory)
  const place = realpathSync(path.dirname(path.resolve(copy)))
  const isBeside = place === realpathSync(own) || place.startsWith(realpathSync(own) + path.sep)
  if (isBeside) return `${copy} lies beside the data: what takes them takes it too. Copy it to another place.`
  return fingerprint !== undefined && isOf(readKey(copy), fingerprint)
    ? undefined
    : `${copy} is another key than the one that these data are sealed with.`
}

function isOf (key: Buffer, fingerprint: string): boolean {
  const [own, theirs] = [Buffer.from(fingerprintOf(key)), Buffer.from(fingerprint)]
  return own.length === theirs.length && timingSafeEqual(own, theirs)
}

const derived = (key: Buffer, purpose: string) => createHmac('sha256', key).update(purpose).digest()
const fingerprintOf = (key: Buffer) => derived(key, 'fingerprint').toString('base64url').slice(0, 22)

/** The bytes of a key's file; what is no key becomes one that fits nothing. */
function readKey (file: string): Buffer {
  const key = Buffer.from(readFileSync(file, 'utf8').trim(), 'base64url')
  return key.length === KEY_BYTES ? key : Buffer.alloc(KEY_BYTES)
}

/** Writes a new key, whole or not at all, for the owner of the directory alone. */
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
