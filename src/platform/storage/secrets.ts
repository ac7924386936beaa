import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { Id } from '../../../schema/common.ts'
import { Refusal } from '../errors.ts'
import type { Work } from './work.ts'

/*
 * What is deleted must be gone from the bytes of the file. A file system and a database copy bytes about, so it is hard
 * to overwrite all copies of a text; a key of 32 bytes is easily kept in one place. So texts are sealed, each with its
 * own secret, and deleting one means destroying its secret.
 */

/** Storage of secrets. Methods run inside the caller's transaction. */
export interface Secrets {
  /** Creates a secret, and returns the number to store beside what is sealed with it. No number is used twice. */
  create (): Work<Id>
  /** As many at once, each with what it seals with. */
  createMany (count: number): Work<Array<{ secret: Id, seal: Seal }>>
  /** Seals and opens with a secret, during the transaction; undefined if it was destroyed. */
  seal (secret: Id): Work<Seal | undefined>
  /** Destroys some of the secrets whose owners were deleted; true while there are more. */
  destroySome (): Work<boolean>
  /** Whether there are any of those left. */
  isAnyDoomed (): Work<boolean>
  /** Overwrites a secret: what is sealed with it can never be opened again. */
  destroy (secret: Id): Work<void>
}

/** Seals and opens. */
export interface Seal {
  /**
   * Returns the bytes to store, `SEALED_BYTES` more than before. `where` is the place they are stored at: elsewhere
   * they do not open.
   */
  close (where: string, content: Uint8Array | string): Buffer
  /** Refuses with `internal_error` anything that is not exactly what was sealed for that place. */
  open (where: string, sealed: Uint8Array): Buffer
  /**
   * Pseudonyms for texts of 16 bytes each, concatenated: the same for the same text, and revealing nothing about it.
   * For a secret that seals nothing else.
   */
  disguise (texts: Uint8Array): Buffer
}

/** Overhead of sealing: nonce and tag. */
export const SEALED_BYTES = 28
export const KEY_BYTES = 32

/** AES-256-GCM with a random nonce; its tag also proves that not one bit has changed. */
export function sealWith (key: Uint8Array): Seal {
  return {
    close (where, content) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(where))
      const sealed = typeof content === 'string' ? cipher.update(content, 'utf8') : cipher.update(content)
      return Buffer.concat([nonce, sealed, cipher.final(), cipher.getAuthTag()])
    },
    open (where, sealed) {
      try {
        const cipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12), { authTagLength: 16 })
          .setAAD(Buffer.from(where))
          .setAuthTag(sealed.subarray(-16))
        const content = cipher.update(sealed.subarray(12, -16))
        cipher.final()
        return content
      } catch (cause) {
        throw damaged(cause)
      }
    },
    disguise: (texts) => createCipheriv('aes-256-ecb', key, null).setAutoPadding(false).update(texts)
  }
}

/**
 * Opens what is still stored. Refuses with `internal_error` if its secret is missing: then it is damaged, because
 * deleting a thing also deletes what was sealed with it.
 */
export function * sealKept (secrets: Secrets, secret: Id): Work<Seal> {
  const seal = yield * secrets.seal(secret)
  if (!seal) throw damaged()
  return seal
}

/** The stored bytes are not what was written. */
export function damaged (cause?: unknown): Refusal {
  return new Refusal(
    'internal_error',
    'What is stored here is damaged and cannot be read. Send it again, or ask the operator to run "agenthall doctor --thorough" and restore a backup.',
    { cause }
  )
}
