import multipart from '@fastify/multipart'
import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsync } from 'fastify'
import { closed, type Id } from '../../../schema/common.ts'
import {
  Attachment, AttachmentForm, ConversationId, Feedback, MessageId, type MessageRecord
} from '../../../schema/conversations.ts'
import { success } from '../../../schema/envelopes.ts'
import { WidgetMessage, WidgetMessageDraft } from '../../../schema/widget.ts'
import { UPLOAD_MS, WRITING_MS } from '../../agents/index.ts'
import {
  addAttachments, INACTIVE, linkedBelow, MOST_BYTES, NO_CONVERSATION, noConversation, REGENERATING, withAddress
} from '../../conversations/index.ts'
import { created, ok, whole } from '../../platform/http/resources/answer.ts'
import { uploadLimits } from '../../sources/index.ts'
import { pageOf } from '../page.ts'
import { conversationOf, messageShown, openToSites, type VisitorCaller, visitorRoute } from '../visitor.ts'
import { mayBegin, NOT_YET, type VisitorRoutesNeeds } from './visitor.ts'

const tag = 'Widget'
const who = 'visitor'
const PAGE = 50
const missing = 'No such message.'
const inConversation = Type.Object({ id: ConversationId })
const inMessage = Type.Object({ id: ConversationId, message: MessageId })
const MessageAnswer = success(WidgetMessage, { title: 'WidgetMessageAnswer', description: 'The message' })
const MessageList = Type.Composite([
  success(Type.Array(WidgetMessage)),
  Type.Object({
    last_event: Type.String(), has_more: Type.Boolean({ description: 'Whether there are more messages before these' })
  })
], { title: 'WidgetMessageList', description: 'The messages' })
const Query = Type.Object(
  {
    before: Type.Optional(
      Type.Integer({
        minimum: 1, maximum: 1_000_000_000, description: 'Messages before this seq; default: the last ones'
      })
    )
  },
  closed
)

