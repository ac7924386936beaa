import type { Id } from '../../../schema/common.ts'
import type { Attachment } from '../../../schema/conversations.ts'
import { Refusal } from '../../platform/errors.ts'
import type { Once, Outcome } from '../../platform/storage/contract.ts'
import type { FindFile, StagedFile } from '../../sources/index.ts'

/** Files of one message at most, and bytes of each. */
export const MOST_FILES = 5
export const MOST_BYTES = 10 * 2 ** 20

/** Bytes of all files of one visitor that are kept. */
const MOST_OF_VISITOR = 50 * 2 ** 20
/** How long a visitor's file is kept that no message names. */
export const LOOSE_MS = 60 * 60_000

/** Refuses with `storage_limit_exceeded` what a visitor of whom so many bytes are kept adds beyond their share. */
export function demandShare (used: number, asked: number) {
  if (used + asked <= MOST_OF_VISITOR) return
  const allowed = MOST_OF_VISITOR
  const message = 'These files are more than one visitor may send: 50 MiB in all. Send fewer, or describe what they show.'
  throw new Refusal('storage_limit_exceeded', message, { fields: { used, asked, allowed } })
}

/**
 * Where the files rest that visitors add to what they say: sealed, for people alone, and gone with their conversation.
 * Each method is one transaction.
 */
export interface AttachmentStore {
  /** What the account keeps, and may keep, in bytes of all its files and texts. */
  room (owner: Id): Promise<{ used: number, allowed: number }>
  /**
   * Keeps staged files for messages of a conversation; their `url` is the path below the media address. A repeat of
   * `once` is answered with the first ones. Undefined when there is no such conversation. Refuses with
   * `storage_limit_exceeded` what does not fit. `visitor`: who adds them by a widget; theirs have a share, and go where
   * no message names them.
   */
  add (
    owner: Id,
    conversation: string,
    files: readonly StagedFile[],
    by?: { visitor?: string | null, once?: Once | undefined }
  ): Promise<Outcome<Attachment[]> | undefined>
  /** Bytes of a visitor's files that are kept. */
  ofVisitor (owner: Id, visitor: string): Promise<number>
  /** Removes some files that no message has named since before this time, in microseconds; true while there is more. */
  forgetLoose (before: number): Promise<boolean>
  /** All files of a conversation, and the blobs that hold their bytes; none where there is no such conversation. */
  of (owner: Id, conversation: string): Promise<Array<Attachment & { blob: Id }>>
  /** The file at a path below the media address: random, and whoever knows it may have the file. */
  at: FindFile
}

/** Attachments with their whole addresses. */
export type Linked = <T extends { attachments: Attachment[] }> (message: T) => T

/** Completes the addresses of a message's files; `mediaUrl` is known only once the server listens. */
export function linkedBelow (mediaUrl: () => string): Linked {
  return (message) =>
    message.attachments.length === 0
      ? message
      : { ...message, attachments: message.attachments.map((file) => withAddress(file, mediaUrl())) }
}

/** A file with its whole address. */
export function withAddress (file: Attachment, mediaUrl: string): Attachment {
  return { ...file, url: `${mediaUrl}/${file.url}` }
}
