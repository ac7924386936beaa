import multipart from '@fastify/multipart'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { FastifyReply } from 'fastify'
import { closed } from '../../../schema/common.ts'
import { Attachment, AttachmentForm, ConversationId, Feedback, MessageId, type Message } from '../../../schema/conversations.ts'
import { success } from '../../../schema/envelopes.ts'
import { WidgetMessage, WidgetMessageDraft } from '../../../schema/widget.ts'
import { UPLOAD_MS, WRITING_MS } from '../../agents/index.ts'
import { INACTIVE, MOST_BYTES, REGENERATING, addAttachments, linkedBelow, noConversation, withAddress } from '../../conversations/index.ts'
import { Refusal } from '../../platform/errors.ts'
import { refusal, refusals } from '../../platform/http/openapi.ts'
import { uploadLimits } from '../../sources/index.ts'
import { pageOf } from '../page.ts'
import { conversationOf, openToSites, type VisitorCaller } from '../visitor.ts'
import { mayBegin, NOT_YET, type VisitorRoutesNeeds } from './visitor.ts'

const MessageAnswer = success(WidgetMessage, { title: 'WidgetMessageAnswer', description: 'The message' })
const inConversation = Type.Object({ id: ConversationId })
const inMessage = Type.Object({ id: ConversationId, message: MessageId })
const Query = Type.Object(
  {
    before: Type.Optional(
      Type.Integer({
        minimum: 1, maximum: 1_000_000_000, description: 'Messages before this seq; the last ones without it'
      })
    )
  },
  closed
)
const tags = ['Widget']
const PAGE = 50

