import type { IncomingMessage } from 'node:http'
import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { Permission } from '../../../schema/access.ts'
import { openRoute, type Identifier } from '../../access/index.ts'
import { Refusal } from '../../platform/errors.ts'
import { raw } from '../../platform/http/resources/answer.ts'
import { metadataPath, resourceOf } from './addresses.ts'
import { isResource, notFor, type Fault } from './request.ts'
import type { Answered, GrantStore } from './store.ts'

const Open = Type.Object({}, { additionalProperties: true })
const tag = 'Compatible'
const LONGEST_BODY = 16_384

/** Dependencies of these routes. `baseUrl`: where clients reach the server. */
interface OpenRoutesOptions {
  grants: GrantStore
  callers: Pick<Identifier, 'attempt'>
  baseUrl: () => string
  /** Permissions that assistants can get. */
  permissions: readonly Permission[]
}

/** Not in the OpenAPI document, since the protocol describes itself. */
const hidden = (route: RouteOptions): RouteOptions => ({ ...route, schema: { ...route.schema, hide: true } as object })

/**
 * OAuth endpoints for assistants: metadata and tokens. They need neither a key nor a session; confirmation takes place
 * in the console.
 */
export const oauthRoutes: FastifyPluginAsync<OpenRoutesOptions> = async (
  app, { grants, callers, baseUrl, permissions }
) => {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    async (request: { receive (payload: IncomingMessage): Promise<Buffer> }, payload: IncomingMessage) =>
      new URLSearchParams((await request.receive(payload)).toString())
  )
  const resource = () => resourceOf(baseUrl())
  const described = { tag, who: 'anyone', cors: 'any origin', answer: raw({ 200: Open }) } as const

  const protectedResource = async (_request: FastifyRequest, reply: FastifyReply) => reply.send({
    resource: resource(),
    authorization_servers: [baseUrl()],
    scopes_supported: permissions,
    bearer_methods_supported: ['header'],
    resource_name: 'Agenthall'
  })
  for (const get of [metadataPath, '/.well-known/oauth-protected-resource'] as const) {
    app.route(hidden(openRoute({
      get,
      id: get === metadataPath ? 'getMcpResource' : 'getProtectedResource',
      summary: 'Get the protected resource metadata of /mcp',
      ...described,
      handle: ({ request, reply }) => protectedResource(request, reply)
    })))
  }

  app.route(hidden(openRoute({
    get: '/.well-known/oauth-authorization-server',
    id: 'getAuthorizationServer',
    summary: 'Get the authorisation server metadata',
    ...described,
    handle: async ({ reply }) => reply.send(authorizationServer(baseUrl(), permissions))
  })))

  app.route(hidden(openRoute({
    get: '/oauth/authorize',
    id: 'beginAssistant',
    tag,
    summary: 'Start authorising an assistant',
    who: 'anyone',
    answer: raw({ 302: Type.Null() }),
    handle: async ({ request, reply }) => {
      const query = request.originalUrl.split('?').slice(1).join('?')
      // The request is validated where somebody is signed in; before that nothing of it is fetched or followed.
      const page = `/console/#/assistant?${/^[!-~]*$/.test(query) ? query : ''}`
      return reply.code(302).headers({
        location: page,
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'"
      }).send()
    }
  })))

  app.route(hidden(openRoute({
    post: '/oauth/token',
    id: 'fetchAssistantTokens',
    tag,
    summary: 'Issue tokens to an assistant',
    who: 'anyone',
    cors: 'any origin',
    limits: { bodyLimit: LONGEST_BODY },
    errorBody: faultOf,
    answer: raw({ 200: Open, 400: Open }),
    handle: async ({ body, request, reply }) => {
      const answered = await tokensFor(body, request, { grants, resource: resource() })
      reply.headers({ 'cache-control': 'no-store', pragma: 'no-cache' })
      if (!('fault' in answered)) {
        const { access, refresh, seconds, scope } = answered
        return reply.send({ access_token: access, token_type: 'Bearer', expires_in: seconds, refresh_token: refresh, scope })
      }
      if (answered.fault.error === 'invalid_grant') await callers.attempt(request)
      const { error, description } = answered.fault
      return reply.code(400).send({ error, error_description: description })
    }
  })))

  app.route(hidden(openRoute({
    post: '/oauth/revoke',
    id: 'revokeAssistantToken',
    tag,
    summary: 'Revoke a token',
    who: 'anyone',
    cors: 'any origin',
    limits: { bodyLimit: LONGEST_BODY },
    errorBody: faultOf,
    answer: raw({ 200: Open }),
    handle: async ({ body, reply }) => {
      const token = body instanceof URLSearchParams ? body.get('token') : null
      if (token) await grants.revoke(token)
      // The caller learns nothing about tokens that do not exist.
      return reply.send({})
    }
  })))
}

/** Our refusals as OAuth clients read them. */
function faultOf ({ code, message }: Refusal): object {
  const error = code === 'rate_limited' || code === 'unavailable' ? 'temporarily_unavailable' : 'invalid_request'
  return { error, error_description: message.replace(/[^ !#-[\]-~]/g, "'") }
}

/** Answers a request for tokens, in which no parameter may be repeated. */
async function tokensFor (
  body: unknown, { headers }: FastifyRequest, { grants, resource }: { grants: GrantStore, resource: string }
): Promise<Answered> {
  const wrong = (error: string, description: string): { fault: Fault } => ({ fault: { error, description } })
  if (!(body instanceof URLSearchParams)) return wrong('invalid_request', 'send a form')
  const names = [...body.keys()]
  if (new Set(names).size !== names.length) return wrong('invalid_request', 'each parameter may be given once')
  const said = (name: string) => body.get(name) ?? ''
  if (headers.authorization !== undefined || said('client_secret') !== '') {
    return wrong('invalid_client', 'clients have no secret here')
  }
  if (said('client_id') === '') return wrong('invalid_request', 'client_id is missing')
  if (!isResource(body.get('resource'), resource)) return { fault: notFor(resource) }
  const client = said('client_id')
  if (said('grant_type') === 'authorization_code') {
    return await grants.exchange({
      code: said('code'), client, redirectUri: said('redirect_uri'), verifier: said('code_verifier')
    })
  }
  if (said('grant_type') === 'refresh_token') return await grants.refresh({ token: said('refresh_token'), client })
  return wrong('unsupported_grant_type', 'authorization_code and refresh_token are supported')
}

/** Authorisation server metadata (RFC 8414). `issuer`: where clients reach the server. */
function authorizationServer (issuer: string, permissions: readonly Permission[]): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    scopes_supported: permissions,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    client_id_metadata_document_supported: true,
    authorization_response_iss_parameter_supported: true
  }
}
