import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { FastifyReply } from 'fastify'
import { closed, type Id } from '../../schema/common.ts'
import {
  ConversationId, Feedback, Message, MessageDraft, MessageId, type MessageRecord, RegenerateDraft
} from '../../schema/conversations.ts'
import { success } from '../../schema/envelopes.ts'
import { ConversationWatched } from '../../schema/streams/events.ts'
import { demand } from '../access/index.ts'
import { goneTopic } from '../agents/index.ts'
import { Refusal, invalid } from '../platform/errors.ts'
import { refusal, refusals } from '../platform/http/openapi.ts'
import { onceOf } from '../platform/storage/sqlite/once.ts'
import type { Once } from '../platform/storage/contract.ts'
import { answerStream, watching, type Streaming } from './answer-stream.ts'
import { placeOf } from './stream.ts'
import { inConversation, noConversation, onlyOne, onlyToTry, READING, SPEAKING, tags } from './routes.ts'
import { topicOf } from './store.ts'
import { INACTIVE, REGENERATING } from './talk/inactive.ts'
import type { Saying, Talk } from './talk/talk.ts'

const MessageAnswer = success(Message, { title: 'MessageAnswer', description: 'The message' })
const MessageList = Type.Object({
  status: Type.Literal('success'),
  message: Type.String(),
  data: Type.Array(Message),
  has_more: Type.Boolean({ description: 'Whether more were said: after these, or with `before`, before these' })
}, { title: 'MessageList', description: 'Messages, in order' })
const inMessage = Type.Object({ id: ConversationId, message: MessageId })
const Query = Type.Object(
  {
    before: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1_000_000_000, description: 'Messages before this seq, the nearest ones' })
    ),
    after: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000_000, description: 'Messages after this seq' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: 'Messages at most; 50 without it' }))
  },
  closed
)
const DEFAULT_LIMIT = 50
/** An answer takes 90 s at most, and may wait for another before it. */
export const ANSWER_MS = 240_000