/** The messages of a visitor's conversation: reading and sending them, files, and rating an answer. */
export const visitorMessageRoutes: FastifyPluginAsync<VisitorRoutesNeeds> = async (app, needs) => {
  const { store, conversations: { store: kept, talk, attachments }, throttle, blobs, nameForVisitors, mediaUrl } = needs
  const cors = openToSites(store)
  const linked = linkedBelow(mediaUrl)
  const shown = async <T extends MessageRecord>(owner: Id, message: T | undefined) =>
    message && await messageShown(nameForVisitors, owner)(message)
  await app.register(multipart, { limits: uploadLimits(MOST_BYTES), throwFileSizeLimit: false })

  const seen = async (visitor: VisitorCaller, id: string) => await conversationOf(kept, visitor, id)
  const beginning = mayBegin(needs)

  app.route(visitorRoute({
    get: '/conversations/:id/messages',
    id: 'listOwnMessages',
    tag,
    summary: 'List messages',
    description:
      'Returns messages in order. To receive everything that happens after them, send `last_event` as ' +
      'Last-Event-ID to …/events.',
    who,
    cors,
    params: inConversation,
    query: Query,
    missing: NO_CONVERSATION,
    answer: whole(MessageList, 'Messages retrieved successfully'),
    handle: async ({ visitor, owner, params: { id }, query: { before } }) => {
      const conversation = await seen(visitor, id)
      // Read first: concurrent events are delivered twice rather than never.
      const { event: last } = (await kept.newest(owner, id)) ?? noConversation()
      const read = await kept.messages(owner, id, { before: before ?? conversation.messages + 1 }, PAGE + 1)
      const show = messageShown(nameForVisitors, owner)
      return read && {
        data: await Promise.all(read.slice(-PAGE).map(async (message) => linked(await show(message)))),
        last_event: String(last),
        has_more: read.length > PAGE
      }
    }
  }))

  app.route(visitorRoute({
    post: '/conversations/:id/messages',
    id: 'sendOwnMessage',
    tag,
    summary: 'Send a message',
    description: 'Returns the message itself; the answer arrives through …/events.',
    who,
    cors,
    params: inConversation,
    body: WidgetMessageDraft,
    limits: { bodyLimit: 65_536 },
    missing: NO_CONVERSATION,
    answer: created(MessageAnswer, 'Message sent successfully', { show: linked, at: addressOf }),
    refuses: [...NOT_YET, INACTIVE],
    handle: async ({ visitor, owner, params: { id }, body, request }) => {
      const { text, client_id: clientId = null, attachments: files = [], page: from, time_zone: zone } = body
      const { ip } = request
      const { status, handled_by: by } = await beginning(visitor, id)
      await throttle.message(visitor.id, ip)
      // If a person handles it or is to, no agent answers, unless this message starts over.
      if (by === 'agent' || status === 'closed') await throttle.answer(visitor.id, ip)
      await needs.learnWhereabouts(visitor, request, zone)
      const page = from ? pageOf(from, (await store.find(visitor.key))?.origins ?? []) : null
      const vouched = visitor.vouched?.until ?? 0
      const said = await talk.say(owner, id, { text, client_id: clientId, attachments: files, page, vouched })
      return await shown(owner, said?.message)
    }
  }))

  app.route(visitorRoute({
    get: '/conversations/:id/messages/:message',
    id: 'getOwnMessage',
    tag,
    summary: 'Read a message of the visitor\'s conversation',
    who,
    cors,
    params: inMessage,
    missing,
    answer: ok(MessageAnswer, 'Message retrieved successfully', { show: linked }),
    handle: async ({ visitor, owner, params: { id, message } }) => {
      await seen(visitor, id)
      return await shown(owner, await kept.message(owner, id, message))
    }
  }))

  app.route(visitorRoute({
    post: '/conversations/:id/messages/:message/stop',
    id: 'stopOwnMessage',
    tag,
    summary: 'Stop an answer',
    who,
    cors,
    params: inMessage,
    missing,
    answer: ok(MessageAnswer, 'Answer stopped', { show: linked }),
    refuses: [['not_an_answer', 'Only an answer of the agent can be stopped.']],
    handle: async ({ visitor, owner, params: { id, message } }) => {
      await seen(visitor, id)
      return await shown(owner, await talk.stop(owner, id, message))
    }
  }))

  app.route(visitorRoute({
    post: '/conversations/:id/messages/:message/regenerate',
    id: 'regenerateOwnMessage',
    tag,
    summary: 'Regenerate the last answer',
    description: 'Responds immediately; the new answer arrives through …/events.',
    who,
    cors,
    params: inMessage,
    missing,
    answer: created(MessageAnswer, 'Answer is being regenerated', { show: linked, at: addressOf }),
    refuses: REGENERATING,
    handle: async ({ visitor, owner, params: { id, message }, request: { ip } }) => {
      await seen(visitor, id)
      await throttle.message(visitor.id, ip)
      await throttle.answer(visitor.id, ip)
      return await shown(owner, (await talk.regenerate(owner, id, message))?.message)
    }
  }))

  app.route(visitorRoute({
    put: '/conversations/:id/messages/:message/feedback',
    id: 'setOwnFeedback',
    tag,
    summary: 'Rate an answer',
    who,
    cors,
    params: inMessage,
    body: Type.Object(
      { score: Feedback.properties.score, comment: Type.Optional(Feedback.properties.comment) },
      { ...closed, title: 'WidgetFeedbackDraft', examples: [{ score: 1 }] }
    ),
    missing,
    answer: ok(MessageAnswer, 'Feedback kept', { show: linked }),
    refuses: [['not_an_answer', 'Only answers can be rated, not what a visitor wrote.']],
    handle: async ({ visitor, owner, params: { id, message }, body: { score, comment = '' } }) => {
      await seen(visitor, id)
      return await shown(owner, await talk.feedback(owner, id, message, { score, comment }))
    }
  }))

  app.route(visitorRoute({
    post: '/conversations/:id/attachments',
    id: 'addOwnAttachments',
    tag,
    summary: 'Upload files for a message',
    description:
      'Accepts up to 5 files of 10 MiB each in parts named `file`. Then name them in the `attachments` of a message.',
    who,
    cors,
    params: inConversation,
    form: AttachmentForm,
    limits: { receiveMs: UPLOAD_MS, answerMs: WRITING_MS },
    missing: NO_CONVERSATION,
    answer: created(
      success(
        Type.Array(Attachment),
        { title: 'WidgetAttachmentsAdded', description: 'The files, in the order in which they were sent' }
      ),
      'Files added',
      { at: ([first]) => first!.url }
    ),
    refuses: NOT_YET,
    handle: async ({ visitor, owner, params: { id }, request }) => {
      await beginning(visitor, id)
      await throttle.message(visitor.id, request.ip)
      const added = await addAttachments(request, { attachments, blobs }, owner, id, {
        visitor: visitor.id, check: (bytes) => throttle.files(request.ip, bytes)
      })
      return added?.answer.map((file) => withAddress(file, mediaUrl()))
    }
  }))
}

/** The address of the message. */
const addressOf = ({ conversation, id }: { conversation: string, id: string }) =>
  `/v1/widget/conversations/${conversation}/messages/${id}`
