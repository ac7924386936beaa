import { Type, type TSchema } from '@sinclair/typebox'
import { CheckRun } from '../checks.ts'
import { Id, nullable, oneOf } from '../common.ts'
import { Conversation, EVENTS, Message, VisitorHere } from '../conversations.ts'
import { Looking, SeenTold } from '../handoff.ts'
import { KnowledgeSource } from '../knowledge.ts'

/** The events of a stream, distinguished by `type`. */
const oneOfThese = (title: string, description: string, these: TSchema[]): TSchema =>
  Type.Union(these, { title, description })
const is = (type: string, fields: Record<string, TSchema> = {}) => Type.Object({ type: Type.Literal(type), ...fields })
const orNull = (schema: TSchema) => Type.Union([schema, Type.Null()])

const {
  id, status, training_status: training, error, is_selected: selected, parent_knowledge_source: parent,
  total_training_usage_bytes: bytes
} = KnowledgeSource.properties

/** Events for those who watch an agent's knowledge. */
export const KnowledgeWatched = oneOfThese('KnowledgeEvent', 'The state of a source after a change, or a removed source', [
  is('source', {
    id,
    status,
    training_status: training,
    error,
    is_selected: selected,
    parent_knowledge_source: parent,
    total_training_usage_bytes: bytes
  }),
  is('removed', { id: Id })
])

const Typist = oneOf(['visitor', 'person'])
const part = { id: Type.String({ description: 'Id of the answer, which is a message' }) }

/** Events for those who watch a conversation, or wait for an answer. */
export const ConversationWatched = oneOfThese(
  'ConversationPart',
  'A part in the message format of the npm package `ai`: of an answer as it is generated, or of another event. A stream that ends with an answer sends `[DONE]` last',
  [
    is('start', { messageId: Type.String() }),
    is('text-start', part),
    is('text-delta', { ...part, delta: Type.String({ description: 'Next piece of the answer' }) }),
    is('text-end', part),
    is('source-url', { sourceId: Type.String(), url: Type.String(), title: Type.String() }),
    is('source-document', { sourceId: Type.String(), mediaType: Type.String(), title: Type.String() }),
    is('data-message', { ...part, data: Message }),
    is('error', { errorText: Type.String({ description: 'Why the answer failed' }) }),
    is('finish'),
    is('data-event', {
      transient: Type.Literal(true),
      data: Type.Union([
        Type.Object({ seq: Type.Integer(), type: oneOf(EVENTS), data: orNull(Message) }),
        Type.Object({ type: Type.Literal('typing'), data: Type.Object({ role: Typist }) }),
        Type.Object({
          type: Type.Literal('seen'),
          data: Type.Null({ description: 'A person has seen more messages; the conversation says how far. Sent only to its visitor' })
        }),
        Type.Object({
          type: Type.Literal('action'),
          data: Type.Object({ title: Type.String({ description: 'What is being done for the answer' }) })
        })
      ])
    })
  ]
)

/** Events for those who watch all conversations of an account. */
export const AccountWatched = oneOfThese('AccountEvent', 'What happened in a conversation, who is typing in it, has seen it or is looking at it, or whether its visitor is present', [
  Type.Object({
    seq: Type.Integer(),
    type: oneOf(EVENTS),
    id: Type.String({ description: 'Conversation id' }),
    conversation: orNull(Conversation),
    message: orNull(Message)
  }),
  is('typing', {
    id: Type.String({ description: 'Conversation id' }),
    role: Typist,
    text: Type.Optional(Type.String({ description: 'Text entered in the widget so far' }))
  }),
  is('seen', SeenTold.properties),
  is('looking', Looking.properties),
  is('visitor', VisitorHere.properties),
  is('events.missed')
])

/** Events for those who watch a run of test questions. */
export const CheckWatched = oneOfThese(
  'CheckRunEvent', 'The state of a run after a question, or its final state, sent last', [
    is('run', { ...CheckRun.properties, state: oneOf(['queued', 'running']) }),
    is('finished', { ...CheckRun.properties, state: oneOf(['done', 'cancelled']) })
  ]
)

const Chunk = {
  id: Type.String(), object: Type.Literal('chat.completion.chunk'), created: Type.Integer(), model: Type.String()
}
const Usage = Type.Object({
  prompt_tokens: Type.Integer(), completion_tokens: Type.Integer(), total_tokens: Type.Integer()
})

/** Events of a stream for OpenAI-compatible clients. */
export const ChunkWatched = oneOfThese('ChatCompletionChunk', "OpenAI's chunks; `[DONE]` is sent last", [
  Type.Object({
    ...Chunk,
    choices: Type.Array(Type.Object({
      index: Type.Integer(),
      delta: Type.Object({
        role: Type.Optional(Type.String()),
        content: Type.Optional(Type.String()),
        annotations: Type.Optional(Type.Array(Type.Object({}, { additionalProperties: true })))
      }),
      finish_reason: nullable(oneOf(['stop', 'length', 'content_filter']))
    })),
    usage: Type.Optional(Usage)
  }),
  Type.Object({
    error: Type.Object({
      message: Type.String(), type: Type.String(), param: nullable(Type.String()), code: Type.String()
    })
  })
])
