import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { Id } from '../../../schema/common.ts'
import { Refusal } from '../errors.ts'
import type { Work } from './work.ts'

/*
 * What is deleted must be gone from the bytes of the file. A file system and a database copy bytes about, so it is hard
 * to overwrite all copies of a text; a key of 32 bytes is easily kept in one place. So texts are sealed, each with a
 * secret of its own, and deleting one is destroying its secret.
 */

/** Where secrets rest. Methods run inside the caller's transaction. */
export interface Secrets {
  /** Makes a secret, and gives the number to keep beside what is sealed with it. No number is given twice. */
  create (): Work<Id>
  /** What seals and opens with a secret, for as long as the transaction; undefined when it was destroyed. */
  seal (secret: Id): Work<Seal | undefined>
  /** Destroys some of the secrets whose owners were deleted; true while there are more. */
  destroySome (): Work<boolean>
  /** Whether there are any of those. */
  isAnyDoomed (): Work<boolean>
  /** Overwrites a secret: what is sealed with it can be opened by nobody any more. */
  destroy (secret: Id): Work<void>
}

/** Seals and opens. */
export interface Seal {
  /**
   * The bytes to keep, `SEALED_BYTES` more than there were. `where` is the place they are kept at: elsewhere they do
   * not open.
   */
  close (where: string, content: Uint8Array | string): Buffer
  /** Refuses with `internal_error` what is not, bit by bit, what was sealed for that place. */
  open (where: string, sealed: Uint8Array): Buffer
  /**
   * What stands for texts of 16 bytes each, in a row: the same for the same text, and telling nobody which it is. Of a
   * secret that seals nothing else.
   */
  disguise (texts: Uint8Array): Buffer
}

/** How much longer a sealed thing is: nonce and tag. */
export const SEALED_BYTES = 28
export const KEY_BYTES = 32

/** AES-256-GCM with a random nonce; its tag is also what tells that not one bit has changed. */
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
 * What opens what is still kept. Refuses with `internal_error` where its secret is gone: then it is damaged, for
 * deleting a thing deletes what was sealed with it too.
 */
export function * sealKept (secrets: Secrets, secret: Id): Work<Seal> {
  const seal = yield * secrets.seal(secret)
  if (!seal) throw damaged()
  return seal
}

/** What is kept is not what was written. */
export function damaged (cause?: unknown): Refusal {
  return new Refusal(
    'internal_error',
    'What is stored here is damaged and cannot be read. Send it again, or ask the operator to run "agenthall doctor --thorough" and restore a backup.',
    { cause }
  )
}
