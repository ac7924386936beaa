import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { closed, type Id } from '../../schema/common.ts'
import {
  AnswerDraft, ConversationId, Feedback, Message, MessageDraft, MessageId, type MessageRecord, RegenerateDraft
} from '../../schema/conversations.ts'
import { success } from '../../schema/envelopes.ts'
import { ConversationWatched } from '../../schema/streams/events.ts'
import { demand, route } from '../access/index.ts'
import { goneTopic } from '../agents/index.ts'
import { Refusal } from '../platform/errors.ts'
import { ok, raw, Streamed, whole } from '../platform/http/resources/answer.ts'
import type { IdempotencyKey } from '../platform/storage/contract.ts'
import { answerStream, watching, type Streaming } from './answer-stream.ts'
import { placeAsked } from './stream.ts'
import {
  inConversation, NO_CONVERSATION, noConversation, onlyOne, onlyToTry, READING, SPEAKING, tag
} from './routes.ts'
import { topicOf } from './store.ts'
import { NOTHING_ASKED } from './talk/draft.ts'
import { INACTIVE, REGENERATING } from './talk/inactive.ts'
import type { Saying, Talk } from './talk/contract.ts'

const MessageAnswer = success(Message, { title: 'MessageAnswer', description: 'The message' })
const AnswerDrafted = success(AnswerDraft, { title: 'AnswerDrafted', description: 'The draft' })
const MessageList = Type.Object({
  status: Type.Literal('success'),
  message: Type.String(),
  data: Type.Array(Message),
  has_more: Type.Boolean({
    description: 'Whether there are more messages: after these or, with `before`, before these'
  })
}, { title: 'MessageList', description: 'Messages, in order' })
const inMessage = Type.Object({ id: ConversationId, message: MessageId })
const Query = Type.Object(
  {
    before: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1_000_000_000, description: 'The last messages before this seq' })
    ),
    after: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000_000, description: 'Messages after this seq' })),
    limit: Type.Optional(Type.Integer({
      minimum: 1, maximum: 100, description: 'Maximum number of messages; default: 50'
    }))
  },
  closed
)
const missing = 'No such message.'
const DEFAULT_LIMIT = 50
/** An answer takes 90 s at most, and may wait for another. */
export const ANSWER_MS = 240_000

