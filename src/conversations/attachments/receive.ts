import type { FastifyRequest } from 'fastify'
import type { Id } from '../../../schema/common.ts'
import type { Attachment } from '../../../schema/conversations.ts'
import { Refusal, invalid, shortened } from '../../platform/errors.ts'
import type { Blobs } from '../../platform/storage/sqlite/blobs.ts'
import type { IdempotencyKey, IdempotentResult } from '../../platform/storage/contract.ts'
import { overStorage, receiveForm } from '../../sources/index.ts'
import { MOST_FILES, demandShare, type AttachmentStore } from './attachments.ts'

/**
 * How files are added: `visitor`: by whom, see AttachmentStore.add; `check` may refuse files before they are stored.
 */
export interface Adding {
  once?: IdempotencyKey | undefined
  visitor?: string | null
  check?: (bytes: number) => Promise<void>
}

/**
 * Receives files as parts of a form and stores them for messages of a conversation; a retry with the same `once` gets
 * the first ones. Undefined if there is no such conversation. Refuses with `unsupported_media_type` all but forms, with
 * VALIDATION_ERROR other fields, with `storage_limit_exceeded` what does not fit.
 */
export async function addAttachments (
  request: FastifyRequest,
  { attachments, blobs }: { attachments: AttachmentStore, blobs: Blobs },
  owner: Id,
  conversation: string,
  { once, visitor = null, check }: Adding = {}
): Promise<IdempotentResult<Attachment[]> | undefined> {
  if (!request.isMultipart()) {
    throw new Refusal('unsupported_media_type', 'Send the files as multipart/form-data, each as a part named "file".')
  }
  if (visitor !== null) demandShare(await attachments.ofVisitor(owner, visitor), 1)
  const room = await attachments.room(owner)
  // Before receiving it; decided finally in the transaction, where a retried request gets the first response.
  if (!once && room.used >= room.allowed) throw overStorage(room, 1)
  const rules = { files: MOST_FILES, onField: refuseField }
  const { files, digest } = await receiveForm(request, blobs, rules, async (staged) => {
    await check?.(staged.reduce((sum, { bytes }) => sum + bytes, 0))
  })
  const discard = async () => {
    await Promise.all(files.map(({ blob }) => blobs.discard(blob)))
  }
  try {
    request.commits()
    const added = await attachments.add(owner, conversation, files, {
      visitor, once: once && { ...once, fingerprint: digest }
    })
    if (!added || added.replayed) await discard()
    return added
  } catch (error) {
    await discard()
    throw error
  }
}

function refuseField (name: string) {
  throw invalid({
    field: shortened(name || 'body'),
    message: `${shortened(name || 'body')} is not a known field; send files as parts named "file".`
  })
}