/** What is said in a visitor's conversation: reading it, saying something, files, and judging an answer. */
export const visitorMessageRoutes: FastifyPluginAsyncTypebox<VisitorRoutesNeeds> = async (app, needs) => {
  const { store, conversations: { store: kept, talk, attachments }, throttle, blobs, mediaUrl } = needs
  const config = { permit: 'visitor' as const, cors: openToSites(store) }
  const linked = linkedBelow(mediaUrl)
  await app.register(multipart, { limits: uploadLimits(MOST_BYTES), throwFileSizeLimit: false })

  const seen = async (visitor: VisitorCaller, id: string) => await conversationOf(kept, visitor, id)
  const beginning = mayBegin(needs)

  app.get(
    '/conversations/:id/messages',
    {
      schema: {
        tags,
        operationId: 'listOwnMessages',
        summary: 'Read messages',
        description:
          'In order. `last_event`: send it as Last-Event-ID to …/events to see everything that comes after these messages.',
        params: inConversation,
        querystring: Query,
        response: {
          200: Type.Composite([success(Type.Array(WidgetMessage)), Type.Object({ last_event: Type.String(), has_more: Type.Boolean({ description: 'Whether more were said before these' }) })], {
            title: 'WidgetMessageList', description: 'The messages'
          })
        }
      },
      config
    },
    async ({ visitor, params: { id }, query: { before } }) => {
      const conversation = await seen(visitor, id)
      // Asked first: what happens meanwhile is told twice rather than never.
      const { event: last } = (await kept.newest(visitor.owner, id)) ?? noConversation()
      const read =
        (await kept.messages(visitor.owner, id, { before: before ?? conversation.messages + 1 }, PAGE + 1)) ??
        noConversation()
      return {
        status: 'success' as const,
        message: 'Messages retrieved successfully',
        data: read.slice(-PAGE).map(linked),
        last_event: String(last),
        has_more: read.length > PAGE
      }
    }
  )

  app.post(
    '/conversations/:id/messages',
    {
      bodyLimit: 65_536,
      schema: {
        tags,
        operationId: 'sendOwnMessage',
        summary: 'Say something',
        description: 'Answers with the message itself; what is said to it comes through …/events.',
        params: inConversation,
        body: WidgetMessageDraft,
        response: { 201: MessageAnswer, 409: refusals(...NOT_YET, INACTIVE) }
      },
      config
    },
    async (request, reply) => {
      const { visitor, ip, params: { id }, body } = request
      const { text, client_id: clientId = null, attachments: files = [], page } = body
      const { status, handled_by: by } = await beginning(visitor, id)
      throttle.message(visitor.id, ip)
      // Where a person is or is to be, no agent answers, unless this begins anew.
      if (by === 'agent' || status === 'closed') throttle.answer(visitor.id, ip)
      const { message } =
        (await talk.say(visitor.owner, id, {
          text,
          client_id: clientId,
          attachments: files,
          page: page ? pageOf(page, store.find(visitor.key)?.origins ?? []) : null
        })) ?? noConversation()
      return made(reply, 'Message sent successfully', linked(message))
    }
  )

  app.get(
    '/conversations/:id/messages/:message',
    {
      schema: {
        tags,
        operationId: 'getOwnMessage',
        summary: 'Read a message of the visitor\'s conversation',
        params: inMessage,
        response: { 200: MessageAnswer }
      },
      config
    },
    async ({ visitor, params: { id, message } }) => {
      await seen(visitor, id)
      const data = (await kept.message(visitor.owner, id, message)) ?? noMessage()
      return { status: 'success' as const, message: 'Message retrieved successfully', data: linked(data) }
    }
  )

  app.post(
    '/conversations/:id/messages/:message/stop',
    {
      schema: {
        tags,
        operationId: 'stopOwnMessage',
        summary: 'Stop an answer',
        params: inMessage,
        response: { 200: MessageAnswer, 409: refusal('not_an_answer', 'Only an answer of the agent can be stopped.') }
      },
      config
    },
    async ({ visitor, params: { id, message } }) => {
      await seen(visitor, id)
      const data = (await talk.stop(visitor.owner, id, message)) ?? noMessage()
      return { status: 'success' as const, message: 'Answer stopped', data: linked(data) }
    }
  )

  app.post(
    '/conversations/:id/messages/:message/regenerate',
    {
      schema: {
        tags,
        operationId: 'regenerateOwnMessage',
        summary: 'Have the last answer written anew',
        description: 'Answers at once; the new answer comes through …/events.',
        params: inMessage,
        response: { 201: MessageAnswer, 409: REGENERATING }
      },
      config
    },
    async ({ visitor, ip, params: { id, message } }, reply) => {
      await seen(visitor, id)
      throttle.message(visitor.id, ip)
      throttle.answer(visitor.id, ip)
      const { message: data } = (await talk.regenerate(visitor.owner, id, message)) ?? noMessage()
      return made(reply, 'Answer is written anew', linked(data))
    }
  )

  app.put(
    '/conversations/:id/messages/:message/feedback',
    {
      schema: {
        tags,
        operationId: 'setOwnFeedback',
        summary: 'Judge an answer',
        params: inMessage,
        body: Type.Object(
          { score: Feedback.properties.score, comment: Type.Optional(Feedback.properties.comment) },
          { ...closed, title: 'WidgetFeedbackDraft', examples: [{ score: 1 }] }
        ),
        response: {
          200: MessageAnswer, 409: refusal('not_an_answer', 'Only answers can be judged, not what a visitor wrote.')
        }
      },
      config
    },
    async ({ visitor, params: { id, message }, body: { score, comment = '' } }) => {
      await seen(visitor, id)
      const data = (await talk.feedback(visitor.owner, id, message, { score, comment })) ?? noMessage()
      return { status: 'success' as const, message: 'Feedback kept', data: linked(data) }
    }
  )

  app.post('/conversations/:id/attachments', {
    schema: {
      tags,
      operationId: 'addOwnAttachments',
      summary: 'Add files for a message',
      description: 'Up to 5 files of 10 MiB in parts named `file`. Name them in the `attachments` of a message then.',
      consumes: ['multipart/form-data'],
      params: inConversation,
      response: {
        201: success(
          Type.Array(Attachment),
          { title: 'WidgetAttachmentsAdded', description: 'The files, in the order in which they were sent' }
        ),
        409: refusals(...NOT_YET)
      }
    },
    config: { ...config, receiveMs: UPLOAD_MS, answerMs: WRITING_MS, form: AttachmentForm }
  }, async (request, reply) => {
    const { visitor, ip, params: { id } } = request
    await beginning(visitor, id)
    throttle.message(visitor.id, ip)
    const { answer } = await addAttachments(request, { attachments, blobs }, visitor.owner, id, {
      visitor: visitor.id, check: (bytes) => throttle.files(ip, bytes)
    }) ?? noConversation()
    const data = answer.map((file) => withAddress(file, mediaUrl()))
    return await reply
      .code(201)
      .header('location', data[0]!.url)
      .send({ status: 'success', message: 'Files added', data })
  })
}

/** Answers with a message that was made, and with its address. */
function made (reply: FastifyReply, message: string, data: Message) {
  return reply
    .code(201)
    .header('location', `/v1/widget/conversations/${data.conversation}/messages/${data.id}`)
    .send({ status: 'success', message, data })
}

function noMessage (): never {
  throw new Refusal('not_found', 'No such message.')
}