/** Messages of a conversation: read, send, stop, regenerate, rate, watch. */
export const messageRoutes: FastifyPluginAsync<{ streaming: Streaming }> = async (app, { streaming }) => {
  const { store, talk, linked } = streaming
  app.addHook('preHandler', onlyToTry(store))
  await app.register(reading, { streaming })

  app.route(route({
    post: '/conversations/:id/draft',
    id: 'draftAnswer',
    audit: 'never',
    tag,
    summary: 'Draft an answer',
    description:
      "Returns what the agent would now answer to the visitor's last message, with its sources, for a person who " +
      'answers in its place. Nothing is sent or stored, and no action is run; model usage counts.',
    who: ['REPLY_CONVERSATION'],
    params: inConversation,
    missing: NO_CONVERSATION,
    limits: { answerMs: ANSWER_MS },
    answer: ok(AnswerDrafted, 'Answer drafted'),
    refuses: [INACTIVE, NOTHING_ASKED],
    handle: async ({ owner, params: { id }, reply }) => {
      const gone = new AbortController()
      reply.raw.on('close', () => gone.abort())
      return await talk.draft(owner, id, gone.signal)
    }
  }))

  app.route(route({
    post: '/conversations/:id/messages',
    id: 'createMessage',
    audit: 'never',
    tag,
    summary: 'Send a message',
    description:
      "Returns the agent's finished message or, with `stream` or `Accept: text/event-stream`, streams the answer " +
      'as it is written: server-sent events in the message format of the npm package `ai`. If a person handles the ' +
      'conversation, or for messages from a person, returns the message itself. Long after a conversation was ' +
      'closed, a message starts a new one, which the returned message names.',
    who: SPEAKING,
    params: inConversation,
    body: MessageDraft,
    limits: { answerMs: ANSWER_MS },
    idempotent: true,
    streams: ConversationWatched,
    answer: raw({ 201: MessageAnswer }),
    refuses: [INACTIVE, ['taken_over', 'Somebody else has taken this conversation over.', { person: 7 }]],
    handle: async ({ caller, owner, params: { id }, body, once, request, reply }) => {
      if (body.role === 'person') {
        demand(caller.permissions, ['REPLY_CONVERSATION'], 'answer as a person')
        const { message, repeated } =
          (await talk.reply(owner, id, caller.user.id, saying(body, once))) ?? noConversation()
        if (repeated) reply.header('idempotency-replayed', 'true')
        return made(reply, 'Message sent successfully', await linked(message))
      }
      const { conversation, from } = await placeBefore(store, owner, id)
      const { message, repeated } = (await talk.say(owner, conversation, saying(body, once))) ?? noConversation()
      if (repeated) reply.header('idempotency-replayed', 'true')
      const goesOnIn = message.conversation
      if (asksForStream(body, request)) {
        return answerStream(streaming, request, reply, {
          owner, conversation: goesOnIn, message, from: goesOnIn === conversation ? from : 0
        })
      }
      const data = (await talk.answerTo(owner, goesOnIn, message)) ?? await linked(message)
      return made(reply, 'Message sent successfully', data)
    }
  }))

  app.route(route({
    post: '/conversations/:id/messages/:message/stop',
    id: 'stopMessage',
    audit: 'never',
    tag,
    summary: 'Stop an answer',
    description: 'Keeps what has been written so far. If a stop races with completion, the first one wins.',
    who: SPEAKING,
    params: inMessage,
    missing,
    answer: ok(MessageAnswer, 'Answer stopped'),
    refuses: [['not_an_answer', 'Only an answer of the agent can be stopped.']],
    handle: ({ owner, params: { id, message } }) => talk.stop(owner, id, message)
  }))

  app.route(route({
    post: '/conversations/:id/messages/:message/regenerate',
    id: 'regenerateMessage',
    audit: 'never',
    tag,
    summary: 'Regenerate the last answer',
    description:
      'The new answer names the old one in `replaces`. Returns it once finished or, with `stream` or `Accept: ' +
      'text/event-stream`, streams it as it is written.',
    who: SPEAKING,
    params: inMessage,
    body: RegenerateDraft,
    limits: { answerMs: ANSWER_MS },
    idempotent: true,
    streams: ConversationWatched,
    answer: raw({ 201: MessageAnswer }),
    refuses: REGENERATING,
    handle: async ({ owner, params: { id, message }, body, once, request, reply }) => {
      const { event: from } = (await store.newest(owner, id)) ?? noConversation()
      const { message: answer, repeated } =
        (await talk.regenerate(owner, id, message, once && `key:${once.slot}`)) ?? noMessage()
      if (repeated) reply.header('idempotency-replayed', 'true')
      const asked = { ...answer, seq: answer.seq - 1 }
      if (asksForStream(body, request)) {
        return answerStream(streaming, request, reply, { owner, conversation: id, message: asked, from })
      }
      const data = (await talk.answerTo(owner, id, asked)) ?? answer
      return made(reply, 'Answer regenerated', data)
    }
  }))

  app.route(route({
    put: '/conversations/:id/messages/:message/feedback',
    id: 'setFeedback',
    audit: 'never',
    tag,
    summary: 'Rate an answer',
    who: SPEAKING,
    params: inMessage,
    body: Type.Object(
      { score: Feedback.properties.score, comment: Type.Optional(Feedback.properties.comment) },
      { ...closed, title: 'FeedbackDraft', examples: [{ score: 1 }] }
    ),
    missing,
    answer: ok(MessageAnswer, 'Feedback kept'),
    refuses: [['not_an_answer', 'Only answers can be rated, not what a visitor wrote.']],
    handle: ({ owner, params: { id, message }, body: { score, comment = '' } }) =>
      talk.feedback(owner, id, message, { score, comment })
  }))
}

