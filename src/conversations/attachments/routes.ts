import multipart from '@fastify/multipart'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { Attachment, AttachmentForm } from '../../../schema/conversations.ts'
import { success } from '../../../schema/envelopes.ts'
import { UPLOAD_MS, WRITING_MS } from '../../agents/index.ts'
import { Refusal, invalid, shortened } from '../../platform/errors.ts'
import { onceOf } from '../../platform/storage/sqlite/once.ts'
import type { Blobs } from '../../platform/storage/sqlite/blobs.ts'
import { overStorage, receiveForm, uploadLimits } from '../../sources/index.ts'
import { inConversation, noConversation, SPEAKING, tags } from '../routes.ts'
import type { ConversationStore } from '../store.ts'
import { MOST_BYTES, MOST_FILES, withAddress, type AttachmentStore } from './attachments.ts'

/** Files that visitors add to what they say. */
export const attachmentRoutes: FastifyPluginAsyncTypebox<{
  store: ConversationStore, attachments: AttachmentStore, blobs: Blobs, mediaUrl: () => string
}> = async (app, { store, attachments, blobs, mediaUrl }) => {
  await app.register(multipart, { limits: uploadLimits(MOST_BYTES), throwFileSizeLimit: false })

  app.post('/conversations/:id/attachments', {
    schema: {
      tags,
      operationId: 'addAttachments',
      summary: 'Add files for a message',
      description: `Up to ${MOST_FILES} files of ${MOST_BYTES / 2 ** 20} MiB in parts named \`file\`. Name them in the \`attachments\` of a message then. People are shown them; models are not. They go with the conversation.`,
      consumes: ['multipart/form-data'],
      params: inConversation,
      response: { 201: success(Type.Array(Attachment), { title: 'AttachmentsAdded', description: 'The files, in the order in which they were sent' }) }
    },
    config: { permit: SPEAKING, receiveMs: UPLOAD_MS, answerMs: WRITING_MS, heeds: ['Idempotency-Key'], form: AttachmentForm }
  }, async (request, reply) => {
    const { caller: { account: { id: owner } }, params: { id } } = request
    await store.get(owner, id) ?? noConversation()
    if (!request.isMultipart()) throw new Refusal('unsupported_media_type', 'Send the files as multipart/form-data, each as a part named "file".')
    const once = onceOf(request)
    const room = await attachments.room(owner)
    // Before it is received; decided for good in the transaction, where a repeated request is answered as the first was.
    if (!once && room.used >= room.allowed) throw overStorage(room, 1)
    const { files, digest } = await receiveForm(request, blobs, { files: MOST_FILES, onField: refuseField })
    const discard = async () => { await Promise.all(files.map(({ blob }) => blobs.discard(blob))) }
    try {
      request.commits()
      const { answer, replayed } = await attachments.add(owner, id, files, once && { ...once, fingerprint: digest }) ?? noConversation()
      if (replayed) {
        await discard()
        reply.header('idempotency-replayed', 'true')
      }
      return await reply.code(201).send({ status: 'success', message: 'Files added', data: answer.map((file) => withAddress(file, mediaUrl())) })
    } catch (error) {
      await discard()
      throw error
    }
  })
}

function refuseField (name: string) {
  throw invalid({ field: shortened(name || 'body'), message: `${shortened(name || 'body')} is not a known field; send files as parts named "file".` })
}