/** What is said in a conversation: read, say, stop, write anew, judge, watch. */
export const messageRoutes: FastifyPluginAsyncTypebox<{ streaming: Streaming }> = async (app, { streaming }) => {
  const { store, talk, linked } = streaming
  app.addHook('preHandler', onlyToTry(store))
  await app.register(reading, { streaming })

  app.post(
    '/conversations/:id/messages',
    {
      schema: {
        tags,
        operationId: 'createMessage',
        summary: 'Say something',
        description:
          "Answers with the agent's finished message, or, with `stream` or `Accept: text/event-stream`, with the answer as it is written: server-sent events in the message format of the npm package `ai`. Where a person answers, with the message itself, as for what a person says. Long after a conversation was closed a new one begins, which the message names.",
        params: inConversation,
        body: MessageDraft,
        response: {
          201: MessageAnswer,
          409: refusals(INACTIVE, ['taken_over', 'Somebody else has taken this conversation over.', { person: 7 }])
        }
      },
      config: {
        permit: SPEAKING,
        heeds: ['Idempotency-Key'],
        answerMs: ANSWER_MS,
        streams: ConversationWatched
      }
    },
    async (request, reply) => {
      const {
        caller, params: { id }, body
      } = request
      const owner = caller.account.id
      if (body.role === 'person') {
        demand(caller.permissions, ['REPLY_CONVERSATION'], 'answer as a person')
        const { message, repeated } =
          (await talk.reply(owner, id, caller.user.id, saying(body, onceOf(request)))) ?? noConversation()
        if (repeated) reply.header('idempotency-replayed', 'true')
        return made(reply, 'Message sent successfully', linked(message))
      }
      const { conversation, from } = await placeBefore(store, owner, id)
      const { message, repeated } =
        (await talk.say(owner, conversation, saying(body, onceOf(request)))) ?? noConversation()
      if (repeated) reply.header('idempotency-replayed', 'true')
      const goesOnIn = message.conversation
      if (asksForStream(request)) {
        return answerStream(streaming, request, reply, {
          owner, conversation: goesOnIn, message, from: goesOnIn === conversation ? from : 0
        })
      }
      const data = (await talk.answerTo(owner, goesOnIn, message)) ?? linked(message)
      return made(reply, 'Message sent successfully', data)
    }
  )

  app.post(
    '/conversations/:id/messages/:message/stop',
    {
      schema: {
        tags,
        operationId: 'stopMessage',
        summary: 'Stop an answer',
        description: 'What was written by then stays. Of a stop and a completion that race, the first one counts.',
        params: inMessage,
        response: {
          200: MessageAnswer, 409: refusal('not_an_answer', 'Only an answer of the agent can be stopped.')
        }
      },
      config: { permit: SPEAKING }
    },
    async ({ caller, params: { id, message } }) => {
      const data = (await talk.stop(caller.account.id, id, message)) ?? noMessage()
      return { status: 'success' as const, message: 'Answer stopped', data }
    }
  )

  app.post(
    '/conversations/:id/messages/:message/regenerate',
    {
      schema: {
        tags,
        operationId: 'regenerateMessage',
        summary: 'Write the last answer anew',
        description:
          'The new answer names the old one in `replaces`. Answers with it when it is finished, or, with `stream` or `Accept: text/event-stream`, as it is written.',
        params: inMessage,
        body: RegenerateDraft,
        response: { 201: MessageAnswer, 409: REGENERATING }
      },
      config: {
        permit: SPEAKING,
        heeds: ['Idempotency-Key'],
        answerMs: ANSWER_MS,
        streams: ConversationWatched
      }
    },
    async (request, reply) => {
      const {
        caller, params: { id, message }
      } = request
      const owner = caller.account.id
      const once = onceOf(request)
      const { event: from } = (await store.newest(owner, id)) ?? noConversation()
      const { message: answer, repeated } =
        (await talk.regenerate(owner, id, message, once && `key:${once.slot}`)) ?? noMessage()
      if (repeated) reply.header('idempotency-replayed', 'true')
      const asked = { ...answer, seq: answer.seq - 1 }
      if (asksForStream(request)) {
        return answerStream(streaming, request, reply, { owner, conversation: id, message: asked, from })
      }
      const data = (await talk.answerTo(owner, id, asked)) ?? answer
      return made(reply, 'Answer written anew', data)
    }
  )

  app.put(
    '/conversations/:id/messages/:message/feedback',
    {
      schema: {
        tags,
        operationId: 'setFeedback',
        summary: 'Judge an answer',
        params: inMessage,
        body: Type.Object(
          { score: Feedback.properties.score, comment: Type.Optional(Feedback.properties.comment) },
          { ...closed, title: 'FeedbackDraft', examples: [{ score: 1 }] }
        ),
        response: {
          200: MessageAnswer, 409: refusal('not_an_answer', 'Only answers can be judged, not what a visitor wrote.')
        }
      },
      config: { permit: SPEAKING }
    },
    async ({ caller, params: { id, message }, body: { score, comment = '' } }) => {
      const data = (await talk.feedback(caller.account.id, id, message, { score, comment })) ?? noMessage()
      return { status: 'success' as const, message: 'Feedback kept', data }
    }
  )
}

