import type { Id } from '../../../schema/common.ts'
import type { Attachment } from '../../../schema/conversations.ts'
import type { Once, Outcome } from '../../platform/storage/contract.ts'
import type { FindFile, StagedFile } from '../../sources/index.ts'

/** Files of one message at most, and bytes of each. */
export const MOST_FILES = 5
export const MOST_BYTES = 10 * 2 ** 20

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
   * `storage_limit_exceeded` what does not fit.
   */
  add (
    owner: Id, conversation: string, files: readonly StagedFile[], once?: Once
  ): Promise<Outcome<Attachment[]> | undefined>
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
