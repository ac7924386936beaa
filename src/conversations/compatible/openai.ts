import { randomBytes } from 'node:crypto'
import { Type, type Static } from '@sinclair/typebox'
import type { FastifyPluginAsync, FastifyReply } from 'fastify'
import type { Id } from '../../../schema/common.ts'
import { LONGEST_MESSAGE, type Citation } from '../../../schema/conversations.ts'
import { ChunkWatched } from '../../../schema/streams/events.ts'
import { route } from '../../access/index.ts'
import type { AgentRecord } from '../../../schema/agents.ts'
import type { AgentStore } from '../../agents/index.ts'
import type { Clock } from '../../platform/clock.ts'
import { Refusal, invalid } from '../../platform/errors.ts'
import { isLongerThan } from '../../platform/text.ts'
import type { IdempotencyKey } from '../../platform/storage/contract.ts'
import type { Idempotency } from '../../platform/storage/sqlite/idempotency.ts'
import { raw } from '../../platform/http/resources/answer.ts'
import type { EventStreams } from '../../platform/http/sse.ts'
import type { Answered, Aside } from '../answering/aside.ts'
import { ANSWER_MS } from '../message-routes.ts'
import { checkToTry, SPEAKING } from '../routes.ts'
import type { ConversationStore } from '../store.ts'
import { agentInactive, INACTIVE } from '../talk/inactive.ts'
import type { Talk } from '../talk/contract.ts'

const Content = Type.Union([
  Type.String(),
  Type.Null(),
  Type.Array(Type.Object({ type: Type.String(), text: Type.Optional(Type.String()) }, { additionalProperties: true }))
])

/**
 * What the npm package `openai` and the like send. Fields without meaning here are ignored: the agent's own settings
 * apply.
 */
const Completion = Type.Object(
  {
    model: Type.String({ pattern: '^agent-\\d{1,15}$', description: 'agent-<id>', examples: ['agent-1'] }),
    messages: Type.Array(
      Type.Object({ role: Type.String(), content: Type.Optional(Content) }, { additionalProperties: true }),
      { minItems: 1, maxItems: 1000 }
    ),
    stream: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
    stream_options: Type.Optional(Type.Unsafe<{ include_usage?: boolean } | null>({})),
    metadata: Type.Optional(
      Type.Unsafe<Record<string, string> | null>({
        description: '`conversation` names the conversation to continue; without it, nothing is stored'
      })
    )
  },
  {
    additionalProperties: true,
    title: 'ChatCompletionRequest',
    examples: [{ model: 'agent-1', messages: [{ role: 'user', content: 'How long do I have to return something?' }] }]
  }
)
type Completion = Static<typeof Completion>

/** These clients' error types by status, besides those of a bad request and of the server. */
const ERROR_TYPES: Record<number, string> = { 401: 'authentication_error', 429: 'rate_limit_error' }

/** An error in these clients' format, besides our own fields. */
function openaiError ({ code, message, status, fields, details }: Refusal): object {
  const type = ERROR_TYPES[status] ?? (status < 500 ? 'invalid_request_error' : 'server_error')
  const param = details[0]?.field ?? null
  return {
    error: { message: details.map((detail) => detail.message).join(' ') || message, type, param, code, status, fields }
  }
}

const tag = 'Compatible'
const asOpenai = raw({
  200: Type.Unsafe<object>({ type: 'object', additionalProperties: true, description: "In OpenAI's response format" })
})

