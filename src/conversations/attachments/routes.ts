import multipart from '@fastify/multipart'
import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsync } from 'fastify'
import { Attachment, AttachmentForm } from '../../../schema/conversations.ts'
import { success } from '../../../schema/envelopes.ts'
import { route } from '../../access/index.ts'
import { UPLOAD_MS, WRITING_MS } from '../../agents/index.ts'
import { created } from '../../platform/http/resources/answer.ts'
import type { Blobs } from '../../platform/storage/sqlite/blobs.ts'
import { uploadLimits } from '../../sources/index.ts'
import { inConversation, NO_CONVERSATION, onlyToTry, SPEAKING, tag } from '../routes.ts'
import type { ConversationStore } from '../store.ts'
import { MOST_BYTES, MOST_FILES, withAddress, type AttachmentStore } from './attachments.ts'
import { addAttachments } from './receive.ts'

/** Files that visitors add to messages. */
export const attachmentRoutes: FastifyPluginAsync<{
  store: ConversationStore, attachments: AttachmentStore, blobs: Blobs, mediaUrl: () => string
}> = async (app, { store, attachments, blobs, mediaUrl }) => {
  await app.register(multipart, { limits: uploadLimits(MOST_BYTES), throwFileSizeLimit: false })

  app.addHook('preHandler', onlyToTry(store))

  app.route(route({
    post: '/conversations/:id/attachments',
    id: 'addAttachments',
    audit: 'never',
    tag,
    summary: 'Upload files for a message',
    description:
      `Accepts up to ${MOST_FILES} files of ${MOST_BYTES / 2 ** 20} MiB each in parts named \`file\`. Then name ` +
      'them in the `attachments` of a message. They are shown to people, not to models, and deleted with the ' +
      'conversation.',
    who: SPEAKING,
    params: inConversation,
    form: AttachmentForm,
    limits: { receiveMs: UPLOAD_MS, answerMs: WRITING_MS },
    idempotent: true,
    missing: NO_CONVERSATION,
    answer: created(
      success(Type.Array(Attachment), {
        title: 'AttachmentsAdded', description: 'The files, in the order in which they were sent'
      }),
      'Files added',
      { at: ([first]) => first!.url }
    ),
    handle: async ({ owner, params: { id }, once, request }) => {
      if (!(await store.get(owner, id))) return undefined
      const added = await addAttachments(request, { attachments, blobs }, owner, id, { once })
      return added && { ...added, answer: added.answer.map((file) => withAddress(file, mediaUrl())) }
    }
  }))
}
