import type { Id } from '../../../schema/common.ts'
import type { Attachment } from '../../../schema/conversations.ts'
import { Refusal } from '../../platform/errors.ts'
import type { IdempotencyKey, IdempotentResult } from '../../platform/storage/contract.ts'
import type { FindFile, StagedFile } from '../../sources/index.ts'

/** Most files of a message, and bytes of each. */
export const MOST_FILES = 5
export const MOST_BYTES = 10 * 2 ** 20

/** Most stored bytes of all files of a visitor. */
const MOST_OF_VISITOR = 50 * 2 ** 20
/** How long a visitor's file unused by messages is kept. */
export const LOOSE_MS = 60 * 60_000

/** Refuses with `storage_limit_exceeded` what a visitor with this many stored bytes adds beyond their share. */
export function demandShare (used: number, asked: number) {
  if (used + asked <= MOST_OF_VISITOR) return
  const allowed = MOST_OF_VISITOR
  const message = 'These files are more than one visitor may send: 50 MiB in total. Send fewer, or describe what they show.'
  throw new Refusal('storage_limit_exceeded', message, { fields: { used, asked, allowed } })
}

/**
 * Stores the files that visitors add to messages: encrypted, for people only, and deleted with their conversation. Each
 * method is one transaction.
 */
export interface AttachmentStore {
  /** Bytes stored by the account, and its limit, over all its files and texts. */
  room (owner: Id): Promise<{ used: number, allowed: number }>
  /**
   * Stores staged files for messages of a conversation; their `url` is the path below the media address. A retry with
   * the same `once` gets the first ones. Undefined if there is no such conversation. Refuses with
   * `storage_limit_exceeded` what does not fit. `visitor`: who adds them by a widget; theirs have a share, and expire
   * if no message names them.
   */
  add (
    owner: Id,
    conversation: string,
    files: readonly StagedFile[],
    by?: { visitor?: string | null, once?: IdempotencyKey | undefined }
  ): Promise<IdempotentResult<Attachment[]> | undefined>
  /** Stored bytes of a visitor's files. */
  ofVisitor (owner: Id, visitor: string): Promise<number>
  /** Removes some files no message has named since before this time, in microseconds; true if there are more. */
  forgetLoose (before: number): Promise<boolean>
  /** All files of a conversation, and the blobs with their bytes; none if there is no such conversation. */
  of (owner: Id, conversation: string): Promise<Array<Attachment & { blob: Id }>>
  /** The file at a path below the media address: random, and anybody who knows it may have the file. */
  at: FindFile
}

/** Attachments with complete URLs. */
export type Linked = <T extends { attachments: Attachment[] }> (message: T) => T

/** Completes the URLs of a message's files; `mediaUrl` is known only once the server listens. */
export function linkedBelow (mediaUrl: () => string): Linked {
  return (message) =>
    message.attachments.length === 0
      ? message
      : { ...message, attachments: message.attachments.map((file) => withAddress(file, mediaUrl())) }
}

/** A file with its complete URL. */
export function withAddress (file: Attachment, mediaUrl: string): Attachment {
  return { ...file, url: `${mediaUrl}/${file.url}` }
}