/** The messages: as a list, one alone, and as a stream. */
const reading: FastifyPluginAsync<{ streaming: Streaming }> = async (app, { streaming }) => {
  const { store, talk, streams, linked } = streaming

  app.route(route({
    get: '/conversations/:id/messages',
    id: 'listMessages',
    tag,
    summary: 'List messages',
    description: 'Returns messages in the order in which they were said; without before and after, the first ones.',
    who: READING,
    params: inConversation,
    query: Query,
    missing: NO_CONVERSATION,
    answer: whole(MessageList, 'Messages retrieved successfully'),
    handle: async ({ owner, params: { id }, query: { before, after, limit = DEFAULT_LIMIT } }) => {
      onlyOne({ before, after })
      const place = { ...(before !== undefined && { before }), ...(after !== undefined && { after }) }
      const read = await store.messages(owner, id, place, limit + 1)
      if (!read) return undefined
      const asked = before === undefined ? read.slice(0, limit) : read.slice(-limit)
      const data = await Promise.all(asked.map(async (message) => await linked(await seen(talk, message))))
      return { data, has_more: read.length > limit }
    }
  }))

  app.route(route({
    get: '/conversations/:id/messages/:message',
    id: 'getMessage',
    tag,
    summary: 'Read a message',
    who: READING,
    params: inMessage,
    missing,
    answer: ok(MessageAnswer, 'Message retrieved successfully'),
    handle: async ({ owner, params: { id, message } }) => {
      const found = await store.message(owner, id, message)
      return found && await linked(await seen(talk, found))
    }
  }))

  app.route(route({
    get: '/conversations/:id/events',
    id: 'watchConversation',
    tag,
    summary: "Stream a conversation's events",
    description:
      'Server-sent events: each answer as it is written, and everything else that happens as `data-event` parts. ' +
      'To resume exactly where you left off, even in the middle of a word, send the last id you received as ' +
      'Last-Event-ID; without it, the stream starts now.',
    who: READING,
    params: inConversation,
    heeds: ['Last-Event-ID'],
    streams: ConversationWatched,
    answer: raw({ 200: Streamed }),
    handle: async ({ caller, owner, params: { id }, request, reply }) => {
      const { agent, event } = (await store.newest(owner, id)) ?? noConversation()
      const { event: at, units } = placeAsked(request, event)
      return streams.send(request, reply, {
        topics: [topicOf(id), goneTopic(agent)],
        after: `${at}.${units}`,
        read: watching(streaming, owner, id),
        isStillAllowed: caller.isStillAllowed
      })
    }
  }))
}

/** Answers with a created message, and its address. */
function made (reply: FastifyReply, message: string, data: Message) {
  return reply
    .code(201)
    .header('location', `/v1/conversations/${data.conversation}/messages/${data.id}`)
    .send({ status: 'success', message, data })
}

function asksForStream ({ stream }: { stream?: boolean }, { headers }: FastifyRequest): boolean {
  return stream === true || /\btext\/event-stream\b/.test(headers.accept ?? '')
}

/**
 * Where a message sent to this conversation goes: to its successor, if there is one; and the last event there before
 * it.
 */
async function placeBefore (
  store: Streaming['store'], owner: Id, id: string
): Promise<{ conversation: string, from: number }> {
  const { event, successor } = (await store.newest(owner, id)) ?? noConversation()
  return successor === null ? { conversation: id, from: event } : await placeBefore(store, owner, successor)
}

/**
 * A message, with a key that makes retries the same message: the sender's own, or the Idempotency-Key.
 */
function saying (
  { text, client_id: clientId, attachments = [] }: MessageDraft, once: IdempotencyKey | undefined
): Saying {
  return {
    text, client_id: clientId ?? (once ? `key:${once.slot}` : null), isStrict: clientId === undefined, attachments
  }
}

/** A message in its visible state: an unfinished answer with its text so far. */
async function seen (talk: Talk, message: MessageRecord): Promise<MessageRecord> {
  if (message.status !== 'generating') return message
  const run = await talk.writing(message.conversation)
  return run?.answer.id === message.id ? { ...message, text: run.text.whole() } : message
}

function noMessage (): never {
  throw new Refusal('not_found', missing)
}
