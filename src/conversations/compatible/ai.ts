import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsync } from 'fastify'
import { PathId, title, type Id } from '../../../schema/common.ts'
import { LONGEST_MESSAGE } from '../../../schema/conversations.ts'
import { ConversationWatched } from '../../../schema/streams/events.ts'
import { route } from '../../access/index.ts'
import { noAgent, type AgentStore } from '../../agents/index.ts'
import { invalid } from '../../platform/errors.ts'
import { isLongerThan } from '../../platform/text.ts'
import { raw } from '../../platform/http/resources/answer.ts'
import { checkToTry, maySpeakForAll, noConversation, SPEAKING, type Speaker } from '../routes.ts'
import { answerStream, type Streaming } from '../answer-stream.ts'
import { agentInactive, REGENERATING } from '../talk/inactive.ts'

const Part = Type.Object({ type: Type.String(), text: Type.Optional(Type.String()) }, { additionalProperties: true })
const Chat = Type.Object(
  {
    id: title(128, { description: "The client's own id for the chat, or the id of a conversation" }),
    messages: Type.Array(
      Type.Object(
        {
          id: Type.Optional(Type.String({ maxLength: 128 })),
          role: Type.String(),
          parts: Type.Optional(Type.Array(Part)),
          content: Type.Optional(Type.String())
        },
        { additionalProperties: true }
      ),
      { minItems: 1, maxItems: 1000 }
    ),
    trigger: Type.Optional(Type.String()),
    messageId: Type.Optional(Type.Union([Type.String(), Type.Null()]))
  },
  {
    additionalProperties: true,
    title: 'ChatRequest',
    examples: [
      {
        id: 'my-chat',
        messages: [
          { id: '1', role: 'user', parts: [{ type: 'text', text: 'How long do I have to return something?' }] }
        ]
      }
    ]
  }
)

const tag = 'Compatible'
const AnswerStreamed = Type.String({ description: 'The answer as it is written' })

/**
 * The routes called by the default chat transport of the npm package `ai`. Only the last visitor message in its body is
 * trusted; the history is ours.
 */
export const aiRoutes: FastifyPluginAsync<{ agents: AgentStore, streaming: Streaming }> = async (
  app, { agents, streaming }
) => {
  const { store, talk } = streaming

  /** Starts a chat under the client's name for it, unless nothing can be said in it. */
  async function begin (caller: Speaker, id: Id, name: string, isRegenerating: boolean): Promise<string> {
    const owner = caller.account.id
    const agent = (await agents.live(owner, id)) ?? noAgent()
    if (agent.status === 'Inactive') throw agentInactive()
    if (isRegenerating) noConversation()
    // Callers trying the agent out may continue it.
    return (await talk.named(owner, id, name, maySpeakForAll(caller) ? 'compatible' : 'api')) ?? noAgent()
  }

  app.route(route({
    post: '/agents/:id/chat',
    id: 'chatWithAgent',
    audit: 'never',
    tag,
    summary: 'Chat using the npm package ai',
    who: SPEAKING,
    params: Type.Object({ id: PathId }),
    body: Chat,
    limits: { bodyLimit: 4_194_304 },
    idempotent: true,
    streams: ConversationWatched,
    answer: raw({ 200: AnswerStreamed }),
    refuses: REGENERATING,
    handle: async ({ caller, owner, params: { id }, body, once, request, reply }) => {
      const last = body.messages.findLast(({ role }) => role === 'user')
      const text = (
        last?.parts?.map((part) => (part.type === 'text' ? (part.text ?? '') : '')).join('') ||
        last?.content ||
        ''
      ).trim()
      if (!text || isLongerThan(text, LONGEST_MESSAGE) || text.includes('\0')) {
        throw invalid({
          field: 'messages', message: `The last user message must be a text of 1 to ${LONGEST_MESSAGE} characters.`
        })
      }
      const isRegenerating = body.trigger === 'regenerate-message'
      const conversation =
        (await talk.known(owner, id, body.id)) ?? (await begin(caller, id, body.id, isRegenerating))
      await checkToTry(store, caller, conversation)
      const { event: from } = (await store.newest(owner, conversation)) ?? noAgent()
      const key = once && `key:${once.slot}`
      const { message, repeated } =
        (await (isRegenerating
          ? talk.regenerateLast(owner, conversation, key)
          : talk.say(owner, conversation, {
            text, client_id: key ?? last?.id ?? null, isStrict: key !== undefined, attachments: []
          }))) ?? noAgent()
      if (repeated) reply.header('idempotency-replayed', 'true')
      reply.headers({ 'x-vercel-ai-ui-message-stream': 'v1', 'x-conversation-id': conversation })
      return answerStream(streaming, request, reply, { owner, conversation, message, from })
    }
  }))

  app.route(route({
    get: '/agents/:id/chat/:conversation/stream',
    id: 'resumeChat',
    tag,
    summary: 'Resume the stream of an answer',
    description: 'Returns 204 if no answer is being written.',
    who: SPEAKING,
    params: Type.Object({ id: PathId, conversation: title(128) }),
    streams: ConversationWatched,
    answer: raw({ 200: AnswerStreamed, 204: Type.Null({ description: 'No answer is being written' }) }),
    handle: async ({ caller, owner, params: { id, conversation: name }, request, reply }) => {
      ;(await store.hasAgent(owner, id)) || noAgent()
      const conversation = await talk.known(owner, id, name)
      if (conversation !== undefined) await checkToTry(store, caller, conversation)
      const run = conversation === undefined ? undefined : await talk.writing(conversation)
      if (conversation === undefined || !run) return await reply.code(204).send(null)
      const { event: from } = (await store.newest(owner, conversation)) ?? noAgent()
      reply.header('x-vercel-ai-ui-message-stream', 'v1')
      return answerStream(streaming, request, reply, {
        owner, conversation, message: { ...run.answer, seq: run.answer.seq - 1 }, from
      })
    }
  }))
}