/** The three routes by which clients made for OpenAI talk to agents. */
export const openaiRoutes: FastifyPluginAsync<{
  agents: AgentStore,
  talk: Talk,
  streams: EventStreams,
  clock: Clock,
  idempotency: Idempotency,
  baseUrl: () => string,
  store: Pick<ConversationStore, 'get'>
}> = async (app, { agents, store, talk, streams, clock, idempotency, baseUrl }) => {
  app.route(route({
    get: '/models',
    id: 'listCompatibleModels',
    tag,
    summary: 'List agents as models',
    description: "Returns each agent as the model `agent-<id>`, in OpenAI's list format.",
    who: 'any user',
    errorBody: openaiError,
    answer: asOpenai,
    handle: async ({ owner }) => {
      const data: object[] = []
      for (let after = 0; ;) {
        const slice = await agents.slice(owner, {}, after, 100)
        data.push(...slice.map(({ agent }) => modelOf(agent)))
        if (slice.length < 100) return { object: 'list', data }
        after = slice.at(-1)!.agent.id
      }
    }
  }))

  app.route(route({
    get: '/models/:model',
    id: 'retrieveCompatibleModel',
    tag,
    summary: 'Retrieve an agent as a model',
    description: "Returns the agent in OpenAI's model format.",
    who: 'any user',
    params: Type.Object({ model: Type.String({ description: 'agent-<id>', examples: ['agent-1'] }) }),
    errorBody: openaiError,
    answer: asOpenai,
    handle: async ({ owner, params: { model } }) => modelOf(await named(owner, model))
  }))

  app.route(route({
    post: '/chat/completions',
    id: 'createChatCompletion',
    audit: 'never',
    tag,
    summary: 'Chat with an agent as a model',
    description:
      "Compatible with OpenAI's chat completions: `model` is `agent-<id>`. The agent's own settings apply; system " +
      'messages in the request are ignored.',
    who: SPEAKING,
    body: Completion,
    limits: { bodyLimit: 4_194_304, answerMs: ANSWER_MS },
    idempotent: true,
    streams: ChunkWatched,
    errorBody: openaiError,
    answer: asOpenai,
    refuses: [INACTIVE],
    handle: async ({ caller, owner, body, once, request, reply }) => {
      const { isStillAllowed } = caller
      if (body.metadata?.conversation) await checkToTry(store, caller, body.metadata.conversation)
      const turn = await begin(owner, body, once)
      if (turn.repeated) reply.header('idempotency-replayed', 'true')
      const head = {
        id: `chatcmpl-${randomBytes(12).toString('base64url')}`,
        created: Math.floor(clock.micros() / 1_000_000),
        model: body.model
      }
      const cited = citedIn(`${baseUrl()}/v1/agents/${body.model.slice('agent-'.length)}/knowledge_sources`)
      if (!body.stream) return await completed(reply, head, turn, cited)
      return streams.send(request, reply, {
        ...chunks(head, turn, cited, body.stream_options?.include_usage === true), isStillAllowed
      })
    }
  }))

  async function named (owner: Id, model: string): Promise<AgentRecord> {
    const [, id] = /^agent-(\d{1,15})$/.exec(model) ?? []
    const kept = id && (await agents.live(owner, Number(id)))
    if (!kept) throw new Refusal('not_found', 'No such agent; GET /v1/models lists them.')
    return kept
  }

  /** Starts the answer: in the conversation named by the request, or in one that is not stored. */
  async function begin (
    owner: Id, { model, messages, metadata }: Completion, once: IdempotencyKey | undefined
  ): Promise<Aside & { repeated: boolean }> {
    const kept = await named(owner, model)
    const said = messages.map(({ role, content }) => ({ role, text: textOf(content) }))
    const last = said.findLastIndex(({ role }) => role === 'user')
    const text = said[last]?.text.trim() ?? ''
    if (!text || isLongerThan(text, LONGEST_MESSAGE) || text.includes('\0')) {
      throw invalid({
        field: 'messages', message: `The last user message must be a text of 1 to ${LONGEST_MESSAGE} characters.`
      })
    }
    if (metadata?.conversation) {
      return await talk.sayIn(owner, kept.id, metadata.conversation, {
        text, client_id: once ? `key:${once.slot}` : null, isStrict: true, attachments: []
      })
    }
    if (kept.status === 'Inactive') throw agentInactive()
    return await asideOnce(owner, once, () => talk.aside(kept, said.slice(0, last), text))
  }

  /**
   * An answer stored only under its Idempotency-Key, once it is complete: a retry of the request gets it again.
   */
  async function asideOnce (
    owner: Id, once: IdempotencyKey | undefined, answerAnew: () => Aside
  ): Promise<Aside & { repeated: boolean }> {
    const { promise: beginning, resolve: begins } = Promise.withResolvers<Aside>()
    const kept = idempotency.reading(owner, once, async () => {
      const begun = answerAnew()
      begins(begun)
      return wholeOf(await begun.answer)
    })
    const begun = await Promise.race([beginning, kept.then(() => undefined)])
    if (begun) {
      // Clients with all of it may retry at once. What could not be stored is then answered again.
      const settled = kept.then(() => {}, () => {})
      const answer = begun.answer.then(async (whole) => {
        await settled
        return whole
      })
      return { ...begun, answer, repeated: false }
    }
    const { answer } = await kept
    return {
      topic: '', answer: Promise.resolve(answer), now: () => ({ text: answer.text, ended: answer }), repeated: true
    }
  }
}

