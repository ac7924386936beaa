import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import path from 'node:path'
import { release } from './release.ts'

const READ_AT_ONCE = 1024 * 1024

/** Bytes buffered on disk until they are complete. */
export interface Spill {
  /** Appends bytes. Rejects with the file system's error, for example ENOSPC. */
  write (pieces: Uint8Array[]): Promise<void>
  /** Everything that was written. */
  read (): Promise<Buffer>
  /** Frees the space. */
  close (): Promise<void>
}

/** Creates the folder for buffered bytes, and removes what a killed process may have left there. */
export function spillFolder (directory: string): string {
  const folder = path.join(directory, 'incoming')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { mode: 0o700 })
  return folder
}

/**
 * A file that nobody else can open and that vanishes with the process: its name is removed at once. What a customer
 * wrote must not stay readable on the disk after it was deleted, so it is encrypted with a key that is only in memory.
 */
export async function openSpill (folder: string): Promise<Spill> {
  const name = path.join(folder, randomBytes(12).toString('hex'))
  const file = await open(name, 'wx+', 0o600)
  await rm(name, { force: true })
  const key = randomBytes(32)
  const nonce = randomBytes(16)
  const cipher = createCipheriv('aes-256-ctr', key, nonce)
  let size = 0
  return {
    async write (pieces) {
      for (const piece of pieces) {
        const sealed = cipher.update(piece)
        for (let done = 0; done < sealed.length;) {
          done += (await file.write(sealed, done, sealed.length - done, size + done)).bytesWritten
        }
        size += sealed.length
        release(sealed)
      }
    },
    async read () {
      const decipher = createDecipheriv('aes-256-ctr', key, nonce)
      const all = Buffer.allocUnsafe(size)
      const piece = Buffer.allocUnsafe(Math.min(READ_AT_ONCE, size))
      for (let at = 0; at < size;) {
        const { bytesRead } = await file.read(piece, 0, piece.length, at)
        decipher.update(piece.subarray(0, bytesRead)).copy(all, at)
        at += bytesRead
      }
      return all
    },
    close: () => file.close()
  }
}
