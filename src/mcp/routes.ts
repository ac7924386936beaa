import { Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify'
import { route } from '../access/index.ts'
import { Refusal, REFUSALS } from '../platform/errors.ts'
import { raw } from '../platform/http/resources/answer.ts'
import { askWithin } from '../platform/work/within.ts'
import { answerTo } from './answer.ts'
import { ProtocolError, readMessage } from './protocol.ts'
import type { Ask } from './tool.ts'

const Open = Type.Object({}, { additionalProperties: true })
/** Time limit of a tool: an agent's answer takes less. */
const ANSWER_MS = 120_000
/** The headers of a request that identify its sender. */
const IDENTITY = ['authorization', 'agenthall-account', 'cookie', 'sec-fetch-site', 'origin'] as const

/** The Model Context Protocol: assistants that use the API with a key, as tools. */
export const mcpRoutes: FastifyPluginAsync<{ baseUrl: () => string, version: string }> = async (
  app, { baseUrl, version }
) => {
  const mcp = route({
    post: '/mcp',
    id: 'callMcp',
    audit: 'never',
    tag: 'Compatible',
    summary: 'Speak the Model Context Protocol',
    description:
      'For assistants: revision 2026-07-28 without a session, and 2025-11-25 and 2025-06-18 with their handshake. What a tool does is done with the permissions and within the limits of the key.',
    who: 'any user',
    body: Type.Object({}, { additionalProperties: true, title: 'McpRequest' }),
    limits: { answerMs: ANSWER_MS },
    answer: raw({ 200: Open, 202: Type.Null({ description: 'A notification, which is not answered' }), 400: Open, 404: Open }),
    handle: async ({ caller, body, request, reply }) => {
      checkOrigin(request, baseUrl())
      try {
        const message = readMessage(body, request.headers)
        const answer = await answerTo(message, { permissions: caller.permissions, ask: askerOf(app, request), version })
        return answer === undefined ? reply.code(202).send() : reply.send(answer)
      } catch (error) {
        if (!(error instanceof ProtocolError)) throw error
        const { code, message, data, status } = error
        const id = (body as { id?: unknown }).id ?? null
        return reply.code(status).send({ jsonrpc: '2.0', id, error: { code, message, ...(data && { data }) } })
      }
    }
  })
  // Not in the OpenAPI document, since the protocol describes itself.
  app.route({ ...mcp, schema: { ...mcp.schema, hide: true } as object, config: { ...mcp.config, assistants: true } })
}

/** Refuses requests of other sites' pages: their name may have been pointed at this server (DNS rebinding). */
function checkOrigin ({ headers: { origin } }: FastifyRequest, baseUrl: string) {
  if (origin === undefined || origin === new URL(baseUrl).origin) return
  throw new Refusal('permission_denied', 'Pages of other sites may not call this server.')
}

/** Calls our own API as this sender: same permissions and traces; it was counted already. */
function askerOf (app: FastifyInstance, { headers, ip }: FastifyRequest): Ask {
  const identity = Object.fromEntries(IDENTITY.flatMap((name) => headers[name] ? [[name, headers[name]]] : []))
  return async ({ method, url, body }) => {
    const answer = await askWithin(async () => await app.inject({
      method, url, remoteAddress: ip, headers: identity, ...(body !== undefined && { payload: body })
    }))
    const isJson = String(answer.headers['content-type']).startsWith('application/json')
    const content = isJson ? answer.json() : answer.body
    if (answer.statusCode < 300) return isJson ? content.data : content
    const { code, message, details } = content.error
    throw new Refusal(code in REFUSALS ? code : 'internal_error', message, { details })
  }
}