/** What was said: as a list, one message, and as it comes. */
const reading: FastifyPluginAsyncTypebox<{ streaming: Streaming }> = async (app, { streaming }) => {
  const { store, talk, streams, linked } = streaming

  app.get(
    '/conversations/:id/messages',
    {
      schema: {
        tags,
        operationId: 'listMessages',
        summary: 'Read messages',
        description: 'In the order in which they were said; without before and after the first ones.',
        params: inConversation,
        querystring: Query,
        response: { 200: MessageList }
      },
      config: { permit: READING }
    },
    async ({ caller, params: { id }, query: { before, after, limit = DEFAULT_LIMIT } }) => {
      onlyOne({ before, after })
      const read =
        (await store.messages(
          caller.account.id,
          id,
          { ...(before !== undefined && { before }), ...(after !== undefined && { after }) },
          limit + 1
        )) ?? noConversation()
      const asked = before === undefined ? read.slice(0, limit) : read.slice(-limit)
      return {
        status: 'success' as const,
        message: 'Messages retrieved successfully',
        data: asked.map((message) => linked(seen(talk, message))),
        has_more: read.length > limit
      }
    }
  )

  app.get(
    '/conversations/:id/messages/:message',
    {
      schema: {
        tags,
        operationId: 'getMessage',
        summary: 'Read a message',
        params: inMessage,
        response: { 200: MessageAnswer }
      },
      config: { permit: READING }
    },
    async ({ caller, params: { id, message } }) => {
      const found = (await store.message(caller.account.id, id, message)) ?? noMessage()
      return {
        status: 'success' as const, message: 'Message retrieved successfully', data: linked(seen(talk, found))
      }
    }
  )

  app.get(
    '/conversations/:id/events',
    {
      schema: {
        tags,
        operationId: 'watchConversation',
        summary: 'Watch a conversation',
        description:
          'Server-sent events: each answer as it is written, and everything else that happens as `data-event` parts. Send the last id you saw as Last-Event-ID to go on exactly there, in the middle of a word if need be; without it the stream begins now.',
        params: inConversation,
        response: { 200: Type.String({ description: 'The events as they happen' }) }
      },
      config: { permit: READING, heeds: ['Last-Event-ID'], streams: ConversationWatched }
    },
    async (request, reply) => {
      const {
        caller, params: { id }
      } = request
      const owner = caller.account.id
      const header = request.headers['last-event-id']
      const { agent, event } = (await store.newest(owner, id)) ?? noConversation()
      const place = header === undefined ? { event, units: 0 } : placeOf(String(header), event)
      if (!place) throw invalid({ field: 'Last-Event-ID', message: 'Last-Event-ID must be the id of an event.' })
      return streams.send(request, reply, {
        topics: [topicOf(id), goneTopic(agent)],
        after: `${place.event}.${place.units}`,
        read: watching(streaming, owner, id),
        isStillAllowed: caller.isStillAllowed
      })
    }
  )
}

/** Answers with a message that was made, and with its address. */
function made (reply: FastifyReply, message: string, data: Message) {
  return reply
    .code(201)
    .header('location', `/v1/conversations/${data.conversation}/messages/${data.id}`)
    .send({ status: 'success', message, data })
}

function asksForStream ({ body, headers }: { body: { stream?: boolean }, headers: { accept?: string } }): boolean {
  return body.stream === true || /\btext\/event-stream\b/.test(headers.accept ?? '')
}

/**
 * Where a message is said that is sent to this conversation: in the one in which it goes on, if there is one; and the
 * last event there before it.
 */
async function placeBefore (
  store: Streaming['store'], owner: Id, id: string
): Promise<{ conversation: string, from: number }> {
  const { event, successor } = (await store.newest(owner, id)) ?? noConversation()
  return successor === null ? { conversation: id, from: event } : await placeBefore(store, owner, successor)
}

/**
 * What is said, under a name that makes it the same message when it is sent again: the sender's own, or the
 * Idempotency-Key.
 */
function saying ({ text, client_id: own, attachments = [] }: MessageDraft, once: Once | undefined): Saying {
  return { text, client_id: own ?? (once ? `key:${once.slot}` : null), isStrict: own === undefined, attachments }
}

/** A message as it is seen now: of an answer that is being written, what there is of it. */
function seen (talk: Talk, message: MessageRecord): MessageRecord {
  if (message.status !== 'generating') return message
  const run = talk.runs.of(message.conversation)
  return run?.answer.id === message.id ? { ...message, text: run.text.whole() } : message
}

function noMessage (): never {
  throw new Refusal('not_found', 'No such message.')
}
