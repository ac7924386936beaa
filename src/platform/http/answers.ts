import sensible from '@fastify/sensible'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import fp from 'fastify-plugin'
import { nothingHere, Refusal, type RefusalCode } from '../errors.ts'
import type { Permit } from './permit.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The format of this route's refusals, where existing clients expect another than ours. */
    errorBody?: (refusal: Refusal, hasRules: boolean) => object
  }
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'] as const

/** The framework's own errors, in our words. */
const FRAMEWORK: Record<string, [RefusalCode, string]> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported_media_type', 'Send the body as Content-Type: application/json.'],
  FST_ERR_MAX_PARAM_LENGTH: ['not_found', 'Nothing is at this address.'],
  FST_ERR_BAD_URL: ['not_found', 'Nothing is at this address.']
}

/** For errors of the framework that are identified by their status alone. */
const CODES: Record<number, RefusalCode> = { 413: 'payload_too_large', 415: 'unsupported_media_type' }

/** Error responses in the two formats of the API, 404 for unknown addresses, and a request id on everything. */
export const answers = fp<{ onRefusal: (code: RefusalCode) => void }>(async (app, { onRefusal }) => {
  await app.register(sensible)
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff')
    // Node would refuse it with its own message, and accept the first of several.
    const hosts = hostsIn(request.raw.rawHeaders)
    if (hosts > 1 || (hosts === 0 && request.raw.httpVersion === '1.1')) {
      const which = hosts === 0 ? 'no Host header' : 'more than one Host header'
      return done(new Refusal('malformed_json', `The request is not valid HTTP: it has ${which}.`))
    }
    // Here, before a body is read, so that an unknown address is a 404 whatever its body.
    done(request.is404 ? nothingHere() : undefined)
  })
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const refusal = refusalFor(app, error)
    onRefusal(refusal.code)
    // Retryable errors resolve themselves; anything else needs a person.
    if (refusal.status >= 500) {
      request.log[refusal.code === 'unavailable' ? 'warn' : 'error'](
        { err: refusal.cause ?? error, route: request.routeOptions.url }, 'a request failed'
      )
    }
    return refuse(reply, refusal, request.routeOptions.config.errorBody)
  })
  app.setNotFoundHandler(async () => { throw nothingHere() })
}, { name: 'answers' })

/** Counts the Host headers in an alternating list of names and values. */
function hostsIn (rawHeaders: string[]): number {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]!.length === 4 && rawHeaders[at]!.toLowerCase() === 'host') hosts++
  }
  return hosts
}

/** Maps a thrown error to a Refusal for the caller. What is not known to be the caller's fault stays inside. */
function refusalFor (app: FastifyInstance, error: FastifyError): Refusal {
  if (error instanceof Refusal) return error
  const [code, message] = FRAMEWORK[error.code] ?? []
  if (code && message) return new Refusal(code, message, { cause: error })
  if (error.statusCode && error.statusCode >= 400 && error.statusCode < 500) {
    // Only the standard phrase of the status is sent, never the framework's own text.
    return new Refusal(
      CODES[error.statusCode] ?? 'malformed_json',
      `The request was not accepted: ${app.httpErrors.createError(error.statusCode).message}.`,
      { cause: error }
    )
  }
  return new Refusal(
    'internal_error',
    'Something went wrong on our side. Try again; if it happens again, give the operator the x-request-id of this response.',
    { cause: error }
  )
}

function refuse (
  reply: FastifyReply, refusal: Refusal, bodyOf: (refusal: Refusal, hasRules: boolean) => object = usualBody
) {
  return reply
    .code(refusal.status)
    .headers(refusal.headers)
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(bodyOf(refusal, reply.request.headers['agenthall-details'] === 'rules'))
}

/** `hasRules`: the caller words the violated rules itself, and asked for them. */
function usualBody ({ code, message, status, fields, details }: Refusal, hasRules: boolean) {
  return code === 'VALIDATION_ERROR'
    ? {
        error: {
          code, message, details: details.map(({ rule, ...detail }) => hasRules ? { ...rule, ...detail } : detail)
        }
      }
    : { error: { code, message, status, fields } }
}

/** Answers an address that could not even be looked up (`%` without digits, an overlong identifier), like `answers`. */
export function answerBrokenAddress (error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
  return refuse(
    reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff'),
    refusalFor(reply.server, error)
  )
}

/**
 * Answers 405 with `Allow` for every method that an existing path does not have. Registered before all routes, closed
 * by `refuseOtherMethods`.
 */
export const collectMethods = fp(async (app) => {
  const methods: RouteMethods = new Map()
  app.decorate('routeMethods', methods)
  app.addHook('onRoute', ({ url, method, config }) => {
    const path = url.replace(/(?<=.)\/$/, '')
    const known = methods.get(path) ?? new Map()
    methods.set(path, known)
    for (const one of [method].flat()) known.set(one, config?.permit)
  })
}, { name: 'collect-methods' })

/** See `collectMethods`. */
export const refuseOtherMethods = fp(async (app) => {
  for (const [url, known] of [...app.routeMethods]) {
    const allow = METHODS.filter((method) => known.has(method)).join(', ')
    const refuse = async () => {
      throw new Refusal('method_not_allowed', `This address answers ${allow} only.`, { headers: { allow } })
    }
    app.route({
      method: METHODS.filter((method) => !known.has(method)) as unknown as HTTPMethods[],
      url,
      schema: { hide: true },
      config: { permit: 'anyone' },
      // Before the body is read, as for an unknown address.
      onRequest: refuse,
      handler: refuse
    })
  }
}, { name: 'refuse-other-methods', dependencies: ['collect-methods'] })

/** Every path with its methods, and who may call each. */
type RouteMethods = Map<string, Map<string, Permit | undefined>>

declare module 'fastify' {
  interface FastifyInstance {
    routeMethods: RouteMethods
  }
}

/** Both prefixes serve every route of the interface: `/api/v1/…` is `/v1/…`. */
export function oneOfBothPrefixes ({ url = '/' }: { url?: string }): string {
  return /^\/api\/v1(?![^/?])/.test(url) ? url.slice('/api'.length) : url
}

/** Whether a list of entity tags, as If-None-Match carries it, names this one. */
export function namesTag (header: string | undefined, tag: string): boolean {
  if (header === undefined) return false
  return header.trim() === '*' || header.split(',').some((one) => one.trim().replace(/^W\//, '') === tag)
}

/** The strong entity tags an If-Match header names; undefined when it asks for nothing. */
export function wantedTags (request: FastifyRequest): string[] | undefined {
  return request.headers['if-match']?.split(',').map((tag) => tag.trim())
}

/** 304: the caller's copy is still valid. */
export function notModified (reply: FastifyReply, tag: string) {
  return reply.code(304).header('etag', tag).send()
}
