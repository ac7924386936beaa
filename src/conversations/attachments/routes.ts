import multipart from '@fastify/multipart'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { Attachment, AttachmentForm } from '../../../schema/conversations.ts'
import { success } from '../../../schema/envelopes.ts'
import { UPLOAD_MS, WRITING_MS } from '../../agents/index.ts'
import { onceOf } from '../../platform/storage/sqlite/once.ts'
import type { Blobs } from '../../platform/storage/sqlite/blobs.ts'
import { uploadLimits } from '../../sources/index.ts'
import { inConversation, noConversation, onlyToTry, SPEAKING, tags } from '../routes.ts'
import type { ConversationStore } from '../store.ts'
import { MOST_BYTES, MOST_FILES, withAddress, type AttachmentStore } from './attachments.ts'
import { addAttachments } from './receive.ts'

/** Files that visitors add to what they say. */
export const attachmentRoutes: FastifyPluginAsyncTypebox<{
  store: ConversationStore, attachments: AttachmentStore, blobs: Blobs, mediaUrl: () => string
}> = async (app, { store, attachments, blobs, mediaUrl }) => {
  await app.register(multipart, { limits: uploadLimits(MOST_BYTES), throwFileSizeLimit: false })

  app.addHook('preHandler', onlyToTry(store))
  app.post(
    '/conversations/:id/attachments',
    {
      schema: {
        tags,
        operationId: 'addAttachments',
        summary: 'Add files for a message',
        description: `Up to ${MOST_FILES} files of ${MOST_BYTES / 2 ** 20} MiB in parts named \`file\`. Name them in the \`attachments\` of a message then. People are shown them; models are not. They go with the conversation.`,
        consumes: ['multipart/form-data'],
        params: inConversation,
        response: {
          201: success(Type.Array(Attachment), {
            title: 'AttachmentsAdded', description: 'The files, in the order in which they were sent'
          })
        }
      },
      config: {
        permit: SPEAKING, receiveMs: UPLOAD_MS, answerMs: WRITING_MS, heeds: ['Idempotency-Key'], form: AttachmentForm
      }
    },
    async (request, reply) => {
      const {
        caller: {
          account: { id: owner }
        },
        params: { id }
      } = request
      ;(await store.get(owner, id)) ?? noConversation()
      const { answer, replayed } =
        (await addAttachments(request, { attachments, blobs }, owner, id, { once: onceOf(request) })) ??
        noConversation()
      if (replayed) reply.header('idempotency-replayed', 'true')
      const data = answer.map((file) => withAddress(file, mediaUrl()))
      return await reply
        .code(201)
        .header('location', data[0]!.url)
        .send({ status: 'success', message: 'Files added', data })
    }
  )
}