/** Refuses an answer that broke off; it is not stored. */
function wholeOf (answer: Answered): Answered {
  if (answer.status !== 'complete') throw new Refusal('unavailable', 'The answer broke off. Ask again.')
  return answer
}

async function completed (reply: FastifyReply, head: Head, turn: Aside, cited: Cited) {
  const answer = await turn.answer
  if (answer.status === 'failed' && !answer.text) {
    throw new Refusal('unavailable', answer.error?.message ?? 'The answer failed. Ask again.')
  }
  return await reply.send({
    ...head,
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: answer.text, refusal: null, annotations: cited(answer) },
        logprobs: null,
        finish_reason: finishReason(answer)
      }
    ],
    usage: usageOf(answer)
  })
}

/** The finish reason in OpenAI's terms: an answer that broke off must not look complete. */
function finishReason ({ status, error }: Answered): 'stop' | 'length' | 'content_filter' {
  if (error?.code === 'answer_filtered') return 'content_filter'
  return status === 'failed' ? 'length' : 'stop'
}

/** The answer as chunks, read from where the turn is now. */
function chunks (head: Head, turn: Aside, cited: Cited, withUsage: boolean) {
  let sent = ''
  let state: 'new' | 'writing' | 'over' = 'new'
  const chunk = (delta: object, finish: string | null = null) => ({
    data: JSON.stringify({
      ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }]
    })
  })
  return {
    topics: [turn.topic],
    after: '',
    async read () {
      if (state === 'over') return undefined
      const parts = state === 'new' ? [chunk({ role: 'assistant', content: '' })] : []
      state = 'writing'
      const { text, ended } = turn.now()
      // A restarted answer cannot be retracted here: it follows after a blank line.
      const content = text.startsWith(sent) ? text.slice(sent.length) : `\n\n${text}`
      if (content && text) parts.push(chunk({ content }))
      if (text) sent = text
      if (!ended) return parts
      state = 'over'
      // The end is sent once the answer is stored, so that a retry gets the same.
      await turn.answer.catch(() => {})
      if (ended.status === 'failed' && !isCutShort(ended)) {
        parts.push({
          data: JSON.stringify({
            error: {
              message: ended.error?.message ?? 'The answer failed.',
              type: 'server_error',
              param: null,
              code: ended.error?.code ?? 'model_failed'
            }
          })
        })
      } else parts.push(chunk(ended.citations.length ? { annotations: cited(ended) } : {}, finishReason(ended)))
      if (withUsage) {
        parts.push({
          data: JSON.stringify({ ...head, object: 'chat.completion.chunk', choices: [], usage: usageOf(ended) })
        })
      }
      return [...parts, { data: '[DONE]' }]
    }
  }
}

/** The model itself ended the answer early. */
function isCutShort ({ error }: Answered): boolean {
  return error?.code === 'answer_too_long' || error?.code === 'answer_filtered'
}

interface Head { id: string, created: number, model: string }

function textOf (content: Static<typeof Content> | undefined): string {
  return typeof content === 'string' ? content : content?.map(({ text = '' }) => text).join('\n') ?? ''
}

/** The citations of an answer in these clients' format. */
type Cited = (answer: Pick<Answered, 'text' | 'citations'>) => object[]

/**
 * See Cited. `sources`: the address of the agent's sources here, used to cite one without an address of its own, such
 * as a file: clients make a link of anything.
 */
function citedIn (sources: string): Cited {
  return ({ text, citations }) => citations.map(({ n, source, url, title }: Citation) => {
    const at = Math.max(0, text.indexOf(`[${n}]`))
    const range = { start_index: at, end_index: at + `[${n}]`.length }
    return { type: 'url_citation', url_citation: { url: url || `${sources}/${source}`, title, ...range } }
  })
}

function usageOf ({ usage }: Pick<Answered, 'usage'>) {
  const { input_tokens: input = 0, output_tokens: output = 0 } = usage ?? {}
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output }
}

function modelOf ({ id, created_at: at }: { id: Id, created_at: string }): object {
  return { id: `agent-${id}`, object: 'model', created: secondsOf(at), owned_by: 'agenthall' }
}

function secondsOf (at: string): number {
  return Math.floor(Date.parse(at) / 1000)
}
