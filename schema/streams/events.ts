import { Type, type TSchema } from '@sinclair/typebox'
import { CheckRun } from '../checks.ts'
import { Id, nullable, oneOf } from '../common.ts'
import { Conversation, EVENTS, Message, VisitorHere } from '../conversations.ts'
import { Looking, Seen } from '../handoff.ts'
import { KnowledgeSource } from '../knowledge.ts'

/** What a stream can say: one of several, told by its `type`. */
const oneOfThese = (title: string, description: string, these: TSchema[]): TSchema =>
  Type.Union(these, { title, description })
const is = (type: string, fields: Record<string, TSchema> = {}) => Type.Object({ type: Type.Literal(type), ...fields })
const orNull = (schema: TSchema) => Type.Union([schema, Type.Null()])

const {
  id, status, training_status: training, error, is_selected: selected, parent_knowledge_source: parent,
  total_training_usage_bytes: bytes
} = KnowledgeSource.properties

/** What who watches an agent's knowledge is told. */
export const KnowledgeWatched = oneOfThese('KnowledgeEvent', 'A source as it stands after a change, or one that is gone', [
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
const part = { id: Type.String({ description: 'The answer, which is a message' }) }

/** What who watches a conversation, or waits for an answer, is told. */
export const ConversationWatched = oneOfThese(
  'ConversationPart',
  'A part in the message format of the npm package `ai`: of an answer as it is written, or of what else happens. A stream that ends with an answer says `[DONE]` last',
  [
    is('start', { messageId: Type.String() }),
    is('text-start', part),
    is('text-delta', { ...part, delta: Type.String({ description: 'What the answer goes on with' }) }),
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
          data: Type.Null({ description: 'A person has seen more; up to where, the conversation says. Told to its visitor alone' })
        }),
        Type.Object({
          type: Type.Literal('action'),
          data: Type.Object({ title: Type.String({ description: 'What is being done for the answer' }) })
        })
      ])
    })
  ]
)

/** What who watches all conversations of an account is told. */
export const AccountWatched = oneOfThese('AccountEvent', 'What happened in a conversation, who types in it, who has seen it, who looks at it, or whether its visitor is there', [
  Type.Object({
    seq: Type.Integer(),
    type: oneOf(EVENTS),
    id: Type.String({ description: 'The conversation' }),
    conversation: orNull(Conversation),
    message: orNull(Message)
  }),
  is('typing', {
    id: Type.String({ description: 'The conversation' }),
    role: Typist,
    text: Type.Optional(Type.String({ description: "What stands in a widget's field so far" }))
  }),
  is('seen', Seen.properties),
  is('looking', Looking.properties),
  is('visitor', VisitorHere.properties),
  is('events.missed')
])

/** What who watches a run of test questions is told. */
export const CheckWatched = oneOfThese(
  'CheckRunEvent', 'A run as it stands after a question, or as it has ended, which is said last', [
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

/** What who asked as a client of OpenAI does, for a stream, is told. */
export const ChunkWatched = oneOfThese('ChatCompletionChunk', "OpenAI's chunks; `[DONE]` is said last", [
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
